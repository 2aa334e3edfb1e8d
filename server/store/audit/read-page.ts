import { and, asc, desc, gt, inArray, lte, sql } from 'drizzle-orm';
import type { AuditRow } from '@/lib/contract/audit-chain';
import type { RecordQuery } from '@/lib/contract/pages/record-query';
import { isSearched } from '@/lib/contract/pages/record-query';
import type { Database } from '../database';
import { audit } from '../schema';
import { cleanText } from './append-entries';
import { filtersOf, isWhole, orderOf } from './filter-page';
import { newestOfEach, visible } from './visible';

/** So many entries that match are counted; of more it is only said that there are. */
const COUNTED = 1000;
/** A search reads so many entries at a time: no index serves it, and others have their turn in between. */
const SLICE = 2000;

/** A page of the record, and how many entries match: all of them, or as many as were counted when `more` says that there are more. */
export interface AuditPage {
  readonly total: number;
  readonly more: boolean;
  readonly rows: readonly AuditRow[];
}

/**
 * A page of the record, at the cost of its rows however long the record is.
 *
 * 1. Without a filter its places in the chain, which has no gap, say where it begins, and the last one says how many there are.
 * 2. Filters by namespace, person and act, and orders by person and act, each have an index in the order of the chain.
 * 3. A search, also by application, result, time or a family of acts, walks the record in slices until the page is full and enough is counted.
 */
export async function readPage(database: Database, query: RecordQuery, signal?: AbortSignal): Promise<AuditPage> {
  const [newest] = await database.select({ seq: audit.seq }).from(audit).orderBy(desc(audit.seq)).limit(1);
  if (newest === undefined) return { total: 0, more: false, rows: [] };
  const end = Math.min(newest.seq, (query.before ?? Number.POSITIVE_INFINITY) - 1);
  if (isSearched(query)) return search({ database, end, signal }, query);
  return isWhole(query) && orderOf(query) === audit.seq ? readWhole(database, query, end) : readMatching(database, query, end);
}

async function readWhole(database: Database, { ascending = false, page, size }: RecordQuery, end: number): Promise<AuditPage> {
  const first = page * size;
  const where = ascending ? and(gt(audit.seq, first), lte(audit.seq, end)) : lte(audit.seq, end - first);
  const rows = await database
    .select()
    .from(audit)
    .where(where)
    .orderBy(ascending ? asc(audit.seq) : desc(audit.seq))
    .limit(size);
  return { total: Math.max(0, end), more: false, rows };
}

async function readMatching(database: Database, query: RecordQuery, end: number): Promise<AuditPage> {
  const { namespaces, ns, ascending = false, page, size } = query;
  const direction = ascending ? asc : desc;
  const column = orderOf(query);
  const matching = [...filtersOf(query), lte(audit.seq, end)];
  const wanted = (page + 1) * size;
  // One namespace is one way through its index, of several each has an end of its own.
  const among = ns === undefined ? namespaces : ns.length === 1 ? 'all' : ns.map(cleanText);
  const where =
    among !== 'all' && column === audit.seq
      ? and(visible(namespaces), newestOfEach(among, { matching, order: direction(audit.seq), limit: wanted }))
      : and(visible(namespaces), ...matching);
  const rows = await database
    .select()
    .from(audit)
    .where(where)
    .orderBy(direction(column), direction(audit.seq))
    .limit(size)
    .offset(page * size);
  if (isWhole(query)) return { total: Math.max(0, end), more: false, rows };
  const most = Math.max(COUNTED, wanted);
  const some = database
    .select({ one: sql`1`.as('one') })
    .from(audit)
    .where(and(visible(namespaces), ...matching))
    .limit(most + 1)
    .as('some');
  const total = await database.$count(some);
  return { total: Math.min(total, most), more: total > most, rows };
}

interface Search {
  readonly database: Database;
  /** The last place that is looked at. */
  readonly end: number;
  readonly signal: AbortSignal | undefined;
}

interface Match {
  readonly seq: number;
  readonly by: string;
}

async function search({ database, end, signal }: Search, query: RecordQuery): Promise<AuditPage> {
  const { namespaces, ascending = false, page, size } = query;
  const column = orderOf(query);
  const most = column === audit.seq ? Math.max(COUNTED, (page + 1) * size) : Number.POSITIVE_INFINITY; // another order wants all of them
  const by = column === audit.seq ? sql<string>`''` : sql<string>`${column}`;
  const found: Match[] = [];
  for (let done = 0; done < end && found.length <= most; done += SLICE) {
    signal?.throwIfAborted();
    const after = ascending ? done : Math.max(0, end - done - SLICE);
    const slice = and(gt(audit.seq, after), lte(audit.seq, Math.min(end, ascending ? done + SLICE : end - done)));
    const rows = await database
      .select({ seq: audit.seq, by })
      .from(audit)
      .where(and(slice, visible(namespaces), ...filtersOf(query)))
      .orderBy(ascending ? asc(audit.seq) : desc(audit.seq));
    for (const row of rows) found.push(row);
  }
  if (column !== audit.seq)
    found.sort((left, right) => (left.by < right.by ? -1 : left.by > right.by ? 1 : left.seq - right.seq) * (ascending ? 1 : -1));
  const places = found.slice(page * size, (page + 1) * size).map(({ seq }) => seq);
  const rows = new Map((await database.select().from(audit).where(inArray(audit.seq, places))).map((row) => [row.seq, row]));
  return { total: Math.min(found.length, most), more: found.length > most, rows: places.flatMap((seq) => rows.get(seq) ?? []) };
}
