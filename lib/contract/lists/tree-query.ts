import { HEALTH_STATUSES } from '../health';
import { LONGEST, parseValues } from './list-query';

/** Nodes that are closed at once: their marks are part of the address of the list. */
export const MAX_CLOSED = 40;

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
  return [...new Set(marks)].slice(0, MAX_CLOSED);
}
