import fc from 'fast-check';
import { expect, it } from 'vitest';
import { getCondition } from '@/lib/kube/condition';
import { readFields, readNumber } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { KubeApiError } from '@/server/kube';
import { playSteps, recordedSteps } from './deployment-steps';
import { aDeployment, aTemplate, DEPLOYMENT, Plane, POD, REPLICA_SET } from './plane';

it('[cluster K] a Deployment reads step by step as one of the recorded control plane', async () => {
  await using plane = new Plane();
  const { host } = plane;
  const ground = { cluster: host.cluster, advance: (ms: number) => plane.advance(ms), sets: async () => host.list(REPLICA_SET) };
  expect(await playSteps(ground)).toEqual(recordedSteps());
});

const image = (name: string) => (plane: Plane) => plane.patch(DEPLOYMENT, 'web', { spec: { template: aTemplate({ image: name }) } });

it('[cluster K] tells of each step in events', async () => {
  await using plane = new Plane();
  await plane.create(aDeployment({ replicas: 1 }));
  await plane.advance(2000);
  await image('nginx:2')(plane);
  await plane.advance(2000);
  const [first, second] = plane.host.list(REPLICA_SET).map((set) => set.metadata.name);
  expect(plane.said('web')).toEqual([
    `Normal ScalingReplicaSet: Scaled up replica set ${first} from 0 to 1`,
    `Normal ScalingReplicaSet: Scaled up replica set ${second} from 0 to 1`,
    `Normal ScalingReplicaSet: Scaled down replica set ${first} from 1 to 0`,
  ]);
});

const FAIL = 'sim.slipway.dev/fail';

/** Replicas that exist and are available, over all pods of the Deployment that are not going. */
function countPods(plane: Plane): { total: number; available: number } {
  const pods = plane.pods().filter((pod) => pod.metadata.deletionTimestamp === undefined);
  const available = pods.filter((pod) => JSON.stringify(pod.status ?? {}).includes('"type":"Ready","status":"True"'));
  return { total: pods.length, available: available.length };
}

it('[cluster K] a rolling update stays between replicas - maxUnavailable and replicas + maxSurge', async () => {
  const bounds = fc.record({
    replicas: fc.integer({ min: 1, max: 12 }),
    maxSurge: fc.integer({ min: 0, max: 4 }),
    maxUnavailable: fc.integer({ min: 0, max: 4 }),
  });
  const property = fc.asyncProperty(bounds, async ({ replicas, maxSurge, maxUnavailable }) => {
    fc.pre(maxSurge + maxUnavailable > 0);
    await using plane = new Plane();
    await plane.create(aDeployment({ replicas, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } } }));
    await plane.advance(1000);
    await image('nginx:2')(plane);
    for (let step = 0; step < 150 && !isRolledOut(plane, replicas); step++) {
      await plane.advance(100);
      const { total, available } = countPods(plane);
      expect(total).toBeLessThanOrEqual(replicas + maxSurge);
      expect(available).toBeGreaterThanOrEqual(replicas - maxUnavailable);
    }
    expect(isRolledOut(plane, replicas)).toBe(true);
  });
  await fc.assert(property, { numRuns: 20, seed: 42 });
});

function isRolledOut(plane: Plane, replicas: number): boolean {
  const pods = plane.pods();
  return (
    pods.length === replicas && pods.every((pod) => JSON.stringify(pod.spec).includes('nginx:2')) && countPods(plane).available === replicas
  );
}

it('[cluster K] Recreate starts the new revision only when every old pod is gone', async () => {
  await using plane = new Plane();
  await plane.create(aDeployment({ strategy: { type: 'Recreate' } }));
  await plane.advance(1000);
  await image('nginx:2')(plane);
  await plane.advance(50);
  expect(plane.pods().map((pod) => pod.metadata.deletionTimestamp !== undefined)).toEqual([true, true, true, true]);
  expect(plane.host.list(REPLICA_SET)).toHaveLength(1);
  await plane.advance(1000);
  expect(isRolledOut(plane, 4)).toBe(true);
});

it('[cluster K] spreads a change of size over the revisions in mid-rollout', async () => {
  await using plane = new Plane();
  await plane.create(aDeployment({ replicas: 10, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } } }));
  await plane.advance(1000);
  await plane.patch(DEPLOYMENT, 'web', { spec: { template: aTemplate({ annotations: { [FAIL]: 'never-ready' } }) } });
  await plane.advance(1000);
  expect(plane.host.list(REPLICA_SET).map((set) => readNumber(set, 'spec', 'replicas'))).toEqual([8, 5]);
  await plane.patch(DEPLOYMENT, 'web', { spec: { replicas: 15 } });
  await plane.advance(1000);
  expect(plane.host.list(REPLICA_SET).map((set) => readNumber(set, 'spec', 'replicas'))).toEqual([11, 7]);
});

it('[cluster K] keeps as many old revisions as asked for', async () => {
  await using plane = new Plane();
  await plane.create(aDeployment({ replicas: 1, revisionHistoryLimit: 2 }));
  for (let revision = 2; revision <= 5; revision++) {
    await plane.advance(1000);
    await image(`nginx:${revision}`)(plane);
  }
  await plane.advance(2000);
  const revisions = plane.host.list(REPLICA_SET).map((set) => set.metadata.annotations?.['deployment.kubernetes.io/revision']);
  expect(revisions).toEqual(['3', '4', '5']);
});

it('[cluster K] minReadySeconds delays availability, not readiness', async () => {
  await using plane = new Plane();
  await plane.create(aDeployment({ minReadySeconds: 10 }));
  await plane.advance(5000);
  expect(plane.require(DEPLOYMENT, 'web').status).toMatchObject({ readyReplicas: 4, unavailableReplicas: 4 });
  await plane.advance(6000);
  expect(plane.require(DEPLOYMENT, 'web').status).toMatchObject({ availableReplicas: 4 });
});

it('[cluster K] counts a collision when its name is taken by another template', async () => {
  await using plane = new Plane();
  await plane.create(aDeployment());
  await plane.advance(1000);
  const taken = plane.host.list(REPLICA_SET)[0] as KubeObject;
  await plane.host.cluster.delete({ ...DEPLOYMENT, namespace: 'shop', name: 'web' });
  await plane.advance(1000);
  const squatter = { ...REPLICA_SET, metadata: { name: taken.metadata.name ?? '', namespace: 'shop' } };
  await plane.create({
    ...squatter,
    spec: { replicas: 0, selector: { matchLabels: { app: 'other' } }, template: aTemplate({ labels: { app: 'other' } }) },
  });
  await plane.create(aDeployment());
  await plane.advance(2000);
  expect(plane.require(DEPLOYMENT, 'web').status).toMatchObject({ collisionCount: 1, availableReplicas: 4 });
});

it('[cluster D2] deleting a Deployment takes its sets and pods with it', async () => {
  await using plane = new Plane();
  await plane.create(aDeployment());
  await plane.advance(1000);
  await plane.host.cluster.delete({ ...DEPLOYMENT, namespace: 'shop', name: 'web' }, { propagationPolicy: 'Background' });
  await plane.advance(1000);
  expect(plane.host.list(REPLICA_SET)).toEqual([]);
  expect(plane.pods()).toEqual([]);
});

it('[cluster D1] in the foreground a Deployment goes after its sets, and they after their pods', async () => {
  await using plane = new Plane();
  await plane.create(aDeployment());
  await plane.advance(1000);
  await plane.host.cluster.delete({ ...DEPLOYMENT, namespace: 'shop', name: 'web' }, { propagationPolicy: 'Foreground' });
  await plane.advance(50);
  expect(plane.get(DEPLOYMENT, 'web')?.metadata.finalizers).toEqual(['foregroundDeletion']);
  expect(plane.host.list(REPLICA_SET)[0]?.metadata.finalizers).toEqual(['foregroundDeletion']);
  expect(plane.pods()).toHaveLength(4);
  await plane.advance(1000);
  expect([plane.get(DEPLOYMENT, 'web'), plane.host.list(REPLICA_SET), plane.pods()]).toEqual([undefined, [], []]);
});

it('[cluster K] pods that are refused show as ReplicaFailure, on the set and on the Deployment, until they are let in', async () => {
  await using plane = new Plane();
  const message = 'pods "web" is forbidden: exceeded quota';
  plane.host.refuse = (object) => (object.kind === 'Pod' ? new KubeApiError({ code: 403, reason: 'Forbidden', message }) : undefined);
  await plane.create(aDeployment());
  await plane.advance(1000);
  const failure = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message };
  expect(getCondition(plane.host.list(REPLICA_SET)[0], 'ReplicaFailure')).toMatchObject(failure);
  expect(getCondition(plane.require(DEPLOYMENT, 'web'), 'ReplicaFailure')).toMatchObject(failure);
  plane.host.refuse = () => undefined;
  await plane.advance(60_000);
  expect(plane.require(DEPLOYMENT, 'web').status).toMatchObject({ availableReplicas: 4 });
  expect(getCondition(plane.require(DEPLOYMENT, 'web'), 'ReplicaFailure')).toBeUndefined();
});

it('[cluster K] a ReplicaSet lets go of a pod whose labels change, and adopts one that fits', async () => {
  await using plane = new Plane();
  await plane.create(aDeployment({ replicas: 2 }));
  await plane.advance(1000);
  const [pod] = plane.pods();
  const name = pod?.metadata.name ?? '';
  await plane.patch(POD, name, { metadata: { labels: { app: 'debug' } } });
  await plane.advance(1000);
  expect(plane.pods()).toHaveLength(3);
  expect(plane.require(POD, name).metadata.ownerReferences).toEqual([]);
  await plane.patch(POD, name, { metadata: { labels: { app: 'web' } } });
  await plane.advance(1000);
  expect(plane.pods()).toHaveLength(2);
});

it('[cluster T1] two runs with one seed are the same', async () => {
  const run = async () => {
    await using plane = new Plane();
    await plane.create(aDeployment());
    await plane.advance(1000);
    await image('nginx:2')(plane);
    await plane.advance(3000);
    return plane.host.types().flatMap((type) => plane.host.list(type));
  };
  expect(await run()).toEqual(await run());
});

it('[cluster T3] 500 pods of one Deployment cost a few writes each', async () => {
  await using plane = new Plane();
  await plane.advance(100);
  const before = plane.host.writes;
  await plane.create(aDeployment({ replicas: 500 }));
  await plane.advance(2000);
  expect(readFields(plane.require(DEPLOYMENT, 'web'), 'status').availableReplicas).toBe(500);
  expect(plane.host.writes - before).toBeLessThan(500 * 10);
});
