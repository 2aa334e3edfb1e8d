'use client';

import { createContext, useContext, useSyncExternalStore } from 'react';

const TICK_MS = 1000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let current = 0;

/** The browser's one reading of the clock. */
export function epochNow(): number {
  return Date.now();
}

// One timer for the whole page, running only while something shows a time.
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  current = epochNow();
  timer ??= setInterval(() => {
    current = epochNow();
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function read(): number {
  if (current === 0) current = epochNow();
  return current;
}

/** The moment the server rendered, so that the first paint says the same on both sides. */
export const RenderedAt = createContext<number | null>(null);

/**
 * What is said of now, to the second. The component is drawn again when that changes and not with every second: a page of hundreds
 * of ages spent more on the clock than on what was pushed.
 */
export function useFormattedNow<Said extends string | number>(say: (now: number) => Said): Said {
  const renderedAt = useContext(RenderedAt);
  return useSyncExternalStore(
    subscribe,
    () => say(read()),
    () => say(renderedAt ?? 0),
  );
}
