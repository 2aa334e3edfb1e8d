'use client';

import { useCallback } from 'react';
import type { ListQuery } from '@/lib/contract/topic';
import { parseListQuery } from '@/lib/contract/topic';
import { useAddress } from './use-address';

export type ListChange = { readonly [Member in keyof ListQuery]?: ListQuery[Member] | null };
type UrlChange = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** The text of a list's address after a change; what is null is taken out, and any change but of the page goes to the first page. */
export function changeListUrl(params: URLSearchParams, change: UrlChange): string {
  const next = new URLSearchParams(params);
  if (!('page' in change)) next.delete('page');
  for (const [name, value] of Object.entries(change)) {
    if (value === null || value === undefined || value === '' || value === false || value === 0) next.delete(name);
    else next.set(name, value === true ? '1' : String(value));
  }
  return next.toString();
}

/** Filter, order and page of a list live in the address, so that a view can be shared and the back button works. */
export function useListUrl(): { readonly query: ListQuery; readonly change: (change: ListChange) => void } {
  const { params, write } = useAddress();
  const change = useCallback(
    (wanted: ListChange) => {
      write(changeListUrl(new URLSearchParams(globalThis.location.search), wanted), 'page' in wanted ? 'push' : 'replace');
    },
    [write],
  );
  return { query: parseListQuery(params), change };
}
