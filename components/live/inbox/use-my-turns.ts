'use client';

import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useStatus } from '@/components/live/staleness';
import { turnsQuery } from './turn-queries';
import type { Waiting } from './wake';
import { useWake } from './wake';

/** What waits for the signed-in person, wherever they are in the console; undefined until it is known. Tells of what comes, where that was asked for. */
export function useMyTurns(): readonly Waiting[] | undefined {
  const status = useStatus();
  const waits = status?.counts?.waits;
  const { data } = useQuery({ ...turnsQuery(status?.waiting ?? ''), enabled: waits !== undefined && waits > 0 });
  const mine = useMemo(() => {
    if (waits === 0) return [];
    if (data === undefined) return undefined;
    return Object.entries(data.turns).flatMap(([key, turn]) => (turn.mine ? [{ key, text: turn.what }] : []));
  }, [waits, data]);
  useWake(mine);
  return mine;
}
