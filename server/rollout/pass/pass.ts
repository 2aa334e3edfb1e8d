import type { Instant } from '@/lib/std/instant';
import type { Hold } from '../control/boundary';
import { evaluateBoundary, evaluatePause } from '../control/boundary';
import type { RolloutView } from '../control/view';
import type { StageFault } from '../fault';

/** What is gathered on the way through a pass. */
export interface Pass {
  readonly now: Instant;
  readonly wakeAt: Instant[];
  fault?: StageFault | undefined;
}

/** What holds the boundary that the rollout is at. */
export function holdOf({ ro, control, blind, ungranted }: RolloutView, now: Instant): Hold | undefined {
  return evaluateBoundary({ policy: ro.policy, control, pausedBySpec: ro.pausedBySpec, blind, ungranted, now });
}

/** True while somebody or the spec pauses the rollout. */
export function isPaused({ control, ro }: RolloutView): boolean {
  return evaluatePause({ control, pausedBySpec: ro.pausedBySpec }) !== undefined;
}

/** True while it is paused, cannot be seen, or may not be moved: its clocks stand still then, and no stage comes to its end. */
export function isHalted(view: RolloutView): boolean {
  return view.blind !== undefined || view.ungranted !== undefined || isPaused(view);
}
