import { createHash } from 'node:crypto';
import type { SQL } from 'drizzle-orm';
import { and, asc, count, desc, eq, gt, ilike, inArray, or, sql } from 'drizzle-orm';
import type { AuditRow, Verified } from '@/lib/contract/audit-chain';
import { ChainWalk, coveredText, GENESIS } from '@/lib/contract/audit-chain';
import type { RecordEntry } from '@/lib/contract/record-entry';
import { parseInstant, toInstant, toIso } from '@/lib/std/instant';
import { toStableJson } from '@/lib/std/stable-json';
import type { Clock } from '@/server/platform';
import type { Database } from './database';
import { LOCKS } from './database';
import { audit } from './schema';

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
  /** All entries a reader may see, oldest first, read in batches. */
  export(namespaces: 'all' | readonly string[]): AsyncIterable<AuditRow>;
  verify(): Promise<Verified>;
}

interface Waiting {
  readonly entry: RecordEntry;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** The record over a database. Entries offered while one write is under way share the next one. */
export function createAuditLog(database: Database, clock: Clock): AuditLog {
  let waiting: Waiting[] = [];
  let writing = false;

  const write = async () => {
    const release = clock.hold();
    writing = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH);
      try {
        await appendBatch(
          database,
          batch.map(({ entry }) => entry),
        );
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
        waiting = [...waiting, { entry, done, failed }];
        if (!writing) void write();
      }),
    async readRecent(limit) {
      const rows = await database.select().from(audit).orderBy(desc(audit.seq)).limit(limit);
      return rows.reverse().map(toEntry);
    },
    readPage: (query) => readPage(database, query),
    export: (namespaces) => readAll(database, namespaces),
    async verify() {
      const walk = new ChainWalk(sha256);
      for await (const row of readAll(database, 'all')) walk.add(row);
      return walk.result();
    },
  };
}

async function appendBatch(database: Database, entries: readonly RecordEntry[]): Promise<void> {
  await database.transaction(async (tx) => {
    // Replicas share one chain: whoever reads its end holds it until the next entry is written.
    await tx.execute(sql`select pg_advisory_xact_lock(${LOCKS.audit})`);
    const ids = entries.map(({ id }) => cleanText(id));
    const known = new Set((await tx.select({ id: audit.id }).from(audit).where(inArray(audit.id, ids))).map(({ id }) => id));
    const [last] = await tx.select({ seq: audit.seq, hash: audit.hash }).from(audit).orderBy(desc(audit.seq)).limit(1);
    let { seq, hash } = last ?? { seq: 0, hash: GENESIS };
    const rows: AuditRow[] = [];
    for (const entry of entries) {
      const row = toRow(entry, seq + 1, hash);
      if (known.has(row.id)) continue;
      known.add(row.id);
      rows.push(row);
      ({ seq, hash } = row);
    }
    if (rows.length > 0) await tx.insert(audit).values(rows);
  });
}

function toRow(entry: RecordEntry, seq: number, previous: string): AuditRow {
  const { about } = entry;
  const row = {
    seq,
    id: cleanText(entry.id),
    at: toIso(entry.at),
    actor: cleanText(entry.actor),
    action: cleanText(entry.action),
    apiVersion: about.apiVersion,
    kind: about.kind,
    namespace: about.namespace ?? null,
    name: cleanText(about.name),
    message: cleanText(entry.message),
    data: entry.data === undefined ? null : cleanText(toStableJson(entry.data)),
    previous,
  };
  return { ...row, hash: sha256(coveredText(row)) };
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

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

// Postgres stores neither NUL nor half a surrogate pair; what the hash covers must be what comes back.
function cleanText(text: string): string {
  return Buffer.from(text.replaceAll('\0', '\uFFFD'), 'utf8').toString('utf8');
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

function visible(namespaces: 'all' | readonly string[]): SQL | undefined {
  if (namespaces === 'all') return undefined;
  return namespaces.length === 0 ? sql`false` : inArray(audit.namespace, [...namespaces]);
}

async function* readAll(database: Database, namespaces: 'all' | readonly string[]): AsyncGenerator<AuditRow> {
  for (let after = 0; ; ) {
    const rows = await database
      .select()
      .from(audit)
      .where(and(gt(audit.seq, after), visible(namespaces)))
      .orderBy(asc(audit.seq))
      .limit(BATCH);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return;
    after = last.seq;
  }
}
