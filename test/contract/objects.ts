import type { KubeObject } from '@/lib/kube/object';

export const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
export const SECRET = { apiVersion: 'v1', kind: 'Secret' } as const;
export const SERVICE = { apiVersion: 'v1', kind: 'Service' } as const;
export const POD = { apiVersion: 'v1', kind: 'Pod' } as const;
export const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace' } as const;
export const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' } as const;
export const REPLICA_SET = { apiVersion: 'apps/v1', kind: 'ReplicaSet' } as const;
export const ENDPOINT_SLICE = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' } as const;
export const HORIZONTAL_POD_AUTOSCALER = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' } as const;
export const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const;

export function configMap(namespace: string, name: string, data: Record<string, string> = {}, metadata: object = {}): KubeObject {
  return { ...CONFIG_MAP, metadata: { namespace, name, ...metadata }, data };
}

export function deployment(namespace: string, name: string, spec: object = {}, image = 'web:1'): KubeObject {
  return {
    ...DEPLOYMENT,
    metadata: { namespace, name },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image }] } },
      ...spec,
    },
  };
}
