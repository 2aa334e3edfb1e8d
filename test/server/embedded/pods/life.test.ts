import { expect, it } from 'vitest';
import { getCondition } from '@/lib/kube/condition';
import { readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { aDeployment, aTemplate, DEPLOYMENT, Plane, POD } from '../controllers/plane';

const START = 'sim.slipway.dev/start';
const FAIL = 'sim.slipway.dev/fail';

const aPod = (annotations: Record<string, string> = {}, spec: Record<string, unknown> = {}): KubeObject => {
  const template = aTemplate({ annotations });
  return { ...POD, metadata: { name: 'one', namespace: 'shop', ...template.metadata }, spec: { ...template.spec, ...spec } };
};

/** What people see of a pod: phase, state of its container, ready, restarts. */
function look(plane: Plane): string {
  const pod = plane.get(POD, 'one');
  if (!pod) return 'gone';
  const [container] = readList(pod, 'status', 'containerStatuses') as readonly Record<string, unknown>[];
  const state = (container?.state ?? {}) as Record<string, { reason?: string }>;
  const [[kind, detail] = ['none', undefined]] = Object.entries(state);
  const ready = getCondition(pod, 'Ready')?.status === 'True' ? 'ready' : 'unready';
  return `${readString(pod, 'status', 'phase')} ${detail?.reason ?? kind} ${ready} ${container?.restartCount ?? 0}`;
}

/** Each distinct look with the second at which it was first seen. */
async function watch(plane: Plane, seconds: number, stepMs = 100): Promise<readonly string[]> {
  const seen: string[] = [];
  let last = '';
  for (let at = 0; at <= seconds * 1000; at += stepMs) {
    if (at > 0) await plane.advance(stepMs);
    const now = look(plane);
    if (now !== last) seen.push(`${at / 1000}s ${now}`);
    last = now;
  }
  return seen;
}

it('[cluster P2] a pod of nobody that is not to be started again ends well by itself', async () => {
  await using plane = new Plane();
  await plane.advance(10);
  await plane.create(aPod({}, { restartPolicy: 'Never' }));
  await plane.advance(0);
  expect(await watch(plane, 2)).toEqual([
    '0s Pending ContainerCreating unready 0',
    '0.2s Running running ready 0',
    '0.5s Succeeded Completed unready 0',
  ]);
});

it.each<[string, Record<string, string>, number, readonly string[]]>([
  ['is ready 200 ms after it was scheduled', {}, 1, ['0s Pending ContainerCreating unready 0', '0.2s Running running ready 0']],
  [
    'takes the time that its annotation says, running before it is ready',
    { [START]: '3s' },
    4,
    ['0s Pending ContainerCreating unready 0', '1.5s Running running unready 0', '3s Running running ready 0'],
  ],
  [
    'cannot pull its image',
    { [FAIL]: 'image-pull' },
    30,
    ['0s Pending ContainerCreating unready 0', '0.2s Pending ErrImagePull unready 0', '1.2s Pending ImagePullBackOff unready 0'],
  ],
  ['never becomes ready', { [FAIL]: 'never-ready' }, 60, ['0s Pending ContainerCreating unready 0', '0.1s Running running unready 0']],
  [
    'crashes again and again, each time after twice the wait',
    { [FAIL]: 'crash-loop' },
    80,
    [
      '0s Pending ContainerCreating unready 0',
      '0.2s Running CrashLoopBackOff unready 0',
      '10.2s Running CrashLoopBackOff unready 1',
      '30.2s Running CrashLoopBackOff unready 2',
      '70.2s Running CrashLoopBackOff unready 3',
    ],
  ],
  [
    'turns bad after a time',
    { [FAIL]: 'never-ready+60s' },
    120,
    ['0s Pending ContainerCreating unready 0', '0.2s Running running ready 0', '60.2s Running running unready 0'],
  ],
  [
    'is killed for its memory like one that crashes',
    { [FAIL]: 'oom+5s' },
    16,
    [
      '0s Pending ContainerCreating unready 0',
      '0.2s Running running ready 0',
      '5.2s Running CrashLoopBackOff unready 0',
      '15.2s Running CrashLoopBackOff unready 1',
    ],
  ],
  [
    'misses its configuration',
    { [FAIL]: 'config-missing' },
    60,
    ['0s Pending ContainerCreating unready 0', '0.2s Pending CreateContainerConfigError unready 0'],
  ],
  [
    'flaps',
    { [FAIL]: 'flapping:2s' },
    5,
    [
      '0s Pending ContainerCreating unready 0',
      '0.2s Running running ready 0',
      '2.2s Running running unready 0',
      '4.2s Running running ready 0',
    ],
  ],
  [
    'is evicted',
    { [FAIL]: 'evicted+1s' },
    5,
    ['0s Pending ContainerCreating unready 0', '0.2s Running running ready 0', '1.2s Failed Error unready 0'],
  ],
  ['finds no node', { [FAIL]: 'unschedulable' }, 5, ['0s undefined none unready 0']],
  [
    'takes words that make no sense as absent',
    { [FAIL]: 'sulk', [START]: 'soon' },
    1,
    ['0s Pending ContainerCreating unready 0', '0.2s Running running ready 0'],
  ],
])('[cluster P3] a pod %s', async (_title, annotations, seconds, looks) => {
  await using plane = new Plane();
  await plane.advance(10);
  await plane.create(aPod(annotations));
  await plane.advance(0);
  expect(await watch(plane, seconds)).toEqual(looks);
});

it('[cluster P2] a ready pod has address, node, times and conditions like any other', async () => {
  await using plane = new Plane();
  await plane.advance(10);
  await plane.create(aPod());
  await plane.advance(1000);
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  const holds = (type: string) => ({ type, status: 'True', lastProbeTime: null, lastTransitionTime: time });
  expect(plane.require(POD, 'one').status).toEqual({
    phase: 'Running',
    conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(holds),
    startTime: time,
    hostIP: '172.18.0.2',
    hostIPs: [{ ip: '172.18.0.2' }],
    podIP: '10.244.0.1',
    podIPs: [{ ip: '10.244.0.1' }],
    containerStatuses: [
      {
        name: 'c',
        image: 'nginx:1',
        imageID: 'simulated://nginx:1',
        containerID: expect.any(String),
        ready: true,
        started: true,
        restartCount: 0,
        state: { running: { startedAt: time } },
        lastState: {},
      },
    ],
  });
  expect(plane.said('one')).toEqual([
    'Normal Scheduled: Successfully assigned shop/one to node-1',
    'Normal Pulled: Container image "nginx:1" already present on machine',
    'Normal Created: Container created',
    'Normal Started: Container started',
  ]);
});

it('[cluster P3] a share of the pods fails, the same ones at every look', async () => {
  await using plane = new Plane();
  await plane.create(aDeployment({ replicas: 200, template: aTemplate({ annotations: { [FAIL]: 'never-ready@30%' } }) }));
  await plane.advance(2000);
  const unready = plane.pods().filter((pod) => getCondition(pod, 'Ready')?.status !== 'True').length;
  expect(unready).toBeGreaterThan(40);
  expect(unready).toBeLessThan(80);
  await plane.advance(600_000);
  expect(plane.require(DEPLOYMENT, 'web').status).toMatchObject({ unavailableReplicas: unready });
});

it('[cluster P2] a deleted pod stays terminating for 100 ms, then its address is free again', async () => {
  await using plane = new Plane();
  await plane.create(aPod());
  await plane.advance(1000);
  await plane.host.cluster.delete({ ...POD, namespace: 'shop', name: 'one' });
  await plane.advance(99);
  expect(look(plane)).toBe('Running running ready 0');
  await plane.advance(1);
  expect(look(plane)).toBe('gone');
});

it.each<[string, Record<string, unknown>, string]>([
  [
    'asks for more than a node has',
    { containers: [{ name: 'c', image: 'x', resources: { requests: { cpu: '100' } } }] },
    '0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.',
  ],
  [
    'selects a label that no node has',
    { nodeSelector: { zone: 'a' } },
    "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
  ],
])('[cluster P1] a pod that %s is unschedulable in the words of the original', async (_title, spec, message) => {
  await using plane = new Plane();
  await plane.advance(10);
  await plane.create(aPod({}, spec));
  await plane.advance(1000);
  expect(plane.require(POD, 'one').status).toMatchObject({
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastProbeTime: null }],
  });
  expect(plane.said('one')).toEqual([`Warning FailedScheduling: ${message}`]);
});

it('[cluster P1] a pod that found no room is bound when another goes', async () => {
  await using plane = new Plane({ nodes: 1 });
  await plane.advance(10);
  const large = { containers: [{ name: 'c', image: 'x', resources: { requests: { cpu: '50' } } }] };
  await plane.create({ ...aPod({}, large), metadata: { name: 'first', namespace: 'shop' } });
  await plane.advance(1000);
  await plane.create(aPod({}, large));
  await plane.advance(1000);
  expect(getCondition(plane.require(POD, 'one'), 'PodScheduled')?.message).toContain('1 No preemption victims found for incoming pod.');
  await plane.host.cluster.delete({ ...POD, namespace: 'shop', name: 'first' });
  await plane.advance(1000);
  expect(look(plane)).toBe('Running running ready 0');
});

it('[cluster P1] taints keep pods away unless they tolerate them', async () => {
  await using plane = new Plane({ nodes: 1 });
  await plane.advance(10);
  const node = plane.host.get({ apiVersion: 'v1', kind: 'Node' }, 'node-1') as KubeObject;
  await plane.host.cluster.update({ ...node, spec: { taints: [{ key: 'x', value: 'y', effect: 'NoSchedule' }] } });
  await plane.create(aPod());
  await plane.create({ ...aPod({}, { tolerations: [{ key: 'x', operator: 'Exists' }] }), metadata: { name: 'two', namespace: 'shop' } });
  await plane.advance(1000);
  expect(getCondition(plane.require(POD, 'one'), 'PodScheduled')?.message).toContain('1 node(s) had untolerated taint(s).');
  expect(getCondition(plane.require(POD, 'two'), 'Ready')?.status).toBe('True');
});

it('[cluster K] nodes are ready, have capacity, and renew their leases', async () => {
  await using plane = new Plane({ nodes: 3 });
  await plane.advance(1000);
  const nodes = plane.host.list({ apiVersion: 'v1', kind: 'Node' });
  expect(
    nodes.map((node) => [node.metadata.name, getCondition(node, 'Ready')?.status, readString(node, 'status', 'allocatable', 'cpu')]),
  ).toEqual([
    ['node-1', 'True', '64'],
    ['node-2', 'True', '64'],
    ['node-3', 'True', '64'],
  ]);
  const renewed = () =>
    readString(plane.host.get({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' }, 'kube-node-lease/node-1'), 'spec', 'renewTime');
  const before = renewed();
  await plane.advance(10_000);
  expect(renewed()).not.toBe(before);
});

it('[cluster K] pods of a deleted node go after 40 s and are made again elsewhere', async () => {
  await using plane = new Plane();
  await plane.advance(10);
  await plane.create(aDeployment({ replicas: 2 }));
  await plane.advance(1000);
  await plane.host.cluster.delete({ apiVersion: 'v1', kind: 'Node', name: 'node-1' });
  await plane.advance(39_000);
  expect(plane.pods().map((pod) => readString(pod, 'spec', 'nodeName'))).toEqual(['node-1', 'node-2']);
  await plane.advance(2000);
  expect(plane.pods().map((pod) => readString(pod, 'spec', 'nodeName'))).toEqual(['node-2', 'node-2']);
});
