'use client';

import { useMemo } from 'react';
import { useStatus } from '@/components/live/staleness';
import { useTurns } from './use-turns';
import type { Waiting } from './wake';
import { useWake } from './wake';

/** What waits for the signed-in person, wherever they are in the console; undefined until it is known. Tells of what comes, where that was asked for. */
export function useMyTurns(): readonly Waiting[] | undefined {
  const waits = useStatus()?.counts?.waits;
  const data = useTurns(waits !== undefined && waits > 0);
  const mine = useMemo(() => {
    if (waits === 0) return [];
    if (data === undefined) return undefined;
    return Object.entries(data.turns).flatMap(([key, turn]) => (turn.mine ? [{ key, text: turn.what }] : []));
  }, [waits, data]);
  useWake(mine);
  return mine;
}
