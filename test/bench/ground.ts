import { KINDS } from '@/lib/kube/kinds';
import type { EmbeddedCluster } from '@/server/embedded';
import { startEmbedded } from '@/server/embedded';
import type { EmbeddedOptions } from '@/server/embedded/start';
import { installMissing, readManifests } from '@/server/installation';
import type { Cluster, Informers } from '@/server/kube';
import { createInformers } from '@/server/kube';
import { createRandom, realClock, systemIds } from '@/server/platform';
import { silentLog } from '../support/silent-log';

const GROUND = { clock: realClock, random: createRandom(11), log: silentLog } as const;

/** A simulated cluster on the real clock. */
export function startSimulator(options: Partial<EmbeddedOptions> = {}): Promise<EmbeddedCluster> {
  return startEmbedded({ ...GROUND, ids: systemIds, ...options });
}

/** The definitions that Slipway needs, and namespaces. */
export async function prepare(cluster: Cluster, namespaces: readonly string[]): Promise<void> {
  await installMissing(await readManifests('deploy/crds'), { cluster, ...GROUND });
  for (const name of namespaces) await cluster.create({ ...KINDS.namespace, metadata: { name } });
}

export function startInformers(cluster: Cluster): Informers {
  return createInformers({ cluster, ...GROUND });
}

/** How many requests of each verb went through. */
export type Requests = Record<'get' | 'create' | 'update' | 'patch' | 'delete', number>;

/** The same port, counting the requests for single objects. */
export function counting(cluster: Cluster): { readonly cluster: Cluster; readonly requests: Requests; writes(): number } {
  const requests: Requests = { get: 0, create: 0, update: 0, patch: 0, delete: 0 };
  const counted: Cluster = {
    discovery: cluster.discovery,
    list: (of, options) => cluster.list(of, options),
    watch: (of, options) => cluster.watch(of, options),
    request: (request) => cluster.request(request),
    connect: (request) => cluster.connect(request),
    as: (person) => cluster.as(person),
    get: (at, options) => count('get', () => cluster.get(at, options)),
    create: (object, options) => count('create', () => cluster.create(object, options)),
    update: (object, options) => count('update', () => cluster.update(object, options)),
    patch: (at, patch, options) => count('patch', () => cluster.patch(at, patch, options)),
    delete: (at, options) => count('delete', () => cluster.delete(at, options)),
    deleteCollection: (of, options) => count('delete', () => cluster.deleteCollection(of, options)),
  };
  function count<T>(verb: keyof Requests, send: () => Promise<T>): Promise<T> {
    requests[verb]++;
    return send();
  }
  return { cluster: counted, requests, writes: () => requests.create + requests.update + requests.patch + requests.delete };
}
