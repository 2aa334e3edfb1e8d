import { SECRET } from '@/lib/kube/kinds';
import { toObjectKey } from '@/lib/kube/object';
import type { Discovery, Grants, ServerAction } from '@/server/kube';
import type { Identities } from '../identities';
import type { DeclaredRelease } from '../model/declared';
import { noAccountReason } from '../model/on-behalf-of';
import type { GrantPort } from '../ports';

interface ReleaseGrantsDeps {
  readonly grants: Grants;
  readonly identities: Pick<Identities, 'accountOf'>;
  readonly discovery: Discovery;
}

/** What of releases the server does itself: it reads Helm's storage, and acts as one account of the resource's namespace: to let it act as that one is its owner's consent. */
export function releaseGrants({ grants, identities, discovery }: ReleaseGrantsDeps): GrantPort {
  const keyOf = ({ at: { namespace }, uid }: DeclaredRelease) => toObjectKey({ namespace, name: uid });
  return {
    why: async (resource) =>
      noAccountReason(resource.onBehalfOf) ?? grants.explain(keyOf(resource), () => deedsOf(resource, identities), discovery),
    predict: async (resource) => noAccountReason(resource.onBehalfOf) ?? grants.predict(() => deedsOf(resource, identities), discovery),
    isWaiting: (resource) => grants.isWaiting(keyOf(resource)),
    forget: (resource) => grants.forget(keyOf(resource)),
  };
}

function deedsOf(
  { onBehalfOf, release }: Pick<DeclaredRelease, 'onBehalfOf' | 'release'>,
  identities: ReleaseGrantsDeps['identities'],
): readonly ServerAction[] {
  const stored = { verbs: ['get', 'list'], object: { ...SECRET, namespace: release.namespace, name: '' } };
  const account = identities.accountOf(onBehalfOf);
  if (account === undefined) return [stored];
  return [
    stored,
    { verbs: ['impersonate'], object: { apiVersion: 'v1', kind: 'ServiceAccount', namespace: onBehalfOf.namespace, name: account } },
  ];
}
