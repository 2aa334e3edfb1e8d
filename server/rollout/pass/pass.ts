import type { Instant } from '@/lib/std/instant';
import type { Hold } from '../control/gates';
import { evaluateGates, evaluatePause } from '../control/gates';
import type { RolloutView } from '../control/view';
import type { StageFault } from '../fault';

/** What is gathered on the way through a pass. */
export interface Pass {
  readonly now: Instant;
  readonly wakeAt: Instant[];
  fault?: StageFault | undefined;
}

/** What holds the boundary that the rollout is at. */
export function holdOf({ ro, control, staleKind, ungranted }: RolloutView, now: Instant): Hold | undefined {
  return evaluateGates({ policy: ro.policy, control, pausedBySpec: ro.pausedBySpec, staleKind, ungranted, now });
}

/** True while somebody or the spec pauses the rollout. */
export function isPaused({ control, ro }: RolloutView): boolean {
  return evaluatePause({ control, pausedBySpec: ro.pausedBySpec }) !== undefined;
}

/** True while it is paused, cannot be seen, or may not be moved: its clocks stand still then, and no stage comes to its end. */
export function isHalted(view: RolloutView): boolean {
  return view.staleKind !== undefined || view.ungranted !== undefined || isPaused(view);
}
