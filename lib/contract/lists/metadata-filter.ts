import type { Labels } from '@/lib/kube/label-selector';
import { parseOwner } from '@/lib/kube/labels/object-owner';
import { meetsAll, readSelector } from '@/lib/kube/labels/selector-text';
import type { ListQuery } from './list-query';
import { NO_OWNER } from './list-query';

/** What a row tells of its object, so that lists are filtered by it. */
export interface ObjectMetadata {
  readonly labels: Labels;
  readonly owner: string | null;
}

/** By label and owner; undefined where neither is asked for. The selector is read once, not row by row; one that cannot be read was refused before. */
export function metadataFilter({ labels, owner }: Pick<ListQuery, 'labels' | 'owner'>): ((marks: ObjectMetadata) => boolean) | undefined {
  if (labels === undefined && owner === undefined) return undefined;
  const read = readSelector(labels ?? '');
  const owners = owner && new Set(owner);
  return (marks) => {
    if (!read.ok || !meetsAll(read.requirements, marks.labels)) return false;
    if (owners === undefined) return true;
    if (marks.owner === null) return owners.has(NO_OWNER);
    return owners.has(marks.owner) || owners.has(parseOwner(marks.owner).kind);
  };
}
