import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { Channel } from '@/lib/std/channel';
import type { WatchEvent } from '@/server/kube';
import { KubeApiError } from '@/server/kube';
import type { KindMapper } from '@/server/status/cluster/kind-mapper';
import { NoKindMatchError } from '@/server/status/cluster/kind-mapper';
import type { ObjMetadata } from '@/server/status/identifier';
import type { StatusReader } from '@/server/status/readers/status-reader';
import type { StatusEvent } from '@/server/status/resource-status';
import type { StatusWatcherConfig } from '@/server/status/surface/status-watcher';
import { StatusWatcher, watchNothing } from '@/server/status/surface/status-watcher';
import { ManualClock } from '@/test/support/manual-clock';

const flags: ObjMetadata = { namespace: 'shop', name: 'flags', group: '', kind: 'ConfigMap' };

function aConfigMap(name: string, resourceVersion = '1'): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'shop', resourceVersion } };
}

/** A server whose lists and watches the test plays by hand. */
class HandServer {
  objects: readonly KubeObject[] = [];
  failures: unknown[] = [];
  lists: number[] = [];
  watches: { readonly resourceVersion: string; readonly channel: Channel<WatchEvent> }[] = [];
  readonly #clock: ManualClock;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  readonly source: StatusWatcherConfig['source'] = {
    list: async ({ kind }) => {
      this.lists.push(this.#clock.now());
      const failure = this.failures.shift();
      if (failure !== undefined) throw failure;
      return { objects: this.objects.filter((object) => object.kind === kind), resourceVersion: '10' };
    },
    watch: (_of, resourceVersion, signal) => {
      const channel = new Channel<WatchEvent>(Number.POSITIVE_INFINITY);
      signal.addEventListener('abort', () => channel.close({ error: signal.reason }), { once: true });
      this.watches.push({ resourceVersion, channel });
      return channel;
    },
  };
}

async function startBench(
  change: Partial<StatusWatcherConfig> = {},
  prepare: (server: HandServer) => void = () => undefined,
  identifiers: readonly ObjMetadata[] = [flags],
) {
  const clock = new ManualClock();
  const server = new HandServer(clock);
  prepare(server);
  const mapper: KindMapper = { map: async () => ({ version: 'v1', plural: 'configmaps', namespaced: true }), reset: () => undefined };
  const noReads = { get: unexpected, listPage: unexpected };
  const watcher = new StatusWatcher({ api: noReads, source: server.source, mapper, clock, random: () => 0, ...change });
  const stopping = new AbortController();
  const events: StatusEvent[] = [];
  let ended = false;
  const consuming = (async () => {
    for await (const event of watcher.watch(identifiers, { signal: stopping.signal, strategy: 'namespace' })) events.push(event);
    ended = true;
  })();
  await clock.settle();
  return {
    clock,
    server,
    events,
    ended: () => ended,
    told: () => events.splice(0).map((event) => (event.type === 'Update' ? event.resource.status : event.type)),
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await consuming;
    },
  };
}

const unexpected = async (): Promise<never> => {
  throw new Error('nothing is read for a ConfigMap');
};
const error = (code: number, reason: string) => new KubeApiError({ code, reason, message: reason });

describe('status watcher', () => {
  it('[status 9.5] tries a failing list again after 0.8 s, doubling up to 30 s', async () => {
    await using bench = await startBench({}, (server) => {
      server.failures = Array.from({ length: 8 }, () => error(503, 'ServiceUnavailable'));
    });
    await bench.clock.advance(200_000);
    const waits = bench.server.lists.slice(1).map((at, index) => at - (bench.server.lists[index] ?? 0));
    expect(waits).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
    expect(bench.told()).toEqual(['Sync']);
  });

  it('[status 9.5] lists again when the version expired, and goes on from the last one otherwise', async () => {
    await using bench = await startBench();
    const [first] = bench.server.watches;
    await first?.channel.send({ type: 'ADDED', object: aConfigMap('flags', '12') });
    await first?.channel.send({ type: 'BOOKMARK', object: aConfigMap('', '15') });
    await bench.clock.settle();
    first?.channel.close();
    await bench.clock.advance(1000);
    expect(bench.server.watches.map(({ resourceVersion }) => resourceVersion)).toEqual(['10', '15']);
    expect(bench.server.lists).toHaveLength(1);
    bench.server.watches[1]?.channel.close({ error: error(410, 'Expired') });
    await bench.clock.advance(2000);
    expect(bench.server.lists).toHaveLength(2);
  });

  it('[status 13.2] tells as NotFound what a new list lacks', async () => {
    await using bench = await startBench({}, (server) => {
      server.objects = [aConfigMap('flags')];
    });
    expect(bench.told().sort()).toEqual(['Current', 'Sync']);
    bench.server.objects = [];
    bench.server.watches[0]?.channel.close({ error: error(410, 'Expired') });
    await bench.clock.advance(1000);
    expect(bench.told()).toEqual(['NotFound']);
  });

  it('[status 9.5] ends with the object whose status could not be read for want of time', async () => {
    const late = async (): Promise<never> => {
      throw new Error('no time', { cause: new Error('rate: Wait(n=1) would exceed context deadline') });
    };
    const reader: StatusReader = { supports: () => true, readStatus: late, readStatusForObject: late };
    await using bench = await startBench({ reader }, (server) => {
      server.objects = [aConfigMap('flags')];
    });
    expect(bench.events).toEqual([
      { type: 'Error', error: { kind: 'transport', text: 'failed to compute object status: shop_flags__ConfigMap: no time' } },
    ]);
    expect(bench.ended()).toBe(true);
  });

  it('[status 9.4] does not read an unschedulable pod again once its target stopped', async () => {
    const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
    const pod = (createdAt: number): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'shop', creationTimestamp: new Date(createdAt).toISOString() },
      status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] },
    });
    const identifiers: readonly ObjMetadata[] = [
      { namespace: '', name: 'shop', group: '', kind: 'Namespace' },
      { namespace: 'shop', name: 'web', group: '', kind: 'Pod' },
    ];
    for (const stops of [false, true]) {
      const reads: string[] = [];
      const api: StatusWatcherConfig['api'] = {
        get: async ({ name }) => {
          reads.push(name);
          return pod(0);
        },
        listPage: unexpected,
      };
      const clock = new ManualClock();
      await using bench = await startBench(
        { api, clock },
        (server) => {
          server.objects = [namespace, pod(clock.now())];
        },
        identifiers,
      );
      await clock.settle();
      if (stops) await bench.server.watches[0]?.channel.send({ type: 'DELETED', object: namespace });
      await clock.advance(20_000);
      expect(reads).toEqual(stops ? [] : ['web']);
    }
  });

  it('[status 9.2] tells everything held again once per period', async () => {
    await using bench = await startBench({ resyncMs: 60_000 }, (server) => {
      server.objects = [aConfigMap('flags')];
    });
    bench.told();
    await bench.clock.advance(59_999);
    expect(bench.told()).toEqual([]);
    await bench.clock.advance(60_001);
    expect(bench.told()).toEqual(['Current', 'Current']);
  });

  it('[status 11.9] asks for a kind that is not served again, if told to', async () => {
    let served = false;
    const mapper: KindMapper = {
      map: async (of) => {
        if (!served) throw new NoKindMatchError(of);
        return { version: 'v1', plural: 'configmaps', namespaced: true };
      },
      reset: () => undefined,
    };
    await using bench = await startBench({ mapper, retryUnmapped: true }, (server) => {
      server.objects = [aConfigMap('flags')];
    });
    expect(bench.told()).toEqual(['Sync']);
    await bench.clock.advance(5000);
    expect(bench.told()).toEqual([]);
    served = true;
    await bench.clock.advance(5000);
    expect(bench.told()).toEqual(['Current']);
  });

  it('[status 9.5] ends with the error when it may not list', async () => {
    await using bench = await startBench({}, (server) => {
      server.failures = [error(403, 'Forbidden')];
    });
    expect(bench.told()).toEqual(['Error']);
    expect(bench.ended()).toBe(true);
  });

  it('[status 9.5] is in step at once in a dry run', async () => {
    const stopping = new AbortController();
    const events: string[] = [];
    for await (const { type } of watchNothing(stopping.signal)) {
      events.push(type);
      stopping.abort();
    }
    expect(events).toEqual(['Sync']);
  });
});
