'use client';

import { useAddress } from '@/components/live/address/use-address';
import type { LedgerQuery } from '@/lib/contract/lists/ledger-query';
import { formatLedgerQuery, parseLedgerQuery } from '@/lib/contract/lists/ledger-query';

/** What part of the ledger is shown lives in the address, so that a link shows the same; pages are no part of it. */
export function useLedgerUrl(): { readonly query: LedgerQuery; readonly change: (query: LedgerQuery) => void } {
  const { params, write } = useAddress();
  const { page: _page, ...query } = parseLedgerQuery(params);
  return { query, change: (wanted) => write(formatLedgerQuery(wanted)) };
}
