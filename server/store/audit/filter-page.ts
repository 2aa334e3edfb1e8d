import type { SQL } from 'drizzle-orm';
import { and, eq, gte, ilike, like, lt, notLike, or, sql } from 'drizzle-orm';
import { audit } from '../schema';
import { cleanText } from './append-entries';

/** Which entries are wanted. An absent member does not filter; namespaces are those the reader may see. */
export interface AuditQuery {
  readonly namespaces: 'all' | readonly string[];
  readonly ns?: string;
  readonly q?: string;
  readonly actor?: string;
  /** An act, or one plain word for a family of them. */
  readonly action?: string;
  /** What is about an application: itself, what bears its name, its revisions and their trackers. */
  readonly application?: string;
  readonly result?: 'done' | 'refused' | 'failed';
  /** From this instant on, and before that one, as the record writes them. */
  readonly from?: string;
  readonly to?: string;
  readonly sort?: string;
  /** Oldest first instead of newest first. */
  readonly ascending?: boolean;
  /** Only entries before this place in the chain. */
  readonly before?: number;
  readonly page: number;
  readonly size: number;
}

/** True when nothing is left out: then the last place says how many there are. */
export function isWhole(query: AuditQuery): boolean {
  return query.namespaces === 'all' && query.ns === undefined && query.actor === undefined && query.action === undefined && !isSearched(query);
}

/** True for what no index serves: the record is walked for it. */
export function isSearched({ q, action, application, result, from, to }: AuditQuery): boolean {
  return [q, application, result, from, to].some((member) => member !== undefined) || (action !== undefined && isFamily(action));
}

/** The column that entries are ordered by. */
export function orderOf({ sort }: AuditQuery) {
  return sort === 'actor' ? audit.actor : sort === 'action' ? audit.action : audit.seq;
}

/** What of a query narrows the record, each a condition. */
export function filtersOf({ ns, q, actor, action, application, result, from, to }: AuditQuery): SQL[] {
  const filters: (SQL | undefined)[] = [];
  if (ns !== undefined) filters.push(eq(audit.namespace, cleanText(ns)));
  if (actor !== undefined) filters.push(eq(audit.actor, cleanText(actor)));
  if (action !== undefined) filters.push(isFamily(action) ? like(audit.action, `${literal(action)}.%`) : eq(audit.action, cleanText(action)));
  if (application !== undefined) filters.push(isAbout(application));
  if (result !== undefined) filters.push(RESULTS[result]);
  if (from !== undefined) filters.push(gte(audit.at, cleanText(from)));
  if (to !== undefined) filters.push(lt(audit.at, cleanText(to)));
  if (q !== undefined) {
    const pattern = `%${literal(q)}%`;
    filters.push(or(...[audit.name, audit.namespace, audit.actor, audit.action, audit.message].map((column) => ilike(column, pattern))));
  }
  return filters.filter((filter) => filter !== undefined);
}

/** `decision`, of which `decision.approve` is one. */
const isFamily = (action: string) => /^[a-z]+$/.test(action);

/** A text as a pattern that matches only itself. */
const literal = (text: string) => cleanText(text).replace(/[\\%_]/g, (sign) => `\\${sign}`);

/** Revisions are called `web-v3`, their trackers `web-v3-shop`; other objects say in their data which application asked. */
function isAbout(application: string): SQL | undefined {
  const name = cleanText(application);
  const rest = sql`substr(${audit.name}, ${name.length + 1})`;
  return or(
    eq(audit.name, name),
    and(like(audit.name, `${literal(name)}-v%`), sql`${rest} ~ '^-v[0-9]+(-[a-z0-9.-]+)?$'`),
    like(audit.data, `%"application":${literal(JSON.stringify(name))}%`),
  );
}

/** Decisions say first how they were answered; everything else says it in the name of the act. */
const REFUSED = or(like(audit.action, '%.refused'), like(audit.message, 'Rejected:%'), like(audit.message, 'Expired:%'));
const FAILED = or(like(audit.action, '%.failed'), like(audit.action, '%.aborted'));
const RESULTS = {
  refused: REFUSED,
  failed: FAILED,
  done: and(
    notLike(audit.action, '%.refused'),
    notLike(audit.message, 'Rejected:%'),
    notLike(audit.message, 'Expired:%'),
    notLike(audit.action, '%.failed'),
    notLike(audit.action, '%.aborted'),
  ),
} as const;
