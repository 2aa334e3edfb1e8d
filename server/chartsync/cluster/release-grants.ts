import { grantCommand, isNamespaceName } from '@/lib/contract/grant';
import { SECRET } from '@/lib/kube/kinds';
import type { ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { groupsOfAccount } from '@/lib/kube/user-annotations';
import type { AccessReviewer, Discovery, Grants, NamespaceState, ServerAction } from '@/server/kube';
import type { Identities } from '../identities';
import { accountUser } from '../identities';
import type { DeclaredRelease } from '../model/declared';
import { noAccountReason } from '../model/impersonation';
import type { GrantPort } from '../ports';

interface ReleaseGrantsDeps {
  readonly grants: Grants;
  readonly identities: Pick<Identities, 'accountOf'>;
  readonly discovery: Discovery;
  readonly review: AccessReviewer;
  readonly stateOf: (namespace: string) => NamespaceState;
}

type Releasing = Pick<DeclaredRelease, 'onBehalfOf' | 'release'>;

/**
 * What of releases the server does itself: it reads Helm's storage, and acts as one account of the resource's namespace: to let it act as that one is its owner's
 * consent. Where the release goes to another namespace, that one's owner has to let the account in as well.
 */
export function releaseGrants({ grants, ...deps }: ReleaseGrantsDeps): GrantPort {
  const { identities, discovery } = deps;
  /** Those, by resource, whose account waits to be let in. */
  const outside = new Set<ObjectKey>();
  const keyOf = ({ at: { namespace }, uid }: DeclaredRelease) => toObjectKey({ namespace, name: uid });
  return {
    async why(resource) {
      const key = keyOf(resource);
      outside.delete(key);
      const why = noPlaceReason(resource) ?? (await grants.explain(key, () => deedsOf(resource, identities), discovery));
      if (why !== undefined) return why;
      const notLetIn = await notLetInReason(resource, deps);
      if (notLetIn !== undefined) outside.add(key);
      return notLetIn;
    },
    predict: async (resource) =>
      noPlaceReason(resource) ?? (await grants.predict(() => deedsOf(resource, identities), discovery)) ?? notLetInReason(resource, deps),
    isWaiting: (resource) => grants.isWaiting(keyOf(resource)) || outside.has(keyOf(resource)),
    forget(resource) {
      grants.forget(keyOf(resource));
      outside.delete(keyOf(resource));
    },
  };
}

/** Why nobody could let it in: what the resource names as its account, or as the namespace where the release goes, is no name of one. */
function noPlaceReason({ onBehalfOf, release: { namespace } }: Releasing): string | undefined {
  return (
    noAccountReason(onBehalfOf) ??
    (isNamespaceName(namespace)
      ? undefined
      : `the resource names ${JSON.stringify(namespace)} as the namespace of its release, which is not a valid namespace name`)
  );
}

/** Why the account may not release to another namespace, and the command by which its owner lets it; undefined where it may, and at home, where its rights are its owner's matter. */
async function notLetInReason(
  { onBehalfOf, release }: Releasing,
  { identities, review, stateOf }: Pick<ReleaseGrantsDeps, 'identities' | 'review' | 'stateOf'>,
): Promise<string | undefined> {
  const account = identities.accountOf(onBehalfOf);
  const { namespace: home } = onBehalfOf;
  const { namespace } = release;
  if (account === undefined || namespace === home) return undefined;
  const user = accountUser(home, account);
  const right = { verb: 'list', group: '', resource: 'secrets', namespace };
  if (await review({ user, groups: groupsOfAccount(user) }, right)) return undefined;
  const bind = `kubectl create rolebinding ${account}-of-${home} -n ${namespace} --role=slipway:writer --serviceaccount=${home}:${account}`;
  const first = stateOf(namespace) === 'absent' ? `kubectl create namespace ${namespace} && ` : '';
  return `ServiceAccount ${account} of namespace ${home} may not list secrets in namespace ${namespace}, where the release goes, until its owner lets it: ${first}${grantCommand(namespace)} && ${bind}`;
}

function deedsOf({ onBehalfOf, release }: Releasing, identities: ReleaseGrantsDeps['identities']): readonly ServerAction[] {
  const stored = { verbs: ['get', 'list'], object: { ...SECRET, namespace: release.namespace, name: '' } };
  const account = identities.accountOf(onBehalfOf);
  if (account === undefined) return [stored];
  return [
    stored,
    { verbs: ['impersonate'], object: { apiVersion: 'v1', kind: 'ServiceAccount', namespace: onBehalfOf.namespace, name: account } },
  ];
}
