import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { KINDS, LABELS } from '@/lib/kube/kinds';
import type { KubeObject, OwnerReference } from '@/lib/kube/object';
import { apply } from '@/server/dispatch';
import type { Cluster } from '@/server/kube';
import { prepare, startSimulator } from './ground';
import { forEachAtOnce } from './measure';
import { aDeployment } from './workloads';

const NAMESPACES = 20;

/** What the benchmark asks of the cluster of applications, which is a process of its own: its computing is not the read model's. */
export type Orders = { readonly do: 'populate'; readonly applications: number } | { readonly do: 'change'; readonly round: number };

/** What it answers. */
export type Told = { readonly told: 'serving'; readonly kubeconfig: string } | { readonly told: 'changed' };

async function serve(): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'slipway-bench-'));
  const simulator = await startSimulator({ controllers: false, dataDir: folder });
  let applications = 0;
  const tell = (told: Told) => process.send?.(told);
  process.on('message', async (orders: Orders) => {
    if (orders.do === 'populate') {
      applications = orders.applications;
      await populate(simulator.cluster, applications);
      await simulator.serve();
      tell({ told: 'serving', kubeconfig: path.join(folder, 'kubeconfig') });
    } else {
      await change(simulator.cluster, orders.round, applications);
      tell({ told: 'changed' });
    }
  });
  process.on('disconnect', async () => {
    await simulator[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
    process.exit();
  });
}

async function populate(cluster: Cluster, applications: number): Promise<void> {
  await prepare(
    cluster,
    Array.from({ length: NAMESPACES }, (_, at) => `shop-${at}`),
  );
  await forEachAtOnce([...Array(applications).keys()], 8, (at) => dispatched(cluster, at));
}

/** Whose applications are; some are asked for by the lists. */
const TEAMS = ['shop', 'pay', 'web'];

/** An application with its revision, the tracker that lists its Deployment, and that Deployment as a dispatch leaves it. */
async function dispatched(cluster: Cluster, at: number): Promise<void> {
  const namespace = `shop-${at % NAMESPACES}`;
  const name = `web-${at}`;
  const labels = { [LABELS.appName]: name, [LABELS.appNamespace]: namespace };
  const spec = {
    components: [
      { name, type: 'webservice', properties: { image: 'registry.example.com/shop:1.0', ports: [{ port: 8080, expose: true }] } },
    ],
  };
  const team = TEAMS[at % TEAMS.length] ?? '';
  const application = await cluster.create({ ...KINDS.application, metadata: { name, namespace, labels: { team } }, spec });
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

/** A hundred workloads change their status, as a cluster does while people look. */
async function change(cluster: Cluster, round: number, applications: number): Promise<void> {
  for (let at = 0; at < 100; at++) {
    const index = (round * 100 + at) % applications;
    const { apiVersion, kind } = KINDS.deployment;
    const body = { status: { readyReplicas: 2 + (round % 2) } };
    await cluster.patch(
      { apiVersion, kind, namespace: `shop-${index % NAMESPACES}`, name: `web-${index}` },
      { type: 'merge', body },
      { subresource: 'status' },
    );
  }
}

await serve();
