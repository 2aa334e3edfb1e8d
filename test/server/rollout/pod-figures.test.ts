import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { toInstant } from '@/lib/std/instant';
import { REVISION_LABEL } from '@/server/rollout/model';
import { readPod, readWorkload } from '@/server/rollout/objects';
import { livePodsOf, settledWorkload } from '@/server/rollout/pass/pod-figures';

const NOW = toInstant(Date.parse('2026-01-01T00:01:00Z'));

interface PodIs {
  readonly ready?: boolean;
  readonly going?: boolean;
  readonly phase?: string;
  /** Who made it; a ReplicaSet when absent. */
  readonly madeBy?: string;
}

function aPod({ ready = false, going = false, phase = 'Running', madeBy = 'ReplicaSet' }: PodIs) {
  const at = '2026-01-01T00:00:00Z';
  const status = { phase, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: at }] };
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: madeBy, name: 'web-v2-1', uid: '1', controller: true }];
  const metadata = {
    name: 'web-v2-1-a',
    labels: { [REVISION_LABEL]: 'web-v2' },
    ownerReferences,
    ...(going ? { deletionTimestamp: at } : {}),
  };
  return readPod({ apiVersion: 'v1', kind: 'Pod', metadata, status });
}

const many = (count: number, pod: PodIs) => Array.from({ length: count }, () => aPod(pod));

function aWorkload(status: { readonly replicas: number; readonly readyReplicas: number }, observed = true) {
  const metadata = { name: 'web-v2', generation: 2 };
  const object: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: { replicas: 4 },
    status: { observedGeneration: observed ? 2 : 1, ...status },
  };
  return readWorkload(object);
}

function figuresOf(workload: ReturnType<typeof aWorkload>, pods: ReturnType<typeof many>) {
  return {
    ready: settledWorkload(workload, pods, { minReadySeconds: 0, now: NOW }).workload.readyReplicas,
    live: livePodsOf(workload, pods),
  };
}

describe('figures by pods', () => {
  it('counts pods that are ready before their workload does', () => {
    expect(figuresOf(aWorkload({ replicas: 4, readyReplicas: 0 }), [...many(3, { ready: true }), aPod({})])).toEqual({ ready: 3, live: 4 });
  });

  it('counts pods that go no more, though their workload still does', () => {
    const pods = [...many(16, { ready: true }), ...many(4, { ready: true, going: true })];
    expect(figuresOf(aWorkload({ replicas: 20, readyReplicas: 20 }), pods)).toEqual({ ready: 16, live: 16 });
  });

  it('goes by the workload where fewer pods are seen than it counts', () => {
    expect(figuresOf(aWorkload({ replicas: 20, readyReplicas: 18 }), many(16, { ready: true }))).toEqual({ ready: 18, live: 20 });
  });

  it('goes by the workload while that has not looked at what is asked of it', () => {
    expect(figuresOf(aWorkload({ replicas: 4, readyReplicas: 1 }, false), many(4, { ready: true }))).toEqual({ ready: 1, live: 4 });
  });

  it('lets the workload say that a pod is ready which was not seen to be', () => {
    expect(figuresOf(aWorkload({ replicas: 4, readyReplicas: 4 }), many(4, {}))).toEqual({ ready: 4, live: 4 });
  });

  it('counts nothing as a replica that no ReplicaSet made, nor a pod that is over', () => {
    const others = [aPod({ ready: true, madeBy: 'Job' }), aPod({ ready: true, phase: 'Succeeded' })];
    expect(figuresOf(aWorkload({ replicas: 2, readyReplicas: 0 }), [...many(2, {}), ...others]).ready).toBe(0);
  });
});
