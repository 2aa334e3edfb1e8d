'use client';

import { usePathname } from 'next/navigation';
import { useEffect, useRef } from 'react';
import { isNowhere } from '@/components/ui/overlay/focus-place';

/**
 * Gives the focus to the link of the page that was left, when the browser goes back to where it stands: whoever works by keyboard goes on from the row that
 * they came from.
 */
export function useReturnedFocus(): void {
  const path = usePathname();
  const shown = useRef(path);
  const left = useRef<string | null>(null);
  useEffect(() => {
    const note = () => {
      left.current = globalThis.location.pathname === shown.current ? null : shown.current;
    };
    globalThis.addEventListener('popstate', note);
    return () => globalThis.removeEventListener('popstate', note);
  }, []);
  useEffect(() => {
    shown.current = path;
    const from = left.current;
    left.current = null;
    // Further on is no way back: a page begins at its top.
    return from === null || path.startsWith(`${from}/`) ? undefined : focusLinkTo(from);
  }, [path]);
}

/** Focuses it once it is there, unless something else is focused or pressed first; answers with what ends the wait. */
function focusLinkTo(path: string): () => void {
  const waiting = new AbortController();
  const look = () => {
    if (!isFree(document.activeElement)) waiting.abort();
    const link = waiting.signal.aborted ? undefined : linkTo(path);
    link?.focus();
    if (link !== undefined) waiting.abort();
  };
  const observer = new MutationObserver(look);
  waiting.signal.addEventListener('abort', () => observer.disconnect());
  for (const act of ['keydown', 'pointerdown'] as const)
    document.addEventListener(act, () => waiting.abort(), { signal: waiting.signal, capture: true });
  observer.observe(document.body, { childList: true, subtree: true });
  look();
  return () => waiting.abort();
}

const isFree = (element: Element | null) => isNowhere(element) || element?.tagName === 'MAIN';

/** The link of a page as the content shows it, in a row rather than beside one; the way from the top of the page down to it is no part of that. */
function linkTo(path: string): HTMLAnchorElement | undefined {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('main a[href]')].filter(
    (link) => link.pathname === path && link.closest('nav') === null && (link.checkVisibility?.() ?? true),
  );
  return links.find((link) => link.closest('[data-row]') !== null) ?? links[0];
}
