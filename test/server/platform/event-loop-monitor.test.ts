import { performance } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { createMetrics, monitorEventLoop, renderMetrics } from '@/server/platform';
import type { TurnSplit } from '@/server/platform/event-loop-stats';
import { TurnWindow } from '@/server/platform/event-loop-stats';
import type { ThreadTimes, ThreadTimesReader } from '@/server/platform/thread-times';
import { openThreadTimes } from '@/server/platform/thread-times';

/** Keeps the event loop in one turn for so long. */
function hold(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

const NO_ACCOUNT = () => undefined;

/** The account of a thread as a test writes it. */
class WrittenTimes implements ThreadTimesReader {
  reads = 0;
  isClosed = false;
  #times: ThreadTimes = { workedMs: 5000, waitedMs: 700 };

  add({ workedMs, waitedMs }: ThreadTimes): void {
    this.#times = { workedMs: this.#times.workedMs + workedMs, waitedMs: this.#times.waitedMs + waitedMs };
  }

  read(): ThreadTimes {
    this.reads++;
    return this.#times;
  }

  [Symbol.dispose](): void {
    this.isClosed = true;
  }
}

describe('the turns of the event loop', () => {
  it('[issue 10.4] are told for the last minute: the longest, and the share of the time in those over 50 ms', () => {
    const window = new TurnWindow(0);
    const add = (lastedMs: number, now: number) => window.add({ lastedMs, split: undefined }, now);
    add(20, 1000);
    add(50, 2000);
    expect(window.figures(10_000)).toEqual({ longestMs: 50, longPercent: 0, split: null });
    add(300, 11_000);
    add(100, 31_000);
    expect(window.figures(40_000)).toEqual({ longestMs: 300, longPercent: 1, split: null });
    expect(window.figures(60_000)).toEqual({ longestMs: 300, longPercent: 0.7, split: null });
    expect(window.figures(72_000)).toEqual({ longestMs: 100, longPercent: 0.2, split: null });
    add(1, 120_000);
    expect(window.figures(120_000)).toEqual({ longestMs: 1, longPercent: 0, split: null });
  });

  it('[issue 10.4] are told by what they did with their time: each figure of the turn that had most of it, shares of what all had', () => {
    const window = new TurnWindow(0, { isSplit: true });
    const add = (lastedMs: number, now: number, split?: TurnSplit) => window.add({ lastedMs, split }, now);
    add(1, 500);
    expect(window.figures(1000).split).toEqual({ workMs: 0, longWorkPercent: 0, waitMs: 0, waitPercent: 0, blockedMs: 0 });
    add(471, 2000, { workedMs: 91, waitedMs: 380, waitedSinceMs: 400 });
    add(80, 3000, { workedMs: 10, waitedMs: 5, waitedSinceMs: 5 });
    add(60, 4000, { workedMs: 59, waitedMs: 1, waitedSinceMs: 45 });
    expect(window.figures(10_000)).toEqual({
      longestMs: 471,
      longPercent: 6.1,
      split: { workMs: 91, longWorkPercent: 1.5, waitMs: 380, waitPercent: 4.5, blockedMs: 65 },
    });
    expect(window.figures(90_000).split).toEqual({ workMs: 0, longWorkPercent: 0, waitMs: 0, waitPercent: 0, blockedMs: 0 });
  });

  it('[issue 10.4] are measured as they are, and served as metrics', async () => {
    const metrics = createMetrics();
    await using turns = monitorEventLoop(metrics, Promise.resolve(), NO_ACCOUNT);
    await turn();
    hold(120);
    await turn();
    await turn();
    expect(turns.figures().longestMs).toBeGreaterThanOrEqual(110);
    expect(turns.figures().longPercent).toBeGreaterThan(0);
    expect(await renderMetrics(metrics)).toMatch(/^slipway_loop_turn_longest_seconds 0\.[1-9]/m);
    expect(await renderMetrics(metrics)).toMatch(/^slipway_loop_turns_long_ratio 0\.\d/m);
  });

  it('[issue 10.4] of a system that keeps no account of a thread say nothing about work', async () => {
    const metrics = createMetrics();
    await using turns = monitorEventLoop(metrics, Promise.resolve(), NO_ACCOUNT);
    await turn();
    hold(60);
    await turn();
    await turn();
    expect(turns.figures()).toMatchObject({ longestMs: expect.any(Number), split: null });
    expect(await renderMetrics(metrics)).not.toMatch(/work|wait|blocked/);
  });

  it('[issue 10.4] are divided by the account of the thread: work, waiting for a processor, and the rest', async () => {
    const metrics = createMetrics();
    const times = new WrittenTimes();
    await using turns = monitorEventLoop(metrics, Promise.resolve(), () => times);
    await turn();
    times.add({ workedMs: 30, waitedMs: 70 });
    hold(120);
    await turn();
    await turn();
    expect(turns.figures().split).toMatchObject({ workMs: 30, longWorkPercent: 0, waitMs: 70 });
    expect(turns.figures().split?.waitPercent).toBeGreaterThan(0);
    expect(turns.figures().split?.blockedMs).toBeGreaterThanOrEqual(20);
    const text = await renderMetrics(metrics);
    expect(text).toMatch(/^slipway_loop_turn_work_longest_seconds 0\.03$/m);
    expect(text).toMatch(/^slipway_loop_turns_work_long_ratio 0$/m);
    expect(text).toMatch(/^slipway_loop_turn_wait_longest_seconds 0\.07$/m);
    expect(text).toMatch(/^slipway_loop_wait_ratio 0\.\d/m);
    expect(text).toMatch(/^slipway_loop_turn_blocked_longest_seconds 0\.\d/m);
  });

  it('[issue 10.4] are told no more than they lasted of what the account says of the time before', async () => {
    const times = new WrittenTimes();
    await using turns = monitorEventLoop(createMetrics(), Promise.resolve(), () => times);
    await turn();
    times.add({ workedMs: 10_000, waitedMs: 90_000 });
    hold(20);
    await turn();
    await turn();
    const { longestMs, split } = turns.figures();
    expect(split).toMatchObject({ workMs: longestMs, waitMs: 0, waitPercent: 100 });
    expect(split?.blockedMs, 'by the clock, on a machine that has other work').toBeLessThan(10_000);
  });

  it('[issue 10.4] cost no look at the account as long as next to nothing is done, and the account is closed with the end', async () => {
    const times = new WrittenTimes();
    const turns = monitorEventLoop(createMetrics(), Promise.resolve(), () => times);
    await turn();
    const { active } = performance.eventLoopUtilization();
    const before = times.reads;
    for (let count = 0; count < 300; count++) await turn();
    const activeMs = performance.eventLoopUtilization().active - active;
    expect(times.reads - before).toBeLessThanOrEqual(activeMs / 2 + 1);
    await turns[Symbol.asyncDispose]();
    expect(times.isClosed).toBe(true);
  });

  it('[design 14] count from the moment the address is told: what is computed before keeps nobody waiting', async () => {
    let tell = (): void => undefined;
    const told = new Promise<void>((resolve) => {
      tell = resolve;
    });
    await using turns = monitorEventLoop(createMetrics(), told, NO_ACCOUNT);
    hold(120);
    await turn();
    await turn();
    expect(turns.figures()).toEqual({ longestMs: 0, longPercent: 0, split: null });
    tell();
    await turn();
    hold(120);
    await turn();
    await turn();
    expect(turns.figures().longestMs).toBeGreaterThanOrEqual(110);
  });
});

describe('the account of a thread', () => {
  it('[issue 10.4] is kept by Linux, and counts what the thread computes and not what it sleeps', () => {
    using times = openThreadTimes();
    if (times === undefined) return expect(process.platform).not.toBe('linux');
    const before = times.read();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    const slept = times.read();
    expect(slept.workedMs - before.workedMs).toBeLessThan(100);
    expect(slept.waitedMs).toBeGreaterThanOrEqual(before.waitedMs);
    hold(50);
    let computed = times.read();
    while (computed.workedMs - slept.workedMs < 50) computed = times.read();
    expect(computed.workedMs + computed.waitedMs).toBeGreaterThan(slept.workedMs + slept.waitedMs);
  });
});
