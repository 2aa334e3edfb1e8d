import { describe, expect, it } from 'vitest';
import type { Clock } from '@/server/platform';
import { realClock, yieldToEventLoop } from '@/server/platform';
import { ManualClock } from '@/test/support/manual-clock';

/** A clock whose time passes only when the test says so; turns are those of the event loop. */
function aClock() {
  let now = 0;
  const clock: Clock = { ...realClock, steadyMs: () => now };
  return { clock, pass: (ms: number) => (now += ms), time: () => now };
}

describe('long work leaves others their turn', () => {
  it('[issue 9] goes on for eight milliseconds, then waits for the next turn', async () => {
    const { clock, pass } = aClock();
    expect(yieldToEventLoop(clock)).toBeUndefined();
    pass(7.9);
    expect(yieldToEventLoop(clock)).toBeUndefined();
    pass(0.1);
    let others = 0;
    setImmediate(() => others++);
    await yieldToEventLoop(clock);
    expect(others).toBe(1);
    // The next turn counts from its beginning, not from the first time somebody asks in it.
    pass(8);
    expect(yieldToEventLoop(clock)).toBeInstanceOf(Promise);
  });

  it('[issue 9] counts the work of everybody within one turn', async () => {
    const { clock, pass, time } = aClock();
    let longest = 0;
    let at = 0;
    const count = () => {
      longest = Math.max(longest, time() - at);
      at = time();
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    const work = async () => {
      for (let piece = 0; piece < 20; piece++) {
        await yieldToEventLoop(clock);
        pass(1);
      }
    };
    await Promise.all(Array.from({ length: 16 }, work));
    clearImmediate(next);
    // Eight milliseconds, and a piece of each who waited for the same turn.
    expect(longest).toBeLessThanOrEqual(8 + 16);
    expect(time()).toBe(320);
  });

  it('[issue 9] never waits where a test moves the time', () => {
    const clock = new ManualClock();
    for (let piece = 0; piece < 1000; piece++) expect(yieldToEventLoop(clock)).toBeUndefined();
  });
});
