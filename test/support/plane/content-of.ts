import type { KubeObject } from '@/lib/kube/object';

const IDENTITIES = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** What an object says, identities and times aside, so that two runs of the same can be compared. */
export function contentOf({ metadata, spec, data }: KubeObject): string {
  return JSON.stringify({
    labels: metadata.labels,
    owners: metadata.ownerReferences?.map(({ kind, name }) => `${kind}/${name}`),
    spec,
    data,
  }).replace(IDENTITIES, '…');
}
