import { describe, expect, it } from 'vitest';
import { createSignInLimit } from '@/server/auth/sign-in-limit';
import { startTimeLimit } from '@/server/kube/collection/time-limit';
import { createRandom, memoizeFor } from '@/server/platform';
import { WorkQueue } from '@/server/platform/queue/work-queue';
import { Ticker } from '@/server/status/polling/ticker';
import { createAuthRig } from '@/test/server/auth/rig';
import { ManualClock } from '@/test/support/manual-clock';

const HOUR_MS = 3_600_000;
const LEAPS = [
  ['set forward by an hour', HOUR_MS],
  ['set back by an hour', -HOUR_MS],
] as const;

/** A clock that was set, and may be at any time. */
function aClock(): ManualClock {
  const clock = new ManualClock();
  clock.leap(0);
  return clock;
}

describe.each(LEAPS)('a clock that is %s', (_how, leapMs) => {
  it('[issue 10.6] neither holds nor hurries a key that waits for its time', async () => {
    const clock = aClock();
    const queue = new WorkQueue<string>({ clock, random: createRandom(1) });
    queue.add('a', { afterMs: 5000 });
    clock.leap(leapMs);
    queue.add('b', { afterMs: 4000 });
    await clock.advance(3999);
    expect(queue.depth).toBe(0);
    await clock.advance(1);
    expect(queue.depth).toBe(1);
    await clock.advance(1000);
    expect([queue.depth, queue.oldestMs]).toEqual([2, 1000]);
    queue.close();
  });

  it('[issue 10.6] neither lengthens nor shortens how long a silent watch, or a page of a list, is waited for', async () => {
    const clock = aClock();
    const limit = startTimeLimit(clock, new AbortController().signal, 60_000, () => new Error('too long'));
    await clock.advance(30_000);
    limit.restart();
    clock.leap(leapMs);
    await clock.advance(59_999);
    expect(limit.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(limit.signal.aborted).toBe(true);
  });

  it('[issue 10.6] polls go on at their interval', async () => {
    const clock = aClock();
    const ticker = new Ticker(clock, 10_000);
    const ticks: number[] = [];
    const { signal } = new AbortController();
    const start = clock.steadyMs?.() ?? 0;
    const tick = async () => {
      for (let turn = 0; turn < 3; turn++) {
        await ticker.next(signal);
        ticks.push((clock.steadyMs?.() ?? 0) - start);
        if (turn === 0) clock.leap(leapMs);
      }
    };
    const ticking = tick();
    await clock.advance(30_000);
    expect(ticks).toEqual([10_000, 20_000, 30_000]);
    await ticking;
  });

  it('[issue 10.6] keeps no answer about rights longer than it is kept', async () => {
    const clock = aClock();
    const kept = memoizeFor<number>(3000, clock);
    let asked = 0;
    const ask = () => kept('right', async () => ++asked);
    await ask();
    clock.leap(leapMs);
    expect(await ask()).toBe(2);
    expect(await ask()).toBe(2);
    await clock.advance(3000);
    expect(await ask()).toBe(3);
  });

  it('[issue 10.6] forgets no failed sign-in, and locks nobody out for longer than a minute', async () => {
    const clock = aClock();
    const limit = createSignInLimit(clock, 1);
    const failed = limit.begin('10.0.0.1', 'guess');
    failed('wrong');
    clock.leap(leapMs);
    expect(() => limit.begin('10.0.0.1', 'guess')).toThrow('try again in 60 s');
    await clock.advance(60_000);
    limit.begin('10.0.0.1', 'guess');
  });

  it('[issue 10.6] ends a session within a minute after the cluster revoked its token, and no other', async () => {
    const tokens: Record<string, { username: string; groups: string[] }> = {
      ada: { username: 'ada', groups: [] },
      ben: { username: 'ben', groups: [] },
    };
    const { auth, clock } = createAuthRig({ tokens }, { mode: 'token' });
    clock.leap(0);
    const [ada, ben] = [await auth.signIn('ada'), await auth.signIn('ben')].map(({ setCookie }) => setCookie.split(';')[0]);
    delete tokens.ada;
    clock.leap(leapMs);
    await clock.advance(60_000);
    expect(await auth.readSession(ada)).toBeUndefined();
    expect(await auth.readSession(ben)).toMatchObject({ user: 'ben' });
  });
});
