import { describe, expect, it } from 'vitest';
import { readString } from '@/lib/kube/fields';
import type { InformerScope, Informers } from '@/server/kube';
import type { Clock, Log } from '@/server/platform';
import { realClock } from '@/server/platform';
import { LiveStatus } from '@/server/status';
import { Batcher } from '@/server/status/live/batcher';
import { ManualClock } from '@/test/support/manual-clock';
import { silentLog } from '../../support/silent-log';
import { aConfigMap, FakeStore } from '../framework/fake-store';

const mapper = { map: async () => ({ version: 'v1', plural: 'configmaps', namespaced: true }), reset: () => undefined };

/** A live status whose rule for ConfigMaps fails for those named bad. */
function aFailingRule() {
  const clock = new ManualClock();
  const store = new FakeStore({ scope: { apiVersion: 'v1', kind: 'ConfigMap' } });
  const use = { store, release: () => undefined, [Symbol.asyncDispose]: async () => undefined };
  const informers: Informers = {
    open: (_scope: InformerScope) => use,
    all: () => [store],
    relist: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
  const logged: string[] = [];
  const log: Log = { ...silentLog, error: (fields: object) => void logged.push(readString(fields, 'object') ?? '') };
  const rule = (object: { readonly metadata?: { readonly name?: string } }) => {
    if (object.metadata?.name === 'bad') throw new RangeError('Invalid time value');
    return undefined;
  };
  const options = { rules: new Map([['ConfigMap', rule]]) };
  return { clock, store, options, live: new LiveStatus({ log, informers, mapper, clock, options }), logged };
}

describe('an object that no status can be made of', () => {
  it('[issue 9.3] is Unknown with the sentence, by itself, and logged once for each version of it', async () => {
    const { clock, store, options, live, logged } = aFailingRule();
    const told: string[] = [];
    const subscription = live.subscribe(
      ({ identifier, status, error }) => void told.push(`${identifier.name} ${status} ${error?.text ?? ''}`.trim()),
    );
    store.put(aConfigMap('bad'));
    store.put(aConfigMap('good'));
    subscription.set(['bad', 'good'].map((name) => ({ group: '', kind: 'ConfigMap', namespace: 'shop', name, apiVersion: 'v1' })));
    await clock.advance(1000);
    expect(told.sort()).toEqual(['bad Unknown Invalid time value', 'good Current']);
    for (let look = 0; look < 3; look++) {
      live.recompute(options);
      await clock.advance(1000);
    }
    expect(logged).toEqual(['shop/bad']);
    store.put({ ...aConfigMap('bad'), metadata: { ...aConfigMap('bad').metadata, resourceVersion: '2' } });
    await clock.advance(1000);
    expect(logged).toEqual(['shop/bad', 'shop/bad']);
    live[Symbol.dispose]();
  });
});

describe('a piece of gathered work that fails', () => {
  it('[issue 9.3] is told of, and keeps no other from being done', async () => {
    const failed: unknown[] = [];
    const due: (() => void)[] = [];
    const clock: Clock = {
      ...realClock,
      schedule(_delayMs, task) {
        due.push(task);
        return () => undefined;
      },
    };
    const done: string[] = [];
    const batcher = new Batcher<string>(clock, (item) => {
      if (item === 'bad') throw new Error('bad');
      done.push(item);
    });
    for (const item of ['first', 'bad', 'last']) batcher.add(item);
    for (let task = due.shift(); task !== undefined; task = due.shift()) {
      try {
        task();
      } catch (error) {
        failed.push(error);
      }
    }
    expect(done).toEqual(['first', 'last']);
    expect(failed).toEqual([new Error('bad')]);
  });
});
