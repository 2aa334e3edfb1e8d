import { and, desc, eq } from 'drizzle-orm';
import type { AuditRow, Verified } from '@/lib/contract/audit-chain';
import type { ExportLine } from '@/lib/contract/audit-head';
import type { RecordQuery } from '@/lib/contract/pages/record-query';
import type { RecordEntry } from '@/lib/contract/record-entry';
import { parseInstant, toInstant } from '@/lib/std/instant';
import type { Clock } from '@/server/platform';
import type { Database } from '../database';
import { audit } from '../schema';
import { createAppender, indexedText, readExistingIds } from './append-entries';
import type { HeadKeeper } from './head-keeper';
import type { EntriesQuery } from './read-entries';
import { readEntries } from './read-entries';
import type { AuditPage } from './read-page';
import { readPage } from './read-page';
import { exportRecord, verifyRecord } from './verify-record';
import { visible } from './visible';

const BATCH = 500;

/** The record: entries are added, read and checked, never changed. */
export interface AuditLog {
  /** Resolves when the entry is durable; an id that is on record already adds nothing. */
  append(entry: RecordEntry): Promise<void>;
  /** Which of these ids are on record. */
  known(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** The newest entries, newest last. */
  readRecent(limit: number): Promise<readonly RecordEntry[]>;
  /** Entries of some acts with their data, oldest first; bounded by a number, and by a moment or an object. */
  readEntries(query: EntriesQuery): Promise<readonly RecordEntry[]>;
  /** An abort ends a search on the way. */
  readPage(query: RecordQuery, signal?: AbortSignal): Promise<AuditPage>;
  /** One entry by its id; undefined where there is none that a reader may see. */
  readEntry(id: string, namespaces: 'all' | readonly string[]): Promise<AuditRow | undefined>;
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
    async known(ids) {
      const existing = await readExistingIds(database, ids);
      return new Set(ids.filter((id) => existing.has(indexedText(id))));
    },
    async readRecent(limit) {
      const rows = await database.select().from(audit).orderBy(desc(audit.seq)).limit(limit);
      return rows.reverse().map(toEntry);
    },
    readEntries: async (query) => (await readEntries(database, query)).map(toEntry),
    readPage: (query, signal) => readPage(database, query, signal),
    async readEntry(id, namespaces) {
      const [row] = await database
        .select()
        .from(audit)
        .where(and(eq(audit.id, indexedText(id)), visible(namespaces)))
        .limit(1);
      return row;
    },
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
