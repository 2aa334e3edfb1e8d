import type { ApplicationRow } from '@/lib/contract/application-rows';
import type { DecisionVerb } from '@/lib/contract/stage-decision';
import { KINDS } from '@/lib/kube/kinds';
import type { ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { formatRollout } from '@/lib/words/format-rollout';
import type { Approval, Deciders } from '@/server/application';
import { awaitedDecision, decidersOf } from '@/server/application';
import type { Approver } from '@/server/rollout';
import { readRolloutFacts } from '@/server/rollout';
import { capitalise } from '../capitalise';
import { APP_INDEX } from '../cluster-view';
import type { DescribeRollout } from '../rollouts/describe';
import type { PlanDeps } from '../trackers/plan-against';
import { planWaiting } from '../trackers/waiting';
import type { ApplicationFacts } from './application-facts';

/** What is told of people who decide. */
interface DeciderDeps extends PlanDeps {
  /** Whom the API server takes this server for: the writer of applications that lie in others. Undefined until it has answered. */
  readonly ownUser: () => string | undefined;
}

/** Whom the policy asks about what waits to be deleted of an application; undefined where nothing does. */
function seeDeciders(key: ObjectKey, deps: DeciderDeps): Deciders | undefined {
  const { view } = deps;
  const application = view.get(KINDS.application, key);
  const plan = application && planWaiting(key, deps);
  if (application === undefined || plan === undefined) return undefined;
  const rollout = view.get(KINDS.rolloutOrchestrator, key);
  const decisions = view.open(KINDS.stageDecision).byIndex(APP_INDEX, key);
  const among = { own: deps.ownUser(), applications: view.open(KINDS.application), trackers: view.open(KINDS.resourceTracker) };
  return decidersOf(application, { plan, rollout: rollout && readRolloutFacts(rollout), decisions, among });
}

/** Who lets an application go on that waits for a person, and by what. */
export function deciderOf({ awaited }: ApplicationFacts, key: ObjectKey, deps: DeciderDeps): Pick<ApplicationRow, 'decider'> {
  if (awaited === undefined) return {};
  const asked = awaited === 'approve' ? seeDeciders(key, deps) : undefined;
  const { groups = [], not = [], people = false } = asked ?? {};
  return { decider: { verb: awaited, groups: [...groups], not: [...not], ...(people ? { people } : {}) } };
}

/** What approvals of deletions come to, and decisions about rollouts. */
export interface Approvals {
  /** What a decision about a rollout does, as its page says it now, and the digest of what that is told of; null where it may not be made. */
  consequencesOf(rollout: Place, verb: DecisionVerb): { readonly digest: string; readonly sentences: readonly string[] } | null;
  /** Why an approval of somebody would not count towards what waits to be deleted of an application; null where it would, and where nothing waits. */
  notDeletedReason(application: Place, person: Approver): string | null;
  /** Why such an approval would count for nothing beside one of the same person; null where none counts. */
  approvedAlreadyReason(application: Place, approval: Approval): string | null;
}

interface Place {
  readonly ns: string;
  readonly name: string;
}

/** Tells what approvals of deletions and decisions about rollouts come to, by the copies. */
export function createApprovals(deps: DeciderDeps & { readonly seeRollout: DescribeRollout }): Approvals {
  const say = (why: string | undefined, user: string) => (why === undefined ? null : capitalise(why, [user]));
  return {
    consequencesOf({ ns, name }, verb) {
      const told = deps.seeRollout(toObjectKey({ namespace: ns, name }))?.told;
      const does = told?.acts[verb].consequences ?? null;
      return told === undefined || does === null ? null : { digest: told.digest, sentences: does.messages.map(formatRollout) };
    },
    notDeletedReason({ ns, name }, person) {
      const key = toObjectKey({ namespace: ns, name });
      const application = deps.view.get(KINDS.application, key);
      if (application === undefined || awaitedDecision(application)?.verb !== 'approve') return null;
      return say(seeDeciders(key, deps)?.refusalReason(person), person.user);
    },
    approvedAlreadyReason({ ns, name }, approval) {
      const deciders = seeDeciders(toObjectKey({ namespace: ns, name }), deps);
      return say(deciders?.repeatReason(approval), approval.actor.user);
    },
  };
}
