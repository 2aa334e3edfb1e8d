/** The minutes at which a CronJob runs, in the five fields of cron. */
export interface Schedule {
  /** Milliseconds of the first minute after the instant that fits; undefined when none does within four years. */
  nextAfter(instantMs: number): number | undefined;
}

const NICKNAMES: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const HORIZON_DAYS = 4 * 366;

/** Reads a schedule in UTC; undefined when it is none. */
export function parseSchedule(text: string): Schedule | undefined {
  const fields = (NICKNAMES[text.trim().toLowerCase()] ?? text.trim()).split(/\s+/);
  const [minutes, hours, days, months, weekdays] = [
    parseField(fields[0], 0, 59),
    parseField(fields[1], 0, 23),
    parseField(fields[2], 1, 31),
    parseField(fields[3], 1, 12, MONTHS),
    parseField(fields[4], 0, 7, DAYS),
  ];
  if (fields.length !== 5 || !minutes || !hours || !days || !months || !weekdays) return undefined;
  if (weekdays.has(7)) weekdays.add(0);
  const anyDay = isAny(fields[2]);
  const anyWeekday = isAny(fields[4]);
  const fitsDay = (at: Date): boolean => {
    const day = days.has(at.getUTCDate());
    const weekday = weekdays.has(at.getUTCDay());
    // With both given cron takes either; with one of them a star it takes the other.
    return months.has(at.getUTCMonth() + 1) && (anyDay || anyWeekday ? day && weekday : day || weekday);
  };
  return { nextAfter: (instantMs) => findNext(instantMs, { fitsDay, minutes, hours }) };
}

interface Fit {
  readonly fitsDay: (at: Date) => boolean;
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
}

function findNext(instantMs: number, { fitsDay, minutes, hours }: Fit): number | undefined {
  const first = (Math.floor(instantMs / MINUTE_MS) + 1) * MINUTE_MS;
  for (let day = 0, start = Math.floor(first / DAY_MS) * DAY_MS; day < HORIZON_DAYS; day++, start += DAY_MS) {
    if (!fitsDay(new Date(start))) continue;
    for (let at = Math.max(start, first); at < start + DAY_MS; at += MINUTE_MS) {
      const minuteOfDay = (at - start) / MINUTE_MS;
      if (hours.has(Math.floor(minuteOfDay / 60)) && minutes.has(minuteOfDay % 60)) return at;
    }
  }
  return undefined;
}

function isAny(field: string | undefined): boolean {
  return field === '*' || field === '?';
}

function parseField(field: string | undefined, min: number, max: number, names: readonly string[] = []): Set<number> | undefined {
  const values = new Set<number>();
  for (const part of field?.split(',') ?? []) {
    const [, range = '', step] = /^([^/]+)(?:\/(\d+))?$/.exec(part) ?? [];
    const [from, to] = isAny(range) ? [min, max] : range.split('-').map((word) => parseValue(word, names, min));
    const end = to ?? (step === undefined ? from : max);
    if (
      from === undefined ||
      end === undefined ||
      Number.isNaN(from) ||
      Number.isNaN(end) ||
      from < min ||
      end > max ||
      from > end ||
      step === '0'
    )
      return undefined;
    for (let value = from; value <= end; value += Number(step ?? 1)) values.add(value);
  }
  return values.size > 0 ? values : undefined;
}

function parseValue(word: string, names: readonly string[], min: number): number {
  const named = names.indexOf(word.toLowerCase());
  return named >= 0 ? named + min : /^\d+$/.test(word) ? Number(word) : Number.NaN;
}
