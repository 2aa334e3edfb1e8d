import { expect, it } from 'vitest';
import type { ApplicationRow } from '@/lib/contract/application-rows';
import type { Topic } from '@/lib/contract/topic';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toInstant } from '@/lib/std/instant';
import { ReconcileHistory } from '@/server/chartsync';
import type { Clock } from '@/server/platform';
import { createReadModel } from '@/server/readmodel';
import { FakeApiServer } from '@/test/support/dispatch-server';
import { FakeInformers } from '@/test/support/fake-informers';
import { liveStatusOf } from '@/test/support/live-status';
import { ManualClock } from '@/test/support/manual-clock';
import { silentLog } from '../../support/silent-log';

const MANY = 40;
const TOPIC: Topic = { kind: 'applications', query: { size: MANY } };
const nameOf = (at: number) => `app-${at}`;
const application = (name: string, image: string): KubeObject => ({
  ...KINDS.application,
  metadata: { name, namespace: 'shop' },
  spec: { components: [{ name: 'web', type: 'webservice', properties: { image } }] },
});

/** A clock that every look at it moves on by a millisecond, as computing does. */
function busyClock(manual: ManualClock): Clock {
  let spentMs = 0;
  return {
    now: () => toInstant(manual.now() + spentMs++),
    schedule: (delayMs, task) => manual.schedule(delayMs, task),
    sleep: (delayMs, signal) => manual.sleep(delayMs, signal),
    hold: () => manual.hold(),
  };
}

/** The read model over so many applications, on a clock on which a row takes a millisecond at least. */
async function aBusyModel() {
  const manual = new ManualClock();
  const clock = busyClock(manual);
  const server = new FakeApiServer();
  const informers = new FakeInformers(server);
  const model = createReadModel({
    bootId: 'test',
    informers,
    discovery: { resolveKind: async () => Promise.reject(new Error('nobody serves it')) },
    ownUser: async () => undefined,
    clock,
    log: silentLog,
    status: liveStatusOf(informers, clock),
    reachability: () => ({ reachable: true, since: undefined, reason: '' }),
    samples: Promise.resolve({ readRecent: async () => [], append: async () => undefined }),
    record: Promise.resolve([]),
    readEntries: async () => [],
    loops: new ReconcileHistory(clock),
    facts: {
      cluster: { kind: 'embedded', name: 'test', version: null },
      engines: () => ({}),
      dropped: () => null,
      findings: () => [],
      startedAt: '2026-01-01T00:00:00Z',
      leader: () => true,
      controllers: () => [],
    },
  });
  const moved = async (work: Promise<void>) => {
    let done = false;
    const end = work.then(() => {
      done = true;
    });
    while (!done) await manual.advance(8);
    await end;
  };
  await moved(model.start());
  for (let at = 0; at < MANY; at++) await server.create(application(nameOf(at), 'web:1'));
  await moved(model.whenComplete(TOPIC));
  return {
    model,
    moved,
    async changeAll(image: string) {
      for (let at = 0; at < MANY; at++)
        await server.update({
          ...server.peek({ ...KINDS.application, namespace: 'shop', name: nameOf(at) }),
          ...application(nameOf(at), image),
        });
    },
    see() {
      const window = model.open(TOPIC, 'all');
      const seen = window?.snapshot();
      window?.release();
      return {
        images: new Set((seen?.rows as readonly ApplicationRow[] | undefined)?.flatMap(({ images }) => images)),
        stale: seen?.freshness.stale,
      };
    },
  };
}

it('[issue 9] the first read after quiet is answered with rows of now once they are computed', async () => {
  const { model, moved, changeAll, see } = await aBusyModel();
  await using _ending = model;
  expect(see()).toEqual({ images: new Set(['web:1']), stale: null });
  await changeAll('web:2');
  // Whoever does not wait sees some of both.
  expect(see().images).toEqual(new Set(['web:1', 'web:2']));
  await changeAll('web:3');
  await moved(model.whenComplete(TOPIC));
  expect(see()).toEqual({ images: new Set(['web:3']), stale: null });
});
