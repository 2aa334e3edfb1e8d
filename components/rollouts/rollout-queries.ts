import { queryOptions } from '@tanstack/react-query';
import { liveQuery } from '@/components/live/live-query';
import { postJson, readJson } from '@/components/live/request';
import { savePreview } from '@/lib/contract/change-rows';
import type { ListQuery } from '@/lib/contract/lists/list-query';
import type { DecisionRequest } from '@/lib/contract/requests';
import { rolloutDetail, rolloutRow } from '@/lib/contract/rollout-rows';
import { garbageView } from '@/lib/contract/tracker-rows';

/** What the screens about rollouts read. */
export const rolloutQueries = {
  list: (query: ListQuery) => liveQuery({ kind: 'rollouts', query }, rolloutRow),
  detail: (ns: string, name: string) => liveQuery({ kind: 'rollout', ns, name }, rolloutDetail),
  /** Read once for one opening of a dialog: what it showed first is what it sends, whatever is read elsewhere meanwhile. */
  garbageAsOpened: (ns: string, name: string, opening: string) =>
    queryOptions({
      queryKey: ['rollouts', 'garbage-as-opened', ns, name, opening],
      queryFn: ({ signal }) => readJson(`${rolloutPath(ns, name)}/garbage`, garbageView, signal),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 0,
      retry: false,
    }),
  /** What going back does to every object, worked out once for one opening of a dialog: what is shown is what is sent. */
  rollbackAsOpened: (ns: string, name: string, { opening, request }: { readonly opening: string; readonly request: DecisionRequest }) =>
    queryOptions({
      queryKey: ['rollouts', 'rollback-as-opened', ns, name, opening],
      queryFn: () => postJson(`${rolloutPath(ns, name)}/decisions`, { ...request, dryRun: true }, savePreview),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 0,
      retry: false,
    }),
};

/** Path of a rollout in the API. */
export function rolloutPath(ns: string, name: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(ns)}/rollouts/${encodeURIComponent(name)}`;
}
