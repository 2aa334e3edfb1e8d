import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { readJson } from '@/components/live/request';
import type { Turns } from '@/lib/contract/inbox/turns';
import { turns } from '@/lib/contract/inbox/turns';

const AGAIN_MS = 60_000;

/** Whose turn it is with what waits, as the status names it: asked once for the whole console, again when that is other, and each minute, since rights change unsaid. */
export function turnsQuery(waiting: string, of: string) {
  return queryOptions({
    queryKey: ['inbox', 'turns', of, waiting],
    queryFn: ({ signal }): Promise<Turns> => readJson(`/api/v1/inbox/assignees${of === '' ? '' : `?${of}`}`, turns, signal),
    placeholderData: keepPreviousData,
    staleTime: AGAIN_MS,
    refetchInterval: AGAIN_MS,
    refetchOnWindowFocus: true,
    retry: false,
  });
}
