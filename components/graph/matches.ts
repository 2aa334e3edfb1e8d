import type { GraphNode } from '@/lib/contract/graph-rows';
import type { TreeQuery } from '@/lib/contract/tree-rows';

type Told = Pick<GraphNode, 'type' | 'apiVersion' | 'kind' | 'name' | 'message' | 'health'> & {
  readonly counts: readonly { readonly health: GraphNode['health'] }[] | null;
};

/** Whether a node is among what the list is narrowed to by text, kind and status; a group is where one of its members may be. */
export function matchesQuery(node: Told, query: TreeQuery): boolean {
  const { q, kind, status } = query;
  const own = node.apiVersion.includes('/') ? `${node.kind}.${node.apiVersion.split('/')[0]}` : node.kind;
  if (kind !== undefined && own !== kind) return false;
  const statuses = node.counts?.map(({ health }) => health) ?? [node.health];
  if (status !== undefined && !statuses.some((health) => (status === 'unwell' ? health !== 'Current' : health === status))) return false;
  // Which of its members a text is found in is not known here: their kind is, and more than that the list tells.
  const text = node.type === 'group' ? node.kind : `${node.kind} ${node.name} ${node.message}`;
  return q === undefined || text.toLowerCase().includes(q.toLowerCase());
}
