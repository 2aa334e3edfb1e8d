import type { KubeObject } from '@/lib/kube/object';

/** A Deployment of one replica, as its controller leaves it when all is well. */
export function aDeployment(name: string, change: { readonly ready?: number } = {}): KubeObject {
  const ready = change.ready ?? 1;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'shop', generation: 1 },
    spec: { replicas: 1, selector: { matchLabels: { app: name } } },
    status: {
      observedGeneration: 1,
      replicas: ready,
      updatedReplicas: ready,
      readyReplicas: ready,
      availableReplicas: ready,
      conditions: [{ type: 'Available', status: ready > 0 ? 'True' : 'False' }],
    },
  };
}

/** A ReplicaSet of one replica that a Deployment of that name selects. */
export function aReplicaSet(app: string, change: { readonly ready?: number } = {}): KubeObject {
  const ready = change.ready ?? 1;
  const labels = { app, hash: 'h1' };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: `${app}-h1`, namespace: 'shop', generation: 1, labels },
    spec: { replicas: 1, selector: { matchLabels: labels } },
    status: { observedGeneration: 1, replicas: ready, fullyLabeledReplicas: ready, readyReplicas: ready, availableReplicas: ready },
  };
}

export interface PodState {
  readonly phase: string;
  readonly ready?: boolean;
  readonly looping?: boolean;
  readonly unschedulable?: boolean;
  readonly createdAt?: string;
}

/** A Pod of such a ReplicaSet, or of any owner with these labels. */
export function aPod(app: string, suffix: string, state: PodState): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${app}-h1-${suffix}`,
      namespace: 'shop',
      labels: { app, hash: 'h1' },
      ...(state.createdAt ? { creationTimestamp: state.createdAt } : {}),
    },
    status: {
      phase: state.phase,
      conditions: [
        { type: 'Ready', status: state.ready ? 'True' : 'False' },
        ...(state.unschedulable ? [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] : []),
      ],
      ...(state.looping ? { containerStatuses: [{ name: 'main', state: { waiting: { reason: 'CrashLoopBackOff' } } }] } : {}),
    },
  };
}

/** A StatefulSet that is not there yet and selects pods by app. */
export function aStatefulSet(app: string): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: app, namespace: 'shop', generation: 1 },
    spec: { replicas: 2, selector: { matchLabels: { app } } },
    status: { observedGeneration: 1, replicas: 1, readyReplicas: 0 },
  };
}
