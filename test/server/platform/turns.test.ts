import { describe, expect, it } from 'vitest';
import { createMetrics, sayMetrics, watchTurns } from '@/server/platform';
import { TurnWindow } from '@/server/platform/turns';

/** Keeps the event loop in one turn for so long. */
function hold(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('the turns of the event loop', () => {
  it('[issue 10.4] are told for the last minute: the longest, and the share of the time in those over 50 ms', () => {
    const window = new TurnWindow(0);
    window.add(20, 1000);
    window.add(50, 2000);
    expect(window.figures(10_000)).toEqual({ longestMs: 50, longPercent: 0 });
    window.add(300, 11_000);
    window.add(100, 31_000);
    expect(window.figures(40_000)).toEqual({ longestMs: 300, longPercent: 1 });
    expect(window.figures(60_000)).toEqual({ longestMs: 300, longPercent: 0.7 });
    expect(window.figures(72_000)).toEqual({ longestMs: 100, longPercent: 0.2 });
    window.add(1, 120_000);
    expect(window.figures(120_000)).toEqual({ longestMs: 1, longPercent: 0 });
  });

  it('[issue 10.4] are measured as they are, and served as metrics', async () => {
    const metrics = createMetrics();
    await using turns = watchTurns(metrics, Promise.resolve());
    await turn();
    hold(120);
    await turn();
    await turn();
    expect(turns.figures().longestMs).toBeGreaterThanOrEqual(110);
    expect(turns.figures().longPercent).toBeGreaterThan(0);
    expect(await sayMetrics(metrics)).toMatch(/^slipway_loop_turn_longest_seconds 0\.[1-9]/m);
    expect(await sayMetrics(metrics)).toMatch(/^slipway_loop_turns_long_ratio 0\.\d/m);
  });

  it('[design 14] count from the moment the address is told: what is computed before keeps nobody waiting', async () => {
    let tell = (): void => undefined;
    const told = new Promise<void>((resolve) => {
      tell = resolve;
    });
    await using turns = watchTurns(createMetrics(), told);
    hold(120);
    await turn();
    await turn();
    expect(turns.figures()).toEqual({ longestMs: 0, longPercent: 0 });
    tell();
    await turn();
    hold(120);
    await turn();
    await turn();
    expect(turns.figures().longestMs).toBeGreaterThanOrEqual(110);
  });
});
