import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';

/** Where the one large application is that benchmarks apply. */
export const CATALOGUE = { ...KINDS.application, namespace: 'shop', name: 'catalogue' } as const;

/** An application of so many ConfigMaps. */
export function aCatalogue(size: number, name: string = CATALOGUE.name): KubeObject {
  const objects = Array.from({ length: size }, (_, at) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${name}-${at}` },
    data: { title: `Shelf ${at}`, order: String(at) },
  }));
  return {
    ...KINDS.application,
    metadata: { name, namespace: CATALOGUE.namespace },
    spec: { components: [{ name: 'shelves', type: 'k8s-objects', properties: { objects } }] },
  };
}
