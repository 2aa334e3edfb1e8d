import { expect, it } from 'vitest';
import { toInstant } from '@/lib/std/instant';
import { Rhythm } from '@/server/framework';

const at = (seconds: number) => toInstant(Date.UTC(2026, 0, 1) + seconds * 1000);

it('[issue 9.3] counts are written once they stand still', () => {
  const rhythm = new Rhythm();
  expect(rhythm.waitMs('web', { ready: 1 }, at(0))).toBe(5000);
  expect(rhythm.waitMs('web', { ready: 2 }, at(3))).toBe(5000);
  expect(rhythm.waitMs('web', { ready: 2 }, at(7))).toBe(1000);
  expect(rhythm.waitMs('web', { ready: 2 }, at(8))).toBe(0);
});

it('[issue 9.3] counts that never stand still are written every ten seconds, each object by itself', () => {
  const rhythm = new Rhythm();
  for (let second = 0; second < 10; second++) expect(rhythm.waitMs('web', second, at(second))).toBeGreaterThan(0);
  expect(rhythm.waitMs('api', 0, at(10))).toBe(5000);
  expect(rhythm.waitMs('web', 10, at(10))).toBe(0);
  rhythm.rest('web');
  expect(rhythm.waitMs('web', 11, at(11))).toBe(5000);
});
