import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { z } from 'zod';
import { liveQuery } from '@/components/live/live-query';
import { readJson } from '@/components/live/request';
import type { Verified } from '@/lib/contract/audit-chain';
import { verification } from '@/lib/contract/audit-chain';
import type { ActivityQuery } from '@/lib/contract/pages/activity-query';
import { activityEntry, formatActivityQuery } from '@/lib/contract/pages/activity-query';
import { activityRow } from '@/lib/contract/system-rows';

const recordPage = z.object({ total: z.number(), more: z.boolean(), rows: z.array(activityRow) });

/** What the screen about the record reads. */
export const activityQueries = {
  /** The newest entries, as they come. */
  newest: () => liveQuery({ kind: 'activity', query: {} }, activityRow),
  /** A page of the whole record, read again once there is a newer entry. */
  page: (query: ActivityQuery, newest: string | undefined) => {
    const search = formatActivityQuery(query);
    return queryOptions({
      queryKey: ['record', search, newest],
      queryFn: ({ signal }) => readJson(`/api/v1/activity?${search}`, recordPage, signal),
      placeholderData: keepPreviousData,
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
    });
  },
  /** One entry with all that was noted of it; entries never change. */
  entry: (id: string) =>
    queryOptions({
      queryKey: ['record', 'entry', id],
      queryFn: ({ signal }) => readJson(`/api/v1/activity/entry?id=${encodeURIComponent(id)}`, activityEntry, signal),
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
    }),
};

/** Compares the whole record with itself and with the heads that are kept of it elsewhere. */
export function readVerification(): Promise<Verified> {
  return readJson('/api/v1/activity/verify', verification);
}
