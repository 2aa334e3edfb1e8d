import { queryOptions } from '@tanstack/react-query';
import { liveQuery } from '@/components/live/live-query';
import { readJson } from '@/components/live/request';
import type { ListQuery } from '@/lib/contract/lists/list-query';
import { garbageView, strayRow, trackerDetail, trackerRow } from '@/lib/contract/tracker-rows';

/** What the screens about trackers read. */
export const trackerQueries = {
  list: (query: ListQuery) => liveQuery({ kind: 'trackers', query }, trackerRow),
  strays: (query: ListQuery) => liveQuery({ kind: 'strays', query }, strayRow),
  detail: (name: string) => liveQuery({ kind: 'tracker', name }, trackerDetail),
  compare: (from: string, to: string) =>
    queryOptions({
      queryKey: ['trackers', 'compare', from, to],
      queryFn: ({ signal }) =>
        readJson(`/api/v1/trackers/${encodeURIComponent(from)}/compare/${encodeURIComponent(to)}`, garbageView, signal),
      staleTime: 0,
      retry: false,
    }),
};
