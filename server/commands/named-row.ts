import type { NamedObject } from '@/lib/contract/named-object';
import type { ObjectAddress } from '@/lib/kube/object';
import { toObjectId } from '@/lib/kube/object';

/** An object as rows name it. */
export function rowOf({ apiVersion, kind, namespace, name }: ObjectAddress): NamedObject {
  return { id: toObjectId({ apiVersion, kind, namespace, name }), apiVersion, kind, ns: namespace ?? null, name };
}
