import type { GraphNode } from '@/lib/contract/graph-rows';
import type { ObjectMetadata } from '@/lib/contract/lists/metadata-filter';
import { metadataFilter } from '@/lib/contract/lists/metadata-filter';
import type { TreeQuery } from '@/lib/contract/lists/tree-query';

type MatchedNode = Pick<GraphNode, 'type' | 'apiVersion' | 'kind' | 'ns' | 'name' | 'message' | 'health'> & {
  readonly marks: readonly ObjectMetadata[] | null;
  readonly counts: readonly { readonly health: GraphNode['health'] }[] | null;
};

/** Tells of each node whether it is among what the list is narrowed to; a group is where one of its members may be. */
export function matcherOf(query: TreeQuery): (node: MatchedNode) => boolean {
  const isMarked = metadataFilter(query);
  return (node) => matches(node, query) && (isMarked === undefined || node.marks === null || node.marks.some(isMarked));
}

function matches(node: MatchedNode, { q, kind, status, ns }: TreeQuery): boolean {
  const own = node.apiVersion.includes('/') ? `${node.kind}.${node.apiVersion.split('/')[0]}` : node.kind;
  if (kind !== undefined && own !== kind) return false;
  const statuses = node.counts?.map(({ health }) => health) ?? [node.health];
  if (status !== undefined && !statuses.some((health) => (status === 'unwell' ? health !== 'Current' : health === status))) return false;
  // The members of a group that names no namespace are of several.
  if (ns !== undefined && (node.ns === null ? node.type !== 'group' : !ns.includes(node.ns))) return false;
  // Which of its members a text is found in is not known here: their kind is, and more than that the list tells.
  const text = node.type === 'group' ? node.kind : `${node.kind} ${node.name} ${node.message}`;
  return q === undefined || text.toLowerCase().includes(q.toLowerCase());
}
