import type { Operation } from 'fast-json-patch';
import jsonpatch from 'fast-json-patch';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { zeroBackOff } from '@/server/framework/operatorkit/back-off';
import { reconciliationCanceled } from '@/server/framework/operatorkit/context/flags';
import { getRunCacheKey } from '@/server/framework/operatorkit/context/run-cache-key';
import type { Resource } from '@/server/framework/operatorkit/resource/resource';
import { ResourceRouter } from '@/server/framework/operatorkit/resource/resource-router';
import { ResourceSet } from '@/server/framework/operatorkit/resource/resource-set';
import { finalizerOf, planRemoveFinalizer } from '@/server/framework/operatorkit/surface/finalizers';
import { ObjectHandler } from '@/server/framework/operatorkit/surface/object-handler';
import { KubeApiError } from '@/server/kube';
import { createMetrics, createRandom } from '@/server/platform';
import { ManualClock } from '@/test/support/manual-clock';
import { silentLog } from '../../../support/silent-log';

const OURS = finalizerOf('test');
const AT = { apiVersion: 'g/v1', kind: 'K', namespace: 'shop', name: 'web' };

function anObject(metadata: Partial<KubeObject['metadata']> = {}): KubeObject {
  return { apiVersion: 'g/v1', kind: 'K', metadata: { name: 'web', namespace: 'shop', uid: 'u1', resourceVersion: '1', ...metadata } };
}

function startBench(stored: KubeObject | undefined, options: { resource?: Partial<Resource<KubeObject>>; handles?: boolean } = {}) {
  let object = stored;
  const calls: string[] = [];
  const patches: Operation[][] = [];
  const events: KubeObject[] = [];
  const sunk: unknown[] = [];
  const metrics = createMetrics();
  const clock = new ManualClock();
  /** Called before a patch is applied, for instance to change the object behind our back. */
  let beforePatch: () => void = () => undefined;
  const cluster = {
    get: async () => {
      if (object === undefined) throw new KubeApiError({ code: 404, reason: 'NotFound', message: 'gone' });
      return object;
    },
    create: async (created: KubeObject) => {
      events.push(created);
      return created;
    },
    patch: async (_at: unknown, { body }: { readonly body: unknown }) => {
      beforePatch();
      const operations = body as Operation[];
      patches.push(operations);
      const copy = structuredClone(object) as KubeObject;
      for (const one of operations) {
        if (one.op === 'test' && jsonpatch.getValueByPointer(copy, one.path) !== one.value) {
          throw new KubeApiError({ code: 422, reason: 'Invalid', message: 'the test failed' });
        }
      }
      object = jsonpatch.applyPatch(copy, operations).newDocument;
      return object;
    },
  };
  const resource: Resource<KubeObject> = {
    name: 'r0',
    ensureCreated: async () => void calls.push('created'),
    ensureDeleted: async () => void calls.push('deleted'),
    ...options.resource,
  };
  const set = new ResourceSet({ handles: () => options.handles ?? true, logger: silentLog, resources: [resource] });
  const handler = new ObjectHandler(
    {
      controllerName: 'test',
      cluster,
      logger: silentLog,
      resourceRouter: new ResourceRouter({ logger: silentLog, resourceSets: [set] }),
      backOffFactory: () => zeroBackOff(3),
      resyncPeriodMs: 1000,
      errorSink: (error, tags) => void sunk.push([(error as Error).message, tags.controller]),
    },
    {
      clock: {
        now: () => clock.now(),
        schedule: (ms, task) => clock.schedule(ms, task),
        sleep: async () => undefined,
        hold: () => clock.hold(),
      },
      random: createRandom(1),
      metrics,
    },
  );
  return {
    calls,
    patches,
    events,
    sunk,
    metrics,
    clock,
    handle: () => handler.handle(AT),
    finalizers: () => object?.metadata.finalizers ?? [],
    change: (metadata: Partial<KubeObject['metadata']>) => {
      object = anObject({ ...object?.metadata, ...metadata });
    },
    onPatch: (hook: () => void) => {
      beforePatch = hook;
    },
  };
}

describe('object handler', () => {
  it('[framework L7] takes an object that is gone as a success', async () => {
    expect(await startBench(undefined).handle()).toBe('gone');
  });

  it('[framework Trap 13] leaves objects without a set alone, finalizers included', async () => {
    const bench = startBench(anObject(), { handles: false });
    expect(await bench.handle()).toBe('unhandled');
    expect(bench.patches).toEqual([]);
  });

  it('[framework L1] adds the finalizer again from a fresh read when somebody else wrote meanwhile', async () => {
    const bench = startBench(anObject());
    bench.onPatch(() => {
      bench.onPatch(() => undefined);
      bench.change({ resourceVersion: '2', finalizers: ['other/x'] });
    });
    expect(await bench.handle()).toBe('finalizer-added');
    expect(bench.finalizers()).toEqual(['other/x', OURS]);
    expect(bench.patches).toHaveLength(2);
  });

  it('[framework L1] takes a list of finalizers that is null for an empty one, and annotations that are null for none', async () => {
    const bench = startBench(
      JSON.parse(JSON.stringify({ ...anObject(), metadata: { ...anObject().metadata, finalizers: null, annotations: null } })),
    );
    expect(await bench.handle()).toBe('finalizer-added');
    expect(bench.finalizers()).toEqual([OURS]);
    expect(planRemoveFinalizer(JSON.parse('{"metadata":{"finalizers":null}}'), OURS)).toEqual({ patch: null });
  });

  it('[framework L2] takes the finalizer away under a version test, others in their order', async () => {
    const bench = startBench(anObject({ finalizers: ['a/x', OURS, 'b/x'], deletionTimestamp: '2031-01-01T00:00:00Z' }));
    expect(await bench.handle()).toBe('deleted');
    expect(bench.finalizers()).toEqual(['a/x', 'b/x']);
    expect(bench.patches[0]?.[0]).toEqual({ op: 'test', path: '/metadata/resourceVersion', value: '1' });
  });

  it('[framework L2] keeps the finalizer when the run was cancelled', async () => {
    const bench = startBench(anObject({ finalizers: [OURS], deletionTimestamp: '2031-01-01T00:00:00Z' }), {
      resource: { ensureDeleted: async (context) => reconciliationCanceled.set(context) },
    });
    expect(await bench.handle()).toBe('deletion-kept');
    expect(bench.finalizers()).toEqual([OURS]);
  });

  it('[framework L2] does not delete twice what it has let go', async () => {
    const bench = startBench(anObject({ finalizers: [OURS], deletionTimestamp: '2031-01-01T00:00:00Z' }));
    await bench.handle();
    bench.change({ finalizers: [OURS] }); // a stale copy
    expect(await bench.handle()).toBe('not-ours');
    expect(bench.calls).toEqual(['deleted']);
  });

  it('[framework L5] tells of a failure on the object when it is described, then in the gauge and the sink', async () => {
    const failure = Object.assign(new Error('quota'), { kind: 'QuotaExceeded', description: 'The account may have 5 load balancers.' });
    const bench = startBench(anObject({ finalizers: [OURS] }), {
      resource: {
        ensureCreated: async () => {
          throw failure;
        },
      },
    });
    await expect(bench.handle()).rejects.toThrow('quota');
    expect(bench.events).toMatchObject([
      {
        kind: 'Event',
        type: 'Warning',
        reason: 'QuotaExceeded',
        message: 'The account may have 5 load balancers.',
        involvedObject: { name: 'web', uid: 'u1' },
      },
    ]);
    expect(bench.sunk).toEqual([['r0.ensureCreated: quota', 'test']]);
    expect(await bench.metrics.metrics()).toContain('operatorkit_controller_errors_total{controller="test"} 1');
  });

  it('[framework L6] forgets failures after four resynchronisations, and notes the last success', async () => {
    let failing = true;
    const bench = startBench(anObject({ finalizers: [OURS], creationTimestamp: '2026-01-01T00:00:00Z' }), {
      resource: {
        ensureCreated: async () => {
          if (failing) throw new Error('down');
        },
      },
    });
    await expect(bench.handle()).rejects.toThrow('down');
    expect(bench.events).toEqual([]);
    await bench.clock.advance(4000);
    expect(await bench.metrics.metrics()).toContain('operatorkit_controller_errors_total{controller="test"} 0');
    failing = false;
    await bench.handle();
    const text = await bench.metrics.metrics();
    expect(text).toContain(`operatorkit_controller_last_reconciled{controller="test"} ${bench.clock.now() / 1000}`);
    expect(text).toContain('operatorkit_controller_creation_timestamp{controller="test",kind="K",name="web",namespace="shop"}');
  });

  it('[framework L11] gives each run a cache key of its own, shared by its resources', async () => {
    const keys: (string | undefined)[] = [];
    const bench = startBench(anObject({ finalizers: [OURS] }), {
      resource: { ensureCreated: async (context) => void keys.push(getRunCacheKey(context)) },
    });
    await bench.handle();
    await bench.handle();
    expect(keys).toEqual(['test-0', 'test-1']);
  });
});
