import type { Brand } from './brand';

/** A moment, in milliseconds since the Unix epoch. */
export type Instant = Brand<number, 'Instant'>;

/** Mints an instant from epoch milliseconds. */
export function toInstant(epochMs: number): Instant {
  return epochMs as Instant;
}

/** The last moment that is written: years have four digits, as Kubernetes reads them. */
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** The first moment that is written: what Kubernetes writes for no time at all. */
const FIRST = Date.parse('0001-01-01T00:00:00Z');

// A pass writes the moment it looks at a dozen times.
let latest = { instant: 0, text: '1970-01-01T00:00:00.000Z' };

/** The instant as ISO-8601 in UTC with milliseconds, for storage and the wire; one outside of the years 1 to 9999 is the nearest within. */
export function toIso(instant: Instant): string {
  if (instant !== latest.instant) latest = { instant, text: new Date(Math.max(FIRST, Math.min(instant, LAST))).toISOString() };
  return latest.text;
}

/** The instant as Kubernetes writes times in objects: ISO-8601 in UTC, whole seconds, until the end of the year 9999. */
export function toKubeTime(instant: Instant): string {
  return `${toIso(instant).slice(0, 19)}Z`;
}

const KUBE_TIME = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):\d\d:\d\d([.,]\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Reads a time as Kubernetes does: RFC 3339 and days that exist; undefined when it is absent or anything else. */
export function parseKubeTime(text: unknown): Instant | undefined {
  const [whole, day] = (typeof text === 'string' && KUBE_TIME.exec(text)) || [];
  if (whole === undefined || day === undefined) return undefined;
  const midnight = parseInstant(day);
  // A thirtieth of February would otherwise be read as one of the first days of March.
  if (midnight === undefined || !toIso(midnight).startsWith(day)) return undefined;
  return parseInstant(whole.replace(',', '.'));
}

/** Reads ISO-8601 text; undefined when it is absent or no date. */
export function parseInstant(text: unknown): Instant | undefined {
  if (typeof text !== 'string' || text === '') return undefined;
  const epochMs = Date.parse(text);
  return Number.isNaN(epochMs) ? undefined : toInstant(epochMs);
}
