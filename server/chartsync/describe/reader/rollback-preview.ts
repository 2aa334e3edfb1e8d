import { AppError } from '@/lib/contract/app-error';
import type { RollbackPreview } from '@/lib/contract/release-rows';
import { deepEqual } from '@/lib/std/deep-equal';
import type { LiveObjects } from '../../cluster/live-objects';
import type { HelmStorage } from '../../helm/storage';
import type { ReleaseRef } from '../../model/release';
import { pairById } from '../compare-revisions';

/** What going back to a stored revision does to each object: Helm compares the two manifests as well. */
export async function previewRollback(
  { storage, live }: { readonly storage: HelmStorage; readonly live: LiveObjects },
  release: ReleaseRef,
  to: number,
): Promise<RollbackPreview> {
  const newest = (await storage.readHistory(release)).at(-1);
  if (newest === undefined)
    throw new AppError('not-found', `Helm has stored no revision of release ${release.name} in ${release.namespace}`);
  const [now, then] = [await live.readAt(release, newest.revision), await live.readAt(release, to)];
  const objects = pairById(now, then, release.namespace).map(({ at, old, next }) => ({ ...at, change: changeOf(old, next) }));
  return { from: newest.revision, to, objects };
}

function changeOf(old: unknown, next: unknown): RollbackPreview['objects'][number]['change'] {
  if (old === undefined) return 'created';
  if (next === undefined) return 'deleted';
  return deepEqual(old, next) ? 'same' : 'changed';
}
