import { deepEqual } from '@/lib/std/deep-equal';
import type { Revisions, RolloutSpec, TargetRevision } from '../model';
import { readDirection } from '../model';
import { strategyOf } from './steps';

/** The entries of a stage that grow and that shrink, by revision; a later entry of one name replaces an earlier one. */
export function splitRevisions(revisions: Revisions): {
  readonly up: ReadonlyMap<string, TargetRevision>;
  readonly down: ReadonlyMap<string, TargetRevision>;
} {
  const up = new Map<string, TargetRevision>();
  const down = new Map<string, TargetRevision>();
  for (const revision of revisions) {
    const direction = readDirection(revision);
    if (direction !== 'stay') (direction === 'up' ? up : down).set(revision.revisionName, revision);
  }
  return { up, down };
}

/** A completed stage without the entries that ended; the last that stayed is the next to drain. */
export function pruneStage(revisions: Revisions): Revisions {
  const kept = revisions.filter(({ percent, latestRevision }) => percent !== undefined && (percent !== 0 || latestRevision === true));
  if (kept.length === revisions.length) return kept;
  const next = kept.map(({ direction }) => direction).lastIndexOf('stay');
  return kept.map((revision, at) => (at === next ? { ...revision, direction: 'down' } : revision));
}

/** What the status keeps of a completed stage: cleaned, unless nothing can have ended in it. */
export function completedStage(stage: Revisions, target: Revisions): Revisions {
  return target.length < stage.length ? pruneStage(stage) : stage;
}

/**
 * True when pods of a stage that are being deleted need not be gone before the next one: where stages may overlap, one comes after it, and no
 * pod of it makes room for others.
 */
export function overlapsNext(
  { stageTargetRevisions: stage = [], targetRevisions: target = [], rolloutStrategy }: RolloutSpec,
  overlap: boolean,
): boolean {
  return overlap && strategyOf(rolloutStrategy) === 'availability' && !lastStage(completedStage(stage, target), target);
}

/** True when the current list is the end of the rollout: the same list, or the first target carries everything. */
export function lastStage(current: Revisions | undefined, target: Revisions | undefined): boolean {
  if (deepEqual(current ?? [], target ?? [])) return true;
  const final = target?.[0];
  if (final?.percent !== 100) return false;
  return (current ?? []).some(({ revisionName, percent }) => revisionName === final.revisionName && percent === 100);
}
