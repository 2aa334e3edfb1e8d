import type { Cluster } from '@/server/kube';

/** As whom chart sync acts for the resources of a namespace (issue 12, 1: who acts). */
export interface Identities {
  /** A kubeconfig for Helm, readable by this process only. */
  kubeconfigFor(namespace: string): Promise<string>;
  clusterFor(namespace: string): Cluster;
  /** By which name, as a plan tells it. */
  accountOf(namespace: string): string;
  /** The ServiceAccount that it acts as in each namespace; absent where it acts as the server. */
  readonly account?: string;
}
