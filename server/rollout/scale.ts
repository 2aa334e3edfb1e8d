import type { Revisions, StageBounds, TargetRevision } from './model';
import type { Workload } from './objects';
import type { StrategyName } from './stage/steps';

/** A replica count to write. */
export interface ScaleWrite {
  readonly revision: string;
  readonly from: number;
  readonly to: number;
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
}

export interface ScalePlan {
  readonly writes: readonly ScaleWrite[];
  /** Lowerings that must wait, with the sentence that says why. */
  readonly waits: readonly string[];
}

/**
 * Replica counts from stage bounds, for workloads without an autoscaler of their own.
 *
 * 1. Raising is always allowed.
 * 2. With availability no lowering leaves fewer ready replicas, over all revisions together, than the floor.
 * 3. Where fewer are ready already, nothing that is ready goes.
 */
export function planScales(input: ScaleInput): ScalePlan {
  const wanted = [...input.bounds].flatMap(([revision, bounds]) => wantedScale(input, revision, bounds));
  const raises = wanted.filter(({ from, to }) => to > from);
  const writes: ScaleWrite[] = [...raises];
  const waits: string[] = [];
  const kept = new Map([...input.workloads.values()].map(({ revision, readyReplicas }) => [revision, readyReplicas]));
  for (const lowering of wanted.filter(({ from, to }) => to < from)) {
    const to = input.strategy === 'availability' ? Math.min(lowering.from, Math.max(lowering.to, neededOf(lowering.revision, kept, input.floor))) : lowering.to;
    const ready = kept.get(lowering.revision) ?? 0;
    kept.set(lowering.revision, Math.min(ready, to));
    if (to < lowering.from) writes.push({ ...lowering, to });
    if (to > lowering.to) waits.push(`${lowering.revision} keeps ${to} replicas instead of ${lowering.to}, so that ${input.floor} stay ready`);
  }
  return { writes, waits };
}

function neededOf(revision: string, kept: ReadonlyMap<string, number>, floor: number): number {
  let others = 0;
  for (const [name, ready] of kept) if (name !== revision) others += ready;
  return Math.max(0, floor - others);
}

function wantedScale({ workloads, stage, others }: ScaleInput, revision: string, bounds: StageBounds): readonly ScaleWrite[] {
  const workload = workloads.get(revision);
  if (workload === undefined) return [];
  const entry = stage.find(({ revisionName }) => revisionName === revision);
  const own = entry ?? others.find(({ revisionName }) => revisionName === revision);
  const to = isParked(bounds, entry) ? 0 : clamp(workload.replicas, bounds, own);
  return to === workload.replicas ? [] : [{ revision, from: workload.replicas, to }];
}

/** True for a revision that is to have no replicas: it waits for room, or it ended. */
function isParked({ stageMinScale, stageMaxScale }: StageBounds, entry: TargetRevision | undefined): boolean {
  if (stageMinScale !== 0) return false;
  return stageMaxScale === 0 || (stageMaxScale === 1 && entry?.percent === undefined);
}

// Without an autoscaler of its own to defer to, the stage maximum binds even where the revision has none.
function clamp(current: number, { stageMinScale, stageMaxScale }: StageBounds, own: TargetRevision | undefined): number {
  const ownMax = own?.maxScale || undefined;
  const min = Math.min(own?.minScale ?? 0, stageMinScale ?? Number.POSITIVE_INFINITY);
  const max = Math.min(stageMaxScale ?? Number.POSITIVE_INFINITY, ownMax ?? Number.POSITIVE_INFINITY);
  return Math.min(Math.max(current, min), Math.max(min, max));
}
