'use client';

import { Search } from 'lucide-react';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import type { ReactNode } from 'react';
import { InboxCount } from '@/components/live/inbox/inbox-count';
import { useInboxNotifications } from '@/components/live/inbox/notifications';
import { useAssignedToMe } from '@/components/live/inbox/use-assigned-to-me';
import { cx } from '@/components/ui/cx';
import { Kbd } from '@/components/ui/kbd';
import { t } from '@/lib/words/catalogue/console/shell';
import { ClusterBadge } from './cluster/cluster-badge';
import { ConnectionMark } from './connection-mark';
import { Logo } from './logo';
import { isWithin, NAVIGATION_ITEMS } from './navigation-items';
import { RailFavourites } from './saved/rail-favourites';

export interface RailProps {
  readonly onSearch: () => void;
  readonly menu: ReactNode;
}

/** The left rail: where one can go, which cluster this is, whether the page is live, who is signed in. Narrower screens see icons only. */
export function Rail({ onSearch, menu }: RailProps) {
  const path = usePathname();
  const assigned = useAssignedToMe();
  useInboxNotifications(assigned?.waiting);
  return (
    <aside className="print:hidden sticky top-0 hidden h-dvh w-14 shrink-0 flex-col overflow-y-auto border-r bg-sunken px-2 py-3 *:shrink-0 sm:flex lg:w-56 lg:px-3">
      <Link href="/" className="mb-3 flex h-8 items-center gap-2 rounded-md px-2 font-semibold text-base tracking-tight">
        <Logo />
        <span className="hidden lg:inline">{t.slipway}</span>
      </Link>
      <button
        type="button"
        onClick={onSearch}
        className="mb-3 flex h-8 items-center gap-2 rounded-md border border-line-strong bg-panel px-2 text-ink-3 text-sm shadow-panel hover:text-ink"
      >
        <Search size={15} aria-hidden className="mx-auto shrink-0 lg:mx-0" />
        <span className="sr-only flex-1 text-left lg:not-sr-only">{t.search}</span>
        <span className="hidden lg:inline-flex">
          <Kbd>⌘K</Kbd>
        </span>
      </button>
      <nav aria-label={t.main} className="flex flex-col gap-0.5">
        {NAVIGATION_ITEMS.map((place) => {
          const here = isWithin(place, path);
          const Icon = place.icon;
          return (
            <Link
              key={place.href}
              href={place.href}
              aria-current={here ? 'page' : undefined}
              title={place.label}
              className={cx(
                'relative flex h-8 items-center gap-2.5 rounded-md px-2.5 font-medium lg:px-2',
                here ? 'bg-pressed text-ink forced-colors:underline' : 'text-ink-2 hover:bg-hover hover:text-ink',
              )}
            >
              <Icon size={16} strokeWidth={1.9} aria-hidden className={cx('shrink-0', here ? 'text-accent' : 'text-ink-3')} />
              <span className="sr-only flex-1 lg:not-sr-only">{place.label}</span>
              {place.href === '/' ? (
                <InboxCount assigned={assigned} className="absolute -top-0.5 -right-0.5 lg:static lg:ml-auto lg:px-1.5" />
              ) : null}
            </Link>
          );
        })}
      </nav>
      <RailFavourites />
      <div className="mt-auto flex flex-col gap-1">
        <ConnectionMark />
        <ClusterBadge />
        {menu}
      </div>
    </aside>
  );
}
