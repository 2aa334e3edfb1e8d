import type { LedgerState } from '@/lib/contract/lists/ledger-query';
import { LEDGER_STATES } from '@/lib/contract/lists/ledger-query';
import type { ObjectKey } from '@/lib/kube/object';
import { toObjectId, toObjectKey } from '@/lib/kube/object';
import type { TrackerEntry } from '@/server/dispatch';
import type { CollectedRevision } from './collected';

/** Revisions that are shown: each is one bit of what a row remembers. */
export const MAX_COLUMNS = 24;

/** One revision: what its tracker lists, or what is on record of one that was collected. */
export interface MatrixColumn {
  readonly tracker: string;
  /** Undefined of one that was collected. */
  readonly entries: readonly TrackerEntry[] | undefined;
  readonly collected: CollectedRevision | undefined;
}

/** One object, and by bits which columns list it, deleted it and handed it over, says the record. */
export interface MatrixRow {
  readonly id: string;
  readonly text: string;
  readonly key: ObjectKey;
  /** Undefined where only a collection named it. */
  readonly entry: TrackerEntry | undefined;
  readonly listed: number;
  readonly deleted: number;
  readonly handed: number;
}

type Draft = { -readonly [Member in keyof MatrixRow]: MatrixRow[Member] };

/** Every object of the columns, each once, by kind and name. */
export function toMatrixRows(columns: readonly MatrixColumn[]): readonly MatrixRow[] {
  const rows = new Map<string, Draft>();
  const rowOf = (id: string, entry?: TrackerEntry): Draft => {
    const held = rows.get(id);
    if (held !== undefined) {
      held.entry ??= entry;
      return held;
    }
    const made: Draft = { id, text: id.toLowerCase(), key: keyOf(id), entry, listed: 0, deleted: 0, handed: 0 };
    rows.set(id, made);
    return made;
  };
  for (const [at, { entries, collected }] of columns.entries()) {
    const bit = 1 << at;
    for (const entry of entries ?? []) rowOf(toObjectId(entry), entry).listed |= bit;
    for (const id of collected?.deleted ?? []) rowOf(id).deleted |= bit;
    for (const id of collected?.handedOver ?? []) rowOf(id).handed |= bit;
  }
  return [...rows.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** An id is `kind.group/namespace/name`. */
export function keyOf(id: string): ObjectKey {
  const [, namespace, ...name] = id.split('/');
  return toObjectKey({ namespace, name: name.join('/') });
}

/** How an object is in the cluster now. */
export interface MatrixNow {
  /** Undefined where nobody knows. */
  readonly exists: boolean | undefined;
  /** The column whose tracker owns it; -1 of another tracker, undefined of none. */
  readonly owner: number | undefined;
  /** The column of the newest revision that is applied or about to be. */
  readonly newest: number;
}

/** What each of so many columns has of one object. */
export function cellsOf(row: MatrixRow, now: MatrixNow, columns: number): (LedgerState | null)[] {
  return Array.from({ length: columns }, (_, at) => cellOf(row, now, at));
}

/** The states of a row as bits, in the order of `LEDGER_STATES`. */
export function statesOf(row: MatrixRow, now: MatrixNow, columns: number): number {
  let states = 0;
  for (let at = 0; at < columns; at++) {
    const state = cellOf(row, now, at);
    if (state !== null) states |= stateBit(state);
  }
  return states;
}

/** The bit of a state. */
export function stateBit(state: LedgerState): number {
  return 1 << LEDGER_STATES.indexOf(state);
}

function cellOf({ listed, deleted, handed }: MatrixRow, { exists, owner, newest }: MatrixNow, at: number): LedgerState | null {
  const bit = 1 << at;
  if ((listed & bit) === 0) return (deleted & bit) !== 0 ? 'deleted' : (handed & bit) !== 0 ? 'handed-over' : null;
  if (exists === undefined) return 'unknown';
  if (!exists) return (deleted & bit) === 0 ? 'missing' : 'deleted';
  if (owner === undefined) return 'recorded';
  if (owner !== at) return 'handed-over';
  return (listed & (1 << newest)) === 0 ? 'waiting' : 'owned';
}
