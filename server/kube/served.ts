import type { KubeObject, ObjectAddress, TypeRef } from '@/lib/kube/object';
import { groupOf, versionOf } from '@/lib/kube/object';
import type { ApiResource, Cluster, GetOptions, KindRef } from './cluster';
import { ignoreNotFound, isNoMatch, isNotFound, isUnserved } from './errors';

/** The kind of a type, with its version as the one that is wanted. */
export function toKindRef({ apiVersion, kind }: TypeRef): KindRef {
  return { group: groupOf(apiVersion), kind, version: versionOf(apiVersion) };
}

/** A kind at the version wanted, else at the first one listed: servers list the version that they prefer first. */
export function findServed(resources: readonly ApiResource[], { group, kind, version }: KindRef): ApiResource | undefined {
  const served = resources.filter((resource) => resource.group === group && resource.kind === kind);
  return served.find((resource) => resource.version === version) ?? served[0];
}

/** The apiVersions that a kind is served at. */
export function servedVersions(resources: readonly ApiResource[], { group, kind }: KindRef): readonly string[] {
  return resources.filter((resource) => resource.group === group && resource.kind === kind).map(toApiVersion);
}

/** The apiVersion of a resource. */
export function toApiVersion({ group, version }: Pick<ApiResource, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/**
 * An object by group, kind and name, at its version or at whatever other one the cluster serves its kind by; undefined when it is not there, or
 * when no version of its kind is served at all: then its objects are gone as far as anybody can tell. Whatever else fails is thrown.
 */
export async function getServed(
  cluster: Pick<Cluster, 'get' | 'discovery'>,
  at: ObjectAddress,
  options: GetOptions = {},
): Promise<KubeObject | undefined> {
  try {
    return await cluster.get(at, options);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    if (!isUnserved(error)) throw error;
    const apiVersion = await servedAs(cluster, at, options.signal);
    if (apiVersion === undefined) return undefined;
    if (apiVersion === at.apiVersion) throw error; // listed, and yet not to be reached: nobody can tell
    return ignoreNotFound(cluster.get({ ...at, apiVersion }, options));
  }
}

async function servedAs(
  { discovery }: Pick<Cluster, 'discovery'>,
  at: TypeRef,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  try {
    return toApiVersion(await discovery.resolveKind(toKindRef(at), signal));
  } catch (error) {
    if (isNoMatch(error)) return undefined;
    throw error;
  }
}
