import { expect, it } from 'vitest';
import { readNumber } from '@/lib/kube/fields';
import { toInstant } from '@/lib/std/instant';
import type { ObservedScale } from '@/server/embedded/controllers/scaling/decide';
import { decideScale } from '@/server/embedded/controllers/scaling/decide';
import { aDeployment, aTemplate, DEPLOYMENT, Plane, withoutTimes } from './plane';

const AUTOSCALER = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' };
const anAutoscaler = (minReplicas: number, maxReplicas: number) => ({
  ...AUTOSCALER,
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    minReplicas,
    maxReplicas,
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }],
  },
});
const replicas = (plane: Plane) => readNumber(plane.require(DEPLOYMENT, 'web'), 'spec', 'replicas');

it('[cluster K] an HPA brings a workload inside its bounds within a sync, and says so as recorded', async () => {
  await using plane = new Plane();
  await plane.create(aDeployment({ replicas: 1 }));
  await plane.create(anAutoscaler(3, 5));
  await plane.advance(14_000);
  expect(replicas(plane)).toBe(1);
  await plane.advance(1000);
  expect(replicas(plane)).toBe(3);
  expect(withoutTimes(plane.require(AUTOSCALER, 'web').status)).toEqual({
    conditions: [
      {
        message: 'the HPA controller was able to update the target scale to 3',
        reason: 'SucceededRescale',
        status: 'True',
        type: 'AbleToScale',
      },
    ],
    currentMetrics: null,
    currentReplicas: 1,
    desiredReplicas: 3,
  });
  expect(plane.said('web')).toContain('Normal SuccessfulRescale: New size: 3; reason: Current number of replicas below Spec.MinReplicas');
  await plane.patch(DEPLOYMENT, 'web', { spec: { replicas: 9 } });
  await plane.advance(15_000);
  expect(replicas(plane)).toBe(5);
  expect(plane.said('web')).toContain('Normal SuccessfulRescale: New size: 5; reason: Current number of replicas above Spec.MaxReplicas');
});

it('[cluster K] an HPA that reads no metrics keeps the size and says which', async () => {
  await using plane = new Plane();
  await plane.create(aDeployment({ replicas: 3 }));
  await plane.create(anAutoscaler(3, 5));
  await plane.advance(15_000);
  expect(plane.require(AUTOSCALER, 'web').status).toMatchObject({
    conditions: [
      {
        type: 'AbleToScale',
        status: 'True',
        reason: 'SucceededGetScale',
        message: "the HPA controller was able to get the target's current scale",
      },
      { type: 'ScalingActive', status: 'False', reason: 'FailedGetResourceMetric' },
    ],
    currentReplicas: 3,
  });
});

it('[cluster K] an HPA is dormant at zero replicas', async () => {
  await using plane = new Plane();
  await plane.create(aDeployment({ replicas: 0 }));
  await plane.create(anAutoscaler(3, 5));
  await plane.advance(60_000);
  expect(replicas(plane)).toBe(0);
  expect(plane.require(AUTOSCALER, 'web').status).toMatchObject({
    desiredReplicas: 0,
    conditions: [{ type: 'AbleToScale' }, { type: 'ScalingActive', status: 'False', reason: 'ScalingDisabled' }],
  });
});

it('[cluster P4] load shared by the ready pods drives an HPA up at once, and down after its window', async () => {
  await using plane = new Plane();
  const template = aTemplate();
  const spec = { containers: [{ name: 'c', image: 'nginx:1', resources: { requests: { cpu: '100m' } } }] };
  const web = aDeployment({ replicas: 2, template: { ...template, spec: { ...template.spec, ...spec } } });
  await plane.create({ ...web, metadata: { ...web.metadata, annotations: { 'sim.slipway.dev/load': '200' } } });
  await plane.create(anAutoscaler(1, 6));
  await plane.advance(16_000);
  expect(replicas(plane)).toBe(4);
  await plane.patch(DEPLOYMENT, 'web', { metadata: { annotations: { 'sim.slipway.dev/load': '50' } } });
  await plane.advance(60_000);
  expect(replicas(plane)).toBe(4);
  await plane.advance(300_000);
  expect(replicas(plane)).toBe(1);
});

const seen = (more: Partial<ObservedScale>): ObservedScale => ({
  current: 4,
  min: 2,
  max: 20,
  proposed: undefined,
  recent: [],
  now: toInstant(1_000_000),
  downWindowMs: 300_000,
  ...more,
});
const cpu = (count: number) => ({ replicas: count, metric: 'cpu resource' });

it.each<[string, ObservedScale, number, string | undefined]>([
  ['follows a proposal', seen({ proposed: cpu(6) }), 6, 'cpu resource above target'],
  ['at most doubles at once', seen({ proposed: cpu(30) }), 8, 'cpu resource above target'],
  ['stops at its maximum', seen({ proposed: cpu(30), max: 5 }), 5, 'cpu resource above target'],
  ['stops at its minimum', seen({ proposed: cpu(1) }), 2, 'All metrics below target'],
  [
    'remembers a higher proposal',
    seen({ proposed: cpu(2), recent: [{ at: toInstant(900_000), replicas: 3 }] }),
    3,
    'All metrics below target',
  ],
  [
    'forgets what is older than its window',
    seen({ proposed: cpu(2), recent: [{ at: toInstant(600_000), replicas: 3 }] }),
    2,
    'All metrics below target',
  ],
])('[cluster K] an HPA %s', (_title, at, desired, reason) => {
  expect(decideScale(at)).toMatchObject({ desired, reason });
});
