'use client';

import { changeListUrl } from '@/components/live/address/list-url';
import { useAddress } from '@/components/live/address/use-address';
import type { SessionsQuery } from '@/lib/contract/sessions/session-rows';
import { SESSIONS_OF } from '@/lib/contract/sessions/session-rows';

const SIZE = 50;

/** Whose sessions are shown, which, and the page live in the address. */
export function useSessionsUrl() {
  const { params, write } = useAddress();
  const page = Number(params.get('page'));
  const q = params.get('q')?.slice(0, 200);
  const query: SessionsQuery = {
    of: SESSIONS_OF.find((known) => known === params.get('of')) ?? 'mine',
    ...(q ? { q } : {}),
    page: Number.isSafeInteger(page) && page > 0 && page <= 100_000 ? page : 0,
    size: SIZE,
  };
  const change = (wanted: { readonly of?: string | null; readonly q?: string | null; readonly page?: number }) =>
    write(changeListUrl(new URLSearchParams(globalThis.location.search), wanted), 'q' in wanted ? 'replace' : 'push');
  return { query, change };
}
