import type { Activity } from '@/lib/contract/health';
import { getCondition } from '@/lib/kube/condition';
import { readBoolean, readField, readFields, readList, readNumber, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { pausedBy } from '@/lib/kube/paused-by';

export type RolloutPhase = 'Healthy' | 'Progressing' | 'Paused' | 'Degraded';
const PHASES: readonly string[] = ['Healthy', 'Progressing', 'Paused', 'Degraded'];

/** The state of a rollout as rows show it, read off the object's status. */
export interface RolloutState {
  readonly phase: RolloutPhase;
  readonly activity: Activity;
  readonly message: string;
  readonly from: string | undefined;
  readonly to: string;
  readonly stageIndex: number;
  readonly stageCount: number;
  /** Percent of traffic planned for the target now. */
  readonly percent: number;
  readonly complete: boolean;
  /** True once a person sent it to the end at once: the stage under way is the last one. */
  readonly promoted: boolean;
}

/** Reads the state of a RolloutOrchestrator; what its status does not say yet reads as in progress. */
export function readRolloutState(rollout: KubeObject): RolloutState {
  const control = readFields(rollout, 'status', 'control');
  const to = readString(rollout, 'spec', 'targetRevisions', 0, 'revisionName') ?? '';
  const from = readList(rollout, 'spec', 'initialRevisions')
    .map((entry) => readString(entry, 'revisionName'))
    .findLast((name) => name !== undefined && name !== to);
  const complete = getCondition(rollout, 'Ready')?.status === 'True' && readNumber(rollout, 'status', 'observedGeneration') === rollout.metadata.generation;
  const given = readString(control, 'phase');
  const phase = given !== undefined && PHASES.includes(given) ? (given as RolloutPhase) : complete ? 'Healthy' : 'Progressing';
  return {
    phase,
    activity: pausedBy(rollout) !== undefined && !complete ? 'held' : toActivity(control, phase, complete),
    message: readString(control, 'message') ?? '',
    from,
    to,
    stageIndex: readNumber(control, 'currentStageIndex') ?? 0,
    stageCount: readNumber(control, 'stageCount') ?? 0,
    percent: complete ? 100 : percentOf(rollout, to),
    complete,
    promoted: readBoolean(control, 'promoteFull') === true,
  };
}

function toActivity(control: unknown, phase: RolloutPhase, complete: boolean): Activity {
  if (readBoolean(control, 'abort') === true) return complete || phase === 'Degraded' ? 'aborted' : 'aborting';
  if (readBoolean(control, 'paused') === true) return 'paused';
  const holds = readList(control, 'pauseConditions').map((hold) => readString(hold, 'reason'));
  if (holds.includes('UserPaused')) return 'paused';
  if (holds.includes('StageGate')) return 'waiting';
  if (holds.length > 0) return 'held';
  return complete || phase === 'Healthy' ? 'idle' : 'rolling-out';
}

function percentOf(rollout: KubeObject, revision: string): number {
  const stage = readField(rollout, 'status', 'stageRevisionStatus') ?? readField(rollout, 'spec', 'stageTargetRevisions');
  const entry = (Array.isArray(stage) ? stage : []).find((item) => readString(item, 'revisionName') === revision);
  return readNumber(entry, 'percent') ?? 0;
}
