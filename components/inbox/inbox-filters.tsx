'use client';

import { useEffect } from 'react';
import { lazyWhenIdle, loadWhenIdle, useLazyModule } from '@/components/ui/overlay/lazy/lazy-module';
import type { InboxFilterBarProps } from './inbox-filter-bar';

const bar = lazyWhenIdle(() => import('./inbox-filter-bar'));

/** What narrows the inbox, which the first paint does without: its place is kept until it is there. */
export function InboxFilters(props: InboxFilterBarProps) {
  const parts = useLazyModule(bar);
  useEffect(loadWhenIdle, []);
  return parts === undefined ? <div className="h-7" /> : <parts.InboxFilterBar {...props} />;
}
