import { describe, expect, it } from 'vitest';
import { ManualClock } from '@/test/support/manual-clock';

describe('ManualClock', () => {
  it('[cluster T1] runs timers due at one instant in the order they were set, and moves only when told', async () => {
    const clock = new ManualClock();
    const ran: string[] = [];
    clock.schedule(100, () => ran.push('a'));
    clock.schedule(100, () => ran.push('b'));
    clock.schedule(50, () => ran.push('first'));
    await clock.settle();
    expect(ran).toEqual([]);
    await clock.advance(100);
    expect(ran).toEqual(['first', 'a', 'b']);
  });

  it('[cluster T1] settles only when what timers set off is done, chains of awaits included', async () => {
    const clock = new ManualClock();
    const start = clock.now();
    const seen: number[] = [];
    void (async () => {
      for (let step = 0; step < 3; step++) {
        await clock.sleep(10);
        seen.push(clock.now() - start);
      }
    })();
    await clock.advance(30);
    expect(seen).toEqual([10, 20, 30]);
  });

  it('[cluster T1] waits for holders before it calls an instant settled', async () => {
    const clock = new ManualClock();
    let done = false;
    const release = clock.hold();
    setImmediate(() =>
      setImmediate(() =>
        setImmediate(() =>
          setImmediate(() => {
            done = true;
            release();
          }),
        ),
      ),
    );
    await clock.settle();
    expect(done).toBe(true);
  });

  it('a cancelled timer never runs, and an aborted sleep rejects with the reason', async () => {
    const clock = new ManualClock();
    const ran: string[] = [];
    clock.schedule(10, () => ran.push('cancelled'))();
    const abort = new AbortController();
    const sleeping = clock.sleep(10, abort.signal);
    abort.abort(new Error('enough'));
    await expect(sleeping).rejects.toThrow('enough');
    await clock.advance(100);
    expect(ran).toEqual([]);
  });

  it.each([
    ['sets a timer for the same instant', 0],
    ['sets timers faster than time passes', 0.001],
  ])('[issue 9, 6] stops with an error after 100,000 timers in one advance when something %s', async (_what, delayMs) => {
    const clock = new ManualClock();
    let ran = 0;
    const again = () => {
      ran++;
      clock.schedule(delayMs, again);
    };
    again();
    await expect(clock.advance(60_000)).rejects.toThrow('the clock ran 100,000 timers and is at 2026-01-01T09:00:00');
    expect(ran).toBe(100_001);
  });

  it('[issue 9, 6] runs 100,000 timers in one advance, and as many in the next', async () => {
    const clock = new ManualClock();
    let ran = 0;
    for (let turn = 1; turn <= 2; turn++) {
      for (let at = 0; at < 100_000; at++) clock.schedule(1, () => ran++);
      await clock.advance(1);
      expect(ran).toBe(turn * 100_000);
    }
  });
});
