import type { SQL } from 'drizzle-orm';
import { and, eq, gte, ilike, inArray, like, lt, notLike, or, sql } from 'drizzle-orm';
import type { RecordQuery } from '@/lib/contract/pages/record-query';
import { isFamily, isSearched } from '@/lib/contract/pages/record-query';
import { audit } from '../schema';
import { cleanText, indexedText } from './append-entries';

/** True when nothing is left out: then the last place says how many there are. */
export function isWhole(query: RecordQuery): boolean {
  return (
    query.namespaces === 'all' && query.ns === undefined && query.actor === undefined && query.action === undefined && !isSearched(query)
  );
}

/** The column that entries are ordered by. */
export function orderOf({ sort }: RecordQuery) {
  return sort === 'actor' ? audit.actor : sort === 'action' ? audit.action : audit.seq;
}

/** What of a query narrows the record, each a condition. */
export function filtersOf({ ns, q, actor, action, application, result, from, to }: RecordQuery): SQL[] {
  const filters: (SQL | undefined)[] = [];
  if (ns !== undefined) filters.push(inArray(audit.namespace, ns.map(indexedText)));
  if (actor !== undefined) filters.push(eq(audit.actor, indexedText(actor)));
  if (action !== undefined)
    filters.push(isFamily(action) ? like(audit.action, `${literal(action)}.%`) : eq(audit.action, indexedText(action)));
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
