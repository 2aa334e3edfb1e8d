'use client';

import { Search } from 'lucide-react';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import type { ReactNode } from 'react';
import { InboxCount } from '@/components/live/inbox/inbox-count';
import { useAssignedToMe } from '@/components/live/inbox/use-assigned-to-me';
import { cx } from '@/components/ui/cx';
import { t } from '@/lib/words/catalogue/console/shell';
import { ClusterBadge } from './cluster/cluster-badge';
import { ConnectionMark } from './connection-mark';
import { Logo } from './logo';
import { isWithin, NAVIGATION_ITEMS } from './navigation-items';

/** On a narrow screen: cluster, search and menu above, the pages below, within reach of a thumb. */
export function TopBar({ onSearch, menu }: { readonly onSearch: () => void; readonly menu: ReactNode }) {
  return (
    <header className="print:hidden sticky top-0 z-30 flex h-12 items-center gap-2 border-b bg-sunken px-3 sm:hidden">
      <Link href="/" aria-label="Slipway" className="rounded-md">
        <Logo size={22} />
      </Link>
      <div className="min-w-0 flex-1">
        <ClusterBadge />
      </div>
      <ConnectionMark compact />
      <button
        type="button"
        aria-label={t.searchAndCommands}
        onClick={onSearch}
        className="inline-flex size-9 items-center justify-center rounded-md text-ink-2 hover:bg-hover"
      >
        <Search size={17} aria-hidden />
      </button>
      {menu}
    </header>
  );
}

/** The pages as tabs at the lower edge. */
export function BottomBar() {
  const path = usePathname();
  const assigned = useAssignedToMe();
  return (
    <nav
      aria-label={t.main}
      className="fixed inset-x-0 bottom-0 z-30 flex border-t bg-panel pb-[env(safe-area-inset-bottom)] sm:hidden print:hidden"
    >
      {NAVIGATION_ITEMS.map((place) => {
        const here = isWithin(place, path);
        const Icon = place.icon;
        return (
          <Link
            key={place.href}
            href={place.href}
            aria-current={here ? 'page' : undefined}
            className={cx(
              'relative focus-inset flex h-13 min-w-0 flex-1 flex-col items-center justify-center gap-0.5 text-[10px]',
              here ? 'text-accent forced-colors:underline' : 'text-ink-3',
            )}
          >
            <Icon size={18} strokeWidth={1.9} aria-hidden />
            <span className="max-w-full truncate px-0.5" aria-hidden={place.short !== undefined}>
              {place.short ?? place.label}
            </span>
            {place.short === undefined ? null : <span className="sr-only">{place.label}</span>}
            {place.href === '/' ? <InboxCount assigned={assigned} className="absolute top-1 left-1/2 ml-1.5" /> : null}
          </Link>
        );
      })}
    </nav>
  );
}
