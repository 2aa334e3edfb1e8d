'use client';

import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { createContext, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import type { Connection } from './connection';
import type { LiveClient } from './live-client';
import { createLiveClient, openSocket } from './live-client';
import { epochNow, RenderedAt } from './use-now';

const LiveContext = createContext<LiveClient | null>(null);

/** Hands a client to what is below: the page's own, or one of a test. */
export const LiveClientProvider = LiveContext.Provider;
const CONNECTING: Connection = { kind: 'connecting' };

async function isSignedOut(): Promise<boolean> {
  const answer = await fetch('/api/v1/session', { credentials: 'same-origin' }).catch(() => undefined); // no answer says nothing of the session
  return answer?.status === 401;
}

/** Holds the page's query cache and its one socket. */
export function LiveProvider({ renderedAt, children }: { readonly renderedAt: number; readonly children: ReactNode }) {
  const [{ queries, client }] = useState(() => {
    const queries = new QueryClient({ defaultOptions: { queries: { refetchOnWindowFocus: false, refetchOnReconnect: false } } });
    return { queries, client: createLiveClient({ queries, socket: openSocket(), now: epochNow, isSignedOut }) };
  });
  useEffect(() => client.start(), [client]);
  return (
    <QueryClientProvider client={queries}>
      <RenderedAt value={renderedAt}>
        <LiveClientProvider value={client}>{children}</LiveClientProvider>
      </RenderedAt>
    </QueryClientProvider>
  );
}

/** The live client of this page; null outside a provider, where nothing is pushed. */
export function useLiveClient(): LiveClient | null {
  return useContext(LiveContext);
}

const nothing = () => () => {};

/** How the socket stands. */
export function useConnection(): Connection {
  const client = useLiveClient();
  return useSyncExternalStore(client?.onConnection ?? nothing, client?.connection ?? (() => CONNECTING), () => CONNECTING);
}
