import type { Revisions, Rollout } from '@/server/rollout/model';
import { readDirection } from '@/server/rollout/model';
import type { StageConfig } from '@/server/rollout/planning/config';
import type { Scales } from '@/server/rollout/planning/current-scale';
import { nextStage } from '@/server/rollout/planning/next-stage';
import { lastStage, pruneStage } from '@/server/rollout/stage/completion';

export interface PlanInput {
  readonly config: StageConfig;
  readonly initialRevisions: Revisions | undefined;
  readonly targetRevisions: Revisions;
  readonly scales: Scales;
}

const MAX_STAGES = 200;
const BETWEEN_STAGES = [{ type: 'StageReady', status: 'True' }] as const;

/** Every stage of a rollout in an ideal cluster, where each stage is reached exactly. */
export function planRollout({ config, initialRevisions, targetRevisions, scales }: PlanInput): readonly Revisions[] {
  const stages: Revisions[] = [];
  const actual = new Map(scales.actual);
  const staged = new Set(scales.staged);
  let reached: Revisions | undefined;
  while (stages.length < MAX_STAGES) {
    const ro: Pick<Rollout, 'spec' | 'status'> = {
      spec: { initialRevisions, targetRevisions, stageTargetRevisions: stages.at(-1) },
      status: { conditions: BETWEEN_STAGES, stageRevisionStatus: reached },
    };
    const stage = nextStage(ro, config, { actual, staged }).stageTargetRevisions ?? targetRevisions;
    stages.push(stage);
    reach(stage, actual, staged);
    reached = pruneStage(stage);
    if (lastStage(reached, targetRevisions)) break;
  }
  return stages;
}

function reach(stage: Revisions, actual: Map<string, number | undefined>, staged: Set<string>): void {
  for (const revision of stage) {
    if (readDirection(revision) === 'stay') continue;
    const { revisionName, percent, targetReplicas, minScale } = revision;
    staged.add(revisionName);
    if (percent === undefined) actual.set(revisionName, 0);
    else if (targetReplicas !== undefined) actual.set(revisionName, targetReplicas);
    else if (actual.get(revisionName) === undefined) actual.set(revisionName, minScale ?? 0);
  }
}
