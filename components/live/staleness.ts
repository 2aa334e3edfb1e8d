'use client';

import type { Freshness } from '@/lib/contract/live';
import type { StatusRow } from '@/lib/contract/system-rows';
import { statusRow } from '@/lib/contract/system-rows';
import { t } from '@/lib/words/catalogue/console/live';
import type { Connection } from './connection';
import { useConnection } from './live-provider';
import { liveQuery } from './live-query';
import { useLiveWindow } from './use-live-topic';

/** Since when what is shown may be out of date, and why. */
export interface Staleness {
  /** ISO text. */
  readonly since: string;
  readonly reason: string;
  /** The banner across the page gives the reason already. */
  readonly isShownAbove?: boolean;
  /** Nobody answers this page: nothing that it asks for is done. */
  readonly isAway?: boolean;
}

/** The shell's own topic: which cluster, is it reachable. */
export const statusQuery = liveQuery({ kind: 'status' }, statusRow);

/** The status of cluster and engine, once known. */
export function useStatus(): StatusRow | undefined {
  return useLiveWindow(statusQuery).data?.rows[0];
}

/** Whether data may be out of date: its own watch is lost, the cluster is in trouble, or this page is cut off. The nearest cause wins. */
export function stalenessOf(freshness: Freshness | undefined, status: StatusRow | undefined, connection: Connection): Staleness | null {
  if (connection.kind === 'offline') {
    const { since, reason, answers } = connection;
    return { since: new Date(since).toISOString(), reason, isShownAbove: true, isAway: answers !== true };
  }
  if (connection.kind === 'ended')
    return { since: freshness?.observedAt ?? '', reason: connection.reason, isShownAbove: true, isAway: true };
  if (freshness?.stale) return { ...freshness.stale, isShownAbove: freshness.stale.reason === status?.trouble?.sentence };
  if (status?.trouble) return { since: status.trouble.since, reason: status.trouble.sentence, isShownAbove: true };
  return null;
}

/** The staleness of a window shown on this page. */
export function useStaleness(freshness: Freshness | undefined): Staleness | null {
  return stalenessOf(freshness, useStatus(), useConnection());
}

/** Why no act can be sent, as a sentence; null while the server answers. What stops something is refused for this alone, never for the age of what is shown. */
export function refusalWhileAway(staleness: Staleness | null): string | null {
  return staleness?.isAway ? t.actsAreBlocked(staleness.reason) : null;
}

/** The same, for acts that rest on nothing shown here. */
export function useAway(): string | null {
  return refusalWhileAway(useStaleness(undefined));
}

/** Why a decision that rests on stale data is refused, as a sentence; null when it is fresh. */
export function refusalWhileStale(staleness: Staleness | null): string | null {
  return staleness === null ? null : (refusalWhileAway(staleness) ?? t.theDataMayBeOut(staleness.reason));
}
