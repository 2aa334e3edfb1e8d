import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import type { ApiResource } from '@/server/kube';
import type { CustomVersion } from './custom-version';

/** A subresource as discovery tells it. */
export interface Subresource {
  readonly name: string;
  readonly verbs: readonly string[];
  /** Kind of its bodies where it is another than the parent's. */
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
}

/** One resource in one version, as it is served. */
export interface Resource extends Omit<ApiResource, 'subresources'> {
  readonly listKind: string;
  readonly subresources: readonly Subresource[];
  /** The table its objects are in, the same for all versions. */
  readonly storage: string;
  /** The version they are in there. */
  readonly storageVersion: string;
  /** Schema and rules of a version of a custom resource. */
  readonly custom?: CustomVersion;
}

/** `apps/v1`, or `v1`. */
export function apiVersionOf({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The apiVersion in which a resource's objects are stored. */
export function storageApiVersionOf(resource: Resource): string {
  return apiVersionOf({ group: resource.storage === 'events' ? '' : resource.group, version: resource.storageVersion });
}

/** The subresource of a resource by its name, as the last part of a path says it. */
export function findSubresource(resource: Resource, name: string): Subresource | undefined {
  return resource.subresources.find((sub) => sub.name === name);
}

/** Key within the table. */
export function toKey(resource: Resource, namespace: string | undefined, name: string): ObjectKey {
  return resource.namespaced ? `${namespace ?? ''}/${name}` : name;
}

/** The object with kind, apiVersion and metadata in front, as the API server writes it. */
export function ordered(resource: Resource, object: Readonly<Record<string, unknown>>, apiVersion = apiVersionOf(resource)): KubeObject {
  const { kind: _kind, apiVersion: _apiVersion, metadata, ...rest } = object;
  return { kind: resource.kind, apiVersion, metadata: (metadata ?? {}) as KubeObject['metadata'], ...rest };
}
