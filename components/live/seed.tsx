'use client';

import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useEffect } from 'react';
import type { Keyed, WindowSnapshot } from '@/lib/contract/live';
import { liveKey } from './live-query';
import { newerWindow } from './newer-window';

export interface SeedWindow {
  readonly topic: string;
  readonly window: WindowSnapshot<Keyed>;
}

/**
 * Puts windows that the server has read into the cache, so that the first paint has data. New entries go in before the first
 * render; a held one is only replaced by a newer one, since the socket may have been faster than the page.
 */
export function Seed({ windows, children }: { readonly windows: readonly SeedWindow[]; readonly children: ReactNode }) {
  const queries = useQueryClient();
  for (const { topic, window } of windows) {
    if (queries.getQueryData(liveKey(topic)) === undefined) queries.setQueryData(liveKey(topic), window);
  }
  useEffect(() => {
    for (const { topic, window } of windows) {
      queries.setQueryData<WindowSnapshot<Keyed>>(liveKey(topic), (held) => newerWindow(held, window));
    }
  }, [queries, windows]);
  return children;
}
