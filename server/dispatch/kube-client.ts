import type { KubeObject, ObjectAddress, TypeRef } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';

/** The part of the port that dispatching needs, so that a small fake can stand in. */
export type KubeClient = Pick<Cluster, 'get' | 'list' | 'create' | 'update' | 'patch' | 'delete' | 'discovery'>;

/**
 * Watched copies to read from first. `undefined` means "not known here", never "absent": whoever concludes absence asks
 * the server, or lets a create find out.
 */
export interface CacheReader {
  read(at: ObjectAddress): KubeObject | undefined;
  /** True when the copies are complete and the object is in none; a create may be tried without asking first. */
  lacks?(at: ObjectAddress): boolean;
}

/** The address of an object on the server: no namespace on cluster-scoped kinds. */
export async function resolveAddress(client: Pick<Cluster, 'discovery'>, object: KubeObject, signal?: AbortSignal): Promise<ObjectAddress> {
  const { name = '', namespace } = object.metadata;
  // Without a name the path of the object is that of all objects of its kind.
  if (name === '') throw new Error('resource name may not be empty');
  const at = { apiVersion: object.apiVersion ?? '', kind: object.kind ?? '', name };
  const namespaced = await isNamespaced(client, at, signal);
  return namespaced && namespace ? { ...at, namespace } : at;
}

/** Whether objects of the kind live in namespaces, as discovery tells it. */
export async function isNamespaced(client: Pick<Cluster, 'discovery'>, type: TypeRef, signal?: AbortSignal): Promise<boolean> {
  return (await client.discovery.resolve(type, signal)).namespaced;
}
