import { StageFault } from '../fault';
import type { Revisions, Rollout, TargetRevision } from '../model';
import { readDirection } from '../model';
import { lastStage } from '../stage/completion';
import { isTrue, READY } from '../stage/conditions';
import type { StageConfig } from './config';
import type { Scales } from './current-scale';
import { currentScaleOf, replicasOf } from './current-scale';
import type { WorkloadScale } from './retarget';

/** What an overdue timer came to. A stage without a deadline, and the final stage, never time out. */
export type OverdueDecision =
  | { readonly action: 'none' }
  | { readonly action: 'wait'; readonly requeueAfterSeconds: number; readonly remainingSeconds: number }
  | {
      readonly action: 'shift';
      readonly requeueAfterSeconds: number;
      readonly finishInMinutes: number;
      readonly stageTargetRevisions: Revisions;
    };

export interface OverdueInput {
  readonly ro: Pick<Rollout, 'spec' | 'status'>;
  readonly config: StageConfig;
  readonly scales: Scales;
  readonly workloads: readonly WorkloadScale[];
  /** Deadline less now, in seconds; absent when no deadline is written. */
  readonly finishOffsetSeconds: number | undefined;
}

/** Looks whether the stage is overdue; if so, and every workload of it is fully available, traffic moves on by itself. */
export function evaluateOverdue({ ro, config, scales, workloads, finishOffsetSeconds }: OverdueInput): OverdueDecision {
  const stage = ro.spec.stageTargetRevisions ?? [];
  const over = isTrue(ro.status.conditions, READY) || lastStage(stage, ro.spec.targetRevisions);
  if (over || finishOffsetSeconds === undefined) return { action: 'none' };
  const requeueAfterSeconds = config.stageRolloutTimeoutMinutes * 60;
  if (finishOffsetSeconds >= 0) return { action: 'wait', requeueAfterSeconds, remainingSeconds: finishOffsetSeconds };
  for (const { revisionName } of stage) requireAvailable(workloads.find(({ revision }) => revision === revisionName));
  const stageTargetRevisions = shiftTraffic(stage, config.overConsumptionRatio, scales);
  return { action: 'shift', requeueAfterSeconds, finishInMinutes: config.stageRolloutTimeoutMinutes, stageTargetRevisions };
}

function requireAvailable(workload: WorkloadScale | undefined): void {
  if (workload === undefined) return;
  const { revision, replicas = 0, availableReplicas = 0, available } = workload;
  if (replicas !== 0 && availableReplicas === replicas && available === true) return;
  throw new StageFault(
    'DeploymentNotAvailable',
    `the stage is overdue, but ${revision} has ${availableReplicas} of ${replicas} replicas available`,
  );
}

/** Moves traffic of an overdue stage from its old to its new revision; target replicas stay. */
export function shiftTraffic(stage: Revisions, ratio: number, scales: Scales): Revisions {
  const { currentReplicas, currentTraffic } = currentScaleOf(stage, scales);
  const up = stage.find((revision) => readDirection(revision) === 'up');
  const down = stage.find((revision) => readDirection(revision) === 'down');
  if (up === undefined || down === undefined)
    throw new StageFault('NoUpDownPair', 'shifting traffic needs a revision that grows and one that shrinks');
  const surplus = replicasOf(down, scales) - (down.targetReplicas ?? 0);
  // Fewer pods than the target is no surplus: traffic never moves back here.
  const wanted = surplus <= 0 ? 0 : Math.ceil((surplus * currentTraffic) / currentReplicas);
  const moved = Math.max(0, Math.min(wanted, ratio));
  return stage.map((revision) => {
    if (revision === up) return { ...revision, percent: Math.min(100, (revision.percent ?? 0) + moved) };
    return revision === down ? lessTraffic(revision, moved) : revision;
  });
}

function lessTraffic(revision: TargetRevision, moved: number): TargetRevision {
  const percent = (revision.percent ?? 0) - moved;
  return { ...revision, percent: percent > 0 ? percent : undefined };
}
