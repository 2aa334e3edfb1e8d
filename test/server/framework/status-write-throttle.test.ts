import { expect, it } from 'vitest';
import { toInstant } from '@/lib/std/instant';
import { PROGRESSING_PACE, SETTLED_PACE, StatusWriteThrottle } from '@/server/framework';

const at = (seconds: number) => toInstant(Date.UTC(2026, 0, 1) + seconds * 1000);

it('[issue 9.3] counts are written once they stand still', () => {
  const rhythm = new StatusWriteThrottle(PROGRESSING_PACE);
  expect(rhythm.waitMs('web', { ready: 1 }, at(0))).toBe(20_000);
  expect(rhythm.waitMs('web', { ready: 2 }, at(3))).toBe(20_000);
  expect(rhythm.waitMs('web', { ready: 2 }, at(22))).toBe(1000);
  expect(rhythm.waitMs('web', { ready: 2 }, at(23))).toBe(0);
});

it('[issue 9.3] counts that never stand still are written every minute, each object by itself', () => {
  const rhythm = new StatusWriteThrottle(PROGRESSING_PACE);
  for (let second = 0; second < 60; second++) expect(rhythm.waitMs('web', second, at(second))).toBeGreaterThan(0);
  expect(rhythm.waitMs('api', 0, at(60))).toBe(20_000);
  expect(rhythm.waitMs('web', 60, at(60))).toBe(0);
  rhythm.rest('web');
  expect(rhythm.waitMs('web', 61, at(61))).toBe(20_000);
});

it('[issue 13] counts of what is at rest are written sooner', () => {
  const rhythm = new StatusWriteThrottle(SETTLED_PACE);
  expect(rhythm.waitMs('web', { ready: 1 }, at(0))).toBe(5000);
  for (let second = 1; second < 10; second++) expect(rhythm.waitMs('web', { ready: second }, at(second))).toBeGreaterThan(0);
  expect(rhythm.waitMs('web', { ready: 10 }, at(10))).toBe(0);
});
