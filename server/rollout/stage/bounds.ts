import type { OwnerReference } from '@/lib/kube/object';
import type { Rollout, SpaFigures, StageBounds, TargetRevision } from '../model';
import { maxOf, minOf, REVISION_LABEL, ROLLOUT_API_VERSION, ROLLOUT_KIND, SERVICE_LABEL } from '../model';

/** Bounds of a revision that is to end without pods. Max is 1 because an autoscaler reads 0 as no limit. */
export const DRAINED: StageBounds = { stageMinScale: 0, stageMaxScale: 1 };
/** Marks a new side that must wait until the old one has made room. */
export const WAITING: StageBounds = { stageMinScale: 0, stageMaxScale: 0 };

/** A new StagePodAutoscaler: metadata and bounds, nothing else. */
export interface BaseStagePodAutoscaler {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly ownerReferences: readonly OwnerReference[];
  };
  readonly spec: StageBounds;
}

/** The StagePodAutoscaler of a revision, with the revision's own bounds. */
export function createBaseStagePodAutoscaler(
  ro: Pick<Rollout, 'name' | 'namespace' | 'uid'>,
  revision: TargetRevision,
): BaseStagePodAutoscaler {
  const { name, namespace, uid } = ro;
  return {
    metadata: {
      name: revision.revisionName,
      namespace,
      labels: { [REVISION_LABEL]: revision.revisionName, [SERVICE_LABEL]: name },
      ownerReferences: [{ apiVersion: ROLLOUT_API_VERSION, kind: ROLLOUT_KIND, name, uid, controller: true, blockOwnerDeletion: true }],
    },
    spec: ownBounds(revision),
  };
}

function ownBounds(revision: TargetRevision): StageBounds {
  return { stageMinScale: revision.minScale, stageMaxScale: revision.maxScale };
}

/** How a step rewrites bounds; the flag says whether the new side is ready. */
export type BoundsUpdater = (bounds: StageBounds, revision: TargetRevision, scaleUpReady: boolean) => StageBounds;

/** Bounds of a revision that grows: its own, with the minimum lowered to the target until it carries everything. */
export const updateSPAForRevUp: BoundsUpdater = (_bounds, revision) => {
  const { targetReplicas, percent = 0 } = revision;
  const partial = targetReplicas !== undefined && targetReplicas < minOf(revision) && percent < 100;
  return { stageMinScale: partial ? targetReplicas : revision.minScale, stageMaxScale: revision.maxScale };
};

/** Bounds of a revision that shrinks; held as they are until the new side is ready. */
export const updateSPAForRevDown: BoundsUpdater = (bounds, revision, scaleUpReady) => {
  const { targetReplicas } = revision;
  if (!scaleUpReady || revision.revisionName.trim() === '') return bounds;
  if (revision.percent === undefined) return DRAINED;
  if (targetReplicas === undefined || targetReplicas >= maxOf(revision)) return ownBounds(revision);
  if (targetReplicas === 0) return DRAINED;
  if (targetReplicas < minOf(revision)) return { stageMinScale: targetReplicas, stageMaxScale: targetReplicas };
  return { stageMinScale: revision.minScale, stageMaxScale: targetReplicas };
};

/** What a growing revision must report before its stage counts as reached: desired and actual at least so many. */
export type ScaleUpNeed =
  | { readonly kind: 'within'; readonly min: number; readonly max: number }
  | { readonly kind: 'atLeast'; readonly replicas: number };

/** The need of a growing revision. Min-driven ones reach their target, traffic-driven ones their own minimum. */
export function scaleUpNeed(revision: TargetRevision): ScaleUpNeed {
  const { targetReplicas } = revision;
  if (targetReplicas === undefined) return { kind: 'within', min: minOf(revision), max: maxOf(revision) };
  return { kind: 'atLeast', replicas: Math.min(targetReplicas, minOf(revision)) };
}

/** True when the growing revision has what its stage needs. Traffic-driven ones without a minimum need no pod. */
export function isStageScaleUpReady({ desiredScale, actualScale }: SpaFigures, revision: TargetRevision): boolean {
  if (desiredScale === undefined || actualScale === undefined) return false;
  const need = scaleUpNeed(revision);
  if (need.kind === 'within') return need.min <= actualScale && actualScale <= need.max;
  return desiredScale >= need.replicas && actualScale >= need.replicas;
}

/** The most replicas a shrinking revision may have when its stage counts as reached. */
export function scaleDownLimit(revision: TargetRevision): number {
  return revision.targetReplicas ?? maxOf(revision);
}

/** True when the shrinking revision has come down to its limit. */
export function isStageScaleDownReady({ desiredScale, actualScale }: SpaFigures, revision: TargetRevision): boolean {
  if (desiredScale === undefined || actualScale === undefined) return false;
  const limit = scaleDownLimit(revision);
  return desiredScale <= limit && actualScale <= limit;
}

/** Bounds of an autoscaler as annotations or cluster defaults give them; 0 or absent means not set. */
export interface OwnScaleBounds {
  readonly minScale?: number | undefined;
  readonly maxScale?: number | undefined;
}

export interface EffectiveBoundsInput {
  readonly own: OwnScaleBounds;
  readonly clusterDefaults?: OwnScaleBounds | undefined;
  readonly unreachable?: boolean | undefined;
  readonly stage?: StageBounds | undefined;
}

/** The bounds an autoscaler applies: a stage only ever lowers them, and has no effect on a revision without a maximum. */
export function effectiveBounds({ own, clusterDefaults, unreachable, stage }: EffectiveBoundsInput): {
  readonly min: number;
  readonly max: number;
} {
  const min = unreachable ? 0 : (own.minScale ?? clusterDefaults?.minScale ?? 0);
  const max = own.maxScale ?? clusterDefaults?.maxScale ?? 0;
  return { min: Math.min(min, stage?.stageMinScale ?? min), max: Math.min(max, stage?.stageMaxScale ?? max) };
}

/** The scale after bounds; a maximum of 0 caps nothing. */
export function applyBounds(desired: number, { min, max }: { readonly min: number; readonly max: number }): number {
  if (desired < min) return min;
  return max !== 0 && desired > max ? max : desired;
}
