import { getCondition } from '@/lib/kube/condition';
import { readField, readFields, readList, readString } from '@/lib/kube/fields';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { describeObject, groupOf, toAddress } from '@/lib/kube/object';
import { isNoMatch } from '@/server/kube';
import { DispatchError } from './dispatch-error';
import type { KubeClient } from './kube-client';
import { isNamespaced } from './kube-client';

/** True for what other objects live in or are instances of. */
export function isPrerequisite({ kind }: Pick<KubeObject, 'kind'>): boolean {
  return kind === 'Namespace' || kind === 'CustomResourceDefinition';
}

const kindKey = ({ apiVersion, kind }: TypeRef) => `${groupOf(apiVersion)}/${kind}`;

/** What a set of manifests brings with it: kinds, with whether they live in namespaces, and namespaces. */
export interface OwnPrerequisites {
  readonly kinds: ReadonlyMap<string, boolean>;
  readonly namespaces: ReadonlySet<string>;
}

/** Reads which kinds and namespaces the manifests themselves make. */
export function readOwnPrerequisites(manifests: readonly KubeObject[]): OwnPrerequisites {
  const definitions = manifests.filter(({ kind }) => kind === 'CustomResourceDefinition');
  const kinds = definitions.map(
    (crd) =>
      [
        `${readString(crd, 'spec', 'group')}/${readString(crd, 'spec', 'names', 'kind')}`,
        readString(crd, 'spec', 'scope') !== 'Cluster',
      ] as const,
  );
  const namespaces = manifests.flatMap(({ kind, metadata: { name } }) => (kind === 'Namespace' && name ? name : []));
  return { kinds: new Map(kinds), namespaces: new Set(namespaces) };
}

/** Whether a kind lives in namespaces: as discovery tells it, or as the set itself defines it while it is not served yet. */
export async function isPlacedInNamespace(
  client: KubeClient,
  type: TypeRef,
  prerequisites: OwnPrerequisites,
  signal?: AbortSignal,
): Promise<boolean> {
  try {
    return await isNamespaced(client, type, signal);
  } catch (error) {
    const brought = isNoMatch(error) ? prerequisites.kinds.get(kindKey(type)) : undefined;
    if (brought === undefined) throw error;
    return brought;
  }
}

/** True for a manifest that cannot be tried out before the prerequisites that it stands on are there. */
export function needsPrerequisite(prerequisites: OwnPrerequisites, manifest: KubeObject): boolean {
  return prerequisites.kinds.has(kindKey(manifest)) || prerequisites.namespaces.has(manifest.metadata.namespace ?? '');
}

/** Says that what was applied cannot be used yet. Nothing failed: whoever dispatches comes back. */
export class NotServingError extends DispatchError {}

/** Throws `NotServingError` while an applied kind is not served or an applied namespace takes no objects. */
export async function assertServed(client: KubeClient, applied: readonly KubeObject[], signal?: AbortSignal): Promise<void> {
  for (const object of applied) {
    const missing = await missingOf(client, object, signal);
    if (missing === undefined) continue;
    const at = toAddress(object);
    throw new NotServingError(`${describeObject(at)} is applied but cannot be used yet: ${missing}`, { stage: 'apply', object: at });
  }
}

async function missingOf(client: KubeClient, object: KubeObject, signal: AbortSignal | undefined): Promise<string | undefined> {
  if (object.metadata.deletionTimestamp !== undefined) return 'it is being deleted';
  if (object.kind === 'Namespace') return undefined;
  if (getCondition(object, 'Established')?.status !== 'True')
    return getCondition(object, 'NamesAccepted')?.message ?? 'it is not established';
  const group = readString(object, 'spec', 'group');
  const kind = readString(object, 'spec', 'names', 'kind') ?? '';
  for (const version of readList(object, 'spec', 'versions')) {
    if (readField(version, 'served') !== true) continue;
    const type = { apiVersion: `${group}/${readString(readFields(version), 'name')}`, kind };
    try {
      await client.discovery.resolve(type, signal);
    } catch (error) {
      if (!isNoMatch(error)) throw error;
      client.discovery.invalidate();
      return `${type.apiVersion} ${kind} is not served`;
    }
  }
  return undefined;
}
