'use client';

import { changeListUrl } from '@/components/live/address/list-url';
import { useAddress } from '@/components/live/address/use-address';
import type { ActivityQuery } from '@/lib/contract/pages/activity-query';
import { parseActivityQuery } from '@/lib/contract/pages/activity-query';

export type ActivityChange = { readonly [Member in keyof ActivityQuery]?: ActivityQuery[Member] | null };

/** Filter, order and page of the record, and the entry that is open, live in the address. */
export function useActivityUrl() {
  const { params, write } = useAddress();
  const go = (wanted: Parameters<typeof changeListUrl>[1], how: 'push' | 'replace') =>
    write(changeListUrl(new URLSearchParams(globalThis.location.search), wanted), how);
  const query = parseActivityQuery(params);
  return {
    query,
    entry: params.get('entry'),
    change: (wanted: ActivityChange) => go(wanted, 'page' in wanted ? 'push' : 'replace'),
    // The page stays where it is below an entry.
    open: (id: string | null) => go({ entry: id, page: query.page ?? null }, id === null ? 'replace' : 'push'),
  };
}
