'use client';

import { useEffect } from 'react';
import { useNavigate } from '@/components/live/navigate';
import { selectRow, stepRow } from './keys/row-keys';
import { NAVIGATION_ITEMS } from './navigation-items';

const SEQUENCE_MS = 900;

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement && target.type === 'checkbox') return false;
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** Puts the focus into the page's search field, if it has one. */
function focusSearch(event: KeyboardEvent): void {
  const search = document.querySelector<HTMLInputElement>('[data-page-search]');
  if (!search) return;
  event.preventDefault();
  search.focus();
}

/** What single keys do; true where there was something to do. */
const KEYS: Readonly<Record<string, () => boolean>> = {
  j: () => stepRow(1),
  k: () => stepRow(-1),
  ' ': selectRow,
  f: () => {
    const button = document.querySelector<HTMLElement>('[data-favourite]');
    button?.click();
    return button !== null;
  },
};

function isCommand(event: KeyboardEvent): boolean {
  return event.metaKey || event.ctrlKey || event.altKey;
}

/** The keyboard everywhere: ⌘K or Ctrl K for the palette, `?` for the list of keys, `/` for the page's search, G and a letter for a page, and keys for rows. */
export function useShortcuts(openPalette: () => void, showKeys: () => void): void {
  const navigate = useNavigate();
  useEffect(() => {
    let startedAt = Number.NEGATIVE_INFINITY;
    const pressLetter = (event: KeyboardEvent) => {
      const place = event.timeStamp - startedAt < SEQUENCE_MS ? NAVIGATION_ITEMS.find((each) => each.key === event.key) : undefined;
      startedAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (place) navigate(place.href);
      else if (event.key === '/') focusSearch(event);
      else if (event.key === '?') showKeys();
      else if (KEYS[event.key]?.()) event.preventDefault();
    };
    const press = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        openPalette();
      } else if (
        !event.defaultPrevented &&
        !isCommand(event) &&
        !isTyping(event.target) &&
        document.querySelector('[role=dialog], [role=menu]') === null
      ) {
        pressLetter(event);
      }
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [openPalette, showKeys, navigate]);
}
