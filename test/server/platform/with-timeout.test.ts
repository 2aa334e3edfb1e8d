import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { linkAbort, waitAtMost, withTimeout } from '@/server/platform';
import { ManualClock } from '../../support/manual-clock';

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

describe('a signal that is linked to an outer one', () => {
  it('[style 3.4] aborts with it and with its reason, at once where that has happened already', () => {
    const outer = new AbortController();
    const before = linkAbort(outer.signal);
    outer.abort(new Error('the server stops'));
    expect([before, linkAbort(outer.signal)].map(({ controller: { signal } }) => String(signal.reason))).toEqual([
      'Error: the server stops',
      'Error: the server stops',
    ]);
  });

  it('[issue 10, 6] leaves nothing at a signal as old as the process once its work is over', async () => {
    const { signal } = new AbortController();
    const clock = new ManualClock();
    await withTimeout({ clock, ms: 1000, signal, what: 'a look' }, async () => undefined);
    await expect(withTimeout({ clock, ms: 1000, signal, what: 'a look' }, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('[style 3.4] ends what takes too long, and names it', async () => {
    const clock = new ManualClock();
    const late = withTimeout({ clock, ms: 5000, signal: new AbortController().signal, what: 'helm version' }, untilAborted);
    const told = expect(late).rejects.toThrow('helm version took longer than 5 s');
    await clock.advance(5000);
    await told;
  });
});

describe('a wait with a limit', () => {
  it('[issue 11, 1] is over with the promise, when the time is up, or when the signal aborts', async () => {
    const clock = new ManualClock();
    const outer = new AbortController();
    const wait = (promise: Promise<string>) => waitAtMost({ clock, ms: 5000, signal: outer.signal, late: () => 'late' }, promise);
    expect(await wait(Promise.resolve('in time'))).toBe('in time');
    await expect(wait(Promise.reject(new Error('no')))).rejects.toThrow('no');
    const never = new Promise<string>(() => undefined);
    const slow = wait(never);
    await clock.advance(5000);
    expect(await slow).toBe('late');
    expect(clock.waiting()).toBe(0);
    const left = wait(never);
    outer.abort();
    expect([await left, await wait(never)]).toEqual(['late', 'late']);
    expect([clock.waiting(), getEventListeners(outer.signal, 'abort')]).toEqual([0, []]);
  });

  it('[issue 11, 1] fails with what is thrown when the time is up', async () => {
    const clock = new ManualClock();
    const late = () => {
      throw new Error('it does not answer');
    };
    const told = expect(waitAtMost({ clock, ms: 5000, late }, new Promise(() => undefined))).rejects.toThrow('it does not answer');
    await clock.advance(5000);
    await told;
  });
});
