'use client';

import { useAddress } from '@/components/live/address/use-address';
import type { HistoryQuery } from '@/lib/contract/history/history-rows';
import { historyQuery } from '@/lib/contract/history/history-rows';
import { formatHistoryQuery } from './history-queries';

/** What part of the history is shown lives in the address: another page is a step of the browser, a filter is not. */
export function useHistoryUrl(): { readonly query: HistoryQuery; readonly change: (query: HistoryQuery) => void } {
  const { params, write } = useAddress();
  return {
    query: readHistoryQuery(params),
    change: (query) => write(formatHistoryQuery(query), query.page === undefined ? 'replace' : 'push'),
  };
}

/** What an address asks for; what it cannot mean is left out. */
export function readHistoryQuery(params: URLSearchParams): HistoryQuery {
  const found: HistoryQuery = {};
  for (const [name, schema] of Object.entries(historyQuery.shape)) {
    const read = schema.safeParse(params.get(name) ?? undefined);
    const isNothing = !read.success || read.data === undefined || read.data === '' || (Array.isArray(read.data) && read.data.length === 0);
    if (!isNothing) Object.assign(found, { [name]: read.data });
  }
  return found;
}
