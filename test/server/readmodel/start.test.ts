import { expect, it } from 'vitest';
import { ReconcileHistory } from '@/server/chartsync';
import type { Informers } from '@/server/kube';
import { createReadModel } from '@/server/readmodel';
import { ManualClock } from '@/test/support/manual-clock';
import { liveStatusOf } from '../../support/live-status';
import { silentLog } from '../../support/silent-log';
import { FakeStore } from '../framework/fake-store';

it('[issue 4] waits for dozens of kinds without a listener for each on one signal', async () => {
  const warnings: string[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning.name);
  process.on('warning', onWarning);
  const stores: FakeStore[] = [];
  const informers: Informers = {
    open(scope) {
      const store = new FakeStore({ scope, synced: false });
      stores.push(store);
      return { store, release: () => undefined, [Symbol.asyncDispose]: async () => undefined };
    },
    relist: async () => undefined,
    all: () => stores,
    [Symbol.asyncDispose]: async () => undefined,
  };
  const clock = new ManualClock();
  await using model = createReadModel({
    bootId: 'test',
    informers,
    discovery: { resolveKind: async () => Promise.reject(new Error('nobody serves it')) },
    ownUser: async () => undefined,
    clock,
    log: silentLog,
    status: liveStatusOf(informers, clock),
    loops: new ReconcileHistory(clock),
    reachability: () => ({ reachable: true, since: undefined, reason: '' }),
    samples: Promise.resolve({ readRecent: async () => [], append: async () => undefined }),
    record: Promise.resolve([]),
    readEntries: async () => [],
    facts: {
      cluster: { kind: 'remote', name: 'test', version: null },
      engines: () => ({}),
      dropped: () => null,
      findings: () => [],
      startedAt: '2026-01-01T00:00:00Z',
      leader: () => false,
      controllers: () => [],
    },
  });
  const starting = model.start();
  await clock.settle();
  expect(stores.length).toBeGreaterThan(11);
  for (const store of stores) store.sync();
  await starting;
  await new Promise((resolve) => setImmediate(resolve)); // warnings are told in a turn of their own
  process.off('warning', onWarning);
  expect(warnings).toEqual([]);
});
