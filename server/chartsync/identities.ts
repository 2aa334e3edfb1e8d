import type { Cluster } from '@/server/kube';

/** As whom chart sync acts for the resources of a namespace (issue 12, 1: who acts). */
export interface Identities {
  /** A kubeconfig for Helm, readable by this process only. */
  kubeconfigFor(namespace: string): Promise<string>;
  clusterFor(namespace: string): Cluster;
  /** The ServiceAccount that it acts as in each namespace; absent where it acts as the server. */
  readonly account?: string;
}

/** The user that a ServiceAccount of a namespace is to the cluster. */
export function accountUser(namespace: string, account: string): string {
  return `system:serviceaccount:${namespace}:${account}`;
}
