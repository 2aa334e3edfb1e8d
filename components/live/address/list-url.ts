'use client';

import { useCallback } from 'react';
import type { ListQuery } from '@/lib/contract/lists/list-query';
import { parseListQuery } from '@/lib/contract/lists/list-query';
import { useAddress } from './use-address';

export type ListChange = { readonly [Member in keyof ListQuery]?: ListQuery[Member] | null };
type UrlChange = Readonly<Record<string, string | number | boolean | readonly string[] | null | undefined>>;

/** The text of a list's address after a change; what is null is taken out, and any change but of the page goes to the first page. */
export function changeListUrl(params: URLSearchParams, change: UrlChange): string {
  const next = new URLSearchParams(params);
  if (!('page' in change)) next.delete('page');
  for (const [name, value] of Object.entries(change)) {
    const text = Array.isArray(value) ? value.join(',') : value === true ? '1' : String(value || '');
    if (text === '') next.delete(name);
    else next.set(name, text);
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
