import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ShardView } from '@/server/framework/leadership/shard-plan';
import { planShards, shardOf } from '@/server/framework/leadership/shard-plan';
import { startReplicas } from './replicas';

const view = (index: number, holder: string, more: Partial<ShardView> = {}): ShardView => ({
  index,
  holder,
  live: holder !== '',
  layout: 4,
  ...more,
});

describe('the plan of shards', () => {
  it.each<[string, readonly ShardView[], readonly string[], ReturnType<typeof planShards>]>([
    ['the first shard first, because it says how many there are', [], ['a', 'b'], { keep: [], take: [0], letGo: [] }],
    ['the fair share of what is free', [view(0, 'b'), view(1, '')], ['a', 'b'], { keep: [], take: [1, 2], letGo: [] }],
    ['everything when alone', [view(0, 'a')], ['a'], { keep: [0], take: [1, 2, 3], letGo: [] }],
    [
      'nothing of what another holds',
      [view(0, 'b'), view(1, 'b'), view(2, 'b'), view(3, 'b')],
      ['a', 'b'],
      { keep: [], take: [], letGo: [] },
    ],
    [
      'less when one comes',
      [view(0, 'a'), view(1, 'a'), view(2, 'a'), view(3, 'a')],
      ['a', 'b'],
      { keep: [0, 1], take: [], letGo: [2, 3] },
    ],
    [
      'no move that makes nothing fairer',
      [view(0, 'a'), view(1, 'a'), view(2, 'b'), view(3, 'c')],
      ['a', 'b', 'c'],
      { keep: [0, 1], take: [], letGo: [] },
    ],
    [
      'nothing while another number of shards is in force',
      [view(0, 'b', { layout: 3 }), view(1, 'a')],
      ['a', 'b'],
      { keep: [], take: [], letGo: [1] },
    ],
    ['the new number once nobody lives by the old', [view(0, 'b', { layout: 3, live: false })], ['a'], { keep: [], take: [0], letGo: [] }],
  ])('[design 4] %s', (_, shards, members, plan) => {
    expect(planShards('a', 4, shards, members)).toEqual(plan);
  });

  it('[design 4] the quotas of all members make up exactly all shards', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 8 }),
        fc.array(fc.nat(7), { maxLength: 20 }),
        (count, size, holders) => {
          const members = Array.from({ length: size }, (_, number) => `m${number}`);
          const shards = Array.from({ length: count }, (_, index) => view(index, `m${(holders[index] ?? 0) % size}`, { layout: count }));
          const kept = members.map((member) => planShards(member, count, shards, members).keep.length);
          const wanting = members.map((member) => planShards(member, count, [view(0, 'other', { layout: count })], members).take.length);
          expect(Math.max(...kept) - Math.min(...wanting)).toBeLessThanOrEqual(Math.ceil(count / size));
          expect(Math.max(...kept)).toBeLessThanOrEqual(Math.ceil(count / size));
        },
      ),
    );
  });

  it('[design 4] keys spread over all shards, and each always to the same', () => {
    const counts = new Map<number, number>();
    for (let number = 0; number < 8_000; number++) {
      const shard = shardOf(`team-${number % 20}/web-${number}`, 8);
      counts.set(shard, (counts.get(shard) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(Math.min(...counts.values())).toBeGreaterThan(800);
    expect(shardOf('shop/web', 8)).toBe(shardOf('shop/web', 8));
  });
});

describe('shards over replicas', () => {
  const sizes = (acting: readonly (readonly string[])[]) => {
    const counts: Record<string, number> = {};
    for (const holder of acting.flat()) counts[holder] = (counts[holder] ?? 0) + 1;
    return counts;
  };

  it('[design 4] shards move when a replica comes, dies or goes, and no two act on one', async () => {
    await using house = await startReplicas(['a'], { shards: 4 });
    await house.clock.advance(20_000);
    expect(sizes(house.acting())).toEqual({ a: 4 });
    house.start('b');
    await house.clock.advance(10_000);
    expect(sizes(house.acting())).toEqual({ a: 2, b: 2 });
    house.start('c');
    await house.clock.advance(10_000);
    expect(Object.values(sizes(house.acting())).sort()).toEqual([1, 1, 2]);
    house.replica('a').kill();
    await house.clock.advance(15_000);
    expect(sizes(house.acting())).toEqual({ b: 2, c: 2 });
    await house.stop('b');
    await house.clock.advance(5_000);
    expect(sizes(house.acting())).toEqual({ c: 4 });
    expect(house.written.every(({ by, holder }) => by === holder)).toBe(true);
    expect(house.replica('c').leadership.state().shards).toEqual([0, 1, 2, 3].map((index) => ({ index, holder: 'c', mine: true })));
  });

  it('[design 4] a replica that counts with another number of shards waits until the others are gone', async () => {
    await using house = await startReplicas(['a'], { shards: 2 });
    await house.clock.advance(20_000);
    const late = house.start('z', { shards: 3 });
    await house.clock.advance(30_000);
    expect(
      house
        .replica('a')
        .leadership.state()
        .shards.every(({ mine }) => mine),
    ).toBe(true);
    expect(late.leadership.state().shards.some(({ mine }) => mine)).toBe(false);
    await house.stop('a');
    await house.clock.advance(10_000);
    expect(late.leadership.state().shards.some(({ mine }) => mine)).toBe(false);
    await house.clock.advance(20_000);
    expect(late.leadership.state().shards.every(({ mine }) => mine)).toBe(true);
  });

  it('[design 4] what the dead have left of their membership is swept', async () => {
    await using house = await startReplicas(['a', 'b'], { shards: 2 });
    await house.clock.advance(20_000);
    house.replica('b').kill();
    await house.clock.advance(150_000);
    expect(await house.lease('slipway-member-b')).toBeUndefined();
    expect(await house.lease('slipway-member-a')).toBeDefined();
  });

  it.each([0, 500, 1_000, 1_500])('[design 4] a write under way is awaited before its shard is handed over (%i ms on)', async (ms) => {
    await using house = await startReplicas(['a'], { shards: 2 });
    await house.clock.advance(20_000 + ms);
    house.replica('a').data.thereMs = 1_900;
    house.start('b');
    await house.clock.advance(8_000);
    expect(sizes(house.acting())).toEqual({ a: 1, b: 1 });
    expect(house.written.every(({ by, holder }) => by === holder)).toBe(true);
  });

  it('[issue 4] a replica that counts with another number of shards tells which one is in force', async () => {
    await using house = await startReplicas(['a'], { shards: 2 });
    await house.clock.advance(20_000);
    const b = house.start('b', { shards: 3 });
    await house.clock.advance(5_000);
    expect(b.leadership.state()).toMatchObject({ holder: 'a', isLeader: false, inForce: 2 });
    expect(b.leadership.state().shards).toHaveLength(3);
    await house.stop('a');
    await house.clock.advance(40_000);
    expect(b.leadership.state()).toMatchObject({ holder: 'b', isLeader: true, inForce: 3 });
  });

  it('[design 4] a write that got no answer keeps its shard from being handed over until it can no longer arrive', async () => {
    await using house = await startReplicas(['a']);
    house.start('b');
    await house.clock.advance(10_000);
    house.replica('a').data.state = 'lost';
    await house.clock.advance(500);
    const stopped = house.stop('a');
    await house.clock.advance(8_000);
    expect(house.acting()).toEqual([[]]);
    await house.clock.advance(20_000);
    await stopped;
    expect(house.acting()).toEqual([['b']]);
  });
});
