import { liveQuery } from '@/components/live/live-query';
import { graphNode } from '@/lib/contract/graph-rows';
import type { TreeQuery } from '@/lib/contract/lists/tree-query';
import { treeLine, treeLocation } from '@/lib/contract/tree-rows';

/** The application whose objects are shown. */
export interface TreePlace {
  readonly ns: string;
  readonly name: string;
}

/** What list and graph of an application read. */
export const treeQueries = {
  /** A page of the list; one that nobody looks at is not kept. */
  page: ({ ns, name }: TreePlace, query: TreeQuery) => ({ ...liveQuery({ kind: 'tree', ns, name, query }, treeLine), gcTime: 0 }),
  location: ({ ns, name }: TreePlace, id: string, query: TreeQuery) => ({
    ...liveQuery({ kind: 'tree-location', ns, name, id, query }, treeLocation),
    gcTime: 0,
  }),
  graph: ({ ns, name }: TreePlace, open: readonly string[]) => ({ ...liveQuery({ kind: 'graph', ns, name, open }, graphNode), gcTime: 0 }),
};
