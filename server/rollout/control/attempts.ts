import type { Instant } from '@/lib/std/instant';
import { toIso } from '@/lib/std/instant';
import type { Revisions } from '../model';
import { readDirection } from '../model';
import type { Workload } from '../objects';
import type { AttemptRecord, ControlState, StageRecord } from './state';

/** Kept beside the present one. Older ones are on record. */
const MOST_PAST = 2;
const MOST_STAGES = 50;

/** Notes that a stage began. */
export function withStageStarted(control: ControlState, stage: Revisions, now: Instant): ControlState {
  const record: StageRecord = {
    index: control.completedStages + 1,
    way: control.abort ? 'back' : 'forward',
    startedAt: toIso(now),
    revisions: stage.map((revision) => ({
      revision: revision.revisionName,
      direction: readDirection(revision),
      percent: revision.percent,
      replicas: revision.targetReplicas,
    })),
  };
  const others = control.stages.filter(({ index, way }) => index !== record.index || way !== record.way);
  return { ...control, stages: [...others, record].slice(-MOST_STAGES) };
}

/** Notes that the stage under way is over: reached, with what was ready then, or given up. */
export function withStageEnded(
  control: ControlState,
  { failed, workloads, now }: { readonly failed: boolean; readonly workloads: ReadonlyMap<string, Workload>; readonly now: Instant },
): ControlState {
  const last = control.stages.at(-1);
  if (last === undefined || last.endedAt !== undefined) return control;
  const revisions = last.revisions.map((one) => ({ ...one, ready: workloads.get(one.revision)?.readyReplicas ?? 0 }));
  const ended: StageRecord = { ...last, endedAt: toIso(now), revisions, ...(failed ? { failed } : {}) };
  return { ...control, stages: [...control.stages.slice(0, -1), ended] };
}

/** The attempts that are over once the present one is left for another. */
export function pastAfter(control: ControlState, now: Instant): readonly AttemptRecord[] {
  const { rollout, stages, past } = control;
  if (rollout === undefined) return past;
  const outcome = control.abort ? 'aborted' : control.phase === 'Healthy' ? 'completed' : 'superseded';
  const over: AttemptRecord = {
    id: `${rollout.id}/${rollout.startedAt}`,
    kind: rollout.kind ?? 'rollout',
    from: (control.stable ?? []).map(({ revisionName }) => revisionName),
    to: rollout.target[0]?.revisionName ?? '',
    startedAt: rollout.startedAt,
    endedAt: stages.at(-1)?.endedAt ?? toIso(now),
    outcome,
    stages,
  };
  return [...past, over].slice(-MOST_PAST);
}
