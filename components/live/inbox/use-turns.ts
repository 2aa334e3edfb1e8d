'use client';

import { useQuery } from '@tanstack/react-query';
import { useIsHydrating } from '@/components/live/hydration/first-paint';
import { useStatus } from '@/components/live/staleness';
import type { InboxQuery } from '@/lib/contract/inbox/inbox-query';
import { formatInboxQuery } from '@/lib/contract/inbox/inbox-query';
import type { Turns } from '@/lib/contract/inbox/turns';
import { turnsQuery } from './turn-queries';

/**
 * Whose turn it is with what waits; undefined until it is known. What the server sent knows of none, and is taken over part by part: one that
 * comes late says so as well, though another part has asked by then.
 */
export function useTurns(anyWaits: boolean, of: InboxQuery = {}): Turns | undefined {
  const { data } = useQuery({ ...turnsQuery(useStatus()?.waiting ?? '', formatInboxQuery(of)), enabled: anyWaits });
  return useIsHydrating() ? undefined : data;
}
