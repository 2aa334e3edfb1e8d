import { describe, expect, it } from 'vitest';
import { AppError } from '@/lib/contract/app-error';
import type { LogStreamEvent } from '@/lib/contract/log-stream';
import { Channel } from '@/lib/std/channel';
import type { Act, Session } from '@/server/auth';
import type { CommandDeps } from '@/server/commands/command-deps';
import type { LogsInput } from '@/server/commands/logs/follow-logs';
import { createFollowLogs } from '@/server/commands/logs/follow-logs';
import type { OwnedPod } from '@/server/commands/logs/pod-source';
import { ManualClock } from '@/test/support/manual-clock';
import { aPod, owned, playLogs } from './played-logs';

const ANN = { user: 'ann', person: { user: 'ann' } } as unknown as Session;
const LATER = { user: 'ann', person: { user: 'ann', groups: ['later'] } } as unknown as Session;
const forbidden = (ns: string) => new AppError('forbidden', `ann may not read ${ns}`);

/** Logs that are followed over a cluster that is played, and what is asked on the way. */
function rigOf(pods: readonly OwnedPod[] = []) {
  const clock = new ManualClock();
  const { cluster, asked } = playLogs(new Channel<Uint8Array>(1));
  const acts: unknown[] = [];
  const people: unknown[] = [];
  const places: unknown[] = [];
  const listeners = new Set<() => void>();
  const held = { pods, failures: {} as Record<string, Error | undefined>, watches: 0, signal: undefined as AbortSignal | undefined };
  const whole = {
    ...cluster,
    get: async (at: { readonly name: string }) => {
      places.push(at);
      return aPod(at.name);
    },
    async *watch(_of: object, { signal }: { readonly signal?: AbortSignal }) {
      held.watches++;
      held.signal = signal;
      yield* new Channel<never>(1);
    },
  };
  const deps = {
    clock,
    cluster: {
      as: (person: unknown) => {
        people.push(person);
        return whole;
      },
    },
    auth: {
      authorise: async (_session: Session, act: Act & { ns: string }, notBefore?: number) => {
        acts.push(notBefore === undefined ? act : [act, notBefore]);
        const failure = held.failures[act.ns];
        if (failure !== undefined) throw failure;
      },
    },
    podsOf: (place: unknown) => {
      places.push(place);
      return {
        pods: () => held.pods,
        onChange: (listener: () => void) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      };
    },
  } as unknown as CommandDeps;
  const open = async (over: Partial<LogsInput> = {}) => {
    const asking: LogsInput = { ns: 'shop', of: { application: 'web' }, follow: true, previous: false, tail: 5, since: undefined, ...over };
    const leaving = new AbortController();
    const logs = await createFollowLogs(deps)(ANN, asking, leaving.signal);
    const told: (LogStreamEvent | undefined)[] = [];
    const all = async () => {
      for await (const event of logs.events()) told.push(event);
    };
    void all();
    await clock.settle();
    const states = () => {
      const known = new Map<string, unknown>();
      for (const event of told)
        if (event?.event === 'sources') for (const { pod, state, note } of event.data.sources) known.set(pod, [state, note]);
      return Object.fromEntries(known);
    };
    return { logs, leaving, told, states };
  };
  const have = async (...now: readonly OwnedPod[]) => {
    held.pods = now;
    for (const listener of listeners) listener();
    await clock.advance(200);
  };
  return { clock, asked, acts, people, places, held, open, have, listeners };
}

const inShop = owned(aPod('a'));
const inLabs = owned(aPod('b', undefined, { namespace: 'labs' }));
const podsOf = (asked: readonly { readonly pod: string }[]) => asked.map(({ pod }) => pod.split('/').slice(4, 7).join(' '));

describe('[design 8] logs that are followed', () => {
  it('are read of each namespace by a right of its own', async () => {
    const rig = rigOf([inShop, inLabs]);
    rig.held.failures.labs = forbidden('labs');
    const { states } = await rig.open();
    expect(rig.acts).toEqual([
      { kind: 'view-logs', ns: 'shop', pod: undefined, application: 'web' },
      { kind: 'view-logs', ns: 'labs' },
    ]);
    expect([podsOf(rig.asked), states(), rig.places]).toEqual([
      ['shop pods a'],
      { a: ['reading', null], b: ['refused', 'ann may not read labs'] },
      [{ ns: 'shop', name: 'web' }],
    ]);
  });

  it('are refused as a whole without the right to those of its own', async () => {
    const rig = rigOf([inShop]);
    rig.held.failures.shop = forbidden('shop');
    await expect(rig.open()).rejects.toThrow('ann may not read shop');
    expect([rig.asked, rig.listeners.size]).toEqual([[], 0]);
  });

  it('end in a namespace whose right is gone, and go on while nobody can tell', async () => {
    const rig = rigOf([inShop, inLabs]);
    const { logs, states } = await rig.open();
    expect(podsOf(rig.asked)).toEqual(['shop pods a', 'labs pods b']);
    for (const failure of [new Error('no answer'), new AppError('unavailable', 'no answer')]) {
      rig.held.failures.labs = failure;
      await logs.recheck(LATER, 7 as never);
      await rig.clock.advance(200);
      expect([rig.acts.at(-1), states().b]).toEqual([
        [{ kind: 'view-logs', ns: 'labs' }, 7],
        ['reading', null],
      ]);
    }
    rig.held.failures.labs = forbidden('labs');
    await logs.recheck(LATER, 8 as never);
    await rig.clock.advance(200);
    expect([states(), rig.asked[1]?.signal?.aborted, rig.asked[0]?.signal?.aborted]).toEqual([
      { a: ['reading', null], b: ['refused', 'ann may not read labs'] },
      true,
      false,
    ]);
    rig.held.failures.labs = new Error('no answer');
    await logs.recheck(LATER, 9 as never);
    await rig.clock.advance(200);
    expect(states().b).toEqual(['refused', 'no answer']);
  });

  it('are asked for in a namespace that comes, before anything of it is read, and as the person is known then', async () => {
    const rig = rigOf([inShop]);
    const { logs, states } = await rig.open();
    await logs.recheck(LATER, 7 as never);
    expect(rig.acts).toHaveLength(1);
    await rig.have(inShop, inLabs);
    expect(rig.acts.at(-1)).toEqual({ kind: 'view-logs', ns: 'labs' });
    await rig.clock.advance(200);
    expect([podsOf(rig.asked), rig.people.at(-1), states().b]).toEqual([['shop pods a', 'labs pods b'], LATER.person, ['reading', null]]);
    rig.held.failures.more = forbidden('more');
    await rig.have(inShop, inLabs, owned(aPod('c', undefined, { namespace: 'more' })));
    await rig.clock.advance(400);
    expect([podsOf(rig.asked).length, states().c]).toEqual([2, ['refused', 'ann may not read more']]);
  });

  it('let go of everything when they end, and say why where nobody may read them', async () => {
    for (const why of [undefined, 'ann may not']) {
      const rig = rigOf([inShop]);
      const { logs, told } = await rig.open();
      if (why === undefined) logs.release();
      else logs.withdraw(why);
      await rig.clock.settle();
      expect([rig.asked[0]?.signal?.aborted, rig.listeners.size, rig.clock.waiting()]).toEqual([true, 0, 0]);
      expect(told.some((event) => event?.event === 'end')).toBe(why !== undefined);
    }
  });
});

describe('[issue 14.1] what is asked of logs', () => {
  it.each<readonly [string, Partial<LogsInput>, object]>([
    ['a duration', { since: { ms: 60_000 } }, { follow: 'true', tailLines: '5', sinceTime: '2026-01-01T08:59:00Z' }],
    [
      'a moment',
      { since: { at: Date.UTC(2026, 0, 1, 8) as never } },
      { follow: 'true', tailLines: '5', sinceTime: '2026-01-01T08:00:00Z' },
    ],
    ['nothing', { tail: undefined }, { follow: 'true' }],
    ['the run before', { previous: true }, { previous: 'true', tailLines: '5' }],
    ['no more than there is', { follow: false }, { tailLines: '5' }],
  ])('is passed on: %s', async (_what, over, query) => {
    const rig = rigOf([inShop]);
    await rig.open(over);
    expect(rig.asked.map(({ query: sent }) => sent)).toEqual([{ container: 'app', timestamps: 'true', ...query }]);
  });

  it('leaves out what is of another revision, pod or container', async () => {
    const pods = [owned(aPod('a'), { revision: 'v1' }), owned(aPod('b'), { revision: 'v2' }), owned(aPod('c'), { revision: 'v2' })];
    const of = async (over: Partial<LogsInput>) => {
      const rig = rigOf(pods);
      await rig.open(over);
      return podsOf(rig.asked);
    };
    expect(await of({ of: { application: 'web', revision: 'v2' } })).toEqual(['shop pods b', 'shop pods c']);
    expect(await of({ of: { application: 'web', revision: 'v2', pod: 'c' } })).toEqual(['shop pods c']);
    expect(await of({ container: 'other' })).toEqual([]);
  });

  it('is one pod that is read as the person, and followed unless only its run before is asked for', async () => {
    for (const [over, watches] of [
      [{}, 1],
      [{ previous: true }, 0],
      [{ follow: false }, 0],
    ] as const) {
      const rig = rigOf();
      const { leaving } = await rig.open({ of: { pod: 'one' }, ...over });
      expect([rig.held.watches, podsOf(rig.asked), rig.acts[0]]).toEqual([
        watches,
        ['shop pods one'],
        { kind: 'view-logs', ns: 'shop', pod: 'one', application: undefined },
      ]);
      expect(rig.places[0]).toMatchObject({ namespace: 'shop', name: 'one' });
      leaving.abort();
    }
  });

  it('[issue 10.7] is let go of where its logs cannot be opened', async () => {
    const rig = rigOf();
    rig.clock.now = () => {
      throw new Error('it broke');
    };
    await expect(rig.open({ of: { pod: 'one' } })).rejects.toThrow('it broke');
    expect([rig.held.watches, rig.held.signal?.aborted]).toEqual([1, true]);
  });

  it('is not followed any longer once its logs are let go, or whoever asked leaves', async () => {
    for (const how of ['release', 'leave'] as const) {
      const rig = rigOf();
      const { logs, leaving } = await rig.open({ of: { pod: 'one' } });
      expect(rig.held.signal?.aborted).toBe(false);
      if (how === 'release') logs.release();
      else leaving.abort();
      expect(rig.held.signal?.aborted).toBe(true);
    }
  });
});
