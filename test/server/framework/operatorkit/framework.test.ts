import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { Channel } from '@/lib/std/channel';
import type { InformerEvent } from '@/server/framework/operatorkit/events/event-stream';
import { Framework } from '@/server/framework/operatorkit/events/framework';
import type { Resource } from '@/server/framework/operatorkit/resource/resource';
import { ResourceRouter } from '@/server/framework/operatorkit/resource/resource-router';
import { ResourceSet } from '@/server/framework/operatorkit/resource/resource-set';
import { KubeApiError } from '@/server/kube';
import type { Log } from '@/server/platform';
import { createRandom } from '@/server/platform';
import { ManualClock } from '@/test/support/manual-clock';
import { silentLog } from '../../../support/silent-log';
import { aConfigMap } from '../fake-store';

type Event = InformerEvent<KubeObject>;

/** A Framework on a stream that the test feeds; what it did is in `told`, its warnings in `warned`. */
function startBench(ensureCreated: Resource<KubeObject>['ensureCreated'] = async () => undefined) {
  const clock = new ManualClock();
  const channel = new Channel<Event>(Number.POSITIVE_INFINITY);
  const told: string[] = [];
  const warned: unknown[] = [];
  const logger: Log = { ...silentLog, warn: (fields) => void warned.push(fields) };
  let list: () => void = () => undefined;
  const resource: Resource<KubeObject> = {
    name: 'r0',
    ensureCreated: async (context, object) => {
      told.push(object.metadata.name ?? '');
      await ensureCreated(context, object);
    },
    ensureDeleted: async () => undefined,
  };
  const framework = new Framework<KubeObject>(
    {
      informer: {
        watch(_signal, onListed) {
          told.push('watching');
          list = onListed ?? list;
          return channel;
        },
      },
      logger,
      resourceRouter: new ResourceRouter({
        logger,
        resourceSets: [new ResourceSet({ handles: () => true, logger, resources: [resource] })],
      }),
      errorBudget: 'none',
    },
    { clock, random: createRandom(1) },
  );
  return { clock, channel, told, warned, framework, list: () => list() };
}

describe('framework', () => {
  it('[framework L8] without a budget logs each failure of the source, waits a second, and goes on for ever', async () => {
    const { clock, channel, told, warned, framework } = startBench();
    const running = framework.boot();
    for (let failure = 0; failure < 30; failure++) void channel.send({ type: 'error', error: new Error('cut') });
    void channel.send({ type: 'update', object: aConfigMap('a') });
    await clock.advance(29_999);
    expect(told).toEqual(['watching']);
    expect(warned).toEqual(Array.from({ length: 30 }, () => ({ error: 'event source: cut', waitMs: 1000 })));
    await clock.advance(1);
    expect(told).toEqual(['watching', 'a']);
    await framework.stop();
    await running;
  });

  it('[framework L8] explains a forbidden watch as a rule that the role lacks', async () => {
    const { clock, channel, warned, framework } = startBench();
    void framework.boot();
    const error = new KubeApiError({ code: 403, reason: 'Forbidden', message: 'user "slipway" cannot list resource "pods"' });
    void channel.send({ type: 'error', error });
    await clock.settle();
    expect(warned).toEqual([
      {
        error:
          'event source: user "slipway" cannot list resource "pods"; the role of this process lacks a rule that allows to list and watch it',
        waitMs: 1000,
      },
    ]);
    await framework.stop();
  });

  it('[framework L9] is booted when the first listing is done, not when the watch begins', async () => {
    const { clock, told, framework, list } = startBench();
    let booted = false;
    void framework.booted.then(() => {
      booted = true;
    });
    void framework.boot();
    await clock.settle();
    expect([told, booted]).toEqual([['watching'], false]);
    list();
    await clock.settle();
    expect(booted).toBe(true);
    await framework.stop();
  });

  it('[framework L9] stops gracefully: the event under way ends and no other begins', async () => {
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const { clock, channel, told, framework } = startBench(() => finished);
    const running = framework.boot();
    void channel.send({ type: 'update', object: aConfigMap('a') });
    void channel.send({ type: 'update', object: aConfigMap('b') });
    await clock.settle();
    let stopped = false;
    const stopping = framework.stop().then(() => {
      stopped = true;
    });
    await clock.settle();
    expect(stopped).toBe(false);
    finish();
    await Promise.all([stopping, framework.stop(), running]);
    expect(told).toEqual(['watching', 'a']);
  });

  it('[framework Trap 14] stopped before its boot, it never begins', async () => {
    const { told, framework } = startBench();
    await framework.stop();
    await framework.boot();
    expect(told).toEqual([]);
  });

  it('[framework L9] ends with the signal it was booted with', async () => {
    const { clock, framework } = startBench();
    const ending = new AbortController();
    const running = framework.boot(ending.signal);
    await clock.settle();
    ending.abort();
    await running;
  });

  it('[framework R6.6] hands no event on that has no object', async () => {
    const { clock, channel, told, framework } = startBench();
    const running = framework.boot();
    for (const object of [null, undefined, aConfigMap('a')]) void channel.send({ type: 'update', object: object as KubeObject });
    await clock.settle();
    expect(told).toEqual(['watching', 'a']);
    await framework.stop();
    await running;
  });

  it('[framework R1.2] needs definition and client together, and takes null for absent', () => {
    const logger = silentLog;
    const resource: Resource<KubeObject> = { name: 'r0', ensureCreated: async () => undefined, ensureDeleted: async () => undefined };
    const resourceRouter = new ResourceRouter({
      logger,
      resourceSets: [new ResourceSet({ handles: () => true, logger, resources: [resource] })],
    });
    const informer = { watch: () => new Channel<Event>() };
    const construct = (parts: object) =>
      new Framework<KubeObject>({ informer, logger, resourceRouter, ...parts }, { clock: new ManualClock(), random: createRandom(1) });
    const crd = aConfigMap('pumps');
    expect(() => construct({ crd, crdClient: null })).toThrow('CRD and CRDClient must be both given or both absent');
    expect(() => construct({ crdClient: {} })).toThrow('CRD and CRDClient must be both given or both absent');
    for (const absent of [{}, { crd: null }, { crd: null, crdClient: null }]) expect(construct(absent)).toBeInstanceOf(Framework);
  });
});
