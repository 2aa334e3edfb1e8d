import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { startEmbedded } from '@/server/embedded';
import { settled } from '@/server/framework';
import { createController } from '@/server/framework/loop';
import type { Cluster } from '@/server/kube';
import { createInformers } from '@/server/kube';
import { createRandom } from '@/server/platform';
import { discoveryMapper, LiveStatus } from '@/server/status';
import { clusterApiReader } from '@/server/status/cluster/api-reader';
import type { ObjMetadata } from '@/server/status/identifier';
import { PollerEngine } from '@/server/status/polling/poller-engine';
import type { StatusEvent } from '@/server/status/resource-status';
import { clusterCollectionWatch } from '@/server/status/surface/collection-watch';
import { StatusWatcher } from '@/server/status/surface/status-watcher';
import { ManualClock } from '@/test/support/manual-clock';
import { createSeededIds } from '../../support/seeded-ids';
import { silentLog } from '../../support/silent-log';

const web: ObjMetadata = { namespace: 'default', name: 'web', group: 'apps', kind: 'Deployment' };

const deployment: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'registry.test/web:1' }] } },
  },
};

/** A simulated cluster on a clock that the test moves. */
async function startGround() {
  const clock = new ManualClock();
  const random = createRandom(11);
  const embedded = await driven(clock, startEmbedded({ clock, random, ids: createSeededIds(random), log: silentLog }));
  const informers = createInformers({ cluster: embedded.cluster, clock, random, log: silentLog });
  return {
    clock,
    random,
    informers,
    cluster: embedded.cluster,
    async [Symbol.asyncDispose]() {
      await driven(clock, informers[Symbol.asyncDispose]());
      await driven(clock, embedded[Symbol.asyncDispose]());
    },
  };
}

/** Moves the clock until the work has ended. */
async function driven<T>(clock: ManualClock, work: PromiseLike<T>): Promise<T> {
  let ended = false;
  const watched = Promise.resolve(work).finally(() => {
    ended = true;
  });
  while (!ended) await clock.advance(100);
  return watched;
}

type Drive = (ground: Awaited<ReturnType<typeof startGround>>, signal: AbortSignal) => AsyncIterable<StatusEvent>;

const mapperOf = ({ cluster }: { readonly cluster: Cluster }) => discoveryMapper(cluster.discovery);

const DRIVERS: readonly (readonly [string, Drive])[] = [
  [
    '8.2] polling',
    (ground, signal) =>
      new PollerEngine({ api: clusterApiReader(ground.cluster), mapper: mapperOf(ground), clock: ground.clock }).poll([web], {
        signal,
        pollIntervalMs: 50,
      }),
  ],
  [
    '9.2] watching',
    (ground, signal) =>
      new StatusWatcher({
        ...ground,
        api: clusterApiReader(ground.cluster),
        source: clusterCollectionWatch(ground.cluster),
        mapper: mapperOf(ground),
      }).watch([web], { signal }),
  ],
  [
    '13.2] shared copies',
    (ground, signal) => new LiveStatus({ ...ground, log: silentLog, mapper: mapperOf(ground) }).watch([web], { signal }),
  ],
];

describe('statuses of a cluster that lives', () => {
  it.each(DRIVERS)('[status %s tells a Deployment from its creation to its end', async (_title, drive) => {
    await using ground = await startGround();
    const { clock, cluster } = ground;
    const stopping = new AbortController();
    const told: string[] = [];
    const consuming = (async () => {
      for await (const event of drive(ground, stopping.signal)) {
        if (event.type === 'Update') told.push(event.resource.status);
        if (event.type === 'Error') told.push(event.error.text);
      }
    })();
    await clock.advance(1000);
    await driven(clock, cluster.create(deployment));
    await clock.advance(60_000);
    expect(told).toContain('InProgress');
    expect(told.at(-1)).toBe('Current');
    await driven(clock, cluster.delete({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' }));
    await clock.advance(60_000);
    expect(told.at(-1)).toBe('NotFound');
    stopping.abort();
    await driven(clock, consuming);
  });
});

describe('a controller on a cluster that lives', () => {
  it('[framework L7] sees the last state of every object, however fast it changes', async () => {
    await using ground = await startGround();
    const { clock, cluster, informers, random } = ground;
    const use = informers.open({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default' });
    const seen = new Map<string, unknown>();
    const controller = createController(
      {
        name: 'mirror',
        sources: [{ store: use.store }],
        workers: 2,
        reconcile: async (key) => {
          seen.set(key, use.store.get(key)?.data);
          return settled();
        },
      },
      { clock, random, log: silentLog },
    );
    await driven(clock, controller.start());
    for (let round = 0; round < 5; round++) {
      for (const name of ['a', 'b', 'c']) {
        const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data: { round: String(round) } };
        await driven(clock, round === 0 ? cluster.create(object) : cluster.update(object));
      }
    }
    await clock.advance(1000);
    for (const name of ['a', 'b', 'c']) expect(seen.get(`default/${name}`)).toEqual({ round: '4' });
    expect(controller.stats()).toMatchObject({ depth: 0, active: 0, failures: 0 });
    await driven(clock, controller[Symbol.asyncDispose]());
    use.release();
  });
});
