import { describe, expect, it } from 'vitest';
import { toInstant } from '@/lib/std/instant';
import type { ApiResource, Discovery } from '@/server/kube';
import { NoMatchError } from '@/server/kube';
import { discoveryMapper } from '@/server/status';
import type { ClusterReader } from '@/server/status/cluster/cluster-reader';
import { PollerEngine } from '@/server/status/polling/poller-engine';
import type { ReaderOptions } from '@/server/status/readers/default-readers';
import { defaultStatusReaders, delegatingReader, selectReader } from '@/server/status/readers/default-readers';
import { ManualClock } from '@/test/support/manual-clock';
import { aPod, aStatefulSet } from './objects';

const clock = { now: () => toInstant(Date.UTC(2031, 4, 4)) };
const signal = new AbortController().signal;

/** A cluster of these pods. */
function clusterOf(...pods: readonly ReturnType<typeof aPod>[]): ClusterReader {
  const refuse = async (): Promise<never> => {
    throw new Error('only pods of a namespace are listed');
  };
  return { sync: async () => undefined, get: refuse, listClusterScoped: refuse, listNamespaceScoped: async () => pods };
}

function read(options: ReaderOptions, ...pods: readonly ReturnType<typeof aPod>[]) {
  const owner = aStatefulSet('ledger');
  return selectReader(defaultStatusReaders(clock, options), { group: 'apps', kind: 'StatefulSet' }).readStatusForObject(
    signal,
    clusterOf(...pods),
    owner,
  );
}

describe('status readers', () => {
  const looping = aPod('ledger', 'a', { phase: 'Running', looping: true });
  const homeless = aPod('ledger', 'b', { phase: 'Pending', unschedulable: true });

  it('[status 8.4] fails an owner in progress whose pods have failed', async () => {
    expect(await read({}, looping, homeless)).toMatchObject({ status: 'Failed', message: '2 pods have failed' });
  });

  it('[status 11.3] can leave out pods that no node fits yet', async () => {
    expect(await read({ podFailures: 'ignoreTransient' }, looping, homeless)).toMatchObject({
      status: 'Failed',
      message: '1 pods have failed',
    });
    expect(await read({ podFailures: 'ignoreTransient' }, homeless)).toMatchObject({ status: 'InProgress' });
  });

  it('[status 11.1] can wait for Jobs to end', async () => {
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'report', namespace: 'shop' },
      status: { startTime: '2031-05-03T00:00:00Z' },
    };
    const evaluate = (options: ReaderOptions) =>
      selectReader(defaultStatusReaders(clock, options), { group: 'batch', kind: 'Job' }).readStatusForObject(signal, clusterOf(), job);
    expect((await evaluate({})).status).toBe('Current');
    expect((await evaluate({ jobs: 'completed' })).status).toBe('InProgress');
  });

  it('[status 8.4] refuses a kind that no reader supports', async () => {
    const { readers } = defaultStatusReaders(clock);
    const settings = { namespace: 'shop', name: 'a', group: '', kind: 'ConfigMap' };
    const reading = delegatingReader(readers).readStatus(signal, clusterOf(), settings);
    await expect(reading).rejects.toThrow('no status reader supports this resource: ConfigMap');
  });

  it('[status 8.4] what is held in memory is judged at once, without a turn of the event loop', async () => {
    const pod = aPod('ledger', 'a', { phase: 'Running', ready: true });
    const held = { ...clusterOf(), get: () => pod };
    const { readers } = defaultStatusReaders(clock);
    const identifier = { namespace: 'shop', name: pod.metadata.name ?? '', group: '', kind: 'Pod' };
    expect(selectReader({ readers, fallback: delegatingReader([]) }, identifier).readStatus(signal, held, identifier)).toMatchObject({
      status: 'Current',
    });
  });

  it('[status 8.4] each copy of a child is judged once in a round, and again in the next', async () => {
    const { forRound } = defaultStatusReaders(clock);
    const pod = aPod('ledger', 'a', { phase: 'Running', ready: true });
    const evaluate = (round: ReturnType<NonNullable<typeof forRound>> | undefined) =>
      round && selectReader(round, { group: '', kind: 'Pod' }).readStatusForObject(signal, clusterOf(), pod);
    const round = forRound?.();
    const first = evaluate(round);
    expect(evaluate(round)).toBe(first);
    expect(evaluate(forRound?.())).not.toBe(first);
  });
});

describe('discovery mapper', () => {
  const pumps: ApiResource = {
    group: 'water.test',
    version: 'v1',
    kind: 'Pump',
    plural: 'pumps',
    singular: 'pump',
    shortNames: [],
    categories: [],
    namespaced: true,
    verbs: ['list'],
    subresources: [],
  };

  const discoveryOf = (resolveKind: Discovery['resolveKind']): Discovery => ({
    all: async () => [],
    resolve: async () => pumps,
    resolveKind,
    invalidate: () => undefined,
  });
  const ask = (resolveKind: Discovery['resolveKind']) =>
    discoveryMapper(discoveryOf(resolveKind)).map({ group: 'water.test', kind: 'Pump' });

  it('[status 10.2] tells where a kind is served, whatever version that is', async () => {
    expect(await ask(async () => pumps)).toEqual({ version: 'v1', plural: 'pumps', namespaced: true });
  });

  it('[status 10.2] a kind that is served at no version has no mapping; one of a group that does not answer is not known', async () => {
    const nowhere = async () => Promise.reject(new NoMatchError({ apiVersion: 'water.test/v1', kind: 'Pump' }));
    await expect(ask(nowhere)).rejects.toThrow('no matches for kind "Pump" in group "water.test"');
    const silent = new Error('the API group "water.test" could not be discovered');
    await expect(ask(async () => Promise.reject(silent))).rejects.toBe(silent);
  });
});

describe('poller engine', () => {
  it('[status 8.2] refuses an interval that is not positive, after everything else was checked', async () => {
    const mapper = { map: async () => ({ version: 'v1', plural: 'pods', namespaced: true }), reset: () => undefined };
    const unused = async (): Promise<never> => {
      throw new Error('nothing is read');
    };
    const engine = new PollerEngine({ api: { get: unused, listPage: unused }, mapper, clock: new ManualClock() });
    const tell = async (namespace: string) => {
      const events: unknown[] = [];
      for await (const event of engine.poll([{ namespace, name: 'a', group: '', kind: 'Pod' }], { signal, pollIntervalMs: 0 }))
        events.push(event);
      return events;
    };
    expect(await tell('shop')).toMatchObject([{ type: 'Error', error: { text: 'poll interval must be positive' } }]);
    expect(await tell('')).toMatchObject([
      { type: 'Error', error: { text: 'resource Pod a is namespace scoped, but namespace is not set' } },
    ]);
  });
});
