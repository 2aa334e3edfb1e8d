import type { KubeObject } from '@/lib/kube/object';
import { toInstant } from '@/lib/std/instant';
import type { RolloutDescription } from '@/server/rollout';
import { describeRollout, observeObjects } from '@/server/rollout';

/** What is told of a rollout from its own object alone: its state, without the figures of pods. */
export function toldOf(rollout: KubeObject): RolloutDescription;
export function toldOf(rollout: KubeObject | undefined): RolloutDescription | undefined;
export function toldOf(rollout: KubeObject | undefined): RolloutDescription | undefined {
  if (rollout === undefined) return undefined;
  const now = toInstant(0); // gates without a duration know no time
  return describeRollout(observeObjects({ rollout, autoscalers: [], workloads: [] }, now), now);
}

/** True while it waits for people at the gate after a stage. */
export function isWaitingAt(rollout: KubeObject | undefined, stage: number): boolean {
  if (rollout === undefined) return false;
  const { activity, completedStages } = toldOf(rollout);
  return activity === 'waiting' && completedStages === stage;
}

/** True once an abort has brought the stable revision back. */
export function isBackAgain(rollout: KubeObject | undefined): boolean {
  return rollout !== undefined && toldOf(rollout).abort?.isReturned === true;
}
