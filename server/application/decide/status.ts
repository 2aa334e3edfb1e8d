import { getCondition } from '@/lib/kube/condition';
import { readNumber } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Instant } from '@/lib/std/instant';
import { formatFailure } from '@/lib/words/failures';
import type { ServiceStatus, Services } from '../observe/services';
import { appliedSentence } from './applied';
import type { CollectionOutcome } from './collection';
import type { ConditionValue, ConditionValues, Step } from './conditions';
import { confidentialCondition, endedAt, isFalse, isTrue, isUnknown, labelledCondition, mergeConditions } from './conditions';
import type { Phase, RunPlan } from './model';
import { RECHECK_MS } from './obstacle';

/** What the status says after a pass; what is left out stays as it is. */
export interface StatusChange {
  readonly phase?: Phase;
  readonly values: ConditionValues;
  readonly services?: readonly ServiceStatus[];
  /** True while components are on their way, so that how far each has got tells nobody anything for long. */
  readonly isMoving?: boolean;
  readonly latestRevision?: { readonly name: string; readonly revision: number; readonly revisionHash: string } | undefined;
  readonly outcome?: CollectionOutcome;
}

/** A plan that was carried out, and what came of it. */
export interface RunResult {
  readonly plan: RunPlan;
  readonly object: KubeObject;
  readonly outcome: CollectionOutcome;
  readonly fares: Services;
  /** Which labels and annotations do not reach the objects, and why. */
  readonly withheld: string | undefined;
  /** Which values stand in the application as they are. */
  readonly open: string | undefined;
}

export interface RunStatus {
  readonly change: StatusChange;
  /** Revisions that were reached and that the status has not told of. */
  readonly reached: readonly string[];
  /** When to look again although nothing changed; undefined for not at all. */
  readonly againMs: number | undefined;
}

/** Decides what is said of a plan that was carried out. The latest revision moves only once everything before it succeeded. */
export function decideStatus({ plan, object, outcome, fares: { services, isFailed }, withheld, open }: RunResult): RunStatus {
  const { collect: step, unreported, revision, isUnrecorded } = plan;
  const sick = services.find(({ healthy }) => !healthy);
  const waiting = step.kind === 'wait' ? step.why : undefined;
  const held = outcome.kind === 'held' ? outcome.why : undefined;
  const isComplete = waiting === undefined && held === undefined;
  const unready = held !== undefined ? 'Held' : waiting === undefined ? 'Unhealthy' : reasonOf(plan);
  const values: ConditionValues = {
    Parsed: isTrue('Parsed'),
    Applied: appliedCondition(plan),
    RolledOut: rolledOutCondition(plan),
    Collected: collectedCondition(outcome, waiting),
    ...labelledCondition(object, withheld),
    ...confidentialCondition(object, open),
    Ready:
      sick === undefined && isComplete ? isTrue('Ready', 'everything is ready') : isFalse(unready, held ?? waiting ?? sick?.message ?? ''),
  };
  const reached = [...(unreported ? [unreported] : []), ...(isComplete ? [revision] : [])];
  const latest = reached.at(-1);
  const latestRevision = latest && { name: latest.name, revision: latest.number, revisionHash: latest.hash };
  const phase = phaseOf({ held, waiting, isRejected: reasonOf(plan) === 'Rejected', sick });
  return {
    change: { phase, values, services, isMoving: waiting !== undefined && !isFailed, latestRevision, outcome },
    reached: isUnrecorded ? reached.map(({ name }) => name) : [],
    againMs: held !== undefined ? RECHECK_MS : step.kind === 'wait' ? step.untilMs : undefined,
  };
}

function phaseOf(state: {
  readonly held: string | undefined;
  readonly waiting: string | undefined;
  readonly isRejected: boolean;
  readonly sick: ServiceStatus | undefined;
}): Phase {
  if (state.isRejected) return 'aborted';
  if (state.held !== undefined) return 'held';
  if (state.waiting !== undefined) return 'rollingOut';
  return state.sick === undefined ? 'running' : 'unhealthy';
}

/** What is said of a plan's revision once what is to be applied of it is. */
function appliedCondition({ rollout, revision }: RunPlan): ConditionValue {
  if (rollout.kind !== 'leave') return isTrue('Applied', appliedSentence(revision));
  return rollout.isRejected ? isFalse(reasonOf({ rollout }), rollout.why) : isUnknown(reasonOf({ rollout }), rollout.why);
}

/** Whether the rollout of a plan's revision is through. */
function rolledOutCondition({ collect, rollout }: RunPlan): ConditionValue {
  return collect.kind === 'wait' ? isUnknown(reasonOf({ rollout }), collect.why) : isTrue('RolledOut');
}

/** Why a revision is not reached: it is on its way, its way was aborted, or it waits until that of another component is over. */
function reasonOf({ rollout }: Pick<RunPlan, 'rollout'>): 'RollingOut' | 'Rejected' | 'Waiting' {
  if (rollout.kind !== 'leave') return 'RollingOut';
  return rollout.isRejected ? 'Rejected' : 'Waiting';
}

function collectedCondition(outcome: CollectionOutcome, waiting: string | undefined) {
  if (outcome.kind === 'held') return isFalse('Held', outcome.why);
  return outcome.kind === 'waiting' ? isUnknown('Waiting', waiting ?? '') : isTrue('Collected');
}

/** Reasons of the conditions of a step that failed. */
const FAILED: Readonly<Record<Step, string>> = {
  Parsed: 'Invalid',
  Applied: 'DispatchFailed',
  RolledOut: 'RolloutFailed',
  Collected: 'CollectionFailed',
};

/** What is said of a pass that failed at a step of its plan. */
export function failedAt(
  plan: RunPlan,
  object: KubeObject,
  { step, message }: { readonly step: Step; readonly message: string },
): StatusChange {
  const applied = step === 'Applied' ? {} : { Applied: appliedCondition(plan) };
  const reached = step === 'Collected' ? { RolledOut: rolledOutCondition(plan) } : {};
  const value = isFalse(FAILED[step], formatFailure(message, getCondition(object, step)?.message));
  return statusAtEnd(object, { phase: 'unhealthy', step, value, before: { Parsed: isTrue('Parsed'), ...applied, ...reached } });
}

/** A pass that ended at a step: what is said of it, and of the steps before it, which hold unless told otherwise. */
interface End {
  readonly phase?: Phase | undefined;
  readonly step: Step;
  readonly value: ConditionValue;
  readonly before?: ConditionValues;
}

/** What is said of a pass that ended before its last step. How its components fare is not known then either. */
export function statusAtEnd(object: KubeObject, { phase, step, value, before = { Parsed: isTrue('Parsed') } }: End): StatusChange {
  return { ...(phase ? { phase } : {}), values: endedAt(object, step, value, before), services: [] };
}

/** The status with a change in it, and by what it differs from the one that is stored. */
export function nextStatus(
  object: KubeObject,
  { phase, values, services, isMoving = false, latestRevision, outcome }: StatusChange,
  now: Instant,
) {
  const before = (object.status ?? {}) as Readonly<Record<string, unknown>>; // our own kind: status is an object
  const { collection: _collection, services: evaluated, ...kept } = before;
  const preview = outcome === undefined || outcome.kind === 'done' ? undefined : previewOf(outcome);
  const status = {
    ...kept,
    ...(phase ? { status: phase } : {}),
    observedGeneration: readNumber(object, 'metadata', 'generation') ?? 0,
    conditions: mergeConditions(object, values, now),
    ...told(services ?? evaluated),
    ...(latestRevision ? { latestRevision } : {}),
    ...(preview ? { collection: preview } : {}),
  };
  if (deepEqual(before, status)) return { status, difference: 'none' } as const;
  const isCount = isMoving && deepEqual(withoutCounts(before), withoutCounts(status));
  return { status, difference: isCount ? 'counts' : 'more' } as const;
}

/** A status but for how far each component has got, and since when. */
function withoutCounts({ services, conditions, ...status }: Readonly<Record<string, unknown>>): object {
  const bare = (list: unknown, ...members: readonly string[]) =>
    Array.isArray(list)
      ? list.map((one: object) => ({ ...one, ...Object.fromEntries(members.map((member) => [member, undefined])) }))
      : list;
  return { ...status, services: bare(services, 'healthy', 'message'), conditions: bare(conditions, 'message') };
}

/** Nothing is told of no components. */
function told(services: unknown): { readonly services?: unknown } {
  return services === undefined || (Array.isArray(services) && services.length === 0) ? {} : { services };
}

function previewOf({ plan, ...outcome }: Exclude<CollectionOutcome, { kind: 'done' }>) {
  const count = (verdict: string) => plan.items.filter((item) => item.verdict === verdict).length;
  const refused = 'why' in outcome ? outcome.why : plan.refused;
  return {
    digest: plan.digest,
    from: plan.from,
    ...(plan.to ? { to: plan.to } : {}),
    deleted: count('deleted'),
    held: count('held'),
    ...(refused ? { refused } : {}),
  };
}
