import type { QueryClient } from '@tanstack/react-query';
import { queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import type { Keyed, WindowSnapshot } from '@/lib/contract/live';
import { snapshotOf } from '@/lib/contract/live';
import type { Topic } from '@/lib/contract/topic';
import { formatTopic } from '@/lib/contract/topic';
import { RequestError, readJson } from './request';

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
    queryFn: ({ signal }): Promise<WindowSnapshot<z.infer<Row>>> =>
      readJson(`/api/v1/rows?topic=${encodeURIComponent(text)}`, schema, signal),
    staleTime: Number.POSITIVE_INFINITY,
    // A refusal that the page came with, or that the socket gave, is the answer; whoever thinks otherwise reads again.
    retryOnMount: false,
    retry: false,
  });
}

/** Why a topic may not be read. */
export interface Refused {
  readonly topic: string;
  readonly code: string;
  readonly message: string;
  /** What the refusal tells besides its sentence; unchecked. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** What the cache holds of a topic that may not be read. */
export function refusalState({ code, message, details }: Refused) {
  return {
    data: undefined,
    dataUpdatedAt: 0,
    error: new RequestError(code, message, details),
    status: 'error',
    fetchStatus: 'idle',
  } as const;
}

/** Puts a refusal in the place of the rows that one may not see, as if the browser had read it: to ask again would only be refused again. */
export function refuseTopic(queries: QueryClient, refused: Refused): void {
  queries
    .getQueryCache()
    .build(queries, { queryKey: liveKey(refused.topic) })
    .setState(refusalState(refused));
}
