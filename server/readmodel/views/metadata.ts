import type { ObjectMetadata } from '@/lib/contract/lists/metadata-filter';
import { formatOwner, ownerOf } from '@/lib/kube/labels/object-owner';
import type { KubeObject } from '@/lib/kube/object';

const NO_LABELS = {};

/** Labels and owner of the object that a row is about, from the copy that is there. */
export function metadataOf({ metadata }: KubeObject): ObjectMetadata {
  const owner = ownerOf(metadata);
  return { labels: metadata.labels ?? NO_LABELS, owner: owner === null ? null : formatOwner(owner) };
}
