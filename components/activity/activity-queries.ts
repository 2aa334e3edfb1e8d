import { z } from 'zod';
import { liveQuery } from '@/components/live/live-query';
import { readJson } from '@/components/live/request';
import { activityRow } from '@/lib/contract/system-rows';
import type { ListQuery } from '@/lib/contract/topic';

const verification = z.object({ entries: z.number(), intact: z.boolean(), brokenAt: z.union([z.string(), z.number()]).nullable() });
export type Verification = z.infer<typeof verification>;

/** What the screen about the record reads. */
export const activityQueries = {
  list: (query: ListQuery) => liveQuery({ kind: 'activity', query }, activityRow),
};

/** Recomputes the chain of hashes over the whole record. */
export function readVerification(): Promise<Verification> {
  return readJson('/api/v1/activity/verify', verification);
}
