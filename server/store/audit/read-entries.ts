import { and, desc, eq, gte, inArray, like, lt, sql } from 'drizzle-orm';
import type { AuditRow } from '@/lib/contract/audit-chain';
import type { TypeRef } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toIso } from '@/lib/std/instant';
import type { Database } from '../database';
import { audit } from '../schema';
import { cleanText } from './append-entries';

/** Entries are read so many at a time: others have their turn in between. */
const BATCH = 500;

/** Which entries are wanted, with their data: of some acts, since a moment or about one object. */
export interface EntriesQuery {
  readonly actions: readonly string[];
  readonly since?: Instant;
  readonly about?: { readonly namespace: string; readonly name: string; readonly type?: TypeRef };
  /** The newest so many at most. */
  readonly most: number;
}

/** The newest entries that are wanted, oldest first, by the index of acts: what lies before the moment or beyond the number is never read. */
export async function readEntries(database: Database, { actions, since, about, most }: EntriesQuery): Promise<readonly AuditRow[]> {
  const first = since === undefined ? 1 : await placeOf(database, toIso(since));
  const of = about === undefined ? [] : aboutObject(about);
  const found: AuditRow[] = [];
  for (let end: number | undefined; found.length < most; ) {
    const wanted = Math.min(BATCH, most - found.length);
    const rows: readonly AuditRow[] = await database
      .select()
      .from(audit)
      .where(and(inArray(audit.action, [...actions]), gte(audit.seq, first), ...(end === undefined ? [] : [lt(audit.seq, end)]), ...of))
      .orderBy(desc(audit.seq))
      .limit(wanted);
    found.push(...rows);
    end = rows.at(-1)?.seq;
    if (rows.length < wanted) break;
  }
  return found.reverse();
}

/** An object at any version of its kind, where that is said. */
function aboutObject({ namespace, name, type }: NonNullable<EntriesQuery['about']>) {
  const place = [eq(audit.namespace, cleanText(namespace)), eq(audit.name, cleanText(name))];
  return type === undefined ? place : [...place, eq(audit.kind, type.kind), like(audit.apiVersion, type.apiVersion.replace(/[^/]*$/, '%'))];
}

/** The place in the chain at which a moment begins: the chain has no gap and is in the order of time, so that a few looks by its key tell. */
async function placeOf(database: Database, at: string): Promise<number> {
  const [newest] = await database.select({ seq: audit.seq }).from(audit).orderBy(desc(audit.seq)).limit(1);
  let [low, high] = [1, (newest?.seq ?? 0) + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [row] = await database
      .select({ isBefore: sql<boolean>`${audit.at} < ${at}` })
      .from(audit)
      .where(eq(audit.seq, middle));
    if (row?.isBefore === true) low = middle + 1;
    else high = middle;
  }
  return low;
}
