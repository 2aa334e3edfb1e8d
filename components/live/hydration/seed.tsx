'use client';

import type { DehydratedState, QueryClient } from '@tanstack/react-query';
import { HydrationBoundary, hashKey, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useContext, useEffect, useMemo } from 'react';
import type { Keyed, WindowSnapshot } from '@/lib/contract/live';
import type { Refusals, RightsOf } from '@/lib/contract/rights-of';
import { newerWindow } from '../fold-window';
import type { Refused } from '../live-query';
import { liveKey, refusalState } from '../live-query';
import { rightsKey } from '../rights';
import { ServerData } from './first-paint';

export interface SeedWindow {
  readonly topic: string;
  readonly window: WindowSnapshot<Keyed>;
}

export interface SeedRights {
  readonly of: RightsOf;
  readonly refusals: Refusals;
}

interface SeedProps {
  readonly windows: readonly SeedWindow[];
  readonly refused: readonly Refused[];
  readonly rights: readonly SeedRights[];
  readonly children: ReactNode;
}

/**
 * Puts what the server has read into the cache, so that the first paint has data. What the cache does not know yet goes in by the library's own boundary,
 * before the first render of those below; a held window is only replaced by a newer one, since the socket may have been faster than the page. Rights that
 * are held stay: what is old of them is read again anyway.
 */
export function Seed({ windows, refused, rights, children }: SeedProps) {
  const queries = useQueryClient();
  const state = useMemo(() => dehydrateUnknown(queries, { windows, refused, rights }), [queries, windows, refused, rights]);
  useEffect(() => {
    for (const { topic, window } of windows) {
      queries.setQueryData<WindowSnapshot<Keyed>>(liveKey(topic), (held) => newerWindow(held, window));
    }
  }, [queries, windows]);
  const above = useContext(ServerData);
  const sent = useMemo(
    () =>
      new Map([
        ...above,
        ...windows.map(({ topic, window }) => [hashKey(liveKey(topic)), window] as const),
        ...rights.map(({ of, refusals }) => [hashKey(rightsKey(of)), refusals] as const),
      ]),
    [above, windows, rights],
  );
  return (
    <ServerData value={sent}>
      <HydrationBoundary state={state}>{children}</HydrationBoundary>
    </ServerData>
  );
}

function dehydrateUnknown(queries: QueryClient, { windows, refused, rights }: Omit<SeedProps, 'children'>): DehydratedState {
  const all = [
    ...windows.map(({ topic, window }) => ({ queryKey: liveKey(topic), state: readState(window) })),
    ...refused.map((each) => ({ queryKey: liveKey(each.topic), state: refusalState(each) })),
    ...rights.map(({ of, refusals }) => ({ queryKey: rightsKey(of), state: readState(refusals) })),
  ];
  return {
    mutations: [],
    queries: all
      .filter(({ queryKey }) => queries.getQueryState(queryKey) === undefined)
      .map(({ queryKey, state }) => ({ queryKey, queryHash: hashKey(queryKey), dehydratedAt: Date.now(), state: { ...UNREAD, ...state } })),
  };
}

const UNREAD = {
  data: undefined,
  dataUpdateCount: 0,
  dataUpdatedAt: 0,
  error: null,
  errorUpdateCount: 0,
  errorUpdatedAt: 0,
  fetchFailureCount: 0,
  fetchFailureReason: null,
  fetchMeta: null,
  isInvalidated: false,
  status: 'pending',
  fetchStatus: 'idle',
} as const;

function readState(data: unknown) {
  return { data, dataUpdatedAt: Date.now(), dataUpdateCount: 1, status: 'success' } as const;
}
