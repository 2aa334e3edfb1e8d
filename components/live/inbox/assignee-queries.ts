import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { readJson } from '@/components/live/request';
import type { Assignees } from '@/lib/contract/inbox/assignees';
import { assignees } from '@/lib/contract/inbox/assignees';

const AGAIN_MS = 60_000;

/** Whose turn it is with what waits, as the status names it: asked once for the whole console, again when that is other, and each minute, since rights change unsaid. */
export function assigneesQuery(waiting: string, of: string) {
  return queryOptions({
    queryKey: ['inbox', 'assignees', of, waiting],
    queryFn: ({ signal }): Promise<Assignees> => readJson(`/api/v1/inbox/assignees${of === '' ? '' : `?${of}`}`, assignees, signal),
    placeholderData: keepPreviousData,
    staleTime: AGAIN_MS,
    refetchInterval: AGAIN_MS,
    refetchOnWindowFocus: true,
    retry: false,
  });
}
