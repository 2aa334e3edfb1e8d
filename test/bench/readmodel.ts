import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { ListQuery } from '@/lib/contract/topic';
import { KINDS, LABELS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Cluster, Informers } from '@/server/kube';
import { createRemoteCluster } from '@/server/kube';
import { createRandom, realClock, silentLog } from '@/server/platform';
import type { OpenReadModel } from '@/server/readmodel';
import type { Figure } from './figure';
import { prepare, startInformers, startSimulator } from './ground';
import { heapInUse, median, percentile, timed } from './measure';
import { openReadModel } from './open-read-model';
import { aDeployment, populate } from './workloads';

const APPLICATIONS = 10_000;
const NAMESPACES = 20;
const ROUNDS = 25;

/** What a person may ask of the table: words, filters, orders and pages. */
const QUERIES: readonly ListQuery[] = [
  {},
  { q: 'web-77' },
  { ns: 'shop-3' },
  { health: 'Current', sort: 'name' },
  { sort: 'name', desc: true, page: 120 },
  { sort: 'updated', desc: true, size: 200 },
  { q: 'shop:1.0', sort: 'objects', page: 7 },
];

/** The table of 10 000 applications, as the server answers it while the cluster changes. */
export async function benchReadModel(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'slipway-bench-'));
  try {
    await using simulator = await startSimulator({ controllers: false, dataDir: folder });
    const namespaces = Array.from({ length: NAMESPACES }, (_, at) => `shop-${at}`);
    await prepare(simulator.cluster, namespaces);
    for (let at = 0; at < APPLICATIONS; at += 500) await populate(simulator.cluster, applicationsFrom(at, 500));
    await simulator.serve();
    // Over HTTP, so that the watched copies are copies.
    const source = { kind: 'kubeconfig', path: path.join(folder, 'kubeconfig') } as const;
    await using remote = createRemoteCluster({ source, clock: realClock, random: createRandom(3), log: silentLog });
    return await measure(simulator.cluster, remote);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(cluster: Cluster, remote: Cluster): Promise<readonly Figure[]> {
  const heapBefore = heapInUse();
  await using informers = startInformers(remote);
  await using readModel = openReadModel(informers);
  const filled = await timed(() => fill(readModel, informers));
  const objects = informers.all().reduce((sum, store) => sum + store.health().objects, 0);
  const heapEach = (heapInUse() - heapBefore) / objects;
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await change(cluster, round);
    for (const query of QUERIES) {
      times.push(
        await timed(() => {
          const window = readModel.open({ kind: 'applications', query }, 'all');
          const shown = window?.snapshot().rows.length ?? 0;
          window?.release();
          if (shown === 0) throw new Error(`no application answers ${JSON.stringify(query)}`);
        }),
      );
    }
  }
  return [
    {
      what: `filter, order and page over ${APPLICATIONS} applications, p95`,
      value: percentile(times, 0.95),
      unit: 'ms',
      beside: { what: 'median', value: median(times) },
      limit: { of: 'value', atMost: 150 },
    },
    { what: `first rows over ${objects} objects that are not read yet`, value: filled / 1000, unit: 's' },
    { what: 'memory per watched object, rows included', value: heapEach / 1024, unit: 'KB', limit: { of: 'value', atMost: 4 } },
  ];
}

/** Every application with the Deployment it runs as, and the tracker that lists it. */
function applicationsFrom(first: number, count: number): readonly KubeObject[] {
  return Array.from({ length: count }, (_, at) => anApplication(first + at)).flat();
}

function anApplication(at: number): readonly KubeObject[] {
  const namespace = `shop-${at % NAMESPACES}`;
  const name = `web-${at}`;
  const workload = aDeployment(namespace, name);
  const labels = { [LABELS.appName]: name, [LABELS.appNamespace]: namespace };
  const properties = { image: 'registry.example.com/shop:1.0', ports: [{ port: 8080, expose: true }] };
  const entry = { apiVersion: workload.apiVersion, kind: workload.kind, name, namespace, component: name, raw: { ...workload, status: undefined } };
  return [
    {
      ...KINDS.application,
      metadata: { name, namespace },
      spec: { components: [{ name, type: 'webservice', properties }] },
      status: { status: 'running', latestRevision: { name: `${name}-v1`, revision: 1 } },
    },
    {
      ...KINDS.resourceTracker,
      metadata: { name: `${name}-v1-${namespace}`, labels },
      spec: { type: 'versioned', applicationGeneration: 1, managedResources: [entry] },
    },
    { ...workload, metadata: { ...workload.metadata, labels: { ...workload.metadata.labels, ...labels } } },
  ];
}

/** Until every row is there and judged. */
async function fill(readModel: OpenReadModel, informers: Informers): Promise<void> {
  await readModel.start();
  const window = readModel.open({ kind: 'applications', query: { health: 'Current' } }, 'all');
  for (;;) {
    await Promise.all(informers.all().map((store) => store.synced()));
    if (window?.snapshot().total === APPLICATIONS) break;
    await realClock.sleep(50);
  }
  window.release();
}

/** A hundred workloads change their status, as a cluster does while people look. */
async function change(cluster: Cluster, round: number): Promise<void> {
  for (let at = 0; at < 100; at++) {
    const index = (round * 100 + at) % APPLICATIONS;
    const { apiVersion, kind } = KINDS.deployment;
    const body = { status: { readyReplicas: 2 + (round % 2) } };
    await cluster.patch(
      { apiVersion, kind, namespace: `shop-${index % NAMESPACES}`, name: `web-${index}` },
      { type: 'merge', body },
      { subresource: 'status' },
    );
  }
  await realClock.sleep(50);
}
