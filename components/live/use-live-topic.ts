'use client';

import type { DefaultError, QueryKey, UseQueryOptions, UseQueryResult } from '@tanstack/react-query';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Keyed, WindowSnapshot } from '@/lib/contract/live';
import { useFirstPaint } from './hydration/first-paint';
import { useLiveClient } from './live-provider';

/** Keeps a topic subscribed while the component is shown; none where it is null. */
export function useLiveTopic(topic: string | null): void {
  const client = useLiveClient();
  useEffect(() => (topic === null ? undefined : client?.watch(topic)), [client, topic]);
}

/** A query made by `liveQuery`: its key ends with the topic. */
export type LiveQueryOptions<Row extends Keyed> = UseQueryOptions<
  WindowSnapshot<Row>,
  DefaultError,
  WindowSnapshot<Row>,
  readonly ['live', string] & QueryKey
>;

/** A live window: read once, subscribed while shown and enabled. While another page of a list is on its way, the one before stays. */
export function useLiveWindow<Row extends Keyed>(options: LiveQueryOptions<Row>): UseQueryResult<WindowSnapshot<Row>> {
  useLiveTopic(options.enabled === false ? null : options.queryKey[1]);
  const now = useQuery({ ...options, placeholderData: (before) => before });
  const first = useFirstPaint<WindowSnapshot<Row>>(options.queryKey);
  if (first === undefined || !now.isSuccess) return now;
  return first.data === undefined ? { ...now, ...PENDING } : { ...now, data: first.data };
}

const PENDING = { data: undefined, status: 'pending', isPending: true, isSuccess: false, isPlaceholderData: false } as const;
