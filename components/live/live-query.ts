import { queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import type { Keyed, WindowSnapshot } from '@/lib/contract/live';
import { snapshotOf } from '@/lib/contract/live';
import type { Topic } from '@/lib/contract/topic';
import { formatTopic } from '@/lib/contract/topic';
import { readJson } from './request';

/** The cache key of a live topic. */
export function liveKey(topic: string): readonly ['live', string] {
  return ['live', topic];
}

/** The query of a live topic: read once, then kept fresh by the socket. */
export function liveQuery<Row extends z.ZodType<Keyed>>(topic: Topic, row: Row) {
  const text = formatTopic(topic);
  const schema = snapshotOf(row);
  return queryOptions({
    queryKey: liveKey(text),
    queryFn: ({ signal }): Promise<WindowSnapshot<z.infer<Row>>> => readJson(`/api/v1/live?topic=${encodeURIComponent(text)}`, schema, signal),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}
