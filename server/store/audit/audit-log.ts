import type { SQL } from 'drizzle-orm';
import { and, asc, count, desc, eq, ilike, or } from 'drizzle-orm';
import type { AuditRow, Verified } from '@/lib/contract/audit-chain';
import type { ExportLine } from '@/lib/contract/audit-head';
import type { RecordEntry } from '@/lib/contract/record-entry';
import { parseInstant, toInstant } from '@/lib/std/instant';
import type { Clock } from '@/server/platform';
import type { Database } from '../database';
import { audit } from '../schema';
import { cleanText, createAppender } from './append-entries';
import type { HeadKeeper } from './head-keeper';
import { exportRecord, verifyRecord, visible } from './walk-record';

const BATCH = 500;

/** Which entries are wanted. An absent member does not filter; namespaces are those the reader may see. */
export interface AuditQuery {
  readonly namespaces: 'all' | readonly string[];
  readonly ns?: string;
  readonly q?: string;
  readonly action?: string;
  readonly sort?: string;
  /** Oldest first instead of newest first. */
  readonly ascending?: boolean;
  readonly page: number;
  readonly size: number;
}

/** The record: entries are added, read and checked, never changed. */
export interface AuditLog {
  /** Resolves when the entry is durable; an id that is on record already adds nothing. */
  append(entry: RecordEntry): Promise<void>;
  /** The newest entries, newest last. */
  readRecent(limit: number): Promise<readonly RecordEntry[]>;
  readPage(query: AuditQuery): Promise<{ readonly total: number; readonly rows: readonly AuditRow[] }>;
  /** All entries a reader may see, oldest first, with what is signed of them; read in batches, and only as fast as it is taken. */
  export(namespaces: 'all' | readonly string[]): AsyncIterable<AuditRow | ExportLine>;
  /** Walks every entry; an abort ends it between two batches. */
  verify(signal?: AbortSignal): Promise<Verified>;
  /** What is wrong with the record or with what is kept of it elsewhere, a sentence each. */
  troubles(): readonly string[];
}

interface Waiting {
  readonly entry: RecordEntry;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** The record over a database. Entries offered while one write is under way share the next one. */
export function createAuditLog(database: Database, clock: Clock, heads: HeadKeeper): AuditLog {
  const append = createAppender(database);
  const waiting: Waiting[] = [];
  let writing = false;

  const write = async () => {
    const release = clock.hold();
    writing = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH);
      try {
        const rows = await append(batch.map(({ entry }) => entry));
        if (rows.length > 0) heads.appended(rows);
        for (const { done } of batch) done();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    writing = false;
    release();
  };

  return {
    append: (entry) =>
      new Promise<void>((done, failed) => {
        waiting.push({ entry, done, failed });
        if (!writing) void write();
      }),
    async readRecent(limit) {
      const rows = await database.select().from(audit).orderBy(desc(audit.seq)).limit(limit);
      return rows.reverse().map(toEntry);
    },
    readPage: (query) => readPage(database, query),
    export: (namespaces) => exportRecord({ database, clock, heads }, namespaces),
    verify: (signal) => verifyRecord({ database, clock, heads }, signal),
    troubles: () => heads.troubles(),
  };
}

function toEntry(row: AuditRow): RecordEntry {
  return {
    id: row.id,
    at: parseInstant(row.at) ?? toInstant(0),
    actor: row.actor,
    action: row.action,
    about: { apiVersion: row.apiVersion, kind: row.kind, ...(row.namespace === null ? {} : { namespace: row.namespace }), name: row.name },
    message: row.message,
    ...(row.data === null ? {} : { data: JSON.parse(row.data) as Record<string, unknown> }),
  };
}

async function readPage(database: Database, query: AuditQuery) {
  const where = and(...filtersOf(query));
  const column = query.sort === 'actor' ? audit.actor : query.sort === 'action' ? audit.action : audit.seq;
  const direction = query.ascending ? asc : desc;
  const [found] = await database.select({ total: count() }).from(audit).where(where);
  const rows = await database
    .select()
    .from(audit)
    .where(where)
    .orderBy(direction(column), direction(audit.seq))
    .limit(query.size)
    .offset(query.page * query.size);
  return { total: found?.total ?? 0, rows };
}

function filtersOf(query: AuditQuery): SQL[] {
  const filters: (SQL | undefined)[] = [visible(query.namespaces)];
  if (query.ns !== undefined) filters.push(eq(audit.namespace, cleanText(query.ns)));
  if (query.action !== undefined) filters.push(eq(audit.action, cleanText(query.action)));
  if (query.q !== undefined) {
    const pattern = `%${cleanText(query.q).replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
    filters.push(or(...[audit.name, audit.namespace, audit.actor, audit.action, audit.message].map((column) => ilike(column, pattern))));
  }
  return filters.filter((filter) => filter !== undefined);
}
