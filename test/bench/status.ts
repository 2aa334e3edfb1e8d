import type { KubeObject } from '@/lib/kube/object';
import { groupOf } from '@/lib/kube/object';
import type { Cluster, CollectionAddress } from '@/server/kube';
import { realClock } from '@/server/platform';
import { discoveryMapper, LiveStatus } from '@/server/status';
import type { ApiReader } from '@/server/status/cluster/api-reader';
import type { ObjMetadata } from '@/server/status/identifier';
import { toObjMetadata } from '@/server/status/identifier';
import { PollerEngine } from '@/server/status/polling/poller-engine';
import { silentLog } from '../support/silent-log';
import type { Figure } from './figure';
import { startInformers, startSimulator } from './ground';
import { cpuTimed, median, percentile, repeated } from './measure';
import type { Population } from './workloads';
import { objectsOf, podStatus, populate, sizeOf } from './workloads';

const NAMESPACES = 10;
const PER_NAMESPACE = { deployments: 120, configMaps: 400 };
const PAGE_LIMIT = 500;
const RUNS = 15;
const WARM_UPS = 8;
const CHANGES = 2000;
const CHANGES_PER_SECOND = 200;

/** What one poll of 10 000 objects costs, and how long a change takes to become an event. */
export async function benchStatus(): Promise<readonly Figure[]> {
  const spread = Array.from({ length: NAMESPACES }, (_, at) => ({ namespace: `shop-${at}`, ...PER_NAMESPACE }));
  const crowded = [
    { namespace: 'shop-0', deployments: PER_NAMESPACE.deployments * NAMESPACES, configMaps: PER_NAMESPACE.configMaps * NAMESPACES },
  ];
  return [
    ...(await benchPoll('in 40 groups', spread)),
    ...(await benchPoll('in 4 groups', crowded)),
    await benchWatch('in 10 namespaces', spread),
    await benchWatch('in one namespace', crowded),
  ];
}

async function startPopulated(populations: readonly Population[]) {
  const simulator = await startSimulator({ controllers: false });
  for (const population of populations) {
    await simulator.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: population.namespace } });
    await populate(simulator.cluster, objectsOf(population));
  }
  return simulator;
}

async function benchPoll(where: string, populations: readonly Population[]): Promise<readonly Figure[]> {
  await using simulator = await startPopulated(populations);
  const identifiers = populations.flatMap((population) => [...objectsOf(population)].map(toObjMetadata));
  const pages = new Pages(simulator.cluster);
  const poll = () => pollOnce(simulator.cluster, pages, identifiers);
  await repeated(WARM_UPS, poll); // the first fetches the pages; from then on they are answered from memory
  pages.requests = 0;
  await poll();
  const { requests } = pages;
  const polled: number[] = [];
  const parsed: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    pages.parsingMs = 0;
    const ms = await cpuTimed(poll);
    polled.push(ms - pages.parsingMs);
    parsed.push(await cpuTimed(() => pages.parseAll()));
  }
  const count = populations.reduce((sum, population) => sum + sizeOf(population), 0);
  return [
    {
      what: `LISTs of a poll of ${count} objects ${where}`,
      value: requests,
      unit: 'requests',
      beside: { what: 'sum of max(1, ceil(n/500))', value: expectedLists(identifiers) },
      limit: { of: 'ratio', atMost: 1 },
    },
    {
      what: `CPU of the engine in a poll ${where}`,
      value: median(polled),
      unit: 'ms',
      beside: { what: 'JSON.parse of its pages', value: median(parsed) },
      limit: { of: 'ratio', atMost: 1.5 },
    },
  ];
}

/** One LIST per full or begun page of each kind in each namespace, and one for a kind without objects. */
function expectedLists(identifiers: readonly ObjMetadata[]): number {
  const groups = new Map<string, number>();
  for (const { group, kind, namespace } of identifiers) {
    const key = `${group}/${kind}/${namespace}`;
    groups.set(key, (groups.get(key) ?? 0) + 1);
  }
  return [...groups.values()].reduce((sum, objects) => sum + Math.max(1, Math.ceil(objects / PAGE_LIMIT)), 0);
}

async function pollOnce(cluster: Cluster, api: ApiReader, identifiers: readonly ObjMetadata[]): Promise<void> {
  const engine = new PollerEngine({ api, mapper: discoveryMapper(cluster.discovery), clock: realClock });
  const stop = new AbortController();
  let left = identifiers.length;
  for await (const event of engine.poll(identifiers, { signal: stop.signal, pollIntervalMs: 60_000 })) {
    if (event.type !== 'Update' || event.resource.status !== 'Current')
      throw new Error(`a poll of healthy objects told ${JSON.stringify(event).slice(0, 200)}`);
    if (--left === 0) stop.abort();
  }
}

/** Answers lists with the text that the API server sent for them once, so that a poll costs what the engine costs. */
class Pages implements ApiReader {
  requests = 0;
  /** Processor time that parsing took since this was set to 0. */
  parsingMs = 0;
  readonly #cluster: Cluster;
  readonly #texts = new Map<string, string>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Parses what a poll parses, and keeps it as long. */
  parseAll(): number {
    return [...this.#texts.values()].map((text): unknown => JSON.parse(text)).length;
  }

  async listPage(of: CollectionAddress, { limit = 0, continue: token = '' }: { readonly limit?: number; readonly continue?: string }) {
    this.requests++;
    const { plural } = await this.#cluster.discovery.resolve(of);
    const root = groupOf(of.apiVersion) === '' ? `/api/${of.apiVersion}` : `/apis/${of.apiVersion}`;
    const path = `${root}${of.namespace === undefined ? '' : `/namespaces/${of.namespace}`}/${plural}?limit=${limit}&continue=${encodeURIComponent(token)}`;
    const text = this.#texts.get(path) ?? (await this.#fetch(path));
    this.#texts.set(path, text);
    const before = process.cpuUsage();
    const { items, metadata }: { items: KubeObject[]; metadata: { continue?: string } } = JSON.parse(text); // a list, as the API server sends it
    for (const item of items) Object.assign(item, { apiVersion: of.apiVersion, kind: of.kind });
    const { user, system } = process.cpuUsage(before);
    this.parsingMs += (user + system) / 1000;
    return { items, ...(metadata.continue ? { continue: metadata.continue } : {}) };
  }

  get(): Promise<KubeObject> {
    throw new Error('a poll with a cache reads no single object');
  }

  async #fetch(path: string): Promise<string> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of (await this.#cluster.request({ path })).body) chunks.push(chunk);
    return Buffer.concat(chunks).toString('utf8');
  }
}

/** Nothing of this may grow with what else is in the namespace: children are found by index. */
async function benchWatch(where: string, populations: readonly Population[]): Promise<Figure> {
  await using simulator = await startPopulated(populations);
  const { cluster } = simulator;
  await using informers = startInformers(cluster);
  const objects = populations.flatMap((population) => [...objectsOf(population)]);
  const watcher = new LiveStatus({ log: silentLog, informers, mapper: discoveryMapper(cluster.discovery), clock: realClock });
  const stop = new AbortController();
  const changedAt = new Map<string, number>();
  const delays: number[] = [];
  let synced: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => {
    synced = resolve;
  });
  const consuming = (async () => {
    for await (const event of watcher.watch(objects.map(toObjMetadata), { signal: stop.signal })) {
      if (event.type === 'Sync') synced();
      if (event.type !== 'Update') continue;
      const { namespace, name, kind } = event.resource.identifier;
      const key = `${kind}/${namespace}/${name}`;
      const at = changedAt.get(key);
      if (at === undefined) continue;
      delays.push(performance.now() - at);
      changedAt.delete(key);
    }
  })();
  await ready;
  const pods = objects.filter(({ kind }) => kind === 'Pod');
  const startedAt = performance.now();
  for (let change = 0; change < CHANGES; change++) {
    const pod = pods[(change * 7) % pods.length];
    const { name = '', namespace = '' } = pod?.metadata ?? {};
    const dueAt = startedAt + (change * 1000) / CHANGES_PER_SECOND;
    await realClock.sleep(Math.max(0, dueAt - performance.now()));
    changedAt.set(`Pod/${namespace}/${name}`, performance.now());
    const at = { apiVersion: 'v1', kind: 'Pod', name, namespace };
    await cluster.patch(at, { type: 'merge', body: { status: podStatus(false) } }, { subresource: 'status' });
  }
  await realClock.sleep(500);
  stop.abort();
  await consuming;
  if (changedAt.size > 0) throw new Error(`${changedAt.size} of ${CHANGES} changes were never told`);
  return {
    what: `change to event, p99 of ${CHANGES} at ${CHANGES_PER_SECOND}/s, ${objects.length} objects ${where}`,
    value: percentile(delays, 0.99),
    unit: 'ms',
    beside: { what: 'median', value: median(delays) },
    limit: { of: 'value', atMost: 100 },
  };
}
