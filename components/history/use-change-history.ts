'use client';

import { useCallback } from 'react';
import type { HistoryQuery } from '@/lib/contract/past/history-rows';
import { historyHref } from './history-queries';

/** Changes what part of the history is shown, in the address: another page is a step of the browser, a filter is not. */
export function useChangeHistory(): (query: HistoryQuery) => void {
  return useCallback((query) => {
    const href = historyHref(query);
    if (query.page === undefined) globalThis.history.replaceState(null, '', href);
    else globalThis.history.pushState(null, '', href);
  }, []);
}
