import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextPoint, roundCeiling, spanOf, timeTicks, toLanePoints } from '@/components/charts/scale-lane';
import type { ScaleSample } from '@/lib/contract/rollout-rows';

const NOW = Date.UTC(2026, 10, 20, 9, 30);
const sample = (secondsAgo: number, rest: Partial<ScaleSample> = {}): ScaleSample => ({
  at: new Date(NOW - secondsAgo * 1000).toISOString(),
  stageMin: 2,
  stageMax: 10,
  desired: 2,
  actual: 1,
  ...rest,
});

describe('a lane of the chart', () => {
  it('[design 9] ends at now with the last known figures, in order of time', () => {
    const points = toLanePoints([sample(10, { actual: 4 }), sample(60)], [NOW - 60_000, NOW]);
    expect(points.map((point) => [(point.at - NOW) / 1000, point.actual])).toEqual([
      [-60, 1],
      [-10, 4],
      [0, 4],
    ]);
  });

  it('[design 9] draws no band where the stage sets no bounds', () => {
    expect(toLanePoints([sample(1, { stageMin: null, stageMax: null })], [NOW - 60_000, NOW])[0]?.band).toBeNull();
    expect(toLanePoints([sample(1, { stageMin: 0, stageMax: null })], [NOW - 60_000, NOW])[0]?.band).toEqual([0, 0]);
  });

  it('[design 9] begins at the span with what was known before it', () => {
    const points = toLanePoints([sample(600, { actual: 9 }), sample(10, { actual: 4 })], [NOW - 60_000, NOW]);
    expect(points.map((point) => [(point.at - NOW) / 1000, point.actual])).toEqual([
      [-60, 9],
      [-10, 4],
      [0, 4],
    ]);
  });

  it('[issue 14.2] says after the last known moment what was known then, and claims nothing', () => {
    const points = toLanePoints([sample(60, { actual: 4 }), sample(5, { actual: 9 })], [NOW - 60_000, NOW], NOW - 20_000);
    expect(points.map(({ at, actual, lastActual, band }) => [(at - NOW) / 1000, actual, lastActual, band === null])).toEqual([
      [-60, 4, null, false],
      [-20, 4, null, false],
      [-20, null, 4, true],
      [0, null, 4, true],
    ]);
  });

  it('[issue 14.2] shows a stage that allows one number only from its beginning to its end', () => {
    const points = toLanePoints([sample(60, { stageMin: 4, stageMax: 4 }), sample(10)], [NOW - 60_000, NOW]);
    expect(points.map(({ at, only }) => [(at - NOW) / 1000, only])).toEqual([
      [-60, 4],
      [-10, 4],
      [-10, null],
      [0, null],
    ]);
  });

  it.each([
    ['ArrowLeft', 2, 1],
    ['ArrowLeft', 0, 0],
    ['ArrowRight', 2, 3],
    ['ArrowRight', 3, 3],
    ['Home', 2, 0],
    ['End', 1, 3],
    ['a', 1, undefined],
  ])('[issue 14.2] is walked by keys: %s from %i', (key, at, to) => {
    expect(nextPoint(key, at, 4)).toBe(to);
  });

  const ago = (seconds: number) => new Date(NOW - seconds * 1000).toISOString();
  it.each([
    ['a minute at least', [[sample(10)], []], null, null, [-60, 0]],
    ['from the first sample, where no rollout began', [[sample(10)], [sample(600)]], null, null, [-600, 0]],
    ['from shortly before the rollout began, however long nothing happened', [[sample(90_000)]], ago(100), null, [-108, 0]],
    ['to shortly after it ended, however long ago', [[sample(90_000)]], ago(3600), ago(3500), [-3608, -3492]],
  ])('[design 9] shares one span with the other lanes: %s', (_title, lanes, startedAt, finishedAt, span) => {
    expect(spanOf({ lanes, startedAt, finishedAt, now: NOW }).map((at) => (at - NOW) / 1000)).toEqual(span);
  });

  it('[design 9] has few marks on its axis, all within the span', () => {
    fc.assert(
      fc.property(fc.integer({ min: 60_000, max: 40 * 86_400_000 }), fc.integer({ min: 3, max: 10 }), (length, count) => {
        const ticks = timeTicks([NOW - length, NOW], count);
        expect(ticks.length).toBeLessThanOrEqual(count + 1);
        for (const tick of ticks) expect(tick >= NOW - length && tick <= NOW).toBe(true);
      }),
    );
  });

  it.each([
    [0, 4],
    [4, 8],
    [10, 12],
    [100, 108],
  ])('[design 9] gives a peak of %i a scale up to %i, in whole quarters', (peak, ceiling) => {
    expect(roundCeiling(peak)).toBe(ceiling);
  });
});
