import { describe, expect, it } from 'vitest';
import type { RecordEntry } from '@/lib/contract/record-entry';
import { KINDS } from '@/lib/kube/kinds';
import { toInstant } from '@/lib/std/instant';
import { RecordedRollouts } from '@/server/readmodel/history/rollout-history';
import { ManualClock } from '../../../support/manual-clock';

const start = (clock: ManualClock, ns: string, id: string): RecordEntry => ({
  id: `rollout.started:${id}:web-v2`,
  at: clock.now(),
  actor: 'slipway',
  action: 'rollout.started',
  about: { ...KINDS.rolloutOrchestrator, namespace: ns, name: 'web' },
  message: '',
});

describe('the history of rollouts', () => {
  it('[issue 14.2] is read once however many ask, and again after ten seconds with what is new', async () => {
    const clock = new ManualClock();
    const entries = [start(clock, 'shop', 'a')];
    const asked: (number | undefined)[] = [];
    const read = async ({ since }: { readonly since?: number }) => {
      asked.push(since);
      return entries;
    };
    const history = new RecordedRollouts({ read, clock });
    const [first, second] = await Promise.all([history.see('all', {}), history.see('all', {})]);
    expect([first.all.started, second.all.started, asked.length]).toEqual([1, 1, 1]);
    entries.push(start(clock, 'pay', 'b'));
    expect((await history.see('all', {})).all.started).toBe(1);
    await clock.advance(10_000);
    expect((await history.see('all', {})).all.started).toBe(2);
    expect(asked).toHaveLength(2);
    expect(asked[1]).toBeGreaterThan(asked[0] ?? 0);
  });

  it('[issue 14.2] counts and shows what the reader may see, and nothing else', async () => {
    const clock = new ManualClock();
    const history = new RecordedRollouts({ read: async () => [start(clock, 'shop', 'a'), start(clock, 'pay', 'b')], clock });
    const seen = await history.see(['pay'], {});
    expect([seen.all.started, seen.total, seen.rows.map(({ ns }) => ns)]).toEqual([1, 1, ['pay']]);
    expect((await history.see([], {})).all.started).toBe(0);
    expect((await history.see('all', { ns: ['shop'] })).rows.map(({ ns }) => ns)).toEqual(['shop']);
    expect((await history.see('all', { ns: ['pay', 'shop'] })).rows.map(({ ns }) => ns).toSorted()).toEqual(['pay', 'shop']);
    expect((await history.see(['pay'], { ns: ['pay', 'shop'] })).rows.map(({ ns }) => ns)).toEqual(['pay']);
  });

  it('[issue 14.2] says that it has nothing where nothing is on record, and fails where the record does', async () => {
    const clock = new ManualClock();
    const empty = await new RecordedRollouts({ read: async () => [], clock }).see('all', {});
    expect(empty).toMatchObject({ all: { started: 0, leadMs: null }, total: 0, rows: [], isWhole: true });
    expect(empty.weeks).toHaveLength(8);
    const failing = new RecordedRollouts({ read: () => Promise.reject(new Error('the store does not answer')), clock });
    await expect(failing.see('all', {})).rejects.toThrow('the store does not answer');
    await expect(failing.see('all', {})).rejects.toThrow('the store does not answer');
  });

  it('[issue 14.2] says since when it tells where the record has more than is read', async () => {
    const clock = new ManualClock();
    const entries = Array.from({ length: 20_000 }, (_, at) => ({
      ...start(clock, 'shop', String(at)),
      at: toInstant(clock.now() - 20_000 + at),
    }));
    const seen = await new RecordedRollouts({ read: async () => entries, clock }).see('all', {});
    expect(seen.isWhole).toBe(false);
    expect(Date.parse(seen.since)).toBe(clock.now() - 20_000);
  });

  it('[issue 14.2] keeps no more than it may read at once, and is whole again once the weeks begin later', async () => {
    const clock = new ManualClock();
    const first = Array.from({ length: 20_000 }, (_, at) => ({
      ...start(clock, 'shop', String(at)),
      at: toInstant(clock.now() - 20_000 + at),
    }));
    let entries = first;
    const history = new RecordedRollouts({ read: async () => entries, clock });
    expect((await history.see('all', {})).all.started).toBe(20_000);
    await clock.advance(10_000);
    entries = [start(clock, 'shop', 'one more')];
    const more = await history.see('all', {});
    expect([more.all.started, more.isWhole, Date.parse(more.since)]).toEqual([20_000, false, Number(first[1]?.at)]);
    await clock.advance(9 * 7 * 86_400_000);
    entries = [];
    expect(await history.see('all', {})).toMatchObject({ isWhole: true, all: { started: 0 } });
  });
});
