import type { Instant } from '@/lib/std/instant';
import { abortOf } from './control-facts';
import type { Hold } from './gates';
import { evaluateAccess, evaluateGates, evaluatePause } from './gates';
import { evaluateProgress } from './health';
import type { RolloutPhase } from './state';
import type { RolloutView, StagePosition } from './view';
import { lostTargetOf, stagePositionOf } from './view';

/** Where a rollout stands at a moment, what holds it there, and the phase that makes of it. */
export interface Evaluation {
  readonly position: StagePosition;
  /** What holds it between stages, or pauses it in the middle of one. */
  readonly hold: Hold | undefined;
  /** True when the stage under way has made no progress for longer than the policy allows. */
  readonly stalled: boolean;
  readonly phase: RolloutPhase;
}

/** Judges a rollout: asked by the pass for what it stores, and by the description for what it says. */
export function evaluateRollout(view: RolloutView, now: Instant): Evaluation {
  const { control, ro } = view;
  const position = stagePositionOf(view);
  const hold = holdAt(view, position, now);
  const stalled = position === 'running' && hold === undefined && evaluateProgress(view, ro.policy, now)?.stalled === true;
  const isLost = position === 'complete' && lostTargetOf(view) !== undefined;
  return { position, hold, stalled, phase: phaseOf(position, abortOf(control) !== undefined || stalled || isLost, hold !== undefined) };
}

function holdAt({ ro, control, staleKind, ungranted }: RolloutView, position: StagePosition, now: Instant): Hold | undefined {
  const { policy, pausedBySpec } = ro;
  if (position === 'between') return evaluateGates({ policy, control, pausedBySpec, staleKind, ungranted, now });
  return position === 'running' ? (evaluatePause({ control, pausedBySpec }) ?? evaluateAccess({ staleKind, ungranted })) : undefined;
}

function phaseOf(position: StagePosition, failed: boolean, held: boolean): RolloutPhase {
  if (failed) return 'Degraded';
  if (held) return 'Paused';
  return position === 'complete' || position === 'idle' ? 'Healthy' : 'Progressing';
}
