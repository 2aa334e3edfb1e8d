import { toObjectKey } from '@/lib/kube/object';
import type { NamespaceState, Store } from '@/server/kube';

/** How a namespace stands by its watched copy; as long as nobody can tell it is taken to be there. */
export function namespaceState(namespaces: Store, name: string): NamespaceState {
  const namespace = namespaces.get(toObjectKey({ name }));
  if (namespace === undefined) return namespaces.health().synced ? 'absent' : 'there';
  return namespace.metadata.deletionTimestamp === undefined ? 'there' : 'ending';
}
