import type { KubeObject } from '@/lib/kube/object';
import type { ApiContext, Call } from '../api/context';
import { createObject } from '../api/create';
import { toKey } from '../kinds/resource';
import { ADMIN } from '../rights/caller';
import { DEFAULT_ROLES } from './default-roles';

const NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];
const PRIORITIES = { 'system-cluster-critical': 2_000_000_000, 'system-node-critical': 2_000_001_000 };

const OBJECTS: readonly KubeObject[] = [
  ...NAMESPACES.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
  ...DEFAULT_ROLES,
  ...Object.entries(PRIORITIES).map(([name, value]) => ({
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name },
    value,
  })),
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kubernetes', namespace: 'default', labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: { clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443, targetPort: 6443 }] },
  },
];

/** Creates what every cluster has from its first minute, as far as it is missing. */
export function installDefaults(context: ApiContext): void {
  const call: Call = { caller: ADMIN, warn: () => undefined, agent: 'kube-apiserver' };
  for (const object of OBJECTS) {
    const resource = context.registry.byType(object);
    const { name = '', namespace } = object.metadata;
    if (resource === undefined || context.store.get(resource.storage, toKey(resource, namespace, name))) continue;
    const target = { resource, name, ...(namespace ? { namespace } : {}) };
    createObject(context, call, { target, body: object, flags: { dryRun: false, fieldValidation: 'Strict', fieldManager: '' } });
  }
}
