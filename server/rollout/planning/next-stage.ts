import { deepEqual } from '@/lib/std/deep-equal';
import type { Revisions, Rollout, TargetRevision } from '../model';
import { isTrue } from '../stage/conditions';
import type { StageConfig } from './config';
import type { Gauge, Scales } from './gauge';
import { delta, gauge, isEligible, replicasOf } from './gauge';

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
  if (target.length !== 1 || !config.progressiveRolloutEnabled) return { stageTargetRevisions: [...target], rolloutStrategy, finish: 'keep', computed: true };
  const { conditions } = ro.status;
  const due = stage === undefined || (isTrue(conditions, 'StageReady') && !isTrue(conditions, 'LastStageReady'));
  if (!due) return { stageTargetRevisions: stage, rolloutStrategy, finish: 'keep', computed: false };
  return { rolloutStrategy, computed: true, ...computeStage(ro, config, scales) };
}

function computeStage(ro: Pick<Rollout, 'spec' | 'status'>, config: StageConfig, scales: Scales): Pick<StagePlan, 'stageTargetRevisions' | 'finish'> {
  const { initialRevisions, targetRevisions: target = [], stageTargetRevisions: stage } = ro.spec;
  const finish = { inMinutes: config.stageRolloutTimeoutMinutes };
  const [final] = target;
  if (final === undefined || sameIgnoringRoutes(initialRevisions ?? [], target)) return { stageTargetRevisions: [...target], finish };
  const from = stage === undefined ? initialRevisions : (ro.status.stageRevisionStatus ?? initialRevisions);
  const start = startList(from ?? [], final.revisionName);
  if (start.length === 0) return { stageTargetRevisions: [...target], finish: 'keep' };
  const measured = gauge(start, scales);
  if (measured.currentReplicas === 0) return { stageTargetRevisions: [...target], finish };
  const moved = oneStage(final, start, withTarget(measured, start, final, scales), config.overConsumptionRatio);
  return { stageTargetRevisions: moved ?? stage, finish };
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
      const direction = revision.direction === 'stay' ? undefined : revision.direction;
      return { ...revision, direction, percent: revision.percent ?? 0 };
    });
}

function withTarget(measured: Gauge, start: Revisions, final: TargetRevision, scales: Scales): Gauge {
  const drained = start.find((revision) => revision.revisionName === final.revisionName && !isEligible(revision));
  if (drained === undefined) return measured;
  return { ...measured, replicas: new Map([...measured.replicas, [final.revisionName, replicasOf(drained, scales)]]) };
}

function oneStage(final: TargetRevision, start: Revisions, measured: Gauge, ratio: number): Revisions | undefined {
  const moves = delta(measured.currentReplicas, measured.currentTraffic, ratio);
  const step: Move = { ...measured, dR: moves.replicas, dT: moves.traffic };
  return measured.replicas.has(final.revisionName) ? moveOn(final, start, step) : bringIn(final, start, step);
}

interface Move extends Gauge {
  readonly dR: number;
  readonly dT: number;
}

/** Replicas that go with a share of traffic, before rounding. */
function shareOf({ currentReplicas, currentTraffic }: Gauge, percent: number): number {
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
  const shrunk: TargetRevision = { ...last, ...shrink(last, whole, move), direction: 'down', latestRevision: false, tag: undefined };
  return [...start.slice(0, -1).map(stay), shrunk, added];
}

function stay(revision: TargetRevision): TargetRevision {
  const { targetReplicas, minScale } = revision;
  const stale = minScale !== undefined && targetReplicas !== undefined && targetReplicas < minScale;
  return { ...revision, direction: 'stay', latestRevision: false, tag: undefined, targetReplicas: stale ? undefined : targetReplicas };
}

function shrink(revision: TargetRevision, whole: boolean, move: Move): Pick<TargetRevision, 'percent' | 'targetReplicas'> {
  if (whole) return { percent: undefined, targetReplicas: 0 };
  const percent = (revision.percent ?? 0) - move.dT;
  const held = move.replicas.get(revision.revisionName) ?? 0;
  return { percent, targetReplicas: Math.max(held - move.dR, Math.ceil(shareOf(move, percent))) };
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
  const grown: TargetRevision = { ...up, direction: 'up', percent, targetReplicas: whole ? liftToMinimum(percent, reachable, up.minScale) : reachable };
  const shrunk: TargetRevision = { ...down, ...shrink(down, whole, move), direction: 'down', tag: undefined };
  return start.map((revision, index) => {
    if (index === at) return grown;
    if (index === downAt) return shrunk;
    return revision.direction === 'stay' ? revision : { ...revision, direction: 'stay' };
  });
}
