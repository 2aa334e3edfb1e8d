import type { KubeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Instant } from '@/lib/std/instant';
import { toInstant } from '@/lib/std/instant';
import { memoizeFrozen } from '@/lib/std/memoize-frozen';
import { formatCount, formatList } from '@/lib/words/figures';
import { abortOf, attemptOf } from '../control/control-facts';
import type { Attempt, Tightening } from '../control/state';
import { undoOf } from '../control/tightening-undo';
import { completeSince, toView } from '../control/view';
import type { Rollout } from '../model';
import { readRollout, readWorkload } from '../objects';
import type { ControlInput, ControlPolicy } from '../policy/control-policy';
import { resolvePolicy } from '../policy/control-policy';
import type { RolloutTerms } from '../policy/strictness';
import { loosenedFields, requiresApproval } from '../policy/strictness';

/** What decides what the owner of a rollout may do with it. */
export interface RolloutFacts {
  readonly ro: Pick<Rollout, 'spec' | 'status'>;
  /** Every revision that it serves or is to serve, whichever way it goes. */
  readonly named: readonly string[];
  /** The revision it is to reach. */
  readonly target: string | undefined;
  /** Since when the target carries everything and everything is ready; undefined before. */
  readonly completeSince: Instant | undefined;
  /** The revision that was rejected, while the abort holds. */
  readonly rejected: string | undefined;
  /** True while it is on its way, forward or back: taking its policy away would strand it between two revisions. */
  readonly isUnderWay: boolean;
  /** Digest of the garbage that was seen with the last decision about going on. */
  readonly seenGarbage: string | undefined;
  /** The terms in force, where they ask people: without a policy nobody would be asked. */
  readonly inForce: RolloutTerms | undefined;
  /** Who made the policy in force stricter, while nobody has decided under it. */
  readonly tightened: Tightening | undefined;
  /** Who asked for the looser policy that waits to be decided; empty while none waits. */
  readonly loosenedBy: readonly string[];
}

/** Reads what the owner of a rollout goes by. Bounds of several targets that have none of their own are those of their workloads. */
export function readRolloutFacts(object: KubeObject, workloads: readonly KubeObject[] = []): RolloutFacts {
  const ro = readRollout(object);
  const running = workloads.map((workload) => readWorkload(workload));
  const view = toView({ ro, autoscalers: [], workloads: new Map(running.map((workload) => [workload.revision, workload])), pods: [] });
  const { control } = view;
  const { rollout, terms, loosening, policyRequestedBy } = ro;
  const { spec, status } = rollout;
  const target = spec.targetRevisions?.[0]?.revisionName;
  const abort = abortOf(control);
  const since = completeSince(view);
  return {
    ro: { spec, status },
    named: namedIn(spec, attemptOf(control)),
    target,
    completeSince: since,
    rejected: abort?.rejected,
    isUnderWay: target !== undefined && since === undefined && abort?.state !== 'aborted',
    seenGarbage: control.seenGarbage,
    inForce: requiresApproval(terms) ? terms : undefined,
    tightened: control.tightened,
    loosenedBy: loosening === undefined ? [] : policyRequestedBy,
  };
}

function namedIn({ initialRevisions, targetRevisions }: Rollout['spec'], attempt: Attempt | undefined): readonly string[] {
  const { course, stable } = attempt ?? {};
  const lists = [initialRevisions, targetRevisions, stable, course?.initialRevisions, course?.targetRevisions];
  return [...new Set(lists.flatMap((list) => (list ?? []).map(({ revisionName }) => revisionName)))];
}

/** True for a change of a rollout by which its owner may do something else: not for how far it has got on its way. */
export function concernsOwner(before: KubeObject | undefined, after: KubeObject | undefined): boolean {
  if (before === undefined || after === undefined) return true;
  return !deepEqual(ownersView(before), ownersView(after));
}

/** Two engines ask of each change, and each copy is in two changes. */
const ownersView = memoizeFrozen((object: KubeObject) => ({ ...readRolloutFacts(object), ro: undefined, ...askedOf(object) }));

/** Everything of it that is not ours to write. */
function askedOf({ metadata, spec }: KubeObject): object {
  return {
    metadata: { ...metadata, resourceVersion: undefined, generation: undefined },
    spec: { ...(spec as object | undefined), stageTargetRevisions: undefined, targetFinishTime: undefined },
  };
}

/** From when what older revisions left may be collected, under the policy that an application asks for; undefined while it may not. */
export function collectableAt({ completeSince }: RolloutFacts, policy: ControlInput): Instant | undefined {
  return completeSince === undefined ? undefined : toInstant(completeSince + resolvePolicy(policy).scaleDownDelaySeconds * 1000);
}

/** Who has to approve, and how many: by the terms in force, else by the policy that an application asks for. */
export function approvalsInForce(facts: RolloutFacts | undefined, asked: ControlInput | undefined): ControlPolicy['approvals'] {
  return resolvePolicy(facts?.inForce?.control ?? asked ?? {}).approvals;
}

/** What of the policy that is asked for waits to be decided, in a sentence; undefined where nothing of it is looser than what is in force. */
export function explainLoosening(
  facts: RolloutFacts | undefined,
  asked: RolloutTerms,
  { by, now }: { readonly by: string | undefined; readonly now: Instant },
): string | undefined {
  const { inForce, tightened } = facts ?? {};
  const fields = inForce === undefined ? [] : loosenedFields(inForce, asked);
  if (inForce === undefined || fields.length === 0) return undefined;
  const back = undoOf(tightened, now);
  if (back?.by === by && back !== undefined && loosenedFields(back.from, asked).length === 0) return undefined; // taken back, at once
  const { required } = resolvePolicy(inForce.control).approvals;
  return `${formatList(fields)} ${fields.length === 1 ? 'is' : 'are'} looser than the policy in force; ${fields.length === 1 ? 'it takes' : 'they take'} effect once ${formatCount(required, 'person decides', 'people decide')} to loosen it`;
}
