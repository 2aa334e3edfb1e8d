'use client';

import type { ComponentProps } from 'react';
import { useEffect } from 'react';
import { lazyWhenIdle, loadWhenIdle, useLate } from '@/components/ui/overlay/lazy/late';
import { t } from '@/lib/words/catalogue/console/inbox';
import type { InboxFilterBar } from './inbox-filter-bar';

const bar = lazyWhenIdle(() => import('./inbox-filter-bar'));

interface InboxFiltersProps extends ComponentProps<typeof InboxFilterBar> {
  /** How many there are, of which the server sends the most urgent. */
  readonly total: number;
}

/** What narrows the inbox, which the first paint does without: its place is kept until it is there. */
export function InboxFilters({ total, ...props }: InboxFiltersProps) {
  const parts = useLate(bar);
  useEffect(loadWhenIdle, []);
  const { length } = props.rows;
  return (
    <div>
      {parts === undefined ? <div className="h-16 sm:h-7" /> : <parts.InboxFilterBar {...props} />}
      {total > length ? <p className="mt-2 text-ink-3 text-xs">{t.onlyTheMostUrgent(length, total)}</p> : null}
    </div>
  );
}
