import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';

const SHELVES = 120;

/** An application of some hundred plain objects, so that lists, trees and trackers are seen at size. */
export function largeApplication(): KubeObject {
  const objects = Array.from({ length: SHELVES }, (_, at) => {
    const name = `shelf-${String(at + 1).padStart(3, '0')}`;
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { title: `Shelf ${at + 1}`, order: String(at + 1) } };
  });
  return {
    ...KINDS.application,
    metadata: { name: 'catalogue', namespace: 'catalogue' },
    spec: { components: [{ name: 'shelves', type: 'k8s-objects', properties: { objects } }] },
  };
}
