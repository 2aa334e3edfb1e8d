'use client';

import { useMemo } from 'react';
import { statusQuery } from '@/components/live/staleness';
import { useLiveWindow } from '@/components/live/use-live-topic';
import { MOST_TURNS } from '@/lib/contract/inbox/turns';
import type { Within } from '@/lib/contract/lists/within';
import { useSnoozed } from './snoozed';
import { useTurns } from './use-turns';
import type { Waiting } from './wake';

/** What waits for the signed-in person. */
export interface MyTurns {
  readonly waiting: readonly Waiting[];
  /** More waits than was looked at: some of it may be theirs as well. */
  readonly hasMore: boolean;
  /** The namespaces that all of this is of, where the person may see these only. */
  readonly within: Within | undefined;
}

/** What waits for the signed-in person, wherever they are in the console, and was not put off; undefined until it is known. */
export function useMyTurns(): MyTurns | undefined {
  const status = useLiveWindow(statusQuery).data;
  const waits = status?.rows[0]?.counts?.waits;
  const within = status?.within;
  const data = useTurns(waits !== undefined && waits > 0);
  const { untilOf } = useSnoozed();
  return useMemo(() => {
    if (waits === 0) return { waiting: [], hasMore: false, within };
    if (waits === undefined || data === undefined) return undefined;
    const waiting = Object.entries(data.turns).flatMap(([key, { mine: isMine, what, sentence }]) =>
      isMine && untilOf({ key, sentence }) === undefined ? [{ key, text: what }] : [],
    );
    return { waiting, hasMore: waits > MOST_TURNS, within };
  }, [waits, within, data, untilOf]);
}
