import type { KubeObject, ObjectMeta } from '@/lib/kube/object';
import { compareResourceVersions } from '@/lib/kube/resource-version';
import type { ListOptions } from '../cluster';

/** The change of a collection that was heard of last. */
export interface LastChange {
  readonly metadata: ObjectMeta;
  readonly gone: boolean;
}

/** What a list tells of last. */
export function latestOf(items: readonly KubeObject[]): LastChange | undefined {
  let latest: ObjectMeta | undefined;
  for (const { metadata } of items) {
    if (latest === undefined || compareResourceVersions(metadata.resourceVersion ?? '', latest.resourceVersion ?? '') > 0)
      latest = metadata;
  }
  return latest && { metadata: latest, gone: false };
}

/** Selects the object that was heard of last. */
export function selectLast(last: LastChange | undefined): Pick<ListOptions, 'fieldSelector'> {
  if (last === undefined) return {};
  const { name = '', namespace } = last.metadata;
  return { fieldSelector: `metadata.name=${name}${namespace ? `,metadata.namespace=${namespace}` : ''}` };
}

/** False also when it was changed since, which a full list settles. */
export function isSameAsLast(last: LastChange | undefined, found: KubeObject | undefined): boolean {
  if (last === undefined) return true;
  if (last.gone) return found?.metadata.uid !== last.metadata.uid;
  return found?.metadata.uid === last.metadata.uid && found?.metadata.resourceVersion === last.metadata.resourceVersion;
}
