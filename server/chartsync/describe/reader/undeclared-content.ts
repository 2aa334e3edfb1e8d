import type { StoredContent } from '@/lib/contract/release-comparison';
import type { KubeObject } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import type { Clock } from '@/server/platform';
import type { LiveObjects } from '../../cluster/live-objects';
import type { HelmStorage } from '../../helm/storage';
import type { ReleaseRef } from '../../model/release';
import { actOn } from '../../undeclared/acts';
import { requireServed } from '../../undeclared/listed';
import type { UndeclaredDeps } from '../../undeclared/read-undeclared';
import { notStored, requireUndeclared } from '../../undeclared/require-undeclared';
import { readContent } from './comparisons';
import { describeStored } from './stored-content';

interface ContentDeps extends Pick<UndeclaredDeps, 'stores' | 'others' | 'before' | 'isUndefined'> {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly storage: HelmStorage;
  readonly live: LiveObjects;
}

/** A revision, the newest where none is named, and what throws where whoever asks may not read it. */
export interface PermittedRevision {
  readonly revision: number | undefined;
  readonly permit: (revision: number) => Promise<void>;
}

/**
 * What a stored revision of a release holds that no resource declares. Where one declared it before, some of its values may have come from Secrets,
 * and nothing tells any more which: then all are masked.
 */
export async function readUndeclaredContent(
  deps: ContentDeps,
  release: ReleaseRef,
  { revision: asked, permit }: PermittedRevision,
): Promise<StoredContent> {
  const { storage, live, cluster, clock, before } = deps;
  requireUndeclared(deps, release);
  await requireServed(deps.stores, deps.isUndefined); // else nothing tells which values a resource has from Secrets
  const newest = await storage.findNewest(release);
  if (newest === undefined) throw notStored(release);
  const revision = asked ?? newest.entry.revision;
  await permit(revision);
  const content = await readContent(deps, release, revision);
  const addressOf = (object: KubeObject) => live.shownAddressOf(object, actOn(release), cluster);
  return { revision, ...(await describeStored(content, { inline: {}, hides: (await before.begin()(newest)) !== null, addressOf, clock })) };
}
