import { z } from 'zod';
import { health } from './health';
import { listed } from './lists/listed';
import { treeNode } from './tree-rows';

/** What an edge of a graph says: who owns, records, selects, routes to or scales the other. */
export const EDGE_KINDS = ['owns', 'records', 'selects', 'routes', 'scales'] as const;
export type EdgeKind = (typeof EDGE_KINDS)[number];

/** One node of the graph of an application, with the edges that leave it. */
export const graphNode = treeNode.omit({ parent: true, origin: true, component: true }).extend({
  key: z.string(),
  /** group: stands for `count` siblings alike. */
  type: z.enum(['application', 'revision', 'tracker', 'object', 'group']),
  /** What stands beside the name: the state of a revision, how many a tracker records. */
  note: z.string().nullable(),
  count: z.number().nullable(),
  /** Of a group: how many are how, worst first. */
  counts: z.array(z.object({ health, count: z.number() })).nullable(),
  /** What it and, of a group, its members are filtered by, each once; null where they differ too much to tell. None where no copy of the object is there. */
  marks: z.array(z.object(listed)).nullable(),
  /** Of a group: the mark of what its members hang below, by which the list shows them. */
  under: z.string().nullable(),
  edges: z.array(
    z.object({
      to: z.string(),
      kind: z.enum(EDGE_KINDS),
      /** Part of the traffic, for example. */
      note: z.string().nullable(),
    }),
  ),
});
export type GraphNode = z.infer<typeof graphNode>;
export type GraphEdge = GraphNode['edges'][number];
