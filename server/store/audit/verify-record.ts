import { asc, gt } from 'drizzle-orm';
import type { AuditRow, Verified } from '@/lib/contract/audit-chain';
import type { AuditHead, ExportLine } from '@/lib/contract/audit-head';
import { ChainWalk } from '@/lib/contract/verify-chain';
import type { Clock } from '@/server/platform';
import { signatureVerifier } from '@/server/platform';
import type { Database } from '../database';
import { audit } from '../schema';
import type { HeadKeeper } from './head-keeper';
import { newestOfEach } from './visible';

const BATCH = 500;
const LONGEST_PAUSE_MS = 100;

interface WalkDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly heads: HeadKeeper;
}

/** Compares the whole record with itself and with every head that is kept outside the store. */
export async function verifyRecord(deps: WalkDeps, signal?: AbortSignal): Promise<Verified> {
  // Heads first: an entry that is written meanwhile must not look cut off.
  const walk = new ChainWalk(signatureVerifier, { heads: await deps.heads.heads() });
  for await (const row of readAll(deps, 'all', signal)) walk.add(row);
  return walk.result();
}

/** The record as lines of an export, which can be checked by themselves. */
export async function* exportRecord(deps: WalkDeps, namespaces: 'all' | readonly string[]): AsyncGenerator<AuditRow | ExportLine> {
  const known = await deps.heads.heads();
  // What is signed below says so where the record contradicts one of them: whoever takes that one out of the export must not be left with a signature.
  const isTrusted = await deps.heads.agrees();
  yield { export: { namespaces: namespaces === 'all' ? null : [...namespaces].sort() } };
  const end = namespaces === 'all' ? yield* exportWhole(deps, known) : yield* exportPart(deps, [...namespaces].sort(), isTrusted);
  yield { keys: [...(await deps.heads.keys())] };
  if (end !== undefined) yield { head: end };
}

/** Everything, each head behind the entry that it names; those that name none, because it is gone, at the end. */
async function* exportWhole(deps: WalkDeps, known: readonly AuditHead[]): AsyncGenerator<AuditRow | ExportLine, AuditHead> {
  const walk = new ChainWalk(signatureVerifier);
  const left = new Map<number, AuditHead[]>();
  for (const head of known) left.set(head.entries, [...(left.get(head.entries) ?? []), head]);
  for await (const row of readAll(deps, 'all')) {
    walk.add(row);
    yield row;
    for (const head of left.get(row.seq) ?? []) yield { head };
    left.delete(row.seq);
  }
  const { seq, hash } = walk.last();
  for (const head of [...left.values()].flat()) yield { head };
  return deps.heads.sign({ seq, hash });
}

/**
 * The entries of some namespaces. Those of others are left out, so the chain has gaps: what is signed is a digest of the entries that are there,
 * after each batch, so that a change is found near its place. Nothing is signed while the record contradicts a head that was signed before.
 */
async function* exportPart(
  deps: WalkDeps,
  namespaces: readonly string[],
  isTrusted: boolean,
): AsyncGenerator<AuditRow | ExportLine, AuditHead | undefined> {
  const walk = new ChainWalk(signatureVerifier, { namespaces });
  const sign = (more: { readonly isFollowed?: true } = {}) => {
    const { seq, hash } = walk.last();
    return deps.heads.sign({ seq, hash }, { ...walk.takePart(), ...more });
  };
  for await (const row of readAll(deps, namespaces)) {
    walk.add(row);
    yield row;
    if (isTrusted && walk.last().entries % BATCH === 0) yield { head: sign({ isFollowed: true }) };
  }
  return isTrusted ? sign() : undefined;
}

/** Entries in batches. After each it rests as long as it worked, so that others have their turn. */
async function* readAll(
  { database, clock }: WalkDeps,
  namespaces: 'all' | readonly string[],
  signal?: AbortSignal,
): AsyncGenerator<AuditRow> {
  for (let after = 0; ; ) {
    signal?.throwIfAborted();
    const began = clock.steadyMs?.();
    const next = gt(audit.seq, after);
    const rows = await database
      .select()
      .from(audit)
      .where(namespaces === 'all' ? next : newestOfEach(namespaces, { matching: [next], order: asc(audit.seq), limit: BATCH }))
      .orderBy(asc(audit.seq))
      .limit(BATCH);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return;
    after = last.seq;
    if (began !== undefined) await clock.sleep(Math.min(LONGEST_PAUSE_MS, (clock.steadyMs?.() ?? began) - began));
  }
}
