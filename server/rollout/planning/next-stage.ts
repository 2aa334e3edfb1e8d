import { deepEqual } from '@/lib/std/deep-equal';
import type { Revisions, Rollout, TargetRevision } from '../model';
import { withPart } from '../model';
import { isTrue } from '../stage/conditions';
import type { StageConfig } from './config';
import type { CurrentScale, Scales } from './current-scale';
import { currentScaleOf, isEligible, replicasOf, stageSize } from './current-scale';

/** What the planner wants of the spec. Finish says what becomes of the deadline. */
export interface StagePlan {
  /** Not set when the target alone carries traffic already and no stage is written: there is nothing to move. */
  readonly stageTargetRevisions: Revisions | undefined;
  readonly rolloutStrategy: string;
  readonly finish: 'keep' | { readonly inMinutes: number };
  /** False when the stage in the spec was left as it is. */
  readonly computed: boolean;
}

/** Plans the next stage, or leaves the present one alone while it is under way. */
export function nextStage(ro: Pick<Rollout, 'spec' | 'status'>, config: StageConfig, scales: Scales): StagePlan {
  const { targetRevisions: target = [], stageTargetRevisions: stage } = ro.spec;
  const rolloutStrategy = config.progressiveRolloutStrategy.toLowerCase();
  if (target.length !== 1 || !config.progressiveRolloutEnabled)
    return { stageTargetRevisions: [...target], rolloutStrategy, finish: 'keep', computed: true };
  const { conditions } = ro.status;
  const due = stage === undefined || (isTrue(conditions, 'StageReady') && !isTrue(conditions, 'LastStageReady'));
  if (!due) return { stageTargetRevisions: stage, rolloutStrategy, finish: 'keep', computed: false };
  const { stageTargetRevisions, finish } = computeStage(ro, config, scales);
  return { stageTargetRevisions, rolloutStrategy, finish, computed: true };
}

function computeStage(
  ro: Pick<Rollout, 'spec' | 'status'>,
  config: StageConfig,
  scales: Scales,
): Pick<StagePlan, 'stageTargetRevisions' | 'finish'> {
  const { initialRevisions, targetRevisions: target = [], stageTargetRevisions: stage } = ro.spec;
  const finish = { inMinutes: config.stageRolloutTimeoutMinutes };
  const [final] = target;
  if (final === undefined || sameIgnoringRoutes(initialRevisions ?? [], target)) return { stageTargetRevisions: [...target], finish };
  const from = stage === undefined ? initialRevisions : (ro.status.stageRevisionStatus ?? initialRevisions);
  const start = startList(from ?? [], final.revisionName);
  if (start.length === 0) return { stageTargetRevisions: [...target], finish: 'keep' };
  const measured = currentScaleOf(start, scales);
  if (measured.currentReplicas === 0) return { stageTargetRevisions: [...target], finish };
  const moved = oneStage(final, start, withTarget(measured, start, final, scales), config.overConsumptionRatio);
  return { stageTargetRevisions: moved === undefined ? stage : withFloor(moved, final.revisionName, scales), finish };
}

// A stage that leaves fewer than must stay ready would never end. Revisions that carry unlike shares with as many pods come to that.
function withFloor(stage: Revisions, target: string, { actual, floor = 0 }: Scales): Revisions {
  const left = ({ revisionName, direction, targetReplicas = 0 }: TargetRevision) =>
    direction === 'stay' ? (actual.get(revisionName) ?? 0) : targetReplicas;
  const lacking = floor - stage.reduce((sum, revision) => sum + left(revision), 0);
  if (lacking <= 0) return stage;
  return stage.map((revision) => (revision.revisionName === target ? { ...revision, targetReplicas: left(revision) + lacking } : revision));
}

function sameIgnoringRoutes(left: Revisions, right: Revisions): boolean {
  return left.length === right.length && deepEqual(left.map(withoutRoutes), right.map(withoutRoutes));
}

function withoutRoutes(revision: TargetRevision): TargetRevision {
  return { ...revision, tag: undefined, url: undefined };
}

// After a retarget the list still carries the directions of the rollout before. The new target grows, whatever it did then,
// and an entry of its name without a percent is there nevertheless, carrying nothing: adding it once more would double it.
function startList(from: Revisions, target: string): Revisions {
  return from
    .filter(({ percent }) => percent !== 0)
    .map((revision) => {
      if (revision.revisionName !== target) return revision;
      const { targetReplicas, latestRevision, tag, percent = 0 } = revision;
      const direction = revision.direction === 'stay' ? undefined : revision.direction;
      return withPart(revision, { direction, percent, targetReplicas, latestRevision, tag });
    });
}

function withTarget(measured: CurrentScale, start: Revisions, final: TargetRevision, scales: Scales): CurrentScale {
  const drained = start.find((revision) => revision.revisionName === final.revisionName && !isEligible(revision));
  if (drained === undefined) return measured;
  return { ...measured, replicas: new Map([...measured.replicas, [final.revisionName, replicasOf(drained, scales)]]) };
}

function oneStage(final: TargetRevision, start: Revisions, measured: CurrentScale, ratio: number): Revisions | undefined {
  const moves = stageSize(measured.currentReplicas, measured.currentTraffic, ratio);
  const { currentReplicas, currentTraffic, replicas } = measured;
  const step: Move = { currentReplicas, currentTraffic, replicas, dR: moves.replicas, dT: moves.traffic };
  return measured.replicas.has(final.revisionName) ? moveOn(final, start, step) : bringIn(final, start, step);
}

interface Move extends CurrentScale {
  readonly dR: number;
  readonly dT: number;
}

/** Replicas that go with a share of traffic, before rounding. */
function shareOf({ currentReplicas, currentTraffic }: CurrentScale, percent: number): number {
  return (currentReplicas * percent) / currentTraffic;
}

// The target carries everything from here on, so it needs its own minimum, whatever the old side ran on.
function liftToMinimum(percent: number, replicas: number, minScale: number | undefined): number {
  return percent === 100 && minScale !== undefined && minScale > replicas ? minScale : replicas;
}

/** The target is new: the last entry of the start list makes room for it. */
function bringIn(final: TargetRevision, start: Revisions, move: Move): Revisions {
  const last = start.at(-1);
  if (last === undefined) return [final];
  const lastPercent = last.percent ?? 0;
  const whole = lastPercent <= move.dT;
  const percent = whole ? lastPercent : move.dT;
  const targetReplicas = whole ? liftToMinimum(percent, Math.floor(shareOf(move, percent)), final.minScale) : move.dR;
  const added: TargetRevision = {
    revisionName: final.revisionName,
    minScale: final.minScale,
    maxScale: final.maxScale,
    // A pinned older revision must not be routed as "the newest".
    latestRevision: final.latestRevision !== false,
    direction: 'up',
    percent,
    targetReplicas,
  };
  return [...start.slice(0, -1).map(stay), shrink(last, { whole, latestRevision: false }, move), added];
}

function stay(revision: TargetRevision): TargetRevision {
  const { targetReplicas, minScale, percent } = revision;
  const stale = minScale !== undefined && targetReplicas !== undefined && targetReplicas < minScale;
  return withPart(revision, {
    direction: 'stay',
    percent,
    targetReplicas: stale ? undefined : targetReplicas,
    latestRevision: false,
    tag: undefined,
  });
}

interface Shrinking {
  /** True when it gives everything it has. */
  readonly whole: boolean;
  readonly latestRevision: boolean | undefined;
}

function shrink(revision: TargetRevision, { whole, latestRevision }: Shrinking, move: Move): TargetRevision {
  const percent = whole ? undefined : (revision.percent ?? 0) - move.dT;
  const held = move.replicas.get(revision.revisionName) ?? 0;
  const targetReplicas = percent === undefined ? 0 : Math.max(held - move.dR, Math.ceil(shareOf(move, percent)));
  return withPart(revision, { direction: 'down', percent, targetReplicas, latestRevision, tag: undefined });
}

/** The target is there already: traffic moves on from the last other entry. Undefined when there is no other. */
function moveOn(final: TargetRevision, start: Revisions, move: Move): Revisions | undefined {
  const at = start.findIndex(({ revisionName }) => revisionName === final.revisionName);
  const last = start.length - 1;
  const downAt = at === last ? last - 1 : last;
  const up = start[at];
  const down = start[downAt];
  if (up === undefined || down === undefined) return undefined;
  const whole = (down.percent ?? 0) <= move.dT;
  const percent = (up.percent ?? 0) + (whole ? (down.percent ?? 0) : move.dT);
  const reachable = Math.min((move.replicas.get(up.revisionName) ?? 0) + move.dR, Math.floor(shareOf(move, percent)));
  const targetReplicas = whole ? liftToMinimum(percent, reachable, up.minScale) : reachable;
  return start.map((revision, index) => {
    const { latestRevision, tag } = revision;
    if (index === at) return withPart(up, { direction: 'up', percent, targetReplicas, latestRevision, tag });
    if (index === downAt) return shrink(down, { whole, latestRevision }, move);
    if (revision.direction === 'stay') return revision;
    return withPart(revision, {
      direction: 'stay',
      percent: revision.percent,
      targetReplicas: revision.targetReplicas,
      latestRevision,
      tag,
    });
  });
}
