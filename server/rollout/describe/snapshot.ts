import type { Activity } from '@/lib/contract/health';
import { getCondition } from '@/lib/kube/condition';
import { toKubeTime } from '@/lib/std/instant';
import { abortOf, attemptOf, completedOf } from '../control/control-facts';
import type { Evaluation } from '../control/evaluation';
import type { RolloutView } from '../control/view';
import { completeSince, entryOf, keptUntil, targetNameOf } from '../control/view';
import type { PlannedStages } from '../pass/remaining-stages';
import type { AbortDescription, RolloutDescription, StageDescription } from './description';

/** What a description is made from: the rollout as the engine sees it, what holds it, and what is planned. */
export interface RolloutSnapshot {
  readonly view: RolloutView;
  readonly evaluation: Evaluation;
  readonly ahead: PlannedStages;
}

/** What it is doing, finer than its phase. */
export function activityOf({ control }: RolloutView, { position, hold }: Evaluation): Activity {
  if (position === 'aborted') return 'aborted';
  if (position === 'idle' || position === 'complete') return 'idle';
  if (control.state === 'returning') return 'aborting';
  if (hold === undefined) return 'rolling-out';
  if (hold.reason === 'UserPaused') return 'paused';
  return hold.reason === 'StageGate' ? 'waiting' : 'held';
}

type Counts = Pick<RolloutDescription, 'stageIndex' | 'stageCount' | 'isCountEstimated' | 'completedStages' | 'percent'>;

/** How far it is. Figures of pods shift the steps to come, so the count is an estimate until the end. */
export function countsOf({ view, evaluation }: RolloutSnapshot, rail: readonly StageDescription[]): Counts {
  const { control, ro } = view;
  const { position } = evaluation;
  const way = control.state === 'returning' ? 'back' : 'forward';
  const onWay = rail.filter((stage) => stage.way === way);
  const stageCount = Math.max(completedOf(control), ...onWay.map(({ index }) => index));
  const { stageRevisionStatus } = ro.rollout.status;
  const reached = entryOf(stageRevisionStatus ?? ro.rollout.spec.stageTargetRevisions, targetNameOf(view))?.percent ?? 0;
  return {
    stageIndex: position === 'complete' || position === 'aborted' ? stageCount : completedOf(control) + (position === 'running' ? 1 : 0),
    stageCount,
    isCountEstimated: position === 'running' || position === 'between',
    completedStages: completedOf(control),
    percent: position === 'complete' ? 100 : reached,
  };
}

type Times = Pick<RolloutDescription, 'deadline' | 'until' | 'completedAt' | 'startedAt'>;

/** When it began, is to go on, is late, was done. */
export function timesOf({ view, evaluation, ahead }: RolloutSnapshot, seen: RolloutView): Times {
  const { object, rollout } = seen.ro;
  const { position, hold } = evaluation;
  const isLast = ahead.stages[0]?.isLast === true;
  return {
    // The last stage has no deadline: nothing is shifted after it.
    deadline: position === 'running' && !isLast && abortOf(view.control) === undefined ? (rollout.spec.targetFinishTime ?? null) : null,
    until: hold?.until === undefined ? null : toKubeTime(hold.until),
    completedAt: completeSince(view) !== undefined ? (getCondition(object, 'Ready')?.lastTransitionTime ?? null) : null,
    startedAt: attemptOf(seen.control)?.startedAt ?? object.metadata.creationTimestamp ?? null,
  };
}

/** Who was rejected and why, and until when it still serves. */
export function describeAbort(view: RolloutView): AbortDescription | null {
  const abort = abortOf(view.control);
  if (abort === undefined) return null;
  const until = keptUntil(view);
  return {
    rejected: abort.rejected,
    stable: abort.attempt.stable.map(({ revisionName }) => revisionName),
    reason: abort.reason,
    at: abort.since,
    isReturned: abort.state === 'aborted',
    keptUntil: until === undefined || abort.state === 'aborted' ? null : toKubeTime(until),
  };
}
