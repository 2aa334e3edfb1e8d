import { expect, it } from 'vitest';
import type { ApplicationStores } from '@/server/application/observe/observe';
import { waitUntilReadable } from '@/server/application/plan/wait-until-readable';
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
