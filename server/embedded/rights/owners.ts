import { readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { ApiContext, Call } from '../api/context';
import { forbidden } from '../api/failures';
import type { Draft } from '../kinds/draft';
import type { Resource } from '../kinds/resource';

const GUARDED: readonly string[] = [
  'applications.core.oam.dev',
  'helmreleases.helm.fluxcd.io',
  'helmreleases.flux.weave.works',
  'fluxhelmreleases.helm.integrations.flux.weave.works',
];

/** What has an owner that is not there is deleted, so whoever changes owners may delete it, as the policy `owners` in deploy/ has it on other clusters. */
export function admitOwners({ rights }: ApiContext, { caller }: Call, { resource, object, previous }: WrittenObject): void {
  if (previous === undefined || !GUARDED.includes(resource.storage) || deepEqual(ownersOf(object), ownersOf(previous))) return;
  const { name = '', namespace = '' } = previous.metadata;
  if (rights.reasonFor(caller, { verb: 'delete', group: resource.group, resource: resource.plural, namespace, name }) !== undefined) return;
  throw forbidden(resource, readString(object, 'metadata', 'name') ?? '', `${caller.user} ${REFUSAL}`);
}

interface WrittenObject {
  readonly resource: Resource;
  readonly object: Draft;
  readonly previous: KubeObject | undefined;
}

const REFUSAL =
  'does not have the right to delete this, which other owners require: the cluster deletes what has an owner that is not there';

const ownersOf = (object: Draft | KubeObject) => readList(object, 'metadata', 'ownerReferences');
