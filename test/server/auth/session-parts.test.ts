import { describe, expect, it } from 'vitest';
import { cutOrigin } from '@/server/auth/sessions/session-origin';
import { watchEndedSessions } from '@/server/auth/sessions/watch-ended-sessions';
import { ManualClock } from '@/test/support/manual-clock';
import { silentLog } from '../../support/silent-log';

describe('sessions that end on another replica', () => {
  function watch(clock: ManualClock, ending?: AbortSignal) {
    const told = { asked: [] as number[], ended: [] as string[], warned: 0, answers: 0 };
    const rig = { told, isNeeded: true, fails: false };
    const begin = watchEndedSessions({
      clock,
      log: { ...silentLog, warn: () => void told.warned++ },
      isNeeded: () => rig.isNeeded,
      endedSince: async (since) => {
        told.asked.push(clock.now() - since);
        if (rig.fails) throw new Error('the store is away');
        return [`session-${++told.answers}`];
      },
      onEnded: (id) => void told.ended.push(id),
      ending,
    });
    return { rig, begin };
  }

  it('[issue 10, 1] are asked for every two seconds over the last five minutes, once however often it begins, and not while nobody is signed in', async () => {
    const clock = new ManualClock();
    const { rig, begin } = watch(clock);
    begin();
    begin();
    await clock.advance(4000);
    expect(rig.told).toMatchObject({ asked: [300_000, 300_000], ended: ['session-1', 'session-2'] });
    rig.isNeeded = false;
    await clock.advance(10_000);
    expect(rig.told.asked).toHaveLength(3);
    begin();
    await clock.advance(10_000);
    expect(rig.told.asked).toHaveLength(3);
    rig.isNeeded = true;
    begin();
    await clock.advance(2000);
    expect(rig.told.asked).toHaveLength(4);
  });

  it('[issue 10, 3] that cannot be asked for are said so once, until they can', async () => {
    const clock = new ManualClock();
    const { rig, begin } = watch(clock);
    rig.fails = true;
    begin();
    await clock.advance(6000);
    expect([rig.told.warned, rig.told.ended]).toEqual([1, []]);
    rig.fails = false;
    await clock.advance(2000);
    rig.fails = true;
    await clock.advance(2000);
    expect([rig.told.warned, rig.told.ended]).toEqual([2, ['session-1']]);
  });

  it('[issue 10, 3] are no longer asked for once the server ends, which closes the store and warns of nothing', async () => {
    const clock = new ManualClock();
    const ending = new AbortController();
    const { rig, begin } = watch(clock, ending.signal);
    begin();
    await clock.advance(2000);
    rig.fails = true;
    ending.abort();
    await clock.advance(10_000);
    expect([rig.told.asked.length, rig.told.warned]).toEqual([2, 0]);
    begin();
    await clock.advance(10_000);
    expect(rig.told.asked.length).toBe(2);
  });
});

describe('where a session begins', () => {
  it('[issue 10, 5] is kept cut and without signs that nobody sees, and as nothing where nothing else is there', () => {
    const agent = `\u202e ${'a'.repeat(300)}`;
    expect(cutOrigin({ isCommand: true, address: `10.0.0.1${'0'.repeat(80)}`, agent })).toEqual({
      isCommand: true,
      address: `10.0.0.1${'0'.repeat(56)}`,
      agent: 'a'.repeat(256),
    });
    expect(cutOrigin({ isCommand: false, address: '\u200b\u2028 ', agent: undefined })).toEqual({
      isCommand: false,
      address: null,
      agent: null,
    });
  });
});
