import { describe, expect, it } from 'vitest';
import type { Zone } from '@/lib/words/times';
import { formatMinute, formatMoment, formatOffset, formatTime, formatWhen, parseZone, UTC } from '@/lib/words/times';

const AT = Date.UTC(2026, 2, 3, 13, 5, 9);
const zone = (name: string): Zone => parseZone(name);

describe('a time', () => {
  it.each([
    ['Europe/Berlin', '3 Mar 2026, 14:05:09 UTC+1', '14:05:09'],
    ['Asia/Kathmandu', '3 Mar 2026, 18:50:09 UTC+5:45', '18:50:09'],
    ['America/St_Johns', '3 Mar 2026, 09:35:09 UTC-3:30', '09:35:09'],
    ['UTC', '3 Mar 2026, 13:05:09 UTC', '13:05:09 UTC'],
  ])('[design 14] is said in %s as its clocks show it, with the day and the zone where it is exact', (name, moment, time) => {
    expect(formatMoment(AT, zone(name))).toBe(moment);
    expect(formatTime(AT, zone(name))).toBe(time);
  });

  it('[design 14] follows the clocks when they are put forward', () => {
    const summer = Date.UTC(2026, 6, 3, 13, 5, 9);
    expect(formatOffset(summer, zone('Europe/Berlin'))).toBe('UTC+2');
    expect(formatOffset(AT, zone('Europe/Berlin'))).toBe('UTC+1');
  });

  it('[design 14] begins a day at 00, and has the year in which it is there', () => {
    const midnight = Date.UTC(2026, 11, 31, 23, 0, 0);
    expect(formatMoment(midnight, zone('Europe/Berlin'))).toBe('1 Jan 2027, 00:00:00 UTC+1');
    expect(formatMinute(midnight, zone('Europe/Berlin'))).toBe('00:00');
  });

  it('[design 14] in a sentence has its day only where that is not today, by the clocks of the reader', () => {
    const now = Date.UTC(2026, 2, 3, 23, 30);
    expect(formatWhen(AT, { now, zone: UTC })).toBe('13:05:09 UTC');
    expect(formatWhen(AT, { now, zone: zone('Europe/Berlin') })).toBe('3 Mar 2026, 14:05:09');
  });

  it('[design 14] says the same for the first zone after those of many other people', () => {
    for (const name of Intl.supportedValuesOf('timeZone').slice(0, 50)) formatTime(AT, zone(name));
    expect(formatTime(AT, zone('Europe/Berlin'))).toBe('14:05:09');
  });
});

describe('a zone that a browser names', () => {
  it.each([[undefined], [''], ['Mars/Olympus'], ['+01:00'], ['Europe/Berlin; path=/'], ['x'.repeat(5000)]])(
    '[design 14] is UTC where it is none: %s',
    (text) => {
      expect(parseZone(text)).toBe('UTC');
    },
  );

  it('[design 14] is known by one name, however it is written', () => {
    expect(parseZone('europe/berlin')).toBe('Europe/Berlin');
  });
});
