import { queryOptions } from '@tanstack/react-query';
import { readJson } from '@/components/live/request';
import type { ChangeFilter } from '@/lib/contract/change-rows';
import { comparePage, movedPlan, waitingPage } from '@/lib/contract/change-rows';
import { applicationPath } from '../application-queries';

type PageQuery = ChangeFilter & { readonly page?: number | undefined };

function pageParams(query: PageQuery): URLSearchParams {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '' && value !== 0);
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
}

/** What the previews of waiting changes and the comparison of revisions read. */
export const changeQueries = {
  /** What waits to be collected; `state` is the application as it is shown, so that another state is another read. */
  waiting: (ns: string, name: string, query: PageQuery, state: string) =>
    queryOptions({
      queryKey: ['applications', 'waiting', ns, name, query, state],
      queryFn: ({ signal }) => readJson(`${applicationPath(ns, name)}/preview?${pageParams(query)}`, waitingPage, signal),
      staleTime: 0,
      retry: false,
    }),
  /** Both plans of a change that waits; `state` is the application as it is shown. */
  moved: (ns: string, name: string, state: string) =>
    queryOptions({
      queryKey: ['applications', 'moved', ns, name, state],
      queryFn: ({ signal }) => readJson(`${applicationPath(ns, name)}/outdated-plan`, movedPlan, signal),
      staleTime: 0,
      gcTime: 0,
      retry: false,
      refetchOnWindowFocus: false,
    }),
  compare: (ns: string, name: string, between: { readonly from: string; readonly to: string }, query: PageQuery) =>
    queryOptions({
      queryKey: ['applications', 'revisions', ns, name, between, query],
      queryFn: ({ signal }) =>
        readJson(`${applicationPath(ns, name)}/compare?${pageParams({ ...between, ...query })}`, comparePage, signal),
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
    }),
};
