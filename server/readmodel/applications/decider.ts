import type { ApplicationRow } from '@/lib/contract/application-rows';
import { KINDS } from '@/lib/kube/kinds';
import type { ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { Deciders } from '@/server/application';
import { awaitedPerson, decidersOf } from '@/server/application';
import type { Approver } from '@/server/rollout';
import { readRolloutFacts } from '@/server/rollout';
import { APP_INDEX } from '../cluster-view';
import { asHeadline } from '../headline';
import type { PlanDeps } from '../trackers/plan-against';
import { planWaiting } from '../trackers/waiting';
import type { ApplicationFacts } from './application-facts';

/** Whom the policy asks about what waits to be deleted of an application; undefined where nothing does. */
function seeDeciders(key: ObjectKey, deps: PlanDeps): Deciders | undefined {
  const { view } = deps;
  const application = view.get(KINDS.application, key);
  const plan = application && planWaiting(key, deps);
  if (application === undefined || plan === undefined) return undefined;
  const rollout = view.get(KINDS.rolloutOrchestrator, key);
  const decisions = view.open(KINDS.stageDecision).byIndex(APP_INDEX, key);
  return decidersOf(application, { plan, rollout: rollout && readRolloutFacts(rollout), decisions });
}

/** Who lets an application go on that waits for a person, and by what. */
export function deciderOf({ awaited }: ApplicationFacts, key: ObjectKey, deps: PlanDeps): Pick<ApplicationRow, 'decider'> {
  if (awaited === undefined) return {};
  const asked = awaited === 'approve' ? seeDeciders(key, deps) : undefined;
  const { groups = [], not = [], people = false } = asked ?? {};
  return { decider: { verb: awaited, groups: [...groups], not: [...not], ...(people ? { people } : {}) } };
}

/** Why an approval of somebody would not count towards what waits to be deleted of an application; null where it would, and where nothing waits. */
export function whyNotDeleted(
  { ns, name }: { readonly ns: string; readonly name: string },
  person: Approver,
  deps: PlanDeps,
): string | null {
  const key = toObjectKey({ namespace: ns, name });
  const application = deps.view.get(KINDS.application, key);
  if (application === undefined || awaitedPerson(application)?.verb !== 'approve') return null;
  const why = seeDeciders(key, deps)?.whyNot(person);
  return why === undefined ? null : asHeadline(why, [person.user]);
}
