// Polls the objects of `peer seed` ROUNDS times with Slipway's PollerEngine over its remote port; prints one line of JSON.
import { realClock } from '@/server/platform';
import { discoveryMapper } from '@/server/status';
import type { ApiReader } from '@/server/status/cluster/api-reader';
import { clusterApiReader } from '@/server/status/cluster/api-reader';
import { CachingClusterReader } from '@/server/status/cluster/caching-reader';
import { PollerEngine } from '@/server/status/polling/poller-engine';
import { cpuMs, createPeerCluster, env, int, rssMb } from './common';

const cluster = createPeerCluster();
const limit = int('ROUNDS', 9);
const namespaceOf = (at: number) => `${env('PREFIX')}-${at % int('NAMESPACES', 10)}`;
const many = (count: number, group: string, kind: string, name: string) =>
  Array.from({ length: count }, (_, at) => ({ group, kind, namespace: namespaceOf(at), name: `${name}-${at}` }));
const ids = [...many(int('CONFIGMAPS', 9000), '', 'ConfigMap', 'settings'), ...many(int('DEPLOYMENTS', 1000), 'apps', 'Deployment', 'web')];

let lists = 0;
const inner = clusterApiReader(cluster);
const api: ApiReader = {
  get: inner.get,
  listPage(of, request) {
    lists++;
    return inner.listPage(of, request);
  },
};

const rounds: { lists: number; syncMs: number; wallMs: number; cpuMs: number }[] = [];
const stop = new AbortController();
let began = 0;
let synced = 0;
let last = 0;
let cpu = 0;
let listed = 0;
function close() {
  if (began > 0) rounds.push({ lists: lists - listed, syncMs: synced - began, wallMs: last - began, cpuMs: cpuMs() - cpu });
}

/** The reader that the poller uses by default; notes when rounds begin and end. */
class TimedReader extends CachingClusterReader {
  override async sync(signal: AbortSignal): Promise<void> {
    close();
    if (rounds.length >= limit) stop.abort();
    began = performance.now();
    cpu = cpuMs();
    listed = lists;
    await super.sync(signal);
    synced = last = performance.now();
  }

  override get(...of: Parameters<CachingClusterReader['get']>) {
    last = performance.now();
    return super.get(...of);
  }

  override listNamespaceScoped(...of: Parameters<CachingClusterReader['listNamespaceScoped']>) {
    last = performance.now();
    return super.listNamespaceScoped(...of);
  }

  override listClusterScoped(...of: Parameters<CachingClusterReader['listClusterScoped']>) {
    last = performance.now();
    return super.listClusterScoped(...of);
  }
}

const engine = new PollerEngine({
  api,
  mapper: discoveryMapper(cluster.discovery),
  clock: realClock,
  clusterReaderFactory: async (reads, mapper, identifiers) => new TimedReader(reads, mapper, identifiers),
});
const statuses: Record<string, number> = {};
let events = 0;
for await (const event of engine.poll(ids, { signal: stop.signal, pollIntervalMs: int('INTERVAL_MS', 5000) })) {
  if (event.type === 'Error') throw new Error(event.error.text);
  if (event.type !== 'Update') continue;
  events++;
  statuses[event.resource.status] = (statuses[event.resource.status] ?? 0) + 1;
}
console.log(
  JSON.stringify({ side: 'slipway', objects: ids.length, rounds, events, statuses, rssMb: rssMb('VmRSS'), peakMb: rssMb('VmHWM') }),
);
await cluster[Symbol.asyncDispose]();
