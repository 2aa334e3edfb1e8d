import { describe, expect, it } from 'vitest';
import { ManualClock } from '@/server/platform';

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
});
