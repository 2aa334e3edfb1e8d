import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { ListQuery } from '@/lib/contract/topic';
import { KINDS, LABELS } from '@/lib/kube/kinds';
import type { KubeObject, OwnerReference } from '@/lib/kube/object';
import { apply } from '@/server/dispatch';
import type { Cluster, Informers } from '@/server/kube';
import { createRemoteCluster } from '@/server/kube';
import { createRandom, realClock, silentLog } from '@/server/platform';
import type { OpenReadModel } from '@/server/readmodel';
import type { Figure } from './figure';
import { prepare, startInformers, startSimulator } from './ground';
import { forEachAtOnce, heapInUse, median, percentile, timed } from './measure';
import { openReadModel } from './open-read-model';
import { aDeployment } from './workloads';

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
    await forEachAtOnce([...Array(APPLICATIONS).keys()], 8, (at) => dispatched(simulator.cluster, at));
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

/** An application with its revision, the tracker that lists its Deployment, and that Deployment as a dispatch leaves it. */
async function dispatched(cluster: Cluster, at: number): Promise<void> {
  const namespace = `shop-${at % NAMESPACES}`;
  const name = `web-${at}`;
  const labels = { [LABELS.appName]: name, [LABELS.appNamespace]: namespace };
  const spec = {
    components: [{ name, type: 'webservice', properties: { image: 'registry.example.com/shop:1.0', ports: [{ port: 8080, expose: true }] } }],
  };
  const application = await cluster.create({ ...KINDS.application, metadata: { name, namespace }, spec });
  const status = { status: 'running', latestRevision: { name: `${name}-v1`, revision: 1 } };
  await cluster.update({ ...application, status }, { subresource: 'status' });
  await cluster.create({
    ...KINDS.applicationRevision,
    metadata: { name: `${name}-v1`, namespace, labels, ownerReferences: [ownerOf(application)] },
    spec: { application: { ...KINDS.application, metadata: { name, namespace }, spec } },
  });
  const { status: ready, ...bare } = aDeployment(namespace, name);
  const workload: KubeObject = { ...bare, metadata: { ...bare.metadata, labels: { ...bare.metadata.labels, ...labels } } };
  const entry = { apiVersion: workload.apiVersion, kind: workload.kind, name, namespace, component: name, raw: workload };
  const tracker = await cluster.create({
    ...KINDS.resourceTracker,
    metadata: { name: `${name}-v1-${namespace}`, labels },
    spec: { type: 'versioned', applicationGeneration: 1, managedResources: [entry] },
  });
  const { object } = await apply(cluster, { ...workload, metadata: { ...workload.metadata, ownerReferences: [ownerOf(tracker)] } });
  await cluster.update({ ...object, status: ready }, { subresource: 'status' });
}

function ownerOf({ apiVersion, kind, metadata: { name = '', uid = '' } }: KubeObject): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** Until every row is there and judged. */
async function fill(readModel: OpenReadModel, informers: Informers): Promise<void> {
  await readModel.start();
  const window = readModel.open({ kind: 'applications', query: { health: 'Current' } }, 'all');
  const drifting = readModel.open({ kind: 'applications', query: { drifted: true } }, 'all');
  for (;;) {
    await Promise.all(informers.all().map((store) => store.synced()));
    if (window?.snapshot().total === APPLICATIONS && drifting?.snapshot().total === 0) break;
    await realClock.sleep(50);
  }
  window.release();
  drifting.release();
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
