'use client';

import type { QueryKey } from '@tanstack/react-query';
import { hashKey } from '@tanstack/react-query';
import { createContext, useContext, useSyncExternalStore } from 'react';

/** What the server sent with the page, by the hash of its key. */
export const ServerData = createContext<ReadonlyMap<string, unknown>>(new Map());
const never = () => () => undefined;

/** Whether what the server painted is being taken over; a page is taken over part by part, and the socket may be faster than one of them. */
export function useIsHydrating(): boolean {
  return useSyncExternalStore(
    never,
    () => false,
    () => true,
  );
}

/** What the first paint of a part says, which is what the server painted, whatever the cache knows by now; undefined once it is taken over. */
export function useFirstPaint<Data>(queryKey: QueryKey): { readonly data: Data | undefined } | undefined {
  const sent = useContext(ServerData);
  return useIsHydrating() ? { data: sent.get(hashKey(queryKey)) as Data | undefined } : undefined; // Seed put it there under this key
}
