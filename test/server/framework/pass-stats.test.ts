import { describe, expect, it } from 'vitest';
import { PassStats } from '@/server/framework/pass-stats';
import { ManualClock } from '@/test/support/manual-clock';

async function passes(stats: PassStats, clock: ManualClock, tookMs: readonly number[]): Promise<void> {
  for (const ms of tookMs) {
    const startedAt = clock.now();
    await clock.advance(ms);
    stats.observe(startedAt, false);
  }
}

describe('how passes went lately', () => {
  it('[design 9] counts those of the last minute and no older one', async () => {
    const clock = new ManualClock();
    const stats = new PassStats(clock);
    stats.observe(clock.now(), true);
    await clock.advance(30_000);
    stats.observe(clock.now(), false);
    expect(stats.figures()).toMatchObject({ passesPerMinute: 2, failuresPerMinute: 1 });
    await clock.advance(30_000);
    expect(stats.figures()).toMatchObject({ passesPerMinute: 1, failuresPerMinute: 0 });
    await clock.advance(60_000);
    expect(stats.figures()).toMatchObject({ passesPerMinute: 0, failuresPerMinute: 0 });
  });

  it('[design 9] tells percentiles of the newest passes, none before the first', async () => {
    const clock = new ManualClock();
    const stats = new PassStats(clock);
    expect(stats.figures().tookMs).toBeUndefined();
    await passes(
      stats,
      clock,
      Array.from({ length: 100 }, (_, at) => 100 - at),
    );
    expect(stats.figures().tookMs).toEqual({ p50: 50, p95: 95, p99: 99 });
    await passes(stats, clock, Array<number>(512).fill(7));
    expect(stats.figures().tookMs).toEqual({ p50: 7, p95: 7, p99: 7 });
  });
});
