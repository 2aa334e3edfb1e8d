'use client';

import { useEffect } from 'react';
import type { FocusPlace } from '@/components/ui/overlay/focus-place';
import { focusAt, isNowhere, placeOf } from '@/components/ui/overlay/focus-place';

/**
 * Keeps the focus on the page when the element that has it goes away: a button whose act is done, a row that is no more. Whoever works by keyboard goes on
 * from there, and not from the top. Another page begins at its top.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let place: FocusPlace = [];
    let page = '';
    const observer = new MutationObserver(() => {
      const [element] = place;
      if (element === undefined || element.isConnected || !isNowhere(document.activeElement)) return;
      const left = place;
      place = [];
      if (page === globalThis.location.pathname) focusAt(left);
    });
    const remember = ({ target }: FocusEvent) => {
      observer.disconnect();
      place = placeOf(target instanceof Element ? target : null);
      page = globalThis.location.pathname;
      // An element goes with one of those around it: only their own children are looked at.
      for (const around of place.slice(1)) observer.observe(around, { childList: true });
    };
    document.addEventListener('focusin', remember);
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', remember);
    };
  }, []);
}
