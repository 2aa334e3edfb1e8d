import { expect, it } from 'vitest';
import type { ApplicationStores } from '@/server/application/observe/observe';
import { POLL_MS, waitUntilReadable } from '@/server/application/plan/wait-until-readable';
import type { NamespaceSource } from '@/server/kube';
import { ManualClock } from '@/test/support/manual-clock';
import { FakeStore } from '../framework/fake-store';

it('[issue 10.6] who waited for the copies leaves nothing behind with them, however often that is', async () => {
  const store = new FakeStore();
  let listening = 0;
  const onHealth = store.onHealth.bind(store);
  store.onHealth = (handler) => {
    const release = onHealth(handler);
    listening++;
    return () => {
      listening--;
      release();
    };
  };
  const deployments = Object.assign(store, { needIn: () => () => undefined, covers: () => ({ kind: 'now' }) });
  const stores = { deployments } as unknown as ApplicationStores; // only workloads are asked by namespace
  for (let time = 0; time < 3; time++)
    await waitUntilReadable(stores, 'shop', { clock: new ManualClock(), signal: new AbortController().signal });
  expect(listening).toBe(0);
});

it('[issue 10.1] a plan waits for every copy, and of workloads for those of its namespace alone, which it asks for while it waits', async () => {
  const clock = new ManualClock();
  const told: string[] = [];
  let covered = 'later';
  let whole = (): void => undefined;
  const { signal } = new AbortController();
  const listed = new Promise<void>((resolve) => {
    whole = resolve;
  });
  const store = new FakeStore();
  const deployments = Object.assign(store, {
    needIn: (source: NamespaceSource) => {
      told.push(`needs ${[...source.values()].join()} ${source.has('shop')} ${source.has('other')}`);
      source.subscribe(() => undefined)();
      return () => void told.push('released');
    },
    covers: (namespace: string) => {
      told.push(`asks for ${namespace}`);
      return { kind: covered };
    },
  });
  const stores = { deployments, trackers: { synced: () => listed } } as unknown as ApplicationStores;
  const waiting = waitUntilReadable(stores, 'shop', { clock, signal }).then(() => told.push('through'));
  await clock.settle();
  expect(told).toEqual(['needs shop true false']);
  whole();
  await clock.settle();
  expect(told.slice(1)).toEqual(['asks for shop']);
  covered = 'now';
  await clock.advance(POLL_MS - 1);
  expect(told).toHaveLength(2);
  await clock.advance(1);
  await waiting;
  expect(told.slice(2)).toEqual(['asks for shop', 'released', 'through']);
});
