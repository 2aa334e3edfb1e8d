import { expect, it } from 'vitest';
import { readFields } from '@/lib/kube/fields';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { startEmbedded } from '@/server/embedded';
import type { Cluster } from '@/server/kube';
import { isNotFound } from '@/server/kube';
import { createRandom } from '@/server/platform';
import { ManualClock } from '@/test/support/manual-clock';
import { createSeededIds } from '../../../support/seeded-ids';
import { silentLog } from '../../../support/silent-log';
import { playSteps, recordedSteps } from './deployment-steps';
import { aDeployment, DEPLOYMENT, POD, REPLICA_SET } from './plane';

const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace' };

async function listAll(cluster: Cluster, type: TypeRef, namespace = 'shop'): Promise<readonly KubeObject[]> {
  const all: KubeObject[] = [];
  for await (const page of cluster.list({ ...type, namespace })) all.push(...page.items);
  return all;
}

async function aCluster() {
  const clock = new ManualClock();
  const random = createRandom(3);
  const embedded = await startEmbedded({ clock, random, ids: createSeededIds(random), log: silentLog, nodes: 2 });
  await clock.advance(1000);
  await embedded.cluster.create({ ...NAMESPACE, metadata: { name: 'shop' } });
  await clock.settle();
  return { clock, cluster: embedded.cluster, [Symbol.asyncDispose]: () => embedded[Symbol.asyncDispose]() };
}

it('[cluster K] on the embedded API server a Deployment reads as one of the recorded control plane', async () => {
  await using house = await aCluster();
  const { cluster, clock } = house;
  const age = (set: KubeObject) => set.metadata.creationTimestamp ?? '';
  const sets = async () => [...(await listAll(cluster, REPLICA_SET))].sort((a, b) => (age(a) < age(b) ? -1 : 1));
  expect(await playSteps({ cluster, advance: (ms) => clock.advance(ms), sets })).toEqual(recordedSteps());
});

it('[cluster D3] a namespace with 300 pods is emptied and goes', async () => {
  await using house = await aCluster();
  const { cluster, clock } = house;
  await cluster.create(aDeployment({ replicas: 300 }));
  await clock.advance(3000);
  expect(readFields(await cluster.get({ ...DEPLOYMENT, namespace: 'shop', name: 'web' }), 'status').availableReplicas).toBe(300);
  await cluster.delete({ ...NAMESPACE, name: 'shop' });
  await clock.advance(5000);
  expect(await listAll(cluster, POD)).toEqual([]);
  await expect(cluster.get({ ...NAMESPACE, name: 'shop' })).rejects.toSatisfy(isNotFound);
});
