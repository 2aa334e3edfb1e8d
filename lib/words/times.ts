const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const MINUTE = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const SECOND = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** Day and time in the reader's zone: `3 Mar 2026, 14:05:09`. */
export function sayMoment(at: number): string {
  return MOMENT.format(at);
}

/** A time of day in the reader's zone: `14:05:09`. */
export function sayTime(at: number): string {
  return SECOND.format(at);
}

/** A time of day to the minute: `14:05`. */
export function sayMinute(at: number): string {
  return MINUTE.format(at);
}
