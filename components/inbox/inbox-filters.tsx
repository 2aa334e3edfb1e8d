'use client';

import type { ComponentProps } from 'react';
import { useEffect } from 'react';
import { lazyWhenIdle, loadWhenIdle, useLate } from '@/components/ui/overlay/lazy/late';
import { t } from '@/lib/words/catalogue/console/inbox';
import type { InboxFilterBar } from './inbox-filter-bar';

const bar = lazyWhenIdle(() => import('./inbox-filter-bar'));

/** What narrows the inbox, which the first paint does without: its place is kept until it is there. */
export function InboxFilters(props: ComponentProps<typeof InboxFilterBar>) {
  const parts = useLate(bar);
  useEffect(loadWhenIdle, []);
  const {
    total,
    rows: { length },
  } = props;
  return (
    <div>
      {parts === undefined ? <div className="h-7" /> : <parts.InboxFilterBar {...props} />}
      {total > length ? <p className="mt-2 text-ink-3 text-xs">{t.onlyTheMostUrgent(length, total)}</p> : null}
    </div>
  );
}
