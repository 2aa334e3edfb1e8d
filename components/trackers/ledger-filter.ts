import type { LedgerEntry } from '@/lib/contract/tracker-rows';

/** Who has a recorded object now. */
export const OWNERSHIPS = [
  { id: 'this', word: 'This tracker' },
  { id: 'other', word: 'Another tracker' },
  { id: 'nobody', word: 'Nobody' },
  { id: 'absent', word: 'Not in the cluster' },
] as const;
export type Ownership = (typeof OWNERSHIPS)[number]['id'];

export interface LedgerFilter {
  readonly q?: string | undefined;
  readonly ownership?: Ownership | undefined;
  /** Only what the collection that waits deletes or holds. */
  readonly waiting?: boolean | undefined;
}

/** Who has an object now. */
export function ownershipOf({ exists, ownedByThis, ownedBy }: Pick<LedgerEntry, 'exists' | 'ownedByThis' | 'ownedBy'>): Ownership {
  if (!exists) return 'absent';
  if (ownedByThis) return 'this';
  return ownedBy === null ? 'nobody' : 'other';
}

/** The recorded objects that are asked for. */
export function filterLedger(entries: readonly LedgerEntry[], { q, ownership, waiting }: LedgerFilter): readonly LedgerEntry[] {
  const wanted = q?.toLowerCase();
  return entries.filter((entry) => {
    if (ownership !== undefined && ownershipOf(entry) !== ownership) return false;
    if (waiting && entry.fate !== 'deleted' && entry.fate !== 'held') return false;
    return wanted === undefined || entry.id.toLowerCase().includes(wanted);
  });
}
