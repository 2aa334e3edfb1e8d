'use client';

import type { ChangeFilter } from '@/lib/contract/change-rows';
import { CHANGE_VERDICTS } from '@/lib/contract/change-rows';
import { changeListUrl } from './list-url';
import { useAddress } from './use-address';

type ChangeQuery = ChangeFilter & { readonly page?: number | undefined };

/** The filter and page of a change as an address has them; what it cannot mean is left out. */
export function parseChangeQuery(params: URLSearchParams): ChangeQuery {
  const verdict = CHANGE_VERDICTS.find((known) => known === params.get('verdict'));
  const page = Math.floor(Number(params.get('page') ?? 0));
  return { verdict, kind: params.get('kind') ?? undefined, q: params.get('q') ?? undefined, page: page > 0 && page < 1e6 ? page : 0 };
}

/** Filter and page of a change live in the address, so that a view of it can be shared. */
export function useChangeUrl(): { readonly query: ChangeQuery; readonly change: (query: ChangeQuery) => void } {
  const { params, write } = useAddress();
  const change = (wanted: ChangeQuery) => {
    write(changeListUrl(new URLSearchParams(globalThis.location.search), { verdict: null, kind: null, q: null, page: 0, ...wanted }));
  };
  return { query: parseChangeQuery(params), change };
}
