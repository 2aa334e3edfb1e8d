import { liveQuery } from '@/components/live/live-query';
import type { Facets } from '@/lib/contract/lists/facets';
import { facets } from '@/lib/contract/lists/facets';
import type { ListKind } from '@/lib/contract/topic';
import { useLiveWindow } from '../use-live-topic';

/** What the rows of a list can be filtered by; read once somebody wants to choose. */
export function useFacets(of: ListKind, isWanted: boolean): Facets | undefined {
  return useLiveWindow({ ...liveQuery({ kind: 'facets', of }, facets), enabled: isWanted }).data?.rows[0];
}
