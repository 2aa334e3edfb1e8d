import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { z } from 'zod';
import { usePerson } from '@/components/ui/preferences/use-preferences';
import type { InboxRow } from '@/lib/contract/system-rows';
import { t } from '@/lib/words/catalogue/console/inbox';

const KEPT = 'slipway-snoozed/';
const HOUR_MS = 3_600_000;
const MORNING = 9;

const snoozed = z.record(z.string(), z.object({ until: z.number(), sentence: z.string() }));
type Snoozed = z.infer<typeof snoozed>;

/** How long something may be put off. */
export const SNOOZES = [
  { id: '1h', label: t.for1Hour, until: (now: number) => now + HOUR_MS },
  { id: '4h', label: t.for4Hours, until: (now: number) => now + 4 * HOUR_MS },
  { id: 'tomorrow', label: t.untilTomorrow, until: nextMorning },
] as const;

/** Nine in the morning of the next day, where the browser is. */
function nextMorning(now: number): number {
  const day = new Date(now);
  day.setDate(day.getDate() + 1);
  day.setHours(MORNING, 0, 0, 0);
  return day.getTime();
}

const NONE: Snoozed = {};
const listeners = new Set<() => void>();
let held: { readonly user: string; readonly text: string | null; readonly all: Snoozed } = { user: '', text: null, all: NONE };

/** Browsers are shared: what one person put off may wait for the next one. */
const placeOf = (user: string) => `${KEPT}${encodeURIComponent(user)}`;

/** What a person put off in this browser: until when, and what it said then. The same object as long as nothing else is. */
function readSnoozed(user: string): Snoozed {
  if (user !== held.user) held = { user, text: null, all: NONE };
  try {
    const text = localStorage.getItem(placeOf(user));
    if (text !== held.text) held = { user, text, all: text === null ? NONE : parseSnoozed(text) };
  } catch {
    // Put off until the page is loaded anew.
  }
  return held.all;
}

function parseSnoozed(text: string): Snoozed {
  try {
    return snoozed.parse(JSON.parse(text));
  } catch {
    return NONE;
  }
}

function keep(user: string, next: Snoozed): void {
  const open = Object.fromEntries(Object.entries(next).filter(([, { until }]) => until > Date.now()));
  const text = JSON.stringify(open);
  try {
    localStorage.setItem(placeOf(user), text);
    held = { user, text, all: open };
  } catch {
    held = { ...held, all: open };
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  globalThis.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    globalThis.removeEventListener('storage', listener);
  };
}

type Said = Pick<InboxRow, 'key' | 'sentence'>;

/** What the person put off, alike in the inbox and on its badge, and how to put something off or to bring it back. */
export function useSnoozed() {
  // What the browser keeps is not known to the server that draws the page first.
  const user = usePerson();
  const all = useSyncExternalStore(
    subscribe,
    () => readSnoozed(user),
    () => NONE,
  );
  const [now, setNow] = useState(() => Date.now());
  const nearest = Math.min(...Object.values(all).map(({ until }) => (until > now ? until : Number.POSITIVE_INFINITY)));
  useEffect(() => {
    if (!Number.isFinite(nearest)) return;
    // A machine that sleeps stops its timers, so the time is looked at again every hour at least.
    const timer = setTimeout(() => setNow(Date.now()), Math.min(nearest - Math.max(now, Date.now()) + 1, HOUR_MS));
    return () => clearTimeout(timer);
  }, [nearest, now]);
  /** Until when a row is put off: before its time, and as long as it says the same. */
  const untilOf = useCallback(
    ({ key, sentence }: Said): number | undefined => {
      const found = Object.hasOwn(all, key) ? all[key] : undefined;
      return found !== undefined && found.until > now && found.sentence === sentence ? found.until : undefined;
    },
    [all, now],
  );
  return {
    untilOf,
    snooze: ({ key, sentence }: Said, until: number) => keep(user, { ...readSnoozed(user), [key]: { until, sentence } }),
    wake: ({ key }: Said) => keep(user, Object.fromEntries(Object.entries(readSnoozed(user)).filter(([other]) => other !== key))),
  };
}
