import { desc, getTableColumns, inArray, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { AuditRow } from '@/lib/contract/audit-chain';
import { coveredText, GENESIS } from '@/lib/contract/audit-chain';
import type { RecordEntry } from '@/lib/contract/record-entry';
import { toIso } from '@/lib/std/instant';
import { toStableJson } from '@/lib/std/stable-json';
import { signatureVerifier } from '@/server/platform';
import type { Database } from '../database';
import { LOCKS } from '../database';
import { audit } from '../schema';

/** The last entry of the chain. */
type End = Pick<AuditRow, 'seq' | 'hash'>;

const UNIQUE_VIOLATION = '23505';

/**
 * Adds entries to the chain, and answers those that were not on record yet. What this process added last is mostly still the end: then one
 * statement does it. Where another replica went on, or an id is known, a transaction looks first.
 */
export function createAppender(database: Database): (entries: readonly RecordEntry[]) => Promise<readonly AuditRow[]> {
  let end: End | undefined;
  return async (entries) => {
    const quick = end === undefined ? undefined : await appendAfter(database, entries, end);
    const rows = quick ?? (await appendLooking(database, entries));
    end = rows.at(-1) ?? end;
    return rows;
  };
}

/** Undefined, and nothing is added, unless the chain ends as expected and has none of the ids. */
async function appendAfter(database: Database, entries: readonly RecordEntry[], end: End): Promise<readonly AuditRow[] | undefined> {
  const rows = chained(entries, end, new Set());
  const lines = rows.map((row) => sql`(${sql.join(valuesOf(row), sql`, `)})`);
  const columns = sql.raw(COLUMNS.map(([, { name }]) => `"${name}"`).join(', '));
  const ids = sql.join(
    rows.map(({ id }) => sql`${id}`),
    sql`, `,
  );
  try {
    // Whoever holds the lock goes on from the same end, and is met by its number.
    const answer = await database.execute(sql`
      with held as materialized (select pg_advisory_xact_lock(${LOCKS.audit}))
      insert into ${audit} (${columns})
      select fresh.* from held, (values ${sql.join(lines, sql`, `)}) as fresh (${columns})
      where exists (select 1 from ${audit} where seq = ${end.seq} and hash = ${end.hash})
        and not exists (select 1 from ${audit} where seq > ${end.seq} or id in (${ids}))`);
    return (answer as { readonly rowCount: number | null }).rowCount === rows.length ? rows : undefined; // both drivers are node-postgres
  } catch (error) {
    if (isTaken(error)) return undefined;
    throw error;
  }
}

async function appendLooking(database: Database, entries: readonly RecordEntry[]): Promise<readonly AuditRow[]> {
  return database.transaction(async (tx) => {
    // Replicas share one chain: whoever reads its end holds it until the next entry is written.
    await tx.execute(sql`select pg_advisory_xact_lock(${LOCKS.audit})`);
    const known = await readExistingIds(
      tx,
      entries.map(({ id }) => id),
    );
    const [last] = await tx.select({ seq: audit.seq, hash: audit.hash }).from(audit).orderBy(desc(audit.seq)).limit(1);
    const rows = chained(entries, last ?? { seq: 0, hash: GENESIS }, known);
    if (rows.length > 0) await tx.insert(audit).values([...rows]);
    return rows;
  });
}

/** Which of these ids are on record, as rows have them. */
export async function readExistingIds(database: Pick<Database, 'select'>, ids: readonly string[]): Promise<Set<string>> {
  const rows = await database
    .select({ id: audit.id })
    .from(audit)
    .where(inArray(audit.id, ids.map(indexedText)));
  return new Set(rows.map(({ id }) => id));
}

/** The entries as rows after the end, without those whose ids are known, each once. */
function chained(entries: readonly RecordEntry[], end: End, known: Set<string>): readonly AuditRow[] {
  let { seq, hash } = end;
  const rows: AuditRow[] = [];
  for (const entry of entries) {
    const row = toRow(entry, seq + 1, hash);
    if (known.has(row.id)) continue;
    known.add(row.id);
    rows.push(row);
    ({ seq, hash } = row);
  }
  return rows;
}

/** By the schema: names and types as the table has them. */
const COLUMNS = Object.entries(getTableColumns(audit)) as readonly [keyof AuditRow, PgColumn][]; // rows have the members of the table

function valuesOf(row: AuditRow) {
  return COLUMNS.map(([member, column]) => sql`${row[member]}::${sql.raw(column.getSQLType())}`);
}

function isTaken(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && error.code === UNIQUE_VIOLATION) || isTaken(error.cause);
}

function toRow(entry: RecordEntry, seq: number, previous: string): AuditRow {
  const { about } = entry;
  const row = {
    seq,
    id: indexedText(entry.id),
    at: toIso(entry.at),
    actor: indexedText(entry.actor),
    action: indexedText(entry.action),
    apiVersion: cleanText(about.apiVersion),
    kind: cleanText(about.kind),
    namespace: about.namespace === undefined ? null : indexedText(about.namespace),
    name: cleanText(about.name),
    message: cleanText(entry.message),
    data: entry.data === undefined ? null : cleanText(toStableJson(entry.data)),
    previous,
  };
  return { ...row, hash: signatureVerifier.sha256(coveredText(row)) };
}

/** Text as it can be stored: Postgres stores neither NUL nor half a surrogate pair, and what the hash covers must be what comes back. */
export function cleanText(text: string): string {
  return Buffer.from(text.replaceAll('\0', '\uFFFD'), 'utf8').toString('utf8');
}

/** Characters of an indexed text that stay; no sign takes more than four bytes, and Postgres refuses entries of an index beyond 2,704. */
const MOST_INDEXED = 600;

/**
 * Text of a column with an index. One entry that no index takes would keep all others from the record, and engines from going on: of a longer text the
 * beginning stays, and a digest of all of it, so that another one is another one.
 */
export function indexedText(text: string): string {
  const clean = cleanText(text);
  if (clean.length <= MOST_INDEXED) return clean;
  return `${cleanText(clean.slice(0, MOST_INDEXED - 72))}…sha256:${signatureVerifier.sha256(clean)}`;
}
