import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { toInstant } from '@/lib/std/instant';
import { describeWaits, requeueAfter, settled, TerminalError } from '@/server/framework';
import type { Source } from '@/server/framework/controller';
import type { Outcome, ReconcileContext } from '@/server/framework/reconciler';
import { createMetrics } from '@/server/platform';
import { aConfigMap, FakeStore } from './fake-store';
import { startBench } from './loop-bench';

describe('controller loop', () => {
  it('[framework L7] starts no pass before every source has synced', async () => {
    const late = new FakeStore({ synced: false });
    const early = new FakeStore();
    early.put(aConfigMap('a'));
    const sources: readonly Source[] = [{ store: early }, { store: late }];
    await using bench = await startBench({ sources });
    expect(bench.passes).toEqual([]);
    late.sync();
    await bench.started;
    await bench.clock.settle();
    expect(bench.passes).toEqual(['shop/a']);
  });

  it('[issue 9, 1] says which kind may not be listed instead of a start that never ends, and starts once it may', async () => {
    const refused = new FakeStore({ synced: false, scope: KINDS.stagePodAutoscaler });
    const early = new FakeStore();
    early.put(aConfigMap('a'));
    await using bench = await startBench({ sources: [{ store: early }, { store: refused }] });
    refused.setState({ kind: 'refused', verb: 'list', reason: 'stagepodautoscalers is forbidden', since: toInstant(0) });
    await bench.started;
    await bench.clock.settle();
    expect(bench.passes).toEqual([]);
    expect(bench.controller.stats().waitsFor).toEqual([{ kind: 'StagePodAutoscaler', reason: 'stagepodautoscalers is forbidden' }]);
    expect(describeWaits([bench.controller.stats()])).toEqual([
      'test does not run before StagePodAutoscaler objects may be listed: stagepodautoscalers is forbidden',
    ]);
    refused.setState({ kind: 'watching' });
    refused.sync();
    await bench.clock.settle();
    expect(bench.passes).toEqual(['shop/a']);
    expect(bench.controller.stats().waitsFor).toEqual([]);
  });

  it('[framework L7] turns changes into keys, each once, through keysOf where a source has one', async () => {
    const owners = new FakeStore();
    await using bench = await startBench({
      sources: [{ store: owners, keysOf: ({ after }) => (after?.metadata.labels?.owner ?? '').split(',').filter(Boolean) }],
    });
    owners.put(aConfigMap('x', { owner: 'a,b,a' }));
    owners.put(aConfigMap('y'));
    await bench.clock.settle();
    expect(bench.passes).toEqual(['a', 'b']);
  });

  it('[framework L7] begins one pass over a key for all that changes in a turn', async () => {
    await using bench = await startBench();
    for (const owner of ['a', 'b', 'c']) bench.store.put(aConfigMap('x', { owner }));
    await bench.clock.settle();
    expect(bench.passes).toEqual(['shop/x']);
  });

  it('[framework L7] goes on when keysOf throws', async () => {
    const store = new FakeStore();
    await using bench = await startBench({
      sources: [
        {
          store,
          keysOf: ({ key }) => {
            if (key === 'shop/bad') throw new Error('no label');
            return [key];
          },
        },
      ],
    });
    store.put(aConfigMap('bad'));
    store.put(aConfigMap('good'));
    await bench.clock.settle();
    expect(bench.passes).toEqual(['shop/good']);
  });

  it('[house 3.3] tries again with growing waits after an error, and forgets them after a success', async () => {
    let failing = true;
    await using bench = await startBench({
      pass: () => {
        if (failing) throw new Error('no answer');
        return settled();
      },
    });
    bench.store.put(aConfigMap('a'));
    await bench.clock.advance(100);
    const early = bench.passes.length;
    expect(early).toBeGreaterThan(3);
    await bench.clock.advance(100);
    expect(bench.passes.length - early).toBeLessThan(early);
    expect(bench.controller.stats()).toMatchObject({ failures: bench.passes.length, lastError: { key: 'shop/a', message: 'no answer' } });
    failing = false;
    await bench.clock.advance(10_000);
    const settledAt = bench.passes.length;
    await bench.clock.advance(1_000_000);
    expect(bench.passes.length).toBe(settledAt);
  });

  it('[house 3.3] does not try a terminal error again until the object changes', async () => {
    await using bench = await startBench({
      pass: () => {
        throw new Error('wrapped', { cause: new TerminalError('spec.stages must be a list, found a number') });
      },
    });
    bench.store.put(aConfigMap('a'));
    await bench.clock.advance(10_000_000);
    expect(bench.passes).toHaveLength(1);
    expect(bench.controller.stats()).toMatchObject({ passes: 1, failures: 1, depth: 0 });
    bench.store.put(aConfigMap('a'));
    await bench.clock.settle();
    expect(bench.passes).toHaveLength(2);
  });

  it('[framework L5] tells a terminal error on its object, through the cluster of its shard, and no other error', async () => {
    const written: unknown[] = [];
    await using bench = await startBench({
      shardKey: () => 'shop/web',
      pass: (key) => {
        throw key === 'shop/a' ? new TerminalError('spec.stages must be a list, found a number') : new Error('no answer');
      },
      deps: {
        clusterFor: (shardKey) => ({
          create: async (event) => {
            written.push([shardKey, event.reason, event.message, event.involvedObject]);
            return event;
          },
          patch: async () => Promise.reject(new Error('nothing was told twice')),
        }),
      },
    });
    bench.store.put(aConfigMap('a'));
    bench.store.put(aConfigMap('b'));
    await bench.clock.advance(50);
    expect(written).toEqual([
      [
        'shop/web',
        'CannotReconcile',
        'spec.stages must be a list, found a number',
        { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'a' },
      ],
    ]);
  });

  it('[framework L4] holds the passes of a paused object, its deletion too, says which, and goes on when the annotation goes', async () => {
    const paused = (value: string, more: object = {}) => {
      const object = aConfigMap('a');
      return { ...object, metadata: { ...object.metadata, ...more, annotations: { 'operatorkit.giantswarm.io/paused': value } } };
    };
    const metrics = createMetrics();
    await using bench = await startBench({ resyncMs: 60_000, deps: { metrics } });
    bench.store.put(paused('true'));
    bench.store.put(aConfigMap('b'));
    await bench.clock.settle();
    bench.store.put(paused('true', { deletionTimestamp: '2026-01-01T00:00:00Z' }));
    await bench.clock.settle();
    expect(bench.passes).toEqual(['shop/b']);
    expect(bench.controller.stats()).toMatchObject({
      failures: 0,
      paused: [{ key: 'shop/a', annotation: 'operatorkit.giantswarm.io/paused' }],
    });
    expect(await metrics.metrics()).toContain('slipway_controller_passes_total{controller="test",result="paused"} 2');
    bench.store.put(paused('yes'));
    await bench.clock.settle();
    expect(bench.passes).toEqual(['shop/b', 'shop/a']);
    expect(bench.controller.stats().paused).toEqual([]);
  });

  it('[framework L4] forgets that an object was paused once it is gone, and looks at its key', async () => {
    const object = aConfigMap('a');
    await using bench = await startBench();
    bench.store.put({ ...object, metadata: { ...object.metadata, annotations: { 'cluster.x-k8s.io/paused': 'true' } } });
    await bench.clock.settle();
    expect(bench.controller.stats().paused).toHaveLength(1);
    bench.store.remove('shop/a');
    await bench.clock.settle();
    expect(bench.passes).toEqual(['shop/a']);
    expect(bench.controller.stats().paused).toEqual([]);
  });

  it('[house 3.3] looks again after exactly the time an outcome names', async () => {
    await using bench = await startBench({ pass: (_key, count) => (count === 1 ? requeueAfter(5000) : settled()) });
    bench.store.put(aConfigMap('a'));
    await bench.clock.advance(4999);
    expect(bench.passes).toHaveLength(1);
    await bench.clock.advance(1);
    expect(bench.passes).toHaveLength(2);
    await bench.clock.advance(100_000);
    expect(bench.passes).toHaveLength(2);
  });

  it('[framework L7] runs one key in one pass at a time and other keys beside it', async () => {
    const running = new Set<string>();
    let most = 0;
    await using bench = await startBench({
      workers: 3,
      reconcile: async (key) => {
        expect(running).not.toContain(key);
        running.add(key);
        most = Math.max(most, running.size);
        await new Promise((resolve) => setImmediate(resolve));
        running.delete(key);
        return settled();
      },
    });
    for (let round = 0; round < 5; round++) {
      for (const name of ['a', 'b', 'c', 'd']) bench.store.put(aConfigMap(name));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await bench.clock.settle();
    expect(most).toBe(3);
  });

  it('[framework L7] looks at everything again once per period, a tenth early or late', async () => {
    await using bench = await startBench({ resyncMs: 10_000 });
    bench.store.put(aConfigMap('a'));
    bench.store.put(aConfigMap('b'));
    await bench.clock.advance(8900);
    expect(bench.passes).toHaveLength(2);
    await bench.clock.advance(2200);
    expect(bench.passes).toHaveLength(4);
    await bench.clock.advance(100_000);
    expect(bench.passes.length).toBeGreaterThanOrEqual(20);
  });

  it('[house 3.4] starts nothing while it may not act, keeps the keys, and goes on within a second', async () => {
    let leads = false;
    await using bench = await startBench({ deps: { mayAct: () => leads } });
    bench.store.put(aConfigMap('a'));
    await bench.clock.advance(60_000);
    expect(bench.passes).toEqual([]);
    expect(bench.controller.stats()).toMatchObject({ depth: 0, deferred: 1, oldestKey: undefined });
    leads = true;
    await bench.clock.advance(1000);
    expect(bench.passes).toEqual(['shop/a']);
  });

  it('[leadership 0010.8] acts on keys by the shard of what they belong to, and tells the pass which', async () => {
    const mine = new Set(['shop/web']);
    const passes: string[] = [];
    await using bench = await startBench({
      shardKey: (key) => key.replace(/-v\d+$/, ''),
      reconcile: async (key, { shardKey }) => {
        passes.push(`${key} by ${shardKey}`);
        return settled();
      },
      deps: { mayAct: (key) => key !== undefined && mine.has(key), shardOf: (key) => key.length },
    });
    for (const name of ['cart-v1', 'web-v1', 'cart-v2', 'web-v2']) bench.store.put(aConfigMap(name));
    await bench.clock.advance(5000);
    expect(passes).toEqual(['shop/web-v1 by shop/web', 'shop/web-v2 by shop/web']);
    mine.add('shop/cart');
    await bench.clock.advance(1000);
    expect(passes.slice(2)).toEqual(['shop/cart-v1 by shop/cart', 'shop/cart-v2 by shop/cart']);
  });

  it('[house 3.4] lets the pass under way end on a stop, and starts no other', async () => {
    const bench = await startBench({
      reconcile: () => finished.promise,
    });
    const finished = deferred<Outcome>();
    bench.store.put(aConfigMap('a'));
    await turn();
    bench.store.put(aConfigMap('b'));
    let stopped = false;
    const stopping = bench.controller[Symbol.asyncDispose]().then(() => {
      stopped = true;
    });
    await turn();
    expect(stopped).toBe(false);
    finished.resolve(settled());
    await stopping;
    expect(bench.controller.stats()).toMatchObject({ passes: 1, active: 0, depth: 0 });
    expect(bench.store.subscribers).toBe(0);
  });

  it('[house 3.4] aborts the signal of a pass that outlives the drain limit', async () => {
    let reason: unknown;
    const bench = await startBench({
      drainMs: 0, // a hanging pass holds the clock, so the limit must be due at once
      reconcile: (_key, { signal }: ReconcileContext) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reason = signal.reason;
            reject(signal.reason);
          });
        }),
    });
    bench.store.put(aConfigMap('a'));
    await turn();
    const stopping = bench.controller[Symbol.asyncDispose]();
    await bench.clock.settle();
    await stopping;
    expect(String(reason)).toContain('controller test stopped before the pass ended');
  });

  it('[house 3.4] prefers what a person asked for', async () => {
    let leads = false;
    await using bench = await startBench({ deps: { mayAct: () => leads } });
    bench.controller.enqueue('later', { priority: 'resync' });
    bench.store.put(aConfigMap('changed'));
    bench.controller.enqueue('asked', { priority: 'person' });
    await bench.clock.settle();
    leads = true;
    await bench.clock.advance(1000);
    expect(bench.passes).toEqual(['asked', 'shop/changed', 'later']);
  });
});

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
