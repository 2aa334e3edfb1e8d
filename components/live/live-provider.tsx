'use client';

import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { createContext, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { ErrorShownAboveProvider } from '@/components/ui/data/query-view';
import { epochNow, RenderedAt } from '@/components/ui/time/use-now';
import { ZoneContext } from '@/components/ui/time/zone';
import { rememberZone } from '@/components/ui/time/zone-cookie';
import type { Zone } from '@/lib/words/times';
import type { Connection } from './connection';
import type { LiveClient } from './live-client';
import { createLiveClient, openSocket } from './live-client';

const LiveContext = createContext<LiveClient | null>(null);

/** Hands a client to what is below: the page's own, or one of a test. */
export function LiveClientProvider({ value, children }: { readonly value: LiveClient | null; readonly children: ReactNode }) {
  return (
    <LiveContext value={value}>
      <ToldWhileAway>{children}</ToldWhileAway>
    </LiveContext>
  );
}

/** While the page is cut off, the line of the shell says so. */
function ToldWhileAway({ children }: { readonly children: ReactNode }) {
  const { kind } = useConnection();
  return <ErrorShownAboveProvider value={kind === 'offline' || kind === 'ended'}>{children}</ErrorShownAboveProvider>;
}

const CONNECTING: Connection = { kind: 'connecting' };

async function askSession(): Promise<'lasts' | 'ended' | 'no-answer'> {
  const answer = await fetch('/api/v1/session', { credentials: 'same-origin' }).catch(() => undefined); // told apart below
  if (answer?.status === 401) return 'ended';
  return answer?.ok ? 'lasts' : 'no-answer';
}

interface LiveProviderProps {
  readonly renderedAt: number;
  readonly zone: Zone;
  readonly children: ReactNode;
}

/** Holds the page's query cache, its one socket, and the clock and zone of its times. */
export function LiveProvider({ renderedAt, zone, children }: LiveProviderProps) {
  const [{ queries, client }] = useState(() => {
    const queries = new QueryClient({ defaultOptions: { queries: { refetchOnWindowFocus: false, refetchOnReconnect: false } } });
    return { queries, client: createLiveClient({ queries, socket: openSocket(), now: epochNow, askSession }) };
  });
  useEffect(() => client.start(), [client]);
  // Who signed in before there was such a cookie, or travels, has the zone from the next page on.
  useEffect(rememberZone, []);
  return (
    <QueryClientProvider client={queries}>
      <RenderedAt value={renderedAt}>
        <ZoneContext value={zone}>
          <LiveClientProvider value={client}>{children}</LiveClientProvider>
        </ZoneContext>
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
