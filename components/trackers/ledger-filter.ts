import type { LedgerEntry } from '@/lib/contract/tracker-rows';
import { t } from '@/lib/words/catalogue/delivery/trackers';

/** Who has a recorded object now. */
export const OWNERSHIPS = [
  { id: 'this', word: t.thisTracker },
  { id: 'other', word: t.anotherTracker },
  { id: 'nobody', word: t.noOwnerTitle },
  { id: 'absent', word: t.notInTheCluster },
] as const;
export type Ownership = (typeof OWNERSHIPS)[number]['id'];

export interface LedgerFilter {
  readonly q?: string | undefined;
  readonly ownership?: Ownership | undefined;
  /** Only what the collection that waits deletes or holds. */
  readonly waiting?: boolean | undefined;
}

/** The filter as an address has it; what it cannot mean is left out. */
export function parseLedgerFilter(params: URLSearchParams): LedgerFilter & { readonly page: number } {
  const page = Math.floor(Number(params.get('page') ?? 0));
  return {
    q: params.get('q') || undefined,
    ownership: OWNERSHIPS.find(({ id }) => id === params.get('ownership'))?.id,
    waiting: params.get('waiting') === '1',
    page: page > 0 && page < 1e6 ? page : 0,
  };
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
    if (waiting && entry.verdict !== 'deleted' && entry.verdict !== 'held') return false;
    return wanted === undefined || entry.id.toLowerCase().includes(wanted);
  });
}
