import { readNumber } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress, toObjectKey } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import { findExact } from '@/lib/std/exact-json';
import type { ResourceTracker } from '@/server/dispatch';
import { isConflict, isNotFound } from '@/server/kube';
import { breathe } from '@/server/platform';
import { appliedSentence } from '../decide/applied';
import type { ConditionValue, ConditionValues, Step } from '../decide/conditions';
import { confidentialCondition, endedAt, isFalse, isTrue, isUnknown, labelledCondition, mergeConditions } from '../decide/conditions';
import type { Phase, RunPlan } from '../decide/decide';
import type { InlineValues } from '../observe/observe';
import type { ServiceStatus } from '../observe/services';
import { servicesOf } from '../observe/services';
import { warnOnce } from '../observe/ungranted';
import { sayInline } from '../values/say-inline';
import type { CollectionOutcome } from './collect';
import type { ActContext } from './context';
import { record, WRITER } from './context';

/** When to look again although nothing changed; undefined for not at all. */
export type RequeueAfter = number | undefined;
/** What is held is looked at again after this, since not everything it waits for is watched. */
export const LOOK_AGAIN_MS = 10_000;

export interface RunReport {
  readonly plan: RunPlan;
  readonly object: KubeObject;
  readonly tracker: ResourceTracker | undefined;
  readonly outcome: CollectionOutcome;
  /** Which labels and annotations do not reach the objects, and why. */
  readonly withheld: string | undefined;
  readonly inline: InlineValues | undefined;
}

/** Writes what the pass came to. The latest revision moves only once everything before it succeeded. */
export async function report(context: ActContext, { plan, object, tracker, outcome, withheld, inline }: RunReport): Promise<RequeueAfter> {
  const { application, collect: step } = plan;
  const turn = () => breathe(context.deps.clock);
  await turn();
  const { services, isFailed } = servicesOf(application, tracker, { cache: context.objects, status: context.status });
  await turn();
  context.watched.set(toObjectKey(application), tracker?.entries ?? [], tracker?.entries);
  const sick = services.find(({ healthy }) => !healthy);
  const waiting = step.kind === 'wait' ? step.why : undefined;
  const held = outcome.kind === 'held' ? outcome.why : undefined;
  const complete = waiting === undefined && held === undefined;
  const open = inline && sayInline(object, inline);
  if (open !== undefined) await warnOnce(context, object, { reason: 'InlineValues', message: open });
  const unready = held !== undefined ? 'Held' : waiting === undefined ? 'Unhealthy' : reasonOf(plan);
  const values: ConditionValues = {
    Parsed: isTrue('Parsed'),
    Applied: appliedCondition(plan),
    RolledOut: rolledOutCondition(plan),
    Collected: collectedCondition(outcome, waiting),
    ...labelledCondition(object, withheld),
    ...confidentialCondition(object, open),
    Ready: sick === undefined && complete ? isTrue('Ready', 'everything is ready') : isFalse(unready, held ?? waiting ?? sick?.message ?? ''),
  };
  // First the record, then the status that says it is there.
  const latestRevision = await recordReached(context, plan, { object, complete });
  const later = await writeStatus(context, object, {
    phase: phaseOf({ held, waiting, isRejected: reasonOf(plan) === 'Rejected', sick }),
    values,
    services,
    isMoving: waiting !== undefined && !isFailed,
    latestRevision,
    outcome,
  });
  const again = held !== undefined ? LOOK_AGAIN_MS : step.kind === 'wait' ? step.untilMs : undefined;
  return later === undefined ? again : Math.min(again ?? later, later);
}

/** What is said of a plan's revision once what is to be applied of it is. */
export function appliedCondition({ rollout, revision }: Pick<RunPlan, 'rollout' | 'revision'>): ConditionValue {
  if (rollout.kind !== 'leave') return isTrue('Applied', appliedSentence(revision));
  return rollout.isRejected ? isFalse(reasonOf({ rollout }), rollout.why) : isUnknown(reasonOf({ rollout }), rollout.why);
}

/** Whether the rollout of a plan's revision is through. */
export function rolledOutCondition({ collect, rollout }: Pick<RunPlan, 'collect' | 'rollout'>): ConditionValue {
  return collect.kind === 'wait' ? isUnknown(reasonOf({ rollout }), collect.why) : isTrue('RolledOut');
}

/** Why a revision is not reached: it is on its way, its way was aborted, or it waits until that of another component is over. */
function reasonOf({ rollout }: Pick<RunPlan, 'rollout'>): 'RollingOut' | 'Rejected' | 'Waiting' {
  if (rollout.kind !== 'leave') return 'RollingOut';
  return rollout.isRejected ? 'Rejected' : 'Waiting';
}

/** Puts on record which revisions were reached that the status has not told of; gives what it is to tell. */
async function recordReached(context: ActContext, plan: RunPlan, { object, complete }: { readonly object: KubeObject; readonly complete: boolean }) {
  const { application, revision, untold, isNews } = plan;
  const reached = [...(untold ? [untold] : []), ...(complete ? [revision] : [])];
  for (const { name } of isNews ? reached : []) {
    const message = `${application.name} runs as ${name}`;
    await record(context, { id: `application.completed:${application.uid}:${name}`, action: 'application.completed', about: toAddress(object), message });
  }
  const latest = reached.at(-1);
  return latest && { name: latest.name, revision: latest.number, revisionHash: latest.hash };
}

function collectedCondition(outcome: CollectionOutcome, waiting: string | undefined) {
  if (outcome.kind === 'held') return isFalse('Held', outcome.why);
  return outcome.kind === 'waiting' ? isUnknown('Waiting', waiting ?? '') : isTrue('Collected');
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

/** A pass that ended at a step: what is said of it, and of the steps before it, which hold unless told otherwise. */
interface End {
  readonly phase?: Phase;
  readonly step: Step;
  readonly value: ConditionValue;
  readonly before?: ConditionValues;
}

/** Writes that a pass ended before its last step. How its components fare is not known then either. */
export async function writeEnd(context: ActContext, object: KubeObject, { phase, step, value, before = { Parsed: isTrue('Parsed') } }: End): Promise<void> {
  await writeStatus(context, object, { ...(phase ? { phase } : {}), values: endedAt(object, step, value, before), services: [] });
}

export interface StatusChange {
  readonly phase?: Phase;
  readonly values: ConditionValues;
  readonly services?: readonly ServiceStatus[];
  /** True while components are on their way, so that how far each has got tells nobody anything for long. */
  readonly isMoving?: boolean;
  readonly latestRevision?: { readonly name: string; readonly revision: number; readonly revisionHash: string } | undefined;
  readonly outcome?: CollectionOutcome;
}

/** Writes the status when it differs. Where only counts do, it may have to wait: then it says how long, and writes nothing. */
export async function writeStatus(
  { deps, rhythm, signal }: ActContext,
  object: KubeObject,
  { phase, values, services, isMoving = false, latestRevision, outcome }: StatusChange,
): Promise<RequeueAfter> {
  const before = (object.status ?? {}) as Readonly<Record<string, unknown>>; // our own kind: status is an object
  const { collection: _collection, services: judged, ...kept } = before;
  const preview = outcome === undefined || outcome.kind === 'done' ? undefined : previewOf(outcome);
  const status = {
    ...kept,
    ...(phase ? { status: phase } : {}),
    observedGeneration: readNumber(object, 'metadata', 'generation') ?? 0,
    conditions: mergeConditions(object, values, deps.clock.now()),
    ...told(services ?? judged),
    ...(latestRevision ? { latestRevision } : {}),
    ...(preview ? { collection: preview } : {}),
  };
  const key = toObjectKey(object.metadata);
  const isStored = deepEqual(before, status);
  const isCount = !isStored && isMoving && deepEqual(withoutCounts(before), withoutCounts(status));
  const waitMs = isCount ? rhythm.waitMs(key, services, deps.clock.now()) : 0;
  if (waitMs > 0) return waitMs;
  rhythm.rest(key);
  if (isStored) return undefined;
  try {
    await deps.cluster.update({ ...withoutLongNumbers(object), status }, { ...WRITER, subresource: 'status', signal });
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error; // it changed or went meanwhile; the watch tells, and the next pass says what holds then
  }
  return undefined;
}

/** What is written as a status takes nothing of the spec along, so a spec that may not be written back (record 0050) stays at home. */
function withoutLongNumbers(object: KubeObject): KubeObject {
  if (findExact(object.spec) === undefined) return object;
  const { spec: _spec, ...rest } = object;
  return rest;
}

/** A status but for how far each component has got, and since when. */
function withoutCounts({ services, conditions, ...status }: Readonly<Record<string, unknown>>): object {
  const bare = (list: unknown, ...members: readonly string[]) =>
    Array.isArray(list) ? list.map((one: object) => ({ ...one, ...Object.fromEntries(members.map((member) => [member, undefined])) })) : list;
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
