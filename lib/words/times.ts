import type { Brand } from '@/lib/std/brand';

/** A time zone by the name that the tz database gives it, such as `Europe/Berlin`. */
export type Zone = Brand<string, 'Zone'>;

/** The zone of whoever has not said which: it is named beside every time. */
export const UTC = 'UTC' as Zone;

const NAME = /^[A-Za-z][\w+-]{0,31}(?:\/[\w+-]{1,32}){0,2}$/;

/** Reads the name of a zone; what is none, or none that is known here, is UTC. */
export function parseZone(text: string | undefined): Zone {
  if (text === undefined || !NAME.test(text)) return UTC;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone as Zone;
  } catch {
    return UTC; // Intl throws at names that it does not know, and offers no other way to ask
  }
}

/** The zone that this browser or process runs in. */
export function getOwnZone(): Zone {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone as Zone;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;
const FIELDS = {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
} as const;
// Making one costs many times what using it does, and one process serves people of a few zones.
const MAX_KEPT = 32;
const kept = new Map<Zone, Intl.DateTimeFormat>();

/** Day and time with the zone: `3 Mar 2026, 14:05:09 UTC+1`. */
export function formatMoment(at: number, zone: Zone): string {
  const { day, hour, minute, second } = readClock(at, zone);
  return `${day}, ${hour}:${minute}:${second} ${formatOffset(at, zone)}`;
}

/** A day that stands by itself, without a year: `3 Mar` of `2026-03-03`. */
export function formatDay(day: string): string {
  const [, month = 1, date = 1] = day.split('-').map(Number);
  return `${date} ${MONTHS[month - 1] ?? ''}`;
}

/** A time of day: `14:05:09`, and in UTC `13:05:09 UTC`. */
export function formatTime(at: number, zone: Zone): string {
  const { hour, minute, second } = readClock(at, zone);
  return `${hour}:${minute}:${second}${zone === UTC ? ' UTC' : ''}`;
}

/** A time of day to the millisecond, for lines of which the zone is known: `14:05:09.250`. */
export function formatMillisecond(at: number, zone: Zone): string {
  const { hour, minute, second } = readClock(at, zone);
  return `${hour}:${minute}:${second}.${String(Math.floor(at) % 1000).padStart(3, '0')}`;
}

/** A time of day to the minute, for an axis of which the zone is known: `14:05`. */
export function formatMinute(at: number, zone: Zone): string {
  const { hour, minute } = readClock(at, zone);
  return `${hour}:${minute}`;
}

/** A moment as it stands in a sentence: the time of day, and on another day than today that day too. */
export function formatWhen(at: number, { now, zone }: { readonly now: number; readonly zone: Zone }): string {
  const { day } = readClock(at, zone);
  return day === readClock(now, zone).day ? formatTime(at, zone) : `${day}, ${formatTime(at, zone)}`;
}

/** How far the clocks of a zone were from UTC at a moment: `UTC`, `UTC+1`, `UTC-3:30`. */
export function formatOffset(at: number, zone: Zone): string {
  const minutes = readClock(at, zone).offset;
  if (minutes === 0) return 'UTC';
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `UTC${minutes < 0 ? '-' : '+'}${hours}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`;
}

// The parts are put together here: servers and browsers have different editions of what a locale writes, and the first paint is the same on both.
function readClock(at: number, zone: Zone) {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  const { year = '', month = '', day = '', hour = '', minute = '', second = '' } = parts;
  const here = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  const offset = Math.round((here - Math.floor(at / 1000) * 1000) / 60_000);
  return { day: `${Number(day)} ${MONTHS[Number(month) - 1] ?? ''} ${year}`, hour, minute, second, offset };
}

function formatOf(zone: Zone): Intl.DateTimeFormat {
  const found = kept.get(zone);
  if (found !== undefined) return found;
  if (kept.size >= MAX_KEPT) kept.clear();
  const made = new Intl.DateTimeFormat('en-GB', { ...FIELDS, timeZone: zone });
  kept.set(zone, made);
  return made;
}
