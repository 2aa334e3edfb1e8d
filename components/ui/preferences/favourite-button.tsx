'use client';

import { Star } from 'lucide-react';
import { usePathname } from 'next/navigation';
import { useEffect } from 'react';
import { t } from '@/lib/words/catalogue/console/views';
import { cx } from '../cx';
import { showToast } from '../overlay/toast';
import { parseObjectPage } from './object-page';
import { usePreferenceChanges, usePreferences } from './use-preferences';

/** Keeps the page of an object among the favourites, and notes that it was opened. Absent on pages that are about no object. */
export function FavouriteButton() {
  const path = usePathname();
  const page = parseObjectPage(path);
  const isThere = page !== null;
  const isFavourite = usePreferences().favourites.includes(path);
  const { setFavourite, visit } = usePreferenceChanges();
  useEffect(() => {
    if (isThere) visit(path);
  }, [isThere, path, visit]);
  if (page === null) return null;
  const toggle = () => {
    setFavourite(path, !isFavourite);
    if (isFavourite) showToast(t.isNoFavouriteAnyMore(page.name), 'good', { label: t.undo, run: () => setFavourite(path, true) });
  };
  const label = isFavourite ? t.removeFromFavourites : t.addToFavourites;
  return (
    <button
      type="button"
      data-favourite=""
      aria-label={label}
      title={label}
      onClick={toggle}
      className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-ink-3 hover:bg-hover hover:text-ink print:hidden"
    >
      <Star size={15} aria-hidden className={cx(isFavourite && 'fill-current text-warn')} />
    </button>
  );
}
