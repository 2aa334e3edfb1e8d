'use client';

import type { RefObject } from 'react';
import { useCallback, useLayoutEffect, useState } from 'react';

/** Height of one line in pixels: `h-10` of the line itself. */
export const LINE_PX = 40;
/** Lines of one page. */
const PAGE = 50;
/** As long as nothing is measured, as much as fits. */
const FIRST_SCREEN_PX = 800;

/** The pages of a list that are in sight, and one screen above and below. */
export interface ShownPages {
  readonly first: number;
  readonly last: number;
}

/** Which pages lie within a screen of what is scrolled to. */
export function pagesAround(scrollTop: number, height: number, total: number): ShownPages {
  const pagePx = PAGE * LINE_PX;
  const end = Math.max(0, Math.ceil(total / PAGE) - 1);
  const pageAt = (px: number) => Math.min(end, Math.max(0, Math.floor(px / pagePx)));
  return { first: pageAt(scrollTop - height), last: pageAt(scrollTop + 2 * height) };
}

/** Follows the scrolling of a region; draws anew only when another page comes into sight. */
export function useShownPages(region: RefObject<HTMLElement | null>, total: number): ShownPages & { readonly onScroll: () => void } {
  const [shown, setShown] = useState(() => pagesAround(0, FIRST_SCREEN_PX, total));
  const look = useCallback(() => {
    const element = region.current;
    if (element === null) return;
    const next = pagesAround(element.scrollTop, element.clientHeight || FIRST_SCREEN_PX, total);
    setShown((held) => (held.first === next.first && held.last === next.last ? held : next));
  }, [region, total]);
  useLayoutEffect(look, [look]);
  // A list that became shorter is not asked for pages that are no more.
  const end = Math.max(0, Math.ceil(total / PAGE) - 1);
  return { first: Math.min(shown.first, end), last: Math.min(shown.last, end), onScroll: look };
}
