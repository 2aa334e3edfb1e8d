import { SECRET } from '@/lib/kube/kinds';
import { toObjectKey } from '@/lib/kube/object';
import type { Discovery, Grants, OwnDeed } from '@/server/kube';
import type { DeclaredRelease } from '../model/declared';
import type { GrantPort } from '../ports';

interface ReleaseGrantsDeps {
  readonly grants: Grants;
  /** The ServiceAccount of each namespace as which Helm runs; undefined where it runs as the server. */
  readonly account: string | undefined;
  readonly discovery: Discovery;
}

/** What of releases the server does itself: it reads Helm's storage, and acts as the account of the resource's namespace. */
export function releaseGrants({ grants, account, discovery }: ReleaseGrantsDeps): GrantPort {
  const keyOf = ({ at: { namespace }, uid }: DeclaredRelease) => toObjectKey({ namespace, name: uid });
  return {
    why: (resource) => grants.explain(keyOf(resource), () => deedsOf(resource, account), discovery),
    isWaiting: (resource) => grants.isWaiting(keyOf(resource)),
    forget: (resource) => grants.forget(keyOf(resource)),
  };
}

function deedsOf({ at, release }: DeclaredRelease, account: string | undefined): readonly OwnDeed[] {
  const stored = { verbs: ['get', 'list'], object: { ...SECRET, namespace: release.namespace, name: '' } };
  if (account === undefined) return [stored];
  return [stored, { verbs: ['impersonate'], object: { apiVersion: 'v1', kind: 'ServiceAccount', namespace: at.namespace ?? '', name: account } }];
}
