import { describe, expect, it } from 'vitest';
import type { InformerScope, Informers } from '@/server/kube';
import type { GroupKind } from '@/server/status/identifier';
import { KindStores } from '@/server/status/live/kind-stores';
import { ManualClock } from '@/test/support/manual-clock';
import { aConfigMap, FakeStore } from '../framework/fake-store';

const MAPS: GroupKind = { group: '', kind: 'ConfigMap' };
const PUMPS: GroupKind = { group: 'water.test', kind: 'Pump' };

/** Copies of kinds whose discovery the test answers; `heard` is what whoever uses them was told. */
function someStores({ synced = true }: { readonly synced?: boolean } = {}) {
  const clock = new ManualClock();
  const open: { readonly scope: string; readonly store: FakeStore; isReleased: boolean }[] = [];
  const informers: Informers = {
    open: ({ apiVersion, kind }: InformerScope) => {
      const store = new FakeStore({ synced });
      const use = { scope: `${apiVersion} ${kind}`, store, isReleased: false };
      open.push(use);
      const release = () => {
        use.isReleased = true;
      };
      return { store, release, [Symbol.asyncDispose]: async () => release() };
    },
    all: () => open.map(({ store }) => store),
    relist: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
  const asked: { readonly at: number; readonly answer: (version: string) => void; readonly fail: (error: Error) => void }[] = [];
  const began = clock.now();
  let failing: Error | undefined;
  const heard: string[] = [];
  const unused: string[] = [];
  const stores: KindStores = new KindStores({
    informers,
    clock,
    mapper: {
      map: () =>
        new Promise((resolve, reject) => {
          const answer = (version: string) => resolve({ version, plural: 'things', namespaced: true });
          asked.push({ at: (clock.now() - began) / 1000, answer, fail: reject });
          if (failing !== undefined) reject(failing);
        }),
      reset: () => undefined,
    },
    onChange: ({ kind }, { key }) => void heard.push(`${kind} ${key}`),
    onKind: ({ kind }) => void heard.push(kind),
    onUnused: (of) => void unused.push(`${of.kind}, ${stores.storeOf(of) === undefined ? 'gone' : 'there'}`),
  });
  return {
    stores,
    clock,
    open,
    asked,
    heard: () => heard.splice(0),
    unused: () => unused.splice(0),
    fail: (error: Error | undefined) => {
      failing = error;
    },
  };
}

/** Lets what was answered arrive, without any time passing for what holds the clock. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('the copies that statuses are made from', () => {
  it('[issue 10.7] opens a kind at once where its version is known, and asks where that is of another group', async () => {
    const { stores, open, asked } = someStores();
    stores.retain(MAPS, 'v1');
    expect([open.map(({ scope }) => scope), asked.length]).toEqual([['v1 ConfigMap'], 0]);
    expect(stores.storeOf(MAPS)).toBe(open[0]?.store);
    stores.retain(PUMPS, 'air.test/v7');
    expect([open.length, asked.length, stores.storeOf(PUMPS)]).toEqual([1, 1, undefined]);
    asked[0]?.answer('v2');
    await turn();
    expect(open.at(-1)?.scope).toBe('water.test/v2 Pump');
    stores.close();
  });

  it('[issue 10.7] keeps a copy until the last who uses it is gone, and then hears nothing of it any more', () => {
    const { stores, open, heard, unused } = someStores();
    stores.retain(MAPS, 'v1');
    stores.retain(MAPS, 'v1');
    stores.release(MAPS);
    expect([open.length, open[0]?.isReleased, unused()]).toEqual([1, false, []]);
    open[0]?.store.put(aConfigMap('flags'));
    expect(heard()).toEqual(['ConfigMap shop/flags']);
    stores.release(MAPS);
    expect(unused()).toEqual(['ConfigMap, there']);
    expect([open[0]?.isReleased, stores.storeOf(MAPS)]).toEqual([true, undefined]);
    open[0]?.store.put(aConfigMap('flags'));
    expect(heard()).toEqual([]);
  });

  it('[issue 10.7] tells of no kind that nobody uses any more where there was no copy of it', () => {
    const { stores, unused } = someStores();
    stores.retain(PUMPS);
    stores.release(PUMPS);
    expect(unused()).toEqual([]);
  });

  it('[issue 10.7] takes no harm from the end of a use that nobody began, nor from a question about such a kind', () => {
    const { stores } = someStores();
    stores.release(MAPS);
    expect([stores.storeOf(MAPS), stores.failureOf(MAPS)]).toEqual([undefined, undefined]);
  });

  it('[issue 10.7] tells once a copy is filled, unless nobody uses it any more or another took its place', async () => {
    const { stores, open, heard } = someStores({ synced: false });
    stores.retain(MAPS, 'v1');
    stores.release(MAPS);
    open[0]?.store.sync();
    await turn();
    expect(heard()).toEqual([]);
    stores.retain(MAPS, 'v1');
    open[0]?.store.sync();
    await turn();
    expect(heard()).toEqual([]);
    open[1]?.store.sync();
    await turn();
    expect(heard()).toEqual(['ConfigMap']);
    stores.close();
  });

  it('[issue 10.7] opens no copy for an answer that comes when nobody waits for it any more', async () => {
    const { stores, open, asked, heard } = someStores();
    stores.retain(PUMPS);
    stores.release(PUMPS);
    asked[0]?.answer('v1');
    await turn();
    expect([open, heard()]).toEqual([[], []]);
    stores.retain(PUMPS);
    stores.release(PUMPS);
    stores.retain(PUMPS, 'water.test/v1');
    heard();
    asked[1]?.answer('v1');
    await turn();
    expect(open.map(({ scope }) => scope)).toEqual(['water.test/v1 Pump']);
    stores.close();
  });

  it('[issue 10.7] says why a kind is not to be had while it is used, and nothing once it is not', async () => {
    const { stores, asked, heard, clock } = someStores();
    const down = new Error('discovery is down');
    stores.retain(PUMPS);
    asked[0]?.fail(down);
    await turn();
    expect([stores.failureOf(PUMPS), heard()]).toEqual([down, ['Pump']]);
    stores.release(PUMPS);
    expect([stores.failureOf(PUMPS), clock.waiting()]).toEqual([undefined, 0]);
    stores.retain(PUMPS);
    stores.release(PUMPS);
    asked[1]?.fail(down);
    await turn();
    expect([stores.failureOf(PUMPS), heard(), clock.waiting()]).toEqual([undefined, [], 0]);
  });

  it('[issue 10.7] asks again after 1 s, then after twice as long each time, and every 30 s in the end', async () => {
    const { stores, asked, fail, clock, open } = someStores();
    fail(new Error('discovery is down'));
    stores.retain(PUMPS);
    await clock.advance(130_000);
    expect(asked.map(({ at }) => at)).toEqual([0, 1, 3, 7, 15, 31, 61, 91, 121]);
    fail(undefined);
    const answered = clock.advance(25_000);
    for (let turns = 0; asked.length < 10 && turns < 1000; turns++) await turn();
    asked.at(-1)?.answer('v1');
    await answered;
    expect([open.map(({ scope }) => scope), stores.failureOf(PUMPS), clock.waiting()]).toEqual([['water.test/v1 Pump'], undefined, 0]);
    stores.close();
  });
});
