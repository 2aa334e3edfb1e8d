import { describe, expect, it } from 'vitest';
import { AppError } from '@/lib/contract/app-error';
import type { ObjectEvents } from '@/lib/contract/object-rows';
import { MAX_EVENTS } from '@/lib/contract/object-rows';
import type { KubeObject } from '@/lib/kube/object';
import { Channel } from '@/lib/std/channel';
import type { Act } from '@/server/auth';
import type { CommandDeps } from '@/server/commands/command-deps';
import type { EventScope, EventViewer } from '@/server/commands/objects/follow-events';
import { followEvents, readEvents, recheckEvents } from '@/server/commands/objects/follow-events';
import type { WatchEvent } from '@/server/kube';
import { ManualClock } from '@/test/support/manual-clock';
import { ANN, refusalOf } from './rig';

const anEvent = (name: string, about = 'root', more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name, namespace: 'shop', uid: name, resourceVersion: '8' },
  involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: about, uid: `${about}-uid` },
  reason: name,
  message: name,
  ...more,
});

/** Events of namespaces that are played, and what is asked about them. */
function rigOf(lists: Readonly<Record<string, readonly KubeObject[] | Error>> = { shop: [] }) {
  const clock = new ManualClock();
  const asked: { ns: string | undefined; limit?: number; signal?: AbortSignal; from?: string }[] = [];
  const watches: Channel<WatchEvent | Error>[] = [];
  const held: { lists: Readonly<Record<string, readonly KubeObject[] | Error>> } = { lists };
  const cluster = {
    async *list({ namespace: ns = '' }: { namespace?: string }, { limit, signal }: { limit?: number; signal?: AbortSignal }) {
      asked.push({ ns, ...(limit === undefined ? {} : { limit }), ...(signal === undefined ? {} : { signal }) });
      const items = held.lists[ns] ?? [];
      if (items instanceof Error) throw items;
      yield { items, resourceVersion: '7' };
    },
    async *watch({ namespace: ns }: { namespace?: string }, { resourceVersion: from = '' }: { resourceVersion?: string }) {
      asked.push({ ns, from });
      const told = new Channel<WatchEvent | Error>(100);
      watches.push(told);
      for await (const event of told) {
        if (event instanceof Error) throw event;
        yield event;
      }
    },
  };
  const as: unknown[] = [];
  const deps = {
    clock,
    cluster: {
      as: (person: unknown) => {
        as.push(person);
        return cluster;
      },
    },
  } as unknown as CommandDeps;
  return { deps, clock, asked, watches, held, as };
}

const scopeOf = (over: Partial<EventScope> = {}): EventScope => ({
  version: () => '1',
  namespaces: ['shop'],
  belongs: ({ name }) => name === 'root',
  ...over,
});
const reasons = (told: ObjectEvents | undefined) => told?.events.map(({ reason }) => reason).sort();

describe('[issue 14.1] the events of an object, read once', () => {
  it('are those of what belongs to it, read as the person, page by page', async () => {
    const { deps, asked, as } = rigOf({ shop: [anEvent('a'), anEvent('b', 'stranger')] });
    const leaving = new AbortController();
    const told = await readEvents(deps, ANN, scopeOf(), leaving.signal);
    expect([reasons(told), told.left, told.at]).toEqual([['a'], [], '2026-01-01T09:00:00.000Z']);
    expect([asked, as]).toEqual([[{ ns: 'shop', limit: 500, signal: leaving.signal }], [ANN.person]]);
    await readEvents(deps, ANN, scopeOf());
    expect(asked[1]).toStrictEqual({ ns: 'shop', limit: 500 });
  });

  it('are of five namespaces at most, and it is said of how many others they are not', async () => {
    const namespaces = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const { deps, asked } = rigOf();
    expect((await readEvents(deps, ANN, scopeOf({ namespaces }))).left).toEqual(['Events of 2 more namespaces are not read here.']);
    expect(asked.map(({ ns }) => ns)).toEqual(namespaces.slice(0, 5));
    expect((await readEvents(deps, ANN, scopeOf({ namespaces: namespaces.slice(0, 5) }))).left).toEqual([]);
  });

  it('say where they may not be read, and fail where they cannot be', async () => {
    const namespaces = ['shop', 'labs'];
    const refused = rigOf({ shop: [anEvent('a')], labs: refusalOf(403, 'Forbidden') });
    const told = await readEvents(refused.deps, ANN, scopeOf({ namespaces }));
    expect([reasons(told), told.left]).toEqual([['a'], ['You may not read events in labs.']]);
    const broken = rigOf({ labs: refusalOf(500, 'InternalError') });
    await expect(readEvents(broken.deps, ANN, scopeOf({ namespaces }))).rejects.toThrow('the API server says InternalError');
  });

  it('are a thousand at most: of more the oldest go, whichever came first', async () => {
    const timeOf = (at: number, count: number) => new Date(Date.UTC(2026, 0, 1) + ((at * 797) % count) * 1000).toISOString();
    const many = (count: number) =>
      Array.from({ length: count }, (_, at) => anEvent(`e${at}`, 'root', { lastTimestamp: timeOf(at, count) }));
    const toldOf = async (count: number) => readEvents(rigOf({ shop: many(count) }).deps, ANN, scopeOf());
    expect((await toldOf(1000)).cut).toBe(1000 - MAX_EVENTS);
    const { cut, events } = await toldOf(1001);
    expect(cut).toBe(801 - MAX_EVENTS);
    expect(events.map(({ at }) => Date.parse(at) - Date.UTC(2026, 0, 1))).toEqual(events.map((_, index) => (1000 - index) * 1000));
  });
});

describe('[issue 14.1] the events of an object, followed', () => {
  /** Follows to the end; what was told by then, and how it ended. */
  const follow = async (rig: ReturnType<typeof rigOf>, scope: EventScope = scopeOf()) => {
    const leaving = new AbortController();
    const viewer: EventViewer = { session: ANN, namespaces: [] };
    const told: ObjectEvents[] = [];
    const end: { how?: unknown } = {};
    const all = async () => {
      for await (const one of followEvents(rig.deps, viewer, scope, leaving.signal)) told.push(one);
      return 'left';
    };
    void all().then(
      (how) => Object.assign(end, { how }),
      (how: unknown) => Object.assign(end, { how }),
    );
    await rig.clock.settle();
    /** What is told once so much time has passed. */
    const toldAfter = async (ms: number) => {
      await rig.clock.advance(ms);
      return reasons(told.at(-1));
    };
    return { viewer, told, end, leaving, toldAfter };
  };
  const tell = (rig: ReturnType<typeof rigOf>, type: WatchEvent['type'], object: KubeObject) => rig.watches.at(-1)?.send({ type, object });
  const sizeOf = (one: ObjectEvents | undefined) => (one === undefined ? 0 : one.events.length + one.cut);

  it('are told together as they come and go, at most twice in a second', async () => {
    const rig = rigOf({ shop: [anEvent('a')] });
    const { told, viewer, toldAfter } = await follow(rig);
    expect([told.map(reasons), viewer.namespaces, rig.asked.at(-1)]).toEqual([[['a']], ['shop'], { ns: 'shop', from: '7' }]);
    await tell(rig, 'ADDED', anEvent('b'));
    await toldAfter(0);
    await tell(rig, 'ADDED', anEvent('c'));
    expect([await toldAfter(499), told.length]).toEqual([['a'], 1]);
    expect([await toldAfter(1), told.length]).toEqual([['a', 'b', 'c'], 2]);
    await toldAfter(1000); // what came last may be told once more
    await tell(rig, 'DELETED', anEvent('b'));
    expect(await toldAfter(500)).toEqual(['a', 'c']);
    const before = told.length;
    await tell(rig, 'ADDED', anEvent('stranger', 'stranger'));
    await tell(rig, 'DELETED', anEvent('unknown'));
    await toldAfter(60_000);
    expect(told.length).toBe(before);
  });

  it('are told of what the copies hear of within a minute, and of what belongs to it by a change of its own at any time', async () => {
    const children = new Set(['root']);
    let version = '1';
    const rig = rigOf({ shop: [anEvent('early', 'child'), anEvent('late', 'other'), anEvent('never', 'stranger')] });
    const { told, toldAfter } = await follow(rig, scopeOf({ version: () => version, belongs: ({ name }) => children.has(name) }));
    children.add('child');
    expect([await toldAfter(1999), await toldAfter(501)]).toEqual([[], ['early']]);
    await toldAfter(62_000);
    children.add('other');
    expect([await toldAfter(10_000), told.length]).toEqual([['early'], 2]);
    version = '2';
    expect(await toldAfter(2500)).toEqual(['early', 'late']);
  });

  it('are looked at for a whole minute, from the first look on', async () => {
    const children = new Set<string>();
    const rig = rigOf({ shop: [anEvent('a', 'child')] });
    const { toldAfter } = await follow(rig, scopeOf({ belongs: ({ name }) => children.has(name) }));
    await toldAfter(61_000);
    children.add('child');
    expect(await toldAfter(1500)).toEqual(['a']);
  });

  it('belong to it for good once they did, also when what they are about is gone', async () => {
    const children = new Set(['child']);
    const rig = rigOf({ shop: [anEvent('a', 'child')] });
    const { toldAfter } = await follow(rig, scopeOf({ belongs: ({ name }) => children.has(name) }));
    children.clear();
    await tell(rig, 'ADDED', anEvent('b', 'child'));
    expect(await toldAfter(500)).toEqual(['a', 'b']);
  });

  it('are kept of five hundred at most that belong to nothing of it yet', async () => {
    let belongs = false;
    const others = Array.from({ length: 501 }, (_, at) => anEvent(`e${at}`, `child-${at}`)); // the first goes
    const rig = rigOf({ shop: others });
    const { told, toldAfter } = await follow(rig, scopeOf({ belongs: () => belongs }));
    await tell(rig, 'DELETED', anEvent('e5', 'child-5'));
    await toldAfter(0);
    belongs = true;
    await toldAfter(2500);
    expect(sizeOf(told.at(-1))).toBe(499);
    await tell(rig, 'DELETED', anEvent('e6', 'child-6'));
    await toldAfter(1000);
    expect(sizeOf(told.at(-1))).toBe(498);
  });

  it('end with the right to read them, and are watched again after anything else', async () => {
    const rig = rigOf({ shop: [anEvent('a')] });
    const { end, toldAfter } = await follow(rig);
    await rig.watches[0]?.send(refusalOf(500, 'InternalError'));
    await toldAfter(1999);
    expect(rig.watches.length).toBe(1);
    await toldAfter(1);
    expect([rig.watches.length, rig.asked.at(-1)]).toEqual([2, { ns: 'shop', from: '7' }]);
    rig.held.lists = { shop: [anEvent('a'), anEvent('new')] };
    await rig.watches.at(-1)?.send(refusalOf(410, 'Expired'));
    expect(await toldAfter(2500)).toEqual(['a', 'new']);
    expect(rig.asked.slice(-2)).toMatchObject([
      { ns: 'shop', limit: 500 },
      { ns: 'shop', from: '7' },
    ]);
    expect(end).toEqual({});
    await rig.watches.at(-1)?.send(refusalOf(403, 'Forbidden'));
    await toldAfter(500);
    expect(end).toMatchObject({ how: { status: { code: 403 } } });
  });

  it('end where a list fails that is due, and with a refusal are of nothing more', async () => {
    for (const [failure, isEnd] of [
      [refusalOf(500, 'InternalError'), true],
      [refusalOf(403, 'Forbidden'), false],
    ] as const) {
      const rig = rigOf({ shop: [anEvent('a')] });
      const { told, end, toldAfter } = await follow(rig);
      rig.held.lists = { shop: failure };
      await rig.watches.at(-1)?.send(refusalOf(410, 'Expired'));
      await toldAfter(10_000);
      expect([end.how === failure, rig.watches.length, rig.asked.filter(({ limit }) => limit !== undefined).length]).toEqual([isEnd, 1, 2]);
      expect(told.at(-1)?.left).toEqual(isEnd ? [] : ['You may not read events in shop.']);
    }
  });

  it('[issue 10.7] end where nobody can tell any more what belongs to it', async () => {
    const failure = new Error('it broke');
    const version = () => {
      if (rig.clock.now() > began) throw failure;
      return '1';
    };
    const rig = rigOf();
    const began = rig.clock.now();
    const { end, toldAfter } = await follow(rig, scopeOf({ version }));
    await toldAfter(2500);
    expect(end.how).toBe(failure);
  });

  it('are of five namespaces at most', async () => {
    const namespaces = ['a', 'b', 'c', 'd', 'e', 'f'];
    const rig = rigOf();
    const { viewer, told } = await follow(rig, scopeOf({ namespaces }));
    expect([viewer.namespaces, rig.watches.length, told[0]?.left]).toEqual([
      namespaces.slice(0, 5),
      5,
      ['Events of 1 more namespace are not read here.'],
    ]);
  });

  it('are of no namespace whose events may not be read, and end without failing when whoever reads leaves', async () => {
    const rig = rigOf({ shop: [anEvent('a')], labs: refusalOf(403, 'Forbidden') });
    const { told, viewer, leaving, end, toldAfter } = await follow(rig, scopeOf({ namespaces: ['labs', 'shop'] }));
    expect([told[0]?.left, viewer.namespaces, rig.watches.length]).toEqual([['You may not read events in labs.'], ['shop'], 1]);
    leaving.abort();
    await toldAfter(0);
    expect([end, rig.clock.waiting()]).toEqual([{ how: 'left' }, 0]);
  });
});

describe('[design 8] the right to follow events', () => {
  it('is asked for anew in each namespace, and only its loss ends anything', async () => {
    const asked: unknown[] = [];
    let failure: Error | undefined;
    const authorise = async (_session: object, act: Act, notBefore: number) => {
      asked.push([act, notBefore]);
      if (failure !== undefined) throw failure;
    };
    const recheck = () =>
      recheckEvents({ auth: { authorise } } as unknown as CommandDeps, { session: ANN, namespaces: ['shop', 'labs'] }, 7 as never);
    await recheck();
    const right = (ns: string) => [{ kind: 'view-kind', verb: 'list', of: { group: '', named: 'Event' }, ns }, 7];
    expect(asked).toEqual([right('shop'), right('labs')]);
    for (failure of [new Error('no answer'), new AppError('unavailable', 'no answer')]) await expect(recheck()).resolves.toBeUndefined();
    failure = new AppError('forbidden', 'ann may not');
    await expect(recheck()).rejects.toBe(failure);
  });
});
