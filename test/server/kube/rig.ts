// Loaded before any time is sped up: the first connection loads it, and at twenty times the speed that can outlast the minute a list has.
import type { Received } from './stand-in';
import '@kubernetes/client-node';
import type { Informers, Store, StoreChange } from '@/server/kube';
import { createInformers, createRemoteCluster } from '@/server/kube';
import type { RemoteCluster } from '@/server/kube/remote/create';
import type { Clock, Registry } from '@/server/platform';
import { createMetrics, createRandom } from '@/server/platform';
import { createFastClock } from '@/test/support/fast-clock';
import { until } from '@/test/support/until';
import { silentLog } from '../../support/silent-log';
import type { StandIn } from './stand-in';
import { startStandIn } from './stand-in';

export const CONFIG_MAPS = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
export const AT = { ...CONFIG_MAPS, namespace: 'default', name: 'a' };
export const isRead = ({ path }: Received) => path.endsWith('/configmaps/a');

/** A stand-in, the port to it and informers on the port. */
export interface Rig extends AsyncDisposable {
  readonly standIn: StandIn;
  readonly cluster: RemoteCluster;
  readonly informers: Informers;
  readonly metrics: Registry;
  readonly clock: Clock;
}

/** Starts a rig whose time runs `speed` times as fast. */
export async function startRig(speed = 20): Promise<Rig> {
  const standIn = await startStandIn();
  const metrics = createMetrics();
  const clock = createFastClock(speed);
  const deps = { clock, random: createRandom(7), log: silentLog, metrics };
  const cluster = createRemoteCluster({ source: { kind: 'kubeconfig', path: standIn.kubeconfig }, ...deps });
  const informers = createInformers({ cluster, ...deps });
  return {
    standIn,
    cluster,
    informers,
    metrics,
    clock,
    async [Symbol.asyncDispose]() {
      await informers[Symbol.asyncDispose]();
      await cluster[Symbol.asyncDispose]();
      await standIn[Symbol.asyncDispose]();
    },
  };
}

/** A synced store of config maps that is being watched, and what its handlers were told. */
export async function watchConfigMaps(rig: Rig): Promise<{ readonly store: Store; readonly told: string[] }> {
  const { store } = rig.informers.open(CONFIG_MAPS);
  const told: string[] = [];
  await store.synced();
  store.subscribe((change) => told.push(describeChange(change)));
  await until('the watch is open', () => rig.standIn.watchers() === 1);
  return { store, told };
}

const describeChange = ({ key, before, after }: StoreChange) =>
  `${before ? (after ? 'changed' : 'gone') : 'new'} ${key.replace('default/', '')}`;

/** Names held, in order. */
export const namesOf = (store: Store) => store.list().map((object) => object.metadata.name ?? '');
