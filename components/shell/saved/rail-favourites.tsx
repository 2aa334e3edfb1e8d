'use client';

import { Star } from 'lucide-react';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { cx } from '@/components/ui/cx';
import { parseObjectPage } from '@/components/ui/preferences/object-page';
import { usePreferences } from '@/components/ui/preferences/use-preferences';
import { t } from '@/lib/words/catalogue/console/views';

/** The favourites below the pages of the rail; they scroll where there are many. Where the rail has room for icons only, the palette has them. */
export function RailFavourites() {
  const path = usePathname();
  const pages = usePreferences().favourites.flatMap((one) => parseObjectPage(one) ?? []);
  if (pages.length === 0) return null;
  return (
    <nav aria-label={t.favourites} className="mt-4 hidden min-h-0 flex-1 flex-col lg:flex">
      <h2 className="mb-1 px-2 font-medium text-2xs text-ink-3">{t.favourites}</h2>
      <ul className="min-h-0 overflow-y-auto">
        {pages.map((page) => (
          <li key={page.path}>
            <Link
              href={page.path}
              aria-current={page.path === path ? 'page' : undefined}
              title={[page.kind, page.ns, page.name].filter((part) => part !== null).join(' ')}
              className={cx(
                'focus-inset flex h-7 items-center gap-2.5 rounded-md px-2 text-xs',
                page.path === path ? 'bg-pressed text-ink' : 'text-ink-2 hover:bg-hover hover:text-ink',
              )}
            >
              <Star size={13} aria-hidden className="shrink-0 text-ink-3" />
              <span className="min-w-0 truncate">{page.name}</span>
              <span className="sr-only">{page.kind}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
