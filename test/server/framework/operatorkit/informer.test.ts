import { describe, expect, it } from 'vitest';
import { toObjectKey } from '@/lib/kube/object';
import { Channel } from '@/lib/std/channel';
import { queueEvents } from '@/server/framework/operatorkit/events/queue-events';
import { Informer, isInvalidEvent } from '@/server/framework/operatorkit/surface/informer';
import type { WatcherEvent } from '@/server/framework/operatorkit/surface/watcher';
import { KubeApiError } from '@/server/kube';
import { createRandom } from '@/server/platform';
import { WorkQueue } from '@/server/platform/queue/work-queue';
import { ManualClock } from '@/test/support/manual-clock';
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
      told.push(
        event.type === 'error' ? `error ${String((event.error as Error).message)}` : `${event.type} ${toObjectKey(event.object.metadata)}`,
      );
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

describe('queue events', () => {
  function startQueue() {
    const store = new FakeStore();
    const queue = new WorkQueue<string>({ clock: new ManualClock(), random: createRandom(1) });
    const stream = queueEvents({ queue, read: (key) => store.get(key), type: store.scope })
      .watch(new AbortController().signal)
      [Symbol.asyncIterator]();
    return { store, queue, stream };
  }

  it('[design 12.5] tell each key as its object is when its turn comes, and what is gone by its name', async () => {
    const { store, queue, stream } = startQueue();
    store.put(aConfigMap('a', { seen: 'first' }));
    for (const key of ['shop/a', 'shop/b', 'shop/c']) queue.add(key);
    store.put(aConfigMap('a', { seen: 'last' }));
    const leaving = aConfigMap('c');
    store.put({ ...leaving, metadata: { ...leaving.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
    expect((await stream.next()).value).toMatchObject({ type: 'update', object: { metadata: { labels: { seen: 'last' } } } });
    expect((await stream.next()).value).toEqual({
      type: 'delete',
      object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'shop', name: 'b' } },
      tombstone: true,
    });
    expect((await stream.next()).value).toMatchObject({ type: 'delete', object: { metadata: { name: 'c' } } });
  });

  it('[framework L7] keep a key locked until the next is asked for, or the consumer leaves', async () => {
    const { queue, stream } = startQueue();
    queue.add('shop/a');
    await stream.next();
    expect(queue.active).toBe(1);
    queue.add('shop/a');
    await stream.next();
    expect(queue.active).toBe(1);
    await stream.return?.();
    expect(queue.active).toBe(0);
  });

  it('[framework R6.6] end when the queue is closed', async () => {
    const { queue, stream } = startQueue();
    const next = stream.next();
    queue.close();
    expect(await next).toEqual({ done: true, value: undefined });
  });
});
