import { describe, expect, it } from 'vitest';
import type { StatusPolicy } from '@/lib/contract/health';
import { STATUS_POLICIES } from '@/lib/contract/health';
import type { KubeObject } from '@/lib/kube/object';
import { toInstant, toKubeTime } from '@/lib/std/instant';
import { readConfig } from '@/server/platform';
import { compute, loadStatusRules, statusHoldsUntil } from '@/server/status';

const NOW = toInstant(Date.UTC(2031, 4, 4));
const MINUTE_MS = 60_000;

function aClaim(
  change: { readonly annotations?: Readonly<Record<string, string>>; readonly storageClassName?: string; readonly phase?: string } = {},
): KubeObject {
  const { annotations = {}, storageClassName = 'fast', phase = 'Pending' } = change;
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data', annotations }, spec: { storageClassName }, status: { phase } };
}

function aService(ingress: readonly unknown[], type = 'LoadBalancer'): KubeObject {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { type, clusterIP: '10.0.0.9' }, status: { loadBalancer: { ingress } } };
}

function aPod(reason: string, startedMsAgo: number, list = 'containerStatuses'): KubeObject {
  const startTime = toKubeTime(toInstant(NOW - startedMsAgo));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web' },
    status: { phase: 'Pending', startTime, [list]: [{ name: 'main', state: { waiting: { reason } } }] },
  };
}

const LATE = 5 * MINUTE_MS;

describe('named policies', () => {
  it.each<readonly [string, StatusPolicy, KubeObject, string]>([
    ['a claim that nobody uses yet', 'await-first-consumer', aClaim(), 'Current: PVC waits for its first consumer (policy await-first-consumer)'],
    [
      'a load balancer without address',
      'load-balancer-address',
      aService([]),
      'InProgress: Service has no load balancer address (policy load-balancer-address)',
    ],
    [
      'an image that cannot be pulled for long',
      'image-pull-failure',
      aPod('ImagePullBackOff', LATE),
      'Failed: Images of containers cannot be pulled: main (policy image-pull-failure)',
    ],
    [
      'one of an init container',
      'image-pull-failure',
      aPod('ErrImagePull', LATE, 'initContainerStatuses'),
      'Failed: Images of containers cannot be pulled: main (policy image-pull-failure)',
    ],
  ])('[status 11.13] %s is judged otherwise where its policy is on, and only there', async (_title, policy, object, told) => {
    const on = compute(object, NOW, await loadStatusRules(undefined, [policy]));
    expect(`${on.status}: ${on.message}`).toBe(told);
    const others = STATUS_POLICIES.filter((name) => name !== policy);
    expect(compute(object, NOW, await loadStatusRules(undefined, others))).toEqual({ ...compute(object, NOW), rule: 'kstatus' });
    expect(compute(object, NOW).message).not.toContain('policy');
  });

  it.each([
    ['a bound claim', aClaim({ phase: 'Bound' })],
    ['a lost claim', aClaim({ phase: 'Lost' })],
    ['a claim whose node was chosen', aClaim({ annotations: { 'volume.kubernetes.io/selected-node': 'n1' } })],
    ['a claim that is being provisioned', aClaim({ annotations: { 'volume.kubernetes.io/storage-provisioner': 'csi.example.com' } })],
    ['a claim without a class', aClaim({ storageClassName: '' })],
    ['a load balancer with an address', aService([{ ip: '192.0.2.1' }])],
    ['a load balancer with a host name', aService([{ hostname: 'lb.example.com' }])],
    ['another type of Service', aService([], 'ClusterIP')],
    ['an image within its grace period', aPod('ImagePullBackOff', LATE - 1000)],
    ['a container that waits for something else', aPod('ContainerCreating', LATE)],
  ])('[status 11.13] %s is judged as ever with all policies on', async (_title, object) => {
    expect(compute(object, NOW, await loadStatusRules(undefined, STATUS_POLICIES))).toEqual(compute(object, NOW, await loadStatusRules()));
  });

  it('[status 11.13] the end of the grace period is known, so that it is told without a change', async () => {
    const pod = aPod('ErrImagePull', MINUTE_MS);
    expect(statusHoldsUntil(pod, NOW, await loadStatusRules(undefined, STATUS_POLICIES))).toBe(NOW + LATE - MINUTE_MS);
    expect(statusHoldsUntil(pod, NOW, {})).toBeUndefined();
  });

  it('[status 11.13] policies are off unless configured, and a wrong name is one sentence', () => {
    expect(readConfig([], {}).statusPolicies).toEqual([]);
    expect(readConfig(['--status-policies', 'image-pull-failure, await-first-consumer'], {}).statusPolicies).toEqual([
      'image-pull-failure',
      'await-first-consumer',
    ]);
    const sentence = '--status-policies wants a list of await-first-consumer, load-balancer-address, image-pull-failure, found "image-pulls"';
    expect(() => readConfig(['--status-policies', 'image-pulls'], {})).toThrow(sentence);
  });
});
