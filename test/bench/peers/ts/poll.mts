// Polls the objects of `peer seed` ROUNDS times with Slipway's PollerEngine over its remote port; prints one line of JSON.
import { cpuMs, env, int, rssMb, slipway } from './common.mts';

const { status, cluster, clock } = await slipway();
const { CachingClusterReader, PollerEngine, clusterApiReader, discoveryMapper } = status;
const limit = int('ROUNDS', 9);
const namespaceOf = (at: number) => `${env('PREFIX')}-${at % int('NAMESPACES', 10)}`;
const many = (count: number, group: string, kind: string, name: string) =>
  Array.from({ length: count }, (_, at) => ({ group, kind, namespace: namespaceOf(at), name: `${name}-${at}` }));
const ids = [...many(int('CONFIGMAPS', 9000), '', 'ConfigMap', 'settings'), ...many(int('DEPLOYMENTS', 1000), 'apps', 'Deployment', 'web')];

let lists = 0;
const inner = clusterApiReader(cluster);
const api = {
  get: inner.get,
  listPage(of: never, request: never) {
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

/** Notes when rounds begin and end around the reader that the poller uses by default. */
async function clusterReaderFactory(...args: unknown[]) {
  const reader = new CachingClusterReader(...args);
  return {
    async sync(signal: AbortSignal) {
      close();
      if (rounds.length >= limit) stop.abort();
      began = performance.now();
      cpu = cpuMs();
      listed = lists;
      await reader.sync(signal);
      synced = last = performance.now();
    },
    get(...of: unknown[]) {
      last = performance.now();
      return reader.get(...of);
    },
    listNamespaceScoped(...of: unknown[]) {
      last = performance.now();
      return reader.listNamespaceScoped(...of);
    },
    listClusterScoped(...of: unknown[]) {
      last = performance.now();
      return reader.listClusterScoped(...of);
    },
  };
}

const engine = new PollerEngine({ api, mapper: discoveryMapper(cluster.discovery), clock, clusterReaderFactory });
const statuses: Record<string, number> = {};
let events = 0;
for await (const event of engine.poll(ids, { signal: stop.signal, pollIntervalMs: int('INTERVAL_MS', 5000) })) {
  if (event.type === 'Error') throw new Error(event.error.text);
  if (event.type !== 'Update') continue;
  events++;
  statuses[event.resource.status] = (statuses[event.resource.status] ?? 0) + 1;
}
console.log(JSON.stringify({ side: 'slipway', objects: ids.length, rounds, events, statuses, rssMb: rssMb('VmRSS'), peakMb: rssMb('VmHWM') }));
await cluster[Symbol.asyncDispose]();
