/** One owner of an object; the garbage collector goes by uid. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** Metadata as the API server stores it; members we do not model are kept. */
export interface ObjectMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly [member: string]: unknown;
}

/** Any Kubernetes object: metadata typed, the rest unknown until a reader or a schema has looked at it. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [member: string]: unknown;
}

/** The type of an object as manifests write it. */
export interface TypeRef {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Where one object lives. Namespace is absent for cluster-scoped objects. */
export interface ObjectAddress extends TypeRef {
  readonly namespace?: string;
  readonly name: string;
}

/** Namespace/name within one kind, or the bare name of a cluster-scoped object: what queues and indexes hold. */
export type ObjectKey = string;

/** The key of an object inside its kind. */
export function toObjectKey(at: { readonly namespace?: string | undefined; readonly name?: string | undefined }): ObjectKey {
  return at.namespace ? `${at.namespace}/${at.name ?? ''}` : (at.name ?? '');
}

/** Splits a key again; the inverse of `toObjectKey`. */
export function parseObjectKey(key: ObjectKey): { readonly namespace?: string; readonly name: string } {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** The address of an object that has a name. */
export function toAddress(object: KubeObject): ObjectAddress {
  const { apiVersion, kind } = object;
  const { name = '', namespace } = object.metadata;
  return namespace ? { apiVersion, kind, namespace, name } : { apiVersion, kind, name };
}

/** Group of an apiVersion; the core group is the empty string. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** Version of an apiVersion. */
export function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf('/') + 1);
}

/** What tells an object from every other, whichever version of its kind is asked for: `Deployment.apps/shop/web`, `ConfigMap/shop/settings`. */
export function toObjectId({
  apiVersion,
  kind,
  namespace,
  name,
}: TypeRef & { readonly namespace?: string | undefined; readonly name: string }): string {
  const group = groupOf(apiVersion);
  return `${group === '' ? kind : `${kind}.${group}`}/${namespace ?? ''}/${name}`;
}

/** How sentences name an object: `Deployment web in shop`, `ClusterRole viewer`. */
export function describeObject(at: {
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}): string {
  return at.namespace ? `${at.kind} ${at.name ?? ''} in ${at.namespace}` : `${at.kind} ${at.name ?? ''}`;
}

/** The owner entry with controller true, if any. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true);
}
