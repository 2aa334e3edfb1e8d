import { z } from 'zod';
import type { Condition } from '@/lib/kube/condition';
import type { Instant } from '@/lib/std/instant';

export const ROLLOUT_API_VERSION = 'serving.knative.dev/v1';
export const ROLLOUT_KIND = 'RolloutOrchestrator';
export const SERVICE_LABEL = 'serving.knative.dev/service';
export const REVISION_LABEL = 'serving.knative.dev/revision';

/** The largest int32: what an absent maximum counts as when bounds are compared. */
export const NO_MAXIMUM = 2_147_483_647;

/**
 * One revision's part in a list of a rollout. Absent and zero differ: an absent percent means drain, an absent target
 * means no figure.
 */
export const targetRevision = z.object({
  revisionName: z.string().default(''),
  configurationName: z.string().optional(),
  latestRevision: z.boolean().optional(),
  percent: z.number().optional(),
  tag: z.string().optional(),
  url: z.string().optional(),
  direction: z.string().optional(),
  targetReplicas: z.number().optional(),
  minScale: z.number().optional(),
  maxScale: z.number().optional(),
});
export type TargetRevision = Readonly<z.infer<typeof targetRevision>>;
export type Revisions = readonly TargetRevision[];

/** The part of a revision that a stage decides about. */
export type StagePart = Pick<TargetRevision, 'direction' | 'percent' | 'targetReplicas' | 'latestRevision' | 'tag'>;

/** The revision with another part in a stage. Written out, since planning a whole rollout copies hundreds, and spreading costs several times as much. */
export function withPart(revision: TargetRevision, { direction, percent, targetReplicas, latestRevision, tag }: StagePart): TargetRevision {
  const { revisionName, configurationName, url, minScale, maxScale } = revision;
  return { revisionName, configurationName, latestRevision, percent, tag, url, direction, targetReplicas, minScale, maxScale };
}

/** The lists that a rollout is made of, without the parts that only people and engines of ours read. */
export interface RolloutSpec {
  readonly initialRevisions?: Revisions | undefined;
  readonly targetRevisions?: Revisions | undefined;
  readonly stageTargetRevisions?: Revisions | undefined;
  readonly targetFinishTime?: string | undefined;
  readonly rolloutStrategy?: string | undefined;
}

export interface RolloutStatus {
  readonly observedGeneration?: number | undefined;
  readonly conditions: readonly Condition[];
  readonly stageRevisionStatus?: Revisions | undefined;
}

/** A RolloutOrchestrator as planner and runner see it. */
export interface Rollout {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly generation: number;
  readonly spec: RolloutSpec;
  readonly status: RolloutStatus;
}

/** Temporary bounds of one revision. Absent means that bound is not set. */
export interface StageBounds {
  readonly stageMinScale?: number | undefined;
  readonly stageMaxScale?: number | undefined;
}

/** Figures of one revision as its StagePodAutoscaler mirrors them. */
export interface SpaFigures {
  readonly desiredScale?: number | undefined;
  readonly actualScale?: number | undefined;
  readonly replicasTerminating?: number | undefined;
}

/** A StagePodAutoscaler as the steps see it; ready is its condition PodAutoscalerStageReady. */
export interface StageAutoscaler {
  readonly name: string;
  readonly bounds: StageBounds;
  readonly figures: SpaFigures;
  readonly ready: boolean;
  /** Pods of it that are there and are not being deleted, ready or not; absent where nobody counts them. */
  readonly livePods?: number | undefined;
}

/** A pod of a revision, as far as draining looks at it. */
export interface StagePod {
  readonly name: string;
  readonly revision: string;
  /** Milliseconds from now to the deletion time, negative when it has passed; absent for a pod that stays. */
  readonly deletionInMs?: number | undefined;
  readonly gracePeriodSeconds?: number | undefined;
}

export const DIRECTIONS = ['up', 'down', 'stay'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** Reads a direction: empty counts as up, what is neither up nor down as stay. */
export function readDirection(revision: TargetRevision): Direction {
  const { direction = '' } = revision;
  if (direction === 'up' || direction === 'down' || direction === 'stay') return direction;
  const text = direction.trim().toLowerCase();
  if (text === '' || text === 'up') return 'up';
  return text === 'down' ? 'down' : 'stay';
}

/** The revision's own lower bound, zero when it has none. */
export function minOf(revision: TargetRevision): number {
  return revision.minScale ?? 0;
}

/** The revision's own upper bound, the largest int32 when it has none. An explicit zero is literal here. */
export function maxOf(revision: TargetRevision): number {
  return revision.maxScale ?? NO_MAXIMUM;
}

/** Of what a rollout is judged by, a kind that cannot be seen now: since when, and why. */
export interface StaleKind {
  readonly of: string;
  /** Old: the copy is of then. Forbidden: it may not be read any more. */
  readonly kind: 'old' | 'forbidden';
  readonly since: Instant;
  readonly reason: string;
}

/** A count, or the range of an autoscaler, that somebody else wrote since a pass left it. */
export interface ManualScaling {
  readonly revision: string;
  /** What the pass left, and what is there now, in words. */
  readonly from: string;
  readonly to: string;
  /** The count that the pass left; absent where an autoscaler counts. */
  readonly left?: number;
  /** Says which write it was, however often it is looked at until it is put back. */
  readonly id: string;
  /** The program that wrote it, as the API server notes it. */
  readonly by: string;
}
