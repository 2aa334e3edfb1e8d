'use client';

import { usePathname, useSearchParams } from 'next/navigation';
import type { LedgerQuery } from '@/lib/contract/past/ledger-rows';
import { formatLedgerQuery, parseLedgerQuery } from '@/lib/contract/past/ledger-rows';

/** What part of the ledger is shown lives in the address, so that a link shows the same; pages are no part of it. */
export function useLedgerUrl(): { readonly query: LedgerQuery; readonly change: (query: LedgerQuery) => void } {
  const path = usePathname();
  const { page: _page, ...query } = parseLedgerQuery(new URLSearchParams(useSearchParams()));
  const change = (wanted: LedgerQuery) => {
    const text = formatLedgerQuery(wanted);
    globalThis.history.replaceState(null, '', text === '' ? path : `${path}?${text}`);
  };
  return { query, change };
}
