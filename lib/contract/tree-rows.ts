import { z } from 'zod';
import { health } from './health';
import { KNOWLEDGE_SOURCES } from './live';
import { namedObject } from './named-object';

/** One object of an application as its list and its graph show it. */
export const treeNode = namedObject.extend({
  /** The id of the node that it hangs below; null of the application itself. */
  parent: z.string().nullable(),
  uid: z.string().nullable(),
  health,
  message: z.string(),
  /** What told the status, in words; absent where nothing was computed. */
  rule: z.string().optional(),
  /** recorded: in a tracker · generated: made by a controller. */
  origin: z.enum(['application', 'recorded', 'generated']),
  /** How we know: from a live watch, from a poll as of that moment, or from a copy as of the moment when the watch was lost. */
  known: z.object({ source: z.enum(KNOWLEDGE_SOURCES), at: z.string().nullable() }),
  component: z.string().nullable(),
  revision: z.string().nullable(),
  createdAt: z.string().nullable(),
});
export type TreeNode = z.infer<typeof treeNode>;

/** One line of the list of objects: where it stands, and what lies below it. */
export const treeLine = treeNode.extend({
  key: z.string(),
  depth: z.number(),
  /** Nodes directly below it. */
  children: z.number(),
  isClosed: z.boolean(),
  /** Worst health of the node and of everything below it. */
  worst: health,
  /** Of the list that shows matches alone: what the node hangs below. */
  owner: z.object({ kind: z.string(), name: z.string() }).nullable(),
});
export type TreeLine = z.infer<typeof treeLine>;

/** One object that somebody picked: the node, its owners from the one just above up to the application, and its place in the list. */
export const treeLocation = z.object({
  key: z.string(),
  node: treeNode,
  owners: z.array(treeNode),
  /** Its line in the list as it is filtered; null where the list does not show it. */
  at: z.number().nullable(),
});
export type TreeLocation = z.infer<typeof treeLocation>;

/** How many objects an application consists of, by kind, by status and by namespace. Kinds are named as ids begin: `Deployment.apps`. */
export const objectCounts = z.object({
  total: z.number(),
  kinds: z.array(z.object({ kind: z.string(), count: z.number() })),
  statuses: z.array(z.object({ health, count: z.number() })),
  namespaces: z.array(z.object({ ns: z.string(), count: z.number() })),
  /** When the oldest of those that are polled were seen; null where all are watched. */
  oldestPoll: z.string().nullable(),
});
export type ObjectCounts = z.infer<typeof objectCounts>;

/** Lines of one page of the list. */
export const TREE_PAGE = 50;

/** A short mark of a node, for addresses: FNV-1a of its id, 32 bits. Two nodes of one mark are opened and closed together, and no more. */
export function markOf(id: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}
