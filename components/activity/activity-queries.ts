import { liveQuery } from '@/components/live/live-query';
import { readJson } from '@/components/live/request';
import type { Verified } from '@/lib/contract/audit-chain';
import { verification } from '@/lib/contract/audit-chain';
import { activityRow } from '@/lib/contract/system-rows';
import type { ListQuery } from '@/lib/contract/topic';

/** What the screen about the record reads. */
export const activityQueries = {
  list: (query: ListQuery) => liveQuery({ kind: 'activity', query }, activityRow),
};

/** Compares the whole record with itself and with the heads that are kept of it elsewhere. */
export function readVerification(): Promise<Verified> {
  return readJson('/api/v1/activity/verify', verification);
}
