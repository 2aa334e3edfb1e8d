import { describe, expect, it } from 'vitest';
import { readField } from '@/lib/kube/fields';
import { startReplicas } from './replicas';

/** The time that the issue allows from the death of a leader to the first act of the next. */
const TAKE_OVER_MS = 15_000;

describe('leader election by Lease', () => {
  it('[design 4] one of several replicas leads, and only it writes', async () => {
    await using house = await startReplicas(['a', 'b', 'c']);
    await house.clock.advance(30_000);
    const leaders = house.acting()[0] ?? [];
    expect(leaders).toHaveLength(1);
    expect(new Set(house.written.map(({ by }) => by))).toEqual(new Set(leaders));
    expect(house.written.length).toBeGreaterThan(100);
    for (const name of ['a', 'b', 'c']) {
      expect(house.replica(name).leadership.state()).toMatchObject({ holder: leaders[0], isLeader: name === leaders[0] });
    }
  });

  it('[issue 4] a leader that dies is followed within 15 s, whenever it dies', async () => {
    for (const diesAfterMs of [1, 700, 1_300, 1_999, 2_500, 3_333]) {
      await using house = await startReplicas(['a']);
      house.start('b');
      await house.clock.advance(20_000 + diesAfterMs);
      expect(house.acting()).toEqual([['a']]);
      house.replica('a').kill();
      await house.clock.advance(TAKE_OVER_MS);
      expect(house.acting()).toEqual([['b']]);
    }
  });

  it('[design 4] a leader that stops gives the Lease back, and the next look takes it', async () => {
    await using house = await startReplicas(['a']);
    house.start('b');
    await house.clock.advance(10_000);
    await house.stop('a');
    expect(house.acting()).toEqual([[]]);
    const released = await house.lease('slipway-shard-0');
    expect(released?.spec).toMatchObject({ leaseDurationSeconds: 1, leaseTransitions: 0 });
    expect(released?.spec).not.toHaveProperty('holderIdentity');
    await house.clock.advance(2_200);
    expect(house.acting()).toEqual([['b']]);
  });

  it('[design 4] the record is the one that client-go keeps', async () => {
    await using house = await startReplicas(['a']);
    const first = await house.lease('slipway-shard-0');
    expect(first?.spec).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 12, leaseTransitions: 0 });
    expect(readField(first, 'spec', 'acquireTime')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    await house.clock.advance(10_000);
    const renewed = await house.lease('slipway-shard-0');
    expect(readField(renewed, 'spec', 'acquireTime')).toBe(readField(first, 'spec', 'acquireTime'));
    expect(readField(renewed, 'spec', 'renewTime')).not.toBe(readField(first, 'spec', 'renewTime'));
    house.start('b');
    house.replica('a').kill();
    await house.clock.advance(TAKE_OVER_MS);
    const taken = await house.lease('slipway-shard-0');
    expect(taken?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
    expect(readField(taken, 'spec', 'acquireTime')).not.toBe(readField(first, 'spec', 'acquireTime'));
  });

  it('[issue 4] a paused process is fenced the instant it resumes, before any timer of its own fires', async () => {
    await using house = await startReplicas(['a']);
    house.start('b');
    await house.clock.advance(10_000);
    const { clock, leadership } = house.replica('a');
    clock.pause(60_000);
    await house.clock.advance(30_000);
    expect(house.acting()).toEqual([['b']]);
    expect(leadership.mayAct()).toBe(false);
    await house.clock.advance(60_000);
    expect(house.acting()).toEqual([['b']]);
    expect(house.written.every(({ by, holder }) => by === holder)).toBe(true);
  });

  it('[issue 4] a leader whose clock stands still and whose network is gone stops before another may start', async () => {
    await using house = await startReplicas(['a']);
    house.start('b');
    await house.clock.advance(10_000);
    const { clock, leases } = house.replica('a');
    clock.stall(120_000);
    leases.state = 'lost';
    await house.clock.advance(60_000);
    expect(house.acting()).toEqual([['b']]);
    expect(house.written.every(({ by, holder }) => by === holder)).toBe(true);
    expect(lastOf(house.written, 'a')).toBeLessThan(firstOf(house.written, 'b'));
  });

  it.each(['lost', 'unanswered'] as const)(
    '[issue 4] a leader whose requests are %s writes nothing more, well before another does',
    async (state) => {
      await using house = await startReplicas(['a']);
      house.start('b');
      await house.clock.advance(10_000);
      house.replica('a').leases.state = state;
      if (state === 'lost') {
        await house.clock.advance(TAKE_OVER_MS);
        expect(house.acting()).toEqual([['b']]);
        expect(firstOf(house.written, 'b') - lastOf(house.written, 'a')).toBeGreaterThan(1_500);
      } else {
        // Its renewals still arrive, so nobody may take over; but it does not know, so it must not act either.
        await house.clock.advance(60_000);
        expect(house.written.every(({ by, holder }) => by === holder)).toBe(true);
        expect(house.replica('a').leadership.mayAct()).toBe(false);
      }
    },
  );

  it('[issue 4] a clock that was set back while the process was paused does not make it act on a Lease that lapsed', async () => {
    await using house = await startReplicas(['a']);
    await house.clock.advance(15_000);
    house.start('b');
    await house.clock.advance(5_000);
    const { clock } = house.replica('a');
    clock.pause(14_800);
    clock.offsetMs -= 5_600; // by its own clock less time went by than its Lease allows
    await house.clock.advance(30_000);
    expect(house.acting()).toEqual([['b']]);
    expect(house.written.filter(({ by, holder }) => by !== holder)).toEqual([]);
  });

  it('[design 4] a clock that goes back ends the right to act until the next renewal', async () => {
    await using house = await startReplicas(['a']);
    await house.clock.advance(10_000);
    const { clock, leadership } = house.replica('a');
    expect(leadership.mayAct()).toBe(true);
    clock.offsetMs -= 3_600_000;
    expect(leadership.mayAct()).toBe(false);
    await house.clock.advance(4_000);
    expect(leadership.mayAct()).toBe(true);
  });

  it('[design 4] clocks that differ by hours, or are set forward, take nothing from a leader that renews', async () => {
    await using house = await startReplicas(['a']);
    const late = house.start('b');
    late.clock.offsetMs = 7_200_000;
    await house.clock.advance(20_000);
    late.clock.offsetMs += 86_400_000;
    await house.clock.advance(20_000);
    expect(house.acting()).toEqual([['a']]);
    expect(house.written.every(({ by }) => by === 'a')).toBe(true);
  });

  it('[design 4] a clock that is set forward ages no Lease', async () => {
    await using house = await startReplicas(['a']);
    const late = house.start('b');
    await house.clock.advance(20_000);
    house.replica('a').leases.state = 'lost';
    await house.clock.advance(4_500);
    late.clock.offsetMs += 86_400_000;
    await house.clock.advance(4_500);
    expect(house.acting()).toEqual([['a']]);
    await house.clock.advance(6_000);
    expect(house.acting()).toEqual([['b']]);
    expect(house.written.every(({ by, holder }) => by === holder)).toBe(true);
  });

  it('[design 4] a conflict at the renewal is no loss: the next look tells who holds the Lease', async () => {
    await using house = await startReplicas(['a']);
    await house.clock.advance(4_000);
    house.server.faults.fail({ verb: 'update', kind: 'Lease' }, 409, { times: 3 });
    await house.clock.advance(20_000);
    expect(house.acting()).toEqual([['a']]);
    expect(house.replica('a').leadership.state().since).toBeLessThan(house.clock.now() - 20_000);
  });

  it('[design 4] a Lease that was deleted is waited out before another is made', async () => {
    await using house = await startReplicas(['a']);
    house.start('b');
    await house.clock.advance(10_000);
    await house.cluster.delete({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: 'kube-system', name: 'slipway-shard-0' });
    await house.clock.advance(8_000);
    expect(house.written.filter(({ by }) => by === 'b')).toEqual([]);
    await house.clock.advance(10_000);
    expect(house.acting()[0]).toHaveLength(1);
  });

  it('[issue 10.6] tells since when the Leases cannot be reached, and why, until they are again', async () => {
    await using house = await startReplicas(['a']);
    await house.clock.advance(10_000);
    const { leases, leadership } = house.replica('a');
    expect(leadership.state()).toMatchObject({ isLeader: true, failure: undefined });
    leases.state = 'lost';
    await house.clock.advance(15_000);
    const { isLeader, failure } = leadership.state();
    expect([isLeader, failure?.reason]).toEqual([false, 'no answer within 3000 ms']);
    await house.clock.advance(15_000);
    expect(leadership.state().failure).toEqual(failure);
    leases.state = 'up';
    await house.clock.advance(15_000);
    expect(leadership.state()).toMatchObject({ isLeader: true, failure: undefined });
  });

  it('[design 4] tells who leads at every change, once', async () => {
    await using house = await startReplicas([]);
    const { leadership } = house.start('a');
    const told: (readonly [string | undefined, boolean])[] = [];
    leadership.subscribe(({ holder, isLeader }) => told.push([holder, isLeader]));
    await house.clock.advance(10_000);
    await house.stop('a');
    // It stops acting first, and gives the Lease back then.
    expect(told).toEqual([
      ['a', true],
      ['a', false],
      [undefined, false],
    ]);
  });
});

type Writes = readonly { readonly at: number; readonly by: string }[];
const lastOf = (writes: Writes, by: string) => Math.max(...writes.filter((write) => write.by === by).map(({ at }) => at));
const firstOf = (writes: Writes, by: string) => Math.min(...writes.filter((write) => write.by === by).map(({ at }) => at));
