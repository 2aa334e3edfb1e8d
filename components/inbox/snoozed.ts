import { useEffect, useState } from 'react';
import { z } from 'zod';
import type { InboxRow } from '@/lib/contract/system-rows';
import { t } from '@/lib/words/catalogue/console/inbox';

const KEPT = 'slipway-snoozed';
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

/** What is put off in this browser: until when, and what it said then. */
export function readSnoozed(): Snoozed {
  try {
    return snoozed.parse(JSON.parse(localStorage.getItem(KEPT) ?? '{}'));
  } catch {
    return {};
  }
}

/** True while a row is put off: before its time, and as long as it says the same. */
export function isSnoozed(all: Snoozed, { key, sentence }: Pick<InboxRow, 'key' | 'sentence'>, now: number): boolean {
  const held = Object.hasOwn(all, key) ? all[key] : undefined;
  return held !== undefined && held.until > now && held.sentence === sentence;
}

/** What is put off, and how to put something off or to bring it back. */
export function useSnoozed() {
  const [all, setAll] = useState<Snoozed>({});
  const [now, setNow] = useState(0);
  // What the browser keeps is not known to the server that draws the page first.
  useEffect(() => {
    setAll(readSnoozed());
    setNow(Date.now());
  }, []);
  const nearest = Math.min(...Object.values(all).map(({ until }) => (until > now ? until : Number.POSITIVE_INFINITY)));
  useEffect(() => {
    if (!Number.isFinite(nearest)) return;
    const timer = setTimeout(() => setNow(Date.now()), Math.min(nearest - Date.now() + 1, HOUR_MS));
    return () => clearTimeout(timer);
  }, [nearest]);
  const keep = (next: Snoozed) => {
    const open = Object.fromEntries(Object.entries(next).filter(([, { until }]) => until > Date.now()));
    setAll(open);
    setNow(Date.now());
    try {
      localStorage.setItem(KEPT, JSON.stringify(open));
    } catch {
      // Put off until the page is loaded anew.
    }
  };
  return {
    has: (row: InboxRow) => isSnoozed(all, row, now),
    untilOf: (row: InboxRow) => (isSnoozed(all, row, now) ? all[row.key]?.until : undefined),
    snooze: (row: InboxRow, until: number) => keep({ ...readSnoozed(), [row.key]: { until, sentence: row.sentence } }),
    wake: (row: InboxRow) => keep(Object.fromEntries(Object.entries(readSnoozed()).filter(([key]) => key !== row.key))),
  };
}
