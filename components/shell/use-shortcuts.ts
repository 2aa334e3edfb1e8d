'use client';

import { useEffect } from 'react';
import { useNavigate } from '@/components/live/navigate';
import { PLACES } from './places';

const SEQUENCE_MS = 900;

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** Puts the focus into the page's search field, if it has one. */
function focusSearch(event: KeyboardEvent): void {
  const search = document.querySelector<HTMLInputElement>('[data-page-search]');
  if (!search) return;
  event.preventDefault();
  search.focus();
}

function isCommand(event: KeyboardEvent): boolean {
  return event.metaKey || event.ctrlKey || event.altKey;
}

/** The keyboard everywhere: ⌘K or Ctrl K for the palette, `/` for the page's search, G and a letter for a page. */
export function useShortcuts(openPalette: () => void): void {
  const navigate = useNavigate();
  useEffect(() => {
    let startedAt = Number.NEGATIVE_INFINITY;
    const pressLetter = (event: KeyboardEvent) => {
      const place = event.timeStamp - startedAt < SEQUENCE_MS ? PLACES.find((each) => each.key === event.key) : undefined;
      startedAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (place) navigate(place.href);
      else if (event.key === '/') focusSearch(event);
    };
    const press = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        openPalette();
      } else if (!isCommand(event) && !isTyping(event.target) && document.querySelector('[role=dialog]') === null) {
        pressLetter(event);
      }
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [openPalette, navigate]);
}
