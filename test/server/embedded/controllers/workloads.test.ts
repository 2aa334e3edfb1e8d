import { expect, it } from 'vitest';
import { readFields, readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { aTemplate, Plane, POD, withoutTimes } from './plane';

const STATEFUL_SET = { apiVersion: 'apps/v1', kind: 'StatefulSet' };
const DAEMON_SET = { apiVersion: 'apps/v1', kind: 'DaemonSet' };
const BUDGET = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' };
const REVISION = { apiVersion: 'apps/v1', kind: 'ControllerRevision' };
const labels = { app: 'db' };

const aStatefulSet = (spec: Record<string, unknown> = {}): KubeObject => ({
  ...STATEFUL_SET,
  metadata: { name: 'db', namespace: 'shop' },
  spec: {
    replicas: 3,
    serviceName: 'db',
    podManagementPolicy: 'OrderedReady',
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
    selector: { matchLabels: labels },
    template: aTemplate({ labels }),
    ...spec,
  },
});

const names = (plane: Plane) => plane.pods().map((pod) => pod.metadata.name);
const images = (plane: Plane) =>
  Object.fromEntries(plane.pods().map((pod) => [pod.metadata.name, readString(pod, 'spec', 'containers', 0, 'image')]));

/** Status with revisions named by their number, as the recording is written down below. */
function statusOf(plane: Plane): unknown {
  const status = JSON.stringify(withoutTimes(plane.require(STATEFUL_SET, 'db').status));
  return JSON.parse(
    plane.host.list(REVISION).reduce((text, revision) => text.replaceAll(revision.metadata.name ?? '', `#${revision.revision}`), status),
  );
}

it('[cluster K] a StatefulSet starts its pods in order and reads as recorded', async () => {
  await using plane = new Plane();
  await plane.create(aStatefulSet());
  await plane.advance(150);
  expect(names(plane)).toEqual(['db-0']);
  expect(statusOf(plane)).toEqual({
    availableReplicas: 0,
    collisionCount: 0,
    currentReplicas: 1,
    currentRevision: '#1',
    observedGeneration: 1,
    replicas: 1,
    updateRevision: '#1',
    updatedReplicas: 1,
  });
  await plane.advance(200);
  expect(names(plane)).toEqual(['db-0', 'db-1']);
  await plane.advance(1000);
  expect(statusOf(plane)).toEqual({
    availableReplicas: 3,
    collisionCount: 0,
    currentReplicas: 3,
    currentRevision: '#1',
    observedGeneration: 1,
    readyReplicas: 3,
    replicas: 3,
    updateRevision: '#1',
    updatedReplicas: 3,
  });
  expect(plane.require(POD, 'db-1').metadata.labels).toMatchObject({
    app: 'db',
    'apps.kubernetes.io/pod-index': '1',
    'statefulset.kubernetes.io/pod-name': 'db-1',
  });
  expect(plane.said('db')).toContain('Normal SuccessfulCreate: create Pod db-0 in StatefulSet db successful');
});

it('[cluster K] a StatefulSet updates from the highest ordinal down, one pod at a time', async () => {
  await using plane = new Plane();
  await plane.create(aStatefulSet());
  await plane.advance(2000);
  await plane.patch(STATEFUL_SET, 'db', { spec: { template: aTemplate({ labels, image: 'nginx:2' }) } });
  const seen: unknown[] = [];
  for (let step = 0; step < 40; step++) {
    await plane.advance(50);
    const now = images(plane);
    if (JSON.stringify(now) !== JSON.stringify(seen.at(-1))) seen.push(now);
    expect(plane.pods().filter((pod) => pod.metadata.deletionTimestamp === undefined).length).toBeGreaterThanOrEqual(2);
  }
  expect(seen.at(-1)).toEqual({ 'db-0': 'nginx:2', 'db-1': 'nginx:2', 'db-2': 'nginx:2' });
  expect(seen).toContainEqual({ 'db-0': 'nginx:1', 'db-1': 'nginx:1', 'db-2': 'nginx:2' });
  expect(statusOf(plane)).toMatchObject({
    currentRevision: '#2',
    updateRevision: '#2',
    currentReplicas: 3,
    updatedReplicas: 3,
    observedGeneration: 2,
  });
});

it('[cluster K] a partition holds lower ordinals at the current revision, also when they are made again', async () => {
  await using plane = new Plane();
  await plane.create(aStatefulSet({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } }));
  await plane.advance(2000);
  await plane.patch(STATEFUL_SET, 'db', { spec: { template: aTemplate({ labels, image: 'nginx:2' }) } });
  await plane.advance(2000);
  await plane.host.cluster.delete({ ...POD, namespace: 'shop', name: 'db-0' });
  await plane.advance(2000);
  expect(images(plane)).toEqual({ 'db-0': 'nginx:1', 'db-1': 'nginx:1', 'db-2': 'nginx:2' });
  expect(statusOf(plane)).toMatchObject({ currentRevision: '#1', updateRevision: '#2', currentReplicas: 2, updatedReplicas: 1 });
});

it('[cluster K] Parallel starts all pods at once; scaling down in order takes the highest first', async () => {
  await using plane = new Plane();
  await plane.create(aStatefulSet({ podManagementPolicy: 'Parallel' }));
  await plane.advance(50);
  expect(names(plane)).toEqual(['db-0', 'db-1', 'db-2']);
  await plane.advance(1000);
  await plane.patch(STATEFUL_SET, 'db', { spec: { replicas: 1, podManagementPolicy: 'OrderedReady' } });
  await plane.advance(50);
  expect(plane.pods().map((pod) => pod.metadata.deletionTimestamp !== undefined)).toEqual([false, false, true]);
  await plane.advance(1000);
  expect(names(plane)).toEqual(['db-0']);
});

it('[cluster K] each pod of a StatefulSet has claims of its own, which outlive it', async () => {
  await using plane = new Plane();
  await plane.create(
    aStatefulSet({ replicas: 1, volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'] } }] }),
  );
  await plane.advance(1000);
  const claims = () => plane.host.list({ apiVersion: 'v1', kind: 'PersistentVolumeClaim' }).map((claim) => claim.metadata.name);
  expect(claims()).toEqual(['data-db-0']);
  expect(readList(plane.require(POD, 'db-0'), 'spec', 'volumes')).toEqual([
    { name: 'data', persistentVolumeClaim: { claimName: 'data-db-0' } },
  ]);
  await plane.patch(STATEFUL_SET, 'db', { spec: { replicas: 0 } });
  await plane.advance(1000);
  expect([names(plane), claims()]).toEqual([[], ['data-db-0']]);
});

const aDaemonSet = (): KubeObject => ({
  ...DAEMON_SET,
  metadata: { name: 'agent', namespace: 'shop' },
  spec: {
    selector: { matchLabels: labels },
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
    template: aTemplate({ labels }),
  },
});

it('[cluster K] a DaemonSet has one pod on each node and reads as recorded, also while it updates', async () => {
  await using plane = new Plane();
  await plane.create(aDaemonSet());
  await plane.advance(1000);
  const settled = (observedGeneration: number) => ({
    currentNumberScheduled: 2,
    desiredNumberScheduled: 2,
    numberAvailable: 2,
    numberMisscheduled: 0,
    numberReady: 2,
    observedGeneration,
    updatedNumberScheduled: 2,
  });
  expect(plane.require(DAEMON_SET, 'agent').status).toEqual(settled(1));
  expect(plane.pods().map((pod) => readString(pod, 'spec', 'nodeName'))).toEqual(['node-1', 'node-2']);
  await plane.patch(DAEMON_SET, 'agent', { spec: { template: aTemplate({ labels, image: 'nginx:2' }) } });
  for (let step = 0; step < 20; step++) {
    await plane.advance(100);
    expect(readFields(plane.require(DAEMON_SET, 'agent'), 'status').numberUnavailable ?? 0).toBeLessThanOrEqual(1);
  }
  expect(plane.require(DAEMON_SET, 'agent').status).toEqual(settled(2));
  expect(Object.values(images(plane))).toEqual(['nginx:2', 'nginx:2']);
});

it('[cluster K] a DaemonSet leaves a node with a taint that it does not tolerate', async () => {
  await using plane = new Plane();
  await plane.advance(100);
  const node = plane.host.get({ apiVersion: 'v1', kind: 'Node' }, 'node-1') as KubeObject;
  await plane.host.cluster.update({ ...node, spec: { taints: [{ key: 'x', value: 'y', effect: 'NoSchedule' }] } });
  await plane.create(aDaemonSet());
  await plane.advance(1000);
  expect(plane.require(DAEMON_SET, 'agent').status).toMatchObject({ desiredNumberScheduled: 1, numberReady: 1 });
});

it('[cluster K] a PodDisruptionBudget counts as recorded', async () => {
  await using plane = new Plane();
  await plane.create(aStatefulSet());
  await plane.create({
    ...BUDGET,
    metadata: { name: 'db', namespace: 'shop', generation: 1 },
    spec: { minAvailable: 2, selector: { matchLabels: labels } },
  });
  await plane.advance(2000);
  expect(withoutTimes(plane.require(BUDGET, 'db').status)).toEqual({
    conditions: [{ message: '', observedGeneration: 1, reason: 'SufficientPods', status: 'True', type: 'DisruptionAllowed' }],
    currentHealthy: 3,
    desiredHealthy: 2,
    disruptionsAllowed: 1,
    expectedPods: 3,
    observedGeneration: 1,
  });
  await plane.patch(STATEFUL_SET, 'db', { spec: { replicas: 1 } });
  await plane.advance(1000);
  expect(plane.require(BUDGET, 'db').status).toMatchObject({
    conditions: [{ reason: 'InsufficientPods', status: 'False' }],
    currentHealthy: 1,
    disruptionsAllowed: 0,
    expectedPods: 1,
  });
});

it('[cluster K] a PodDisruptionBudget lets nothing be evicted while a pod has a controller that cannot be scaled', async () => {
  await using plane = new Plane();
  const template = aTemplate({ labels, annotations: { 'sim.slipway.dev/fail': 'never-ready' } });
  const spec = {
    parallelism: 1,
    completions: 1,
    backoffLimit: 6,
    template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } },
  };
  await plane.create({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'load', namespace: 'shop' }, spec });
  const selector = { matchLabels: labels };
  await plane.create({ ...BUDGET, metadata: { name: 'part', namespace: 'shop', generation: 1 }, spec: { maxUnavailable: 1, selector } });
  await plane.create({ ...BUDGET, metadata: { name: 'least', namespace: 'shop', generation: 1 }, spec: { minAvailable: 1, selector } });
  await plane.advance(2000);
  expect(withoutTimes(plane.require(BUDGET, 'part').status)).toMatchObject({
    conditions: [
      {
        message: 'jobs.batch does not implement the scale subresource',
        observedGeneration: 1,
        reason: 'SyncFailed',
        status: 'False',
        type: 'DisruptionAllowed',
      },
    ],
    disruptionsAllowed: 0,
  });
  expect(readList(plane.require(BUDGET, 'least'), 'status', 'conditions')).toMatchObject([{ reason: 'InsufficientPods' }]);
});
