'use client';

import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useEffect } from 'react';
import type { Keyed, WindowSnapshot } from '@/lib/contract/live';
import type { Refusals, RightsOf } from '@/lib/contract/rights-of';
import type { Refused } from './live-query';
import { liveKey, refuseTopic } from './live-query';
import { newerWindow } from './newer-window';
import { rightsKey } from './rights';

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
 * Puts windows that the server has read into the cache, so that the first paint has data. New entries go in before the first
 * render; a held one is only replaced by a newer one, since the socket may have been faster than the page. Rights that are held stay: what is old of them is read again anyway.
 */
export function Seed({ windows, refused, rights, children }: SeedProps) {
  const queries = useQueryClient();
  for (const { topic, window } of windows) {
    if (queries.getQueryData(liveKey(topic)) === undefined) queries.setQueryData(liveKey(topic), window);
  }
  for (const each of refused) {
    if (queries.getQueryState(liveKey(each.topic)) === undefined) refuseTopic(queries, each);
  }
  for (const { of, refusals } of rights) {
    if (queries.getQueryData(rightsKey(of)) === undefined) queries.setQueryData(rightsKey(of), refusals);
  }
  useEffect(() => {
    for (const { topic, window } of windows) {
      queries.setQueryData<WindowSnapshot<Keyed>>(liveKey(topic), (held) => newerWindow(held, window));
    }
  }, [queries, windows]);
  return children;
}
