import { AppError } from '@/lib/contract/app-error';
import type { Cluster } from '@/server/kube';
import type { Impersonation } from './model/impersonation';
import { noAccountReason } from './model/impersonation';

/** As whom chart sync acts for resources (issue 12, 1: who acts). Whatever acts, reads or reviews for one asks here. */
export interface Identities {
  /** A kubeconfig for Helm, readable by this process only. */
  kubeconfigFor(who: Impersonation): Promise<string>;
  clusterFor(who: Impersonation): Cluster;
  /** The ServiceAccount of the resource's namespace that acts; undefined where the server itself does. */
  accountOf(who: Impersonation): string | undefined;
}

/** The user that a ServiceAccount of a namespace is to the cluster; throws for what is no name of one. */
export function accountUser(namespace: string, account: string): string {
  const why = noAccountReason({ namespace, account });
  if (why !== undefined) throw new AppError('invalid', why);
  return `system:serviceaccount:${namespace}:${account}`;
}

/** As whom Helm acts for a resource, in a word that is another one for each. */
export function actorOf(identities: Pick<Identities, 'accountOf'>, who: Impersonation): string {
  const account = identities.accountOf(who);
  return account === undefined ? 'the server' : accountUser(who.namespace, account);
}
