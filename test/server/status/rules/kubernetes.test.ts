import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { toInstant, toKubeTime } from '@/lib/std/instant';
import { compute } from '@/server/status/compute';
import { statusValidUntil } from '@/server/status/policies';
import type { RuleCase } from './evaluate';
import { anObject, condition, evaluate, freshCondition, HOUSE, NOW } from './evaluate';

const able = condition('AbleToScale', 'True', 'ReadyForNewScale', 'recommended size matches current size');
const target = { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 8 };
const noMetrics = 'the HPA was unable to compute the replica count: failed to get cpu utilization';
const noScale = `the HPA controller was unable to get the target's current scale: deployments.apps "web" not found`;
const noSelector = "the HPA target's scale is missing a selector";
const asleep = 'scaling is disabled since the replica count of the target is zero';

const AUTOSCALERS: readonly RuleCase[] = [
  [
    'scales',
    { spec: target, status: { currentReplicas: 3, conditions: [able] } },
    'Current',
    'Scales Deployment web from 1 to 8. Replicas: 3',
  ],
  [
    'has no metrics yet',
    { status: { conditions: [able, freshCondition('ScalingActive', 'False', 'FailedGetResourceMetric', noMetrics)] } },
    'InProgress',
    noMetrics,
  ],
  [
    'has had no metrics for ten minutes',
    { status: { conditions: [able, condition('ScalingActive', 'False', 'FailedGetResourceMetric', noMetrics)] } },
    'Failed',
    noMetrics,
  ],
  ['sleeps', { status: { conditions: [able, condition('ScalingActive', 'False', 'ScalingDisabled', asleep)] } }, 'Current', asleep],
  [
    'has no selector',
    { status: { conditions: [able, condition('ScalingActive', 'False', 'InvalidSelector', noSelector)] } },
    'Failed',
    noSelector,
  ],
  ['has no target', { status: { conditions: [condition('AbleToScale', 'False', 'FailedGetScale', noScale)] } }, 'Failed', noScale],
  ['was never looked at', {}, 'InProgress', 'HorizontalPodAutoscaler has not been reconciled by its controller'],
];

const INGRESSES: readonly RuleCase[] = [
  ['has an IP', { status: { loadBalancer: { ingress: [{ ip: '192.0.2.7' }] } } }, 'Current', 'Ingress has an address: 192.0.2.7'],
  [
    'has two hostnames',
    { status: { loadBalancer: { ingress: [{ hostname: 'a.example.com' }, { hostname: 'b.example.com' }] } } },
    'Current',
    'Ingress has an address: a.example.com, b.example.com',
  ],
  ['has an empty status', { status: { loadBalancer: {} } }, 'InProgress', 'Ingress has no address'],
  ['has an entry without an address', { status: { loadBalancer: { ingress: [{ ports: [] }] } } }, 'InProgress', 'Ingress has no address'],
];

const MINUTE_MS = 60_000;
const LATE = 5 * MINUTE_MS;

const noImage = 'Back-off pulling image "registry.example.com/web:9"';

/** A pod one of whose containers waits, a while after its start. */
function aPod(reason: string, startedMsAgo: number, list = 'containerStatuses'): KubeObject {
  const waiting = { reason, message: noImage };
  const status = { phase: 'Pending', startTime: toKubeTime(toInstant(NOW - startedMsAgo)), [list]: [{ name: 'main', state: { waiting } }] };
  return anObject('v1', 'Pod', { status });
}

function aService(ingress: readonly unknown[], type = 'LoadBalancer'): KubeObject {
  return anObject('v1', 'Service', { spec: { type, clusterIP: '10.0.0.9' }, status: { loadBalancer: { ingress } } });
}

describe('rules of built-in kinds', () => {
  it.each([
    ['an image that cannot be pulled for five minutes', aPod('ImagePullBackOff', LATE), `Failed: ImagePullBackOff: ${noImage}`],
    ['an image of an init container', aPod('ErrImagePull', LATE, 'initContainerStatuses'), `Failed: ErrImagePull: ${noImage}`],
    ['a container whose Secret is missing', aPod('CreateContainerConfigError', LATE), `Failed: CreateContainerConfigError: ${noImage}`],
    ['an image within its grace', aPod('ImagePullBackOff', LATE - 1000), `InProgress: ImagePullBackOff: ${noImage}`],
    ['a container that is being made', aPod('ContainerCreating', LATE), 'InProgress: Pod is in the Pending phase'],
    ['a load balancer without address', aService([]), 'InProgress: Service has no load balancer address'],
    ['a load balancer whose entry has no address', aService([{ ports: [] }]), 'InProgress: Service has no load balancer address'],
    ['a load balancer with an address', aService([{ ip: '192.0.2.1' }]), 'Current: Service has an address: 192.0.2.1'],
    ['a load balancer with a host name', aService([{ hostname: 'lb.example.com' }]), 'Current: Service has an address: lb.example.com'],
    ['another type of Service', aService([], 'ClusterIP'), 'Current: Service is ready'],
  ])('[status 11.13] %s', (_title, object, told) => {
    const { status, message } = compute(object, NOW, HOUSE);
    expect(`${status}: ${message}`).toBe(told);
  });

  it.each([
    ['an image that cannot be pulled', aPod('ImagePullBackOff', LATE), 'InProgress: Pod is in the Pending phase'],
    ['a load balancer without address', aService([]), 'Current: Service is ready'],
  ])('[status 11.13] kstatus by itself reads %s to the letter', (_title, object, told) => {
    const { status, message } = compute(object, NOW);
    expect(`${status}: ${message}`).toBe(told);
  });

  it.each([
    ['of a while ago', 20_000, 'Failed'],
    ['that may not be noted yet', 5_000, 'Current'],
  ])('[issue 9.2] a CronJob of every minute, by a run %s that did not succeed', (_title, ms, told) => {
    const lastScheduleTime = toKubeTime(toInstant(NOW - ms));
    const lastSuccessfulTime = toKubeTime(toInstant(NOW - ms - MINUTE_MS));
    const state = { spec: { schedule: '* * * * *' }, status: { lastScheduleTime, lastSuccessfulTime } };
    expect(evaluate('batch/v1', 'CronJob', state).status).toBe(told);
  });

  it('[status 11.13] the end of the grace of an image is known, so that it is told without a change', () => {
    const pod = aPod('ErrImagePull', MINUTE_MS);
    expect(statusValidUntil(pod, NOW, HOUSE)).toBe(NOW + LATE - MINUTE_MS);
    expect(statusValidUntil(pod, NOW, {})).toBeUndefined();
  });

  it.each(AUTOSCALERS)('[status 11.7] a HorizontalPodAutoscaler that %s', (_title, state, status, message) => {
    expect(evaluate('autoscaling/v2', 'HorizontalPodAutoscaler', state)).toMatchObject({ status, message });
  });

  it.each<readonly [string, readonly object[], string]>([
    ['one that scales', [able], 'Current: Scales Deployment web from 1 to 8. Replicas: 3'],
    ['one without a target', [condition('AbleToScale', 'False', 'FailedGetScale', noScale)], `Failed: ${noScale}`],
    ['one that was never looked at', [], 'InProgress: HorizontalPodAutoscaler has not been reconciled by its controller'],
  ])('[status 11.7] reads the conditions of a HorizontalPodAutoscaler of v1 from its annotation: %s', (_title, conditions, told) => {
    const object = anObject('autoscaling/v1', 'HorizontalPodAutoscaler', { spec: target, status: { currentReplicas: 3 } });
    const annotations = { 'autoscaling.alpha.kubernetes.io/conditions': JSON.stringify(conditions) };
    const { status, message } = compute({ ...object, metadata: { ...object.metadata, annotations } }, NOW, HOUSE);
    expect(`${status}: ${message}`).toBe(told);
  });

  it('[status 11.7] takes an annotation that is no list for none', () => {
    const object = anObject('autoscaling/v1', 'HorizontalPodAutoscaler', { spec: target });
    const annotations = { 'autoscaling.alpha.kubernetes.io/conditions': '{not json' };
    expect(compute({ ...object, metadata: { ...object.metadata, annotations } }, NOW, HOUSE).status).toBe('InProgress');
  });

  it.each(INGRESSES)('[status 11.13] an Ingress that %s', (_title, state, status, message) => {
    expect(evaluate('networking.k8s.io/v1', 'Ingress', state)).toMatchObject({ status, message });
  });
});
