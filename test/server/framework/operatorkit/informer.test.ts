import { describe, expect, it } from 'vitest';
import { toObjectKey } from '@/lib/kube/object';
import { Channel } from '@/lib/std/channel';
import { Informer, isInvalidEvent } from '@/server/framework/operatorkit/events/informer/informer';
import { storeEvents } from '@/server/framework/operatorkit/events/informer/store-events';
import type { WatcherEvent } from '@/server/framework/operatorkit/events/informer/watcher';
import { KubeApiError } from '@/server/kube';
import { ManualClock } from '@/server/platform';
import { aConfigMap, FakeStore } from '../fake-store';

/** Plays one behaviour per list, then one per watch; the last one stays. */
async function startBench(lists: readonly (() => readonly ReturnType<typeof aConfigMap>[])[]) {
  const clock = new ManualClock();
  const watches: Channel<WatcherEvent>[] = [];
  let listed = 0;
  const informer = new Informer(
    {
      watcher: {
        list: async () => ({ objects: (lists[Math.min(listed++, lists.length - 1)] ?? (() => []))(), resourceVersion: '1' }),
        watch: (_version, signal) => {
          const channel = new Channel<WatcherEvent>(Number.POSITIVE_INFINITY);
          signal.addEventListener('abort', () => channel.close({ error: signal.reason }), { once: true });
          watches.push(channel);
          return channel;
        },
      },
    },
    { clock },
  );
  const stopping = new AbortController();
  const told: string[] = [];
  const errors: unknown[] = [];
  const consuming = (async () => {
    for await (const event of informer.watch(stopping.signal)) {
      if (event.type === 'error') errors.push(event.error);
      told.push(event.type === 'error' ? `error ${String((event.error as Error).message)}` : `${event.type} ${toObjectKey(event.object.metadata)}`);
    }
  })();
  await clock.advance(1500);
  return {
    clock,
    watches,
    errors,
    told: () => told.splice(0),
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await consuming;
    },
  };
}

describe('informer of the seed', () => {
  it('[framework R8.6] lists again without an error when the version expired', async () => {
    await using bench = await startBench([() => [aConfigMap('a')]]);
    expect(bench.told()).toEqual(['update shop/a']);
    bench.watches.at(-1)?.close({ error: new KubeApiError({ code: 410, reason: 'Expired', message: 'too old' }) });
    await bench.clock.settle();
    expect(bench.told()).toEqual([]);
    expect(bench.watches).toHaveLength(3);
  });

  it('[framework R8.4] opens a watch that failed again at once, with an error', async () => {
    await using bench = await startBench([() => [aConfigMap('a')]]);
    bench.told();
    bench.watches.at(-1)?.close({ error: new Error('cut') });
    await bench.clock.settle();
    expect(bench.told()).toEqual(['error cut']);
  });

  it('[framework R8.4] tells an event of a type it never heard of as an error, and goes on', async () => {
    await using bench = await startBench([() => [aConfigMap('a')]]);
    bench.told();
    const live = bench.watches.at(-1);
    await live?.send({ type: 'RENAMED', object: aConfigMap('a') });
    await live?.send({ type: 'MODIFIED', object: aConfigMap('a') });
    await bench.clock.settle();
    expect(bench.errors.map(isInvalidEvent)).toEqual([true]);
    expect(bench.told()).toEqual(['error a watch sent an event of type RENAMED', 'update shop/a']);
  });

  it('[framework R8.2] tells a failing first list as an error and goes on', async () => {
    let failed = false;
    await using bench = await startBench([
      () => {
        if (!failed) {
          failed = true;
          throw new Error('no answer');
        }
        return [aConfigMap('a')];
      },
      () => [aConfigMap('a')],
    ]);
    expect(bench.told()).toEqual(['error no answer', 'update shop/a']);
  });
});

describe('store events', () => {
  it('[framework R8] tells what a shared store holds, then its changes, and lets it go at the end', async () => {
    const store = new FakeStore();
    store.put(aConfigMap('a'));
    const stopping = new AbortController();
    const told: string[] = [];
    const consuming = (async () => {
      for await (const event of storeEvents(store).watch(stopping.signal)) {
        if (event.type !== 'error') told.push(`${event.type} ${event.object.metadata.name}`);
      }
    })();
    await new Promise((resolve) => setImmediate(resolve));
    store.put(aConfigMap('b'));
    store.remove('shop/a');
    await new Promise((resolve) => setImmediate(resolve));
    stopping.abort();
    await consuming;
    expect(told).toEqual(['update a', 'update b', 'delete a']);
    expect(store.subscribers).toBe(0);
  });
});
