import type { Instant } from '@/lib/std/instant';
import type { SpaFigures } from '../model';
import type { Conditions } from './conditions';
import { manageConditions, SPA_SET, SPA_STAGE_READY } from './conditions';

export interface SpaStatus extends SpaFigures {
  readonly conditions: Conditions;
}

/** A pod as far as counting looks at it. */
export interface CountedPod {
  readonly phase?: string | undefined;
  readonly deleting?: boolean | undefined;
}

export interface SpaSources {
  /** Scales of the revision; absent when nothing scales it. */
  readonly scales?: { readonly desiredScale?: number | undefined; readonly actualScale?: number | undefined } | undefined;
  readonly pods: readonly CountedPod[];
  /** What is in the way, for people. */
  readonly missing?: string;
}

/** The next status of a StagePodAutoscaler: mirrored scales, pods that are still going, and whether both scales are known. */
export function computeSpaStatus(
  held: SpaStatus,
  { scales, pods, missing = 'no scale is known for this revision' }: SpaSources,
  now: Instant,
): SpaStatus {
  const marks = manageConditions(SPA_SET, now);
  const conditions = marks.initialise(held.conditions);
  const notReady = () => marks.markUnknown(conditions, SPA_STAGE_READY, 'PodAutoscalerStageNotReady', missing);
  if (scales === undefined) return { ...held, conditions: notReady() };
  const replicasTerminating = countTerminating(pods);
  const { desiredScale, actualScale } = scales;
  if (desiredScale === undefined || actualScale === undefined) return { ...held, replicasTerminating, conditions: notReady() };
  return { ...held, desiredScale, actualScale, replicasTerminating, conditions: marks.markTrue(conditions, SPA_STAGE_READY) };
}

/** The figures of a workload that is not there any more: what is left of it are pods that are going. */
export function figuresOfGone(
  pods: readonly Pick<CountedPod, 'phase'>[],
): Required<Pick<SpaStatus, 'desiredScale' | 'actualScale' | 'replicasTerminating'>> {
  return { desiredScale: 0, actualScale: 0, replicasTerminating: countTerminating(pods.map(({ phase }) => ({ phase, deleting: true }))) };
}

/** Pods that run and have a deletion time; pending and finished ones do not count. */
export function countTerminating(pods: readonly CountedPod[]): number {
  return pods.filter(({ phase, deleting }) => phase === 'Running' && deleting === true).length;
}
