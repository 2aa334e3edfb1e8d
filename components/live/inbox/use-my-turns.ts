'use client';

import { useMemo } from 'react';
import { useStatus } from '@/components/live/staleness';
import { useSnoozed } from './snoozed';
import { useTurns } from './use-turns';
import type { Waiting } from './wake';
import { useWake } from './wake';

/**
 * What waits for the signed-in person, wherever they are in the console, and was not put off; undefined until it is known. Tells of what comes, where
 * that was asked for: what was put off comes when its time is over.
 */
export function useMyTurns(): readonly Waiting[] | undefined {
  const waits = useStatus()?.counts?.waits;
  const data = useTurns(waits !== undefined && waits > 0);
  const { untilOf } = useSnoozed();
  const mine = useMemo(() => {
    if (waits === 0) return [];
    if (data === undefined) return undefined;
    return Object.entries(data.turns).flatMap(([key, { mine: isMine, what, sentence }]) =>
      isMine && untilOf({ key, sentence }) === undefined ? [{ key, text: what }] : [],
    );
  }, [waits, data, untilOf]);
  useWake(mine);
  return mine;
}
