'use client';

import { useMemo } from 'react';
import { statusQuery } from '@/components/live/staleness';
import { useLiveWindow } from '@/components/live/use-live-topic';
import { MOST_ASSIGNED } from '@/lib/contract/inbox/assignees';
import type { Within } from '@/lib/contract/lists/within';
import type { Waiting } from './notifications';
import { useSnoozed } from './snoozed';
import { useAssignees } from './use-assignees';

/** What waits for the signed-in person. */
export interface AssignedToMe {
  readonly waiting: readonly Waiting[];
  /** More waits than was looked at: some of it may be theirs as well. */
  readonly hasMore: boolean;
  /** The namespaces that all of this is of, where the person may see these only. */
  readonly within: Within | undefined;
}

/** What waits for the signed-in person, wherever they are in the console, and was not put off; undefined until it is known. */
export function useAssignedToMe(): AssignedToMe | undefined {
  const status = useLiveWindow(statusQuery).data;
  const waits = status?.rows[0]?.counts?.waits;
  const within = status?.within;
  const data = useAssignees(waits !== undefined && waits > 0);
  const { untilOf } = useSnoozed();
  return useMemo(() => {
    if (waits === 0) return { waiting: [], hasMore: false, within };
    if (waits === undefined || data === undefined) return undefined;
    const waiting = Object.entries(data.assignees).flatMap(([key, { mine: isMine, what, sentence }]) =>
      isMine && untilOf({ key, sentence }) === undefined ? [{ key, text: what }] : [],
    );
    return { waiting, hasMore: waits > MOST_ASSIGNED, within };
  }, [waits, within, data, untilOf]);
}
