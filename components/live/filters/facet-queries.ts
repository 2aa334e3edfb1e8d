import { liveQuery } from '@/components/live/live-query';
import type { Facets } from '@/lib/contract/lists/facets';
import { facets } from '@/lib/contract/lists/facets';
import type { Topic } from '@/lib/contract/topic';
import { useLiveWindow } from '../use-live-topic';

/** A topic that tells what the rows of a list can be filtered by. */
export type FacetTopic = Topic & { readonly kind: 'facets' | 'tree-facets' };

/** What the rows of a list can be filtered by; read once somebody wants to choose. */
export function useFacets(topic: FacetTopic, isWanted: boolean): Facets | undefined {
  return useLiveWindow({ ...liveQuery(topic, facets), enabled: isWanted }).data?.rows[0];
}
