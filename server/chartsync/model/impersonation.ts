import { readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';

/** Stands for `spec.serviceAccountName` where the definition in the cluster has no such field. */
export const SERVICE_ACCOUNT = 'slipway.dev/service-account';

/** In whose name chart sync acts for a resource: an account of the namespace of the resource, never of that of its release. */
export interface Impersonation {
  readonly namespace: string;
  /** The ServiceAccount that the resource names, as it is written there; undefined for that of the settings. */
  readonly account: string | undefined;
}

/** What the API server takes for the name of a ServiceAccount: nothing that would make another user, group or path of it. */
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const MAX_LETTERS = 253;
const MAX_TOLD = 60;

/** Reads as whom a resource wants to be released; what stands in `spec` counts before the annotation. */
export function readImpersonation({ spec, metadata }: KubeObject, namespace: string): Impersonation {
  return { namespace, account: readString(spec, 'serviceAccountName') || metadata.annotations?.[SERVICE_ACCOUNT] || undefined };
}

/** Why nobody can act as the account that a resource names; undefined where it can be one of its namespace. */
export function noAccountReason({ namespace, account }: Impersonation): string | undefined {
  if (account === undefined || (account.length <= MAX_LETTERS && NAME.test(account))) return undefined;
  const found = JSON.stringify(account.length > MAX_TOLD ? `${account.slice(0, MAX_TOLD)}…` : account);
  return `the resource names ${found} as its service account, which is not a valid name; use the bare name of a ServiceAccount in its own namespace ${namespace}`;
}
