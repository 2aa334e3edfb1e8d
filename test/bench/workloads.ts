import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import { forEachAtOnce } from './measure';

const IMAGE = 'registry.example.com/shop/web:1.0';

/** What one namespace holds: Deployments with a ReplicaSet and three Pods each, and ConfigMaps. */
export interface Population {
  readonly namespace: string;
  readonly deployments: number;
  readonly configMaps: number;
}

const PODS_EACH = 3;

/** Objects that a population counts. */
export const sizeOf = ({ deployments, configMaps }: Population): number => deployments * (2 + PODS_EACH) + configMaps;

/** The objects of a population as their controllers leave them when all is well. */
export function* objectsOf({ namespace, deployments, configMaps }: Population): Generator<KubeObject> {
  for (let at = 0; at < deployments; at++) {
    yield aDeployment(namespace, `web-${at}`);
    yield aReplicaSet(namespace, `web-${at}`);
    for (let pod = 0; pod < PODS_EACH; pod++) yield aPod(namespace, `web-${at}`, pod);
  }
  for (let at = 0; at < configMaps; at++) yield aConfigMap(namespace, `settings-${at}`);
}

/** Creates the objects and writes the statuses they carry. */
export async function populate(cluster: Cluster, objects: Iterable<KubeObject>): Promise<void> {
  await forEachAtOnce([...objects], 8, async (object) => {
    const created = await cluster.create(object);
    if (object.status !== undefined) await cluster.update({ ...created, status: object.status }, { subresource: 'status' });
  });
}

export function aConfigMap(namespace: string, name: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels: { app: 'web' } },
    data: { currency: 'EUR', theme: 'autumn' },
  };
}

const template = (labels: Readonly<Record<string, string>>) => ({
  metadata: { labels },
  spec: {
    containers: [
      {
        name: 'main',
        image: IMAGE,
        ports: [{ containerPort: 8080 }],
        env: [{ name: 'LOG_LEVEL', value: 'info' }],
        resources: { requests: { cpu: '100m', memory: '64Mi' } },
        readinessProbe: { httpGet: { path: '/healthz', port: 8080 } },
      },
    ],
  },
});

export function aDeployment(namespace: string, name: string, replicas = PODS_EACH): KubeObject {
  const labels = { app: name };
  const ready = { replicas, updatedReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas };
  return {
    ...KINDS.deployment,
    metadata: { name, namespace, labels },
    spec: { replicas, selector: { matchLabels: labels }, template: template(labels) },
    status: {
      observedGeneration: 1,
      ...ready,
      conditions: [condition('Available', 'True'), condition('Progressing', 'True', 'NewReplicaSetAvailable')],
    },
  };
}

function aReplicaSet(namespace: string, app: string): KubeObject {
  const labels = { app, 'pod-template-hash': 'h1' };
  return {
    ...KINDS.replicaSet,
    metadata: { name: `${app}-h1`, namespace, labels },
    spec: { replicas: PODS_EACH, selector: { matchLabels: labels }, template: template(labels) },
    status: {
      observedGeneration: 1,
      replicas: PODS_EACH,
      fullyLabeledReplicas: PODS_EACH,
      readyReplicas: PODS_EACH,
      availableReplicas: PODS_EACH,
    },
  };
}

function aPod(namespace: string, app: string, at: number): KubeObject {
  const labels = { app, 'pod-template-hash': 'h1' };
  return {
    ...KINDS.pod,
    metadata: { name: `${app}-h1-${at}`, namespace, labels },
    spec: { ...template(labels).spec, nodeName: 'node-0' },
    status: podStatus(true),
  };
}

/** The status of a pod that runs, ready or not. */
export function podStatus(ready: boolean): Readonly<Record<string, unknown>> {
  const is = ready ? 'True' : 'False';
  return {
    phase: 'Running',
    podIP: '10.0.0.1',
    conditions: [
      condition('PodScheduled', 'True'),
      condition('Initialized', 'True'),
      condition('ContainersReady', is),
      condition('Ready', is),
    ],
    containerStatuses: [
      {
        name: 'main',
        ready,
        restartCount: 0,
        started: true,
        image: IMAGE,
        imageID: IMAGE,
        state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
      },
    ],
  };
}

function condition(type: string, status: string, reason = 'AsWanted') {
  return { type, status, reason, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
}
