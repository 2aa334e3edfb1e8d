import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { readJson } from '@/components/live/request';
import type { SessionsQuery } from '@/lib/contract/sessions/session-rows';
import { sessionsPage } from '@/lib/contract/sessions/session-rows';

const AGAIN_MS = 15_000;
export const SESSIONS_KEY = ['sessions'] as const;

/** A page of sessions, read again while it is shown: nobody tells of sign-ins. */
export function sessionsQuery(query: SessionsQuery) {
  const { of, q, page, size } = query;
  const search = new URLSearchParams({ of, page: String(page), size: String(size), ...(q && { q }) }).toString();
  return queryOptions({
    queryKey: [...SESSIONS_KEY, search],
    queryFn: ({ signal }) => readJson(`/api/v1/sessions?${search}`, sessionsPage, signal),
    // Rows of one person never stand under the heading of everyone.
    placeholderData: (before, from) => (from?.queryKey[1]?.startsWith(`of=${of}&`) ? keepPreviousData(before) : undefined),
    refetchInterval: AGAIN_MS,
    refetchOnWindowFocus: true,
    retry: false,
  });
}
