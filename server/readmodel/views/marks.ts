import { formatOwner, ownerOf } from '@/lib/kube/labels/object-owner';
import type { KubeObject } from '@/lib/kube/object';

/** What a row tells of its object, so that lists are filtered by it. */
export interface Marks {
  readonly labels: Record<string, string>;
  readonly owner: string | null;
}

const NO_LABELS = {};

/** Labels and owner of the object that a row is about, from the copy that is there. */
export function marksOf({ metadata }: KubeObject): Marks {
  const owner = ownerOf(metadata);
  return { labels: metadata.labels ?? NO_LABELS, owner: owner === null ? null : formatOwner(owner) };
}
