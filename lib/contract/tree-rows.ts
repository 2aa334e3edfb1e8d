import { z } from 'zod';
import { HEALTH_STATUSES, health } from './health';
import { LONGEST, parseValues } from './lists/list-query';
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
export const treeSpot = z.object({
  key: z.string(),
  node: treeNode,
  owners: z.array(treeNode),
  /** Its line in the list as it is filtered; null where the list does not show it. */
  at: z.number().nullable(),
});
export type TreeSpot = z.infer<typeof treeSpot>;

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
/** Nodes that are closed at once: their marks are part of the address of the list. */
export const MOST_CLOSED = 40;
/** A status by which the list is narrowed: one, or all that are not well. */
export const TREE_STATUSES = [...HEALTH_STATUSES, 'unwell'] as const;
export type TreeStatus = (typeof TREE_STATUSES)[number];

/** What part of the list is asked for. */
export interface TreeQuery {
  readonly q?: string;
  /** As ids begin: `Pod`, `Deployment.apps`. */
  readonly kind?: string;
  readonly status?: TreeStatus;
  /** As lists have them: namespaces, a label selector, owners. */
  readonly ns?: readonly string[];
  readonly labels?: string;
  readonly owner?: readonly string[];
  /** The mark of a node: only what hangs directly below it. */
  readonly under?: string;
  /** Marks of the nodes whose contents are left out. */
  readonly closed?: readonly string[];
  readonly page?: number;
}

/** Where this part of a query's answer begins to be another list: what the page leaves alone. */
export function isNarrowed({ q, kind, status, under, ns, labels, owner }: TreeQuery): boolean {
  return Boolean(q ?? kind ?? status ?? under ?? ns ?? labels ?? owner);
}

/** A short mark of a node, for addresses: FNV-1a of its id, 32 bits. Two nodes of one mark are opened and closed together, and no more. */
export function markOf(id: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}

/** The address text of a query. */
export function formatTreeQuery({ q, kind, status, ns, labels, owner, under, closed, page }: TreeQuery): string {
  const text = new URLSearchParams();
  if (q) text.set('q', q);
  if (kind) text.set('kind', kind);
  if (status) text.set('status', status);
  if (ns && ns.length > 0) text.set('ns', ns.join(','));
  if (labels) text.set('labels', labels);
  if (owner && owner.length > 0) text.set('owner', owner.join(','));
  if (under) text.set('under', under);
  if (closed && closed.length > 0) text.set('closed', closed.join('.'));
  if (page) text.set('page', String(page));
  return text.toString();
}

/** Reads a query; what it cannot mean is left out. */
export function parseTreeQuery(params: URLSearchParams): TreeQuery {
  const text = (name: string, longest = 200) => params.get(name)?.slice(0, longest) || undefined;
  const [q, kind, under] = [text('q'), text('kind'), parseMarks(params.get('under'))[0]];
  const [ns, owner, labels] = [parseValues(text('ns', LONGEST)), parseValues(text('owner', LONGEST)), text('labels', LONGEST)?.trim()];
  const status = TREE_STATUSES.find((known) => known === params.get('status'));
  const closed = parseMarks(params.get('closed'));
  const page = Math.floor(Number(params.get('page') ?? 0));
  return {
    ...(q ? { q } : {}),
    ...(kind ? { kind } : {}),
    ...(status ? { status } : {}),
    ...(ns.length > 0 ? { ns } : {}),
    ...(labels ? { labels } : {}),
    ...(owner.length > 0 ? { owner } : {}),
    ...(under ? { under } : {}),
    ...(closed.length > 0 ? { closed } : {}),
    ...(page > 0 && page < 1e6 ? { page } : {}),
  };
}

/** Marks as an address has them, at most so many. */
export function parseMarks(text: string | null): readonly string[] {
  const marks = (text ?? '').split('.').filter((mark) => /^[0-9a-z]{1,7}$/.test(mark));
  return [...new Set(marks)].slice(0, MOST_CLOSED);
}
