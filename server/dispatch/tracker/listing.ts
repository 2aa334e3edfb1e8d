import type { KubeObject } from '@/lib/kube/object';
import { toAddress, toObjectId } from '@/lib/kube/object';
import type { ResourceTracker } from './record';

/** The ids by which a record may list a manifest: of a kind without namespaces the record has none, whatever the manifest says. */
export function recordedIds(manifest: KubeObject): readonly string[] {
  const at = toAddress(manifest);
  return at.namespace === undefined ? [toObjectId(at)] : [toObjectId(at), toObjectId({ ...at, namespace: undefined })];
}

/** True for a record that lists all of the manifests. One that was read before it was whole tells nothing of what a revision lacks. */
export function listsAll({ entries }: Pick<ResourceTracker, 'entries'>, manifests: readonly KubeObject[]): boolean {
  const listed = new Set(entries.map(toObjectId));
  return manifests.every((manifest) => recordedIds(manifest).some((id) => listed.has(id)));
}
