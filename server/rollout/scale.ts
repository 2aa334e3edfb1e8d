import type { WaitMessage } from '@/lib/words/rollout-message';
import { attemptOf, stableOf } from './control/control-facts';
import type { RolloutView } from './control/view';
import { activeTargets } from './control/view';
import type { HorizontalAutoscaler, ScaleRange } from './horizontal-autoscaler';
import type { ManualScaling, Revisions, StageBounds, TargetRevision } from './model';
import type { Workload } from './objects';
import type { StrategyName } from './stage/steps';
import { strategyOf } from './stage/steps';

/** A replica count to write. */
export interface ScaleWrite {
  readonly revision: string;
  readonly from: number;
  readonly to: number;
}

/** Another range for the autoscaler of a revision. */
export interface RangeWrite {
  readonly revision: string;
  readonly from: ScaleRange;
  readonly to: ScaleRange;
}

export interface ScaleInput {
  readonly workloads: ReadonlyMap<string, Workload>;
  /** Stage bounds by revision; revisions without any are left alone. */
  readonly bounds: ReadonlyMap<string, StageBounds>;
  readonly stage: Revisions;
  /** Own bounds of revisions that are not in the stage. */
  readonly others: Revisions;
  readonly strategy: StrategyName;
  /** With availability the ready replicas that lowering must leave. */
  readonly floor: number;
  /** Counts as they were left, of revisions that somebody else scaled since: those are gone on from. */
  readonly left?: ReadonlyMap<string, number>;
  /** True while nobody can see what is ready: then nothing is lowered. */
  readonly isBlind?: boolean;
}

type FloorWait = Extract<WaitMessage, { readonly id: 'wait.floor' }>;

/** What counts and ranges of a rollout go by at a moment. */
export function toScaleInput(view: RolloutView, scaledByHand: readonly ManualScaling[] = []): ScaleInput {
  const spec = activeTargets(view);
  return {
    workloads: view.workloads,
    bounds: new Map(view.autoscalers.map(({ name, bounds }) => [name, bounds])),
    stage: spec.stageTargetRevisions ?? [],
    others: [...(spec.targetRevisions ?? []), ...(spec.initialRevisions ?? []), ...stableOf(view.control)],
    strategy: strategyOf(spec.rolloutStrategy),
    floor: attemptOf(view.control)?.floor ?? 0,
    left: new Map(scaledByHand.flatMap(({ revision, left }) => (left === undefined ? [] : [[revision, left]]))),
    isBlind: view.staleKind !== undefined,
  };
}

/** Ranges are written first, so that no autoscaler finds a count outside of the one it has. */
export interface ScalePlan {
  readonly ranges: readonly RangeWrite[];
  readonly writes: readonly ScaleWrite[];
  /** Lowerings that must wait for the floor. */
  readonly waits: readonly FloorWait[];
}

/** What a revision is to have: a count, or a range for whoever counts. Parked is no pod at all. */
type Wish =
  | { readonly kind: 'count'; readonly revision: string; readonly from: number; readonly to: number }
  | {
      readonly kind: 'range';
      readonly revision: string;
      readonly replicas: number;
      readonly from: ScaleRange;
      readonly to: ScaleRange | 'parked';
    };

/**
 * Replica counts and ranges of autoscalers, from stage bounds.
 *
 * 1. Raising is always allowed.
 * 2. With availability no lowering leaves fewer ready replicas, over all revisions together, than the floor.
 * 3. An autoscaler may go to its minimum at any moment: no more than that is certain of a revision that has one.
 * 4. Where fewer are ready already, nothing that is ready goes.
 * 5. An autoscaler sleeps while its workload has no replicas: a revision is parked by a count of 0 and woken by one of its minimum.
 *    Its range is left as it is meanwhile, and no other count of it is ever written.
 * 6. While what is ready cannot be seen, nothing is lowered.
 */
export function planScales(input: ScaleInput): ScalePlan {
  const wishes = [...input.bounds].flatMap(([revision, bounds]) => wishOf(input, revision, bounds));
  const ranges: RangeWrite[] = [];
  const writes: ScaleWrite[] = [];
  const waits: FloorWait[] = [];
  for (const wish of wishes.filter((one) => !isLowering(one))) raise(wish, ranges, writes);
  const certain = new Map([...input.workloads.values()].map((workload) => [workload.revision, certainOf(workload)]));
  for (const wish of input.isBlind ? [] : wishes.filter(isLowering)) {
    const { revision } = wish;
    const needed = input.strategy === 'availability' ? neededOf(revision, certain, input.floor) : 0;
    const ready = input.workloads.get(revision)?.readyReplicas ?? 0;
    const { left, wait, write, range } = wish.kind === 'count' ? lowerCount(wish, needed) : lowerRange(wish, needed);
    certain.set(revision, Math.min(ready, left));
    if (write !== undefined) writes.push(write);
    if (range !== undefined) ranges.push(range);
    if (wait !== undefined) waits.push({ id: 'wait.floor', revision, ...wait, floor: input.floor });
  }
  return { ranges, writes, waits };
}

/** Ready replicas that nobody takes away unless we write something. */
function certainOf({ readyReplicas, replicas, autoscaler }: Workload): number {
  return Math.min(readyReplicas, replicas, autoscaler?.range.min ?? replicas);
}

function neededOf(revision: string, certain: ReadonlyMap<string, number>, floor: number): number {
  let others = 0;
  for (const [name, ready] of certain) if (name !== revision) others += ready;
  return Math.max(0, floor - others);
}

function isLowering(wish: Wish): boolean {
  if (wish.kind === 'count') return wish.to < wish.from;
  if (wish.replicas === 0) return false; // what sleeps has nothing to lose
  return wish.to === 'parked' || wish.to.min < wish.from.min || wish.to.max < wish.from.max;
}

function raise(wish: Wish, ranges: RangeWrite[], writes: ScaleWrite[]): void {
  const { revision } = wish;
  if (wish.kind === 'count') {
    if (wish.to > wish.from) writes.push({ revision, from: wish.from, to: wish.to });
  } else if (wish.to !== 'parked') {
    if (!isSameRange(wish.from, wish.to)) ranges.push({ revision, from: wish.from, to: wish.to });
    if (wish.replicas === 0) writes.push({ revision, from: 0, to: wish.to.min });
  }
}

interface Lowered {
  /** What is certain to stay, as far as it is ready. */
  readonly left: number;
  readonly write?: ScaleWrite;
  readonly range?: RangeWrite;
  readonly wait?: { readonly keeps: number; readonly wished: number };
}

function lowerCount({ revision, from, to: wished }: Extract<Wish, { kind: 'count' }>, needed: number): Lowered {
  const to = Math.min(from, Math.max(wished, needed));
  return {
    left: to,
    ...(to < from ? { write: { revision, from, to } } : {}),
    ...(to > wished ? { wait: { keeps: to, wished } } : {}),
  };
}

function lowerRange({ revision, replicas, from, to: wished }: Extract<Wish, { kind: 'range' }>, needed: number): Lowered {
  if (wished === 'parked' && needed === 0) return { left: 0, write: { revision, from: replicas, to: 0 } };
  const least = wished === 'parked' ? { min: 1, max: 1 } : wished;
  const min = Math.max(least.min, Math.min(from.min, needed));
  const to = { min, max: Math.max(least.max, min, Math.min(from.max, needed)) };
  const short = wished === 'parked' ? 0 : wished.max;
  // Where its maximum comes down as wished, what is kept is its minimum.
  const wait = to.max > short ? { keeps: to.max, wished: short } : { keeps: to.min, wished: least.min };
  return {
    left: to.min,
    ...(isSameRange(from, to) ? {} : { range: { revision, from, to } }),
    ...(wait.keeps > wait.wished ? { wait } : {}),
  };
}

/** What bounds make of a revision: how many replicas it goes to, and between which bounds an autoscaler may take it. */
export interface Outcome {
  readonly replicas: number;
  readonly range: ScaleRange;
}

/** The replicas that bounds bring a revision to from those it has. */
export function outcomeOf(bounds: StageBounds, entry: TargetRevision, has: Pick<Workload, 'replicas' | 'autoscaler'>): Outcome {
  if (isParked(bounds, entry)) return { replicas: 0, range: { min: 0, max: 0 } };
  const limits = limitsOf(bounds, entry);
  if (has.autoscaler === undefined) {
    const replicas = clamp(has.replicas, limits);
    return { replicas, range: { min: replicas, max: replicas } };
  }
  const range = toRange(has.autoscaler, limits);
  return { replicas: clamp(has.replicas, range), range };
}

function isSameRange(left: ScaleRange, right: ScaleRange): boolean {
  return left.min === right.min && left.max === right.max;
}

function wishOf({ workloads, stage, others, left }: ScaleInput, revision: string, bounds: StageBounds): readonly Wish[] {
  const workload = workloads.get(revision);
  if (workload === undefined) return [];
  const entry = stage.find(({ revisionName }) => revisionName === revision);
  const own = entry ?? others.find(({ revisionName }) => revisionName === revision);
  const { replicas, autoscaler } = workload;
  const parked = isParked(bounds, entry);
  if (autoscaler === undefined)
    return [{ kind: 'count', revision, from: replicas, to: parked ? 0 : clamp(left?.get(revision) ?? replicas, limitsOf(bounds, own)) }];
  return [
    { kind: 'range', revision, replicas, from: autoscaler.range, to: parked ? 'parked' : toRange(autoscaler, limitsOf(bounds, own)) },
  ];
}

/** True for a revision that is to have no replicas: it waits for room, or it ended. */
export function isParked({ stageMinScale, stageMaxScale }: StageBounds, entry: TargetRevision | undefined): boolean {
  if (stageMinScale !== 0) return false;
  return stageMaxScale === 0 || (stageMaxScale === 1 && entry?.percent === undefined);
}

/** The bounds in force. The stage maximum binds even where the revision has none; an autoscaler is given one, anything else is counted by it. */
function limitsOf({ stageMinScale, stageMaxScale }: StageBounds, own: TargetRevision | undefined): ScaleRange {
  const min = Math.min(own?.minScale ?? 0, stageMinScale ?? Number.POSITIVE_INFINITY);
  const max = Math.min(stageMaxScale ?? Number.POSITIVE_INFINITY, own?.maxScale || Number.POSITIVE_INFINITY);
  return { min, max: Math.max(min, max) };
}

function clamp(current: number, { min, max }: ScaleRange): number {
  return Math.min(Math.max(current, min), max);
}

/** No server takes a range that begins at 0 unless a feature gate says so; without a maximum in force the autoscaler keeps its own. */
function toRange({ own }: HorizontalAutoscaler, limits: ScaleRange): ScaleRange {
  const min = Math.max(1, limits.min);
  return { min, max: Math.max(min, Number.isFinite(limits.max) ? limits.max : own.max) };
}
