import { readList, readString } from '@/lib/kube/fields';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';

/** Stands for `spec.dependsOn` where the definition in the cluster has no such field: `NAME` or `NAMESPACE/NAME`, comma by comma. */
export const DEPENDS_ON = 'slipway.dev/depends-on';

/** Reads the releases that one waits for, in the order of the resource: their keys; those of its own namespace where it names none. */
export function readDependsOn({ spec, metadata }: KubeObject, namespace: string): readonly ObjectKey[] {
  const written = readList(spec, 'dependsOn').map((entry) => keyOf(readString(entry, 'name'), readString(entry, 'namespace') || namespace));
  const noted = (metadata.annotations?.[DEPENDS_ON] ?? '').split(',').flatMap((text) => {
    const [first = '', second] = text.trim().split('/');
    if (first === '') return [];
    return [second === undefined ? keyOf(first, namespace) : keyOf(second, first)];
  });
  return [...new Set([...written, ...noted])];
}

// An entry without a name names what cannot be there.
const keyOf = (name: string | undefined, namespace: string): ObjectKey => toObjectKey({ namespace, name: name ?? '' });
