import { existsSync } from 'node:fs';
import path from 'node:path';
import { readBoolean } from '@/lib/kube/fields';
import type { Cluster } from '@/server/kube';
import { createRemoteCluster, isAlreadyExists } from '@/server/kube';
import type { Clock, Lifetimes } from '@/server/platform';
import { createRandom } from '@/server/platform';
import { silentLog } from './silent-log';
import { until } from './until';

const RBAC = 'rbac.authorization.k8s.io';
/** Engines of a house may do everything, as those of somebody who gave them a role more, unless it is about what the deployed role lacks. */
const BINDING = {
  apiVersion: `${RBAC}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name: 'slipway:houses' },
  roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'cluster-admin' },
  subjects: [{ apiGroup: RBAC, kind: 'Group', name: 'slipway:houses' }],
};

const REVIEW = {
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SelfSubjectAccessReview',
  metadata: {},
  spec: { resourceAttributes: { verb: '*', group: '*', resource: '*' } },
};

interface ReachOptions {
  readonly clock: Clock;
  /** Whatever is opened ends with these. */
  readonly lifetimes: Lifetimes;
  /** True for the rights of the deployed server and nothing else. */
  readonly asServer: boolean;
}

/**
 * The cluster as the engines of a house on a real cluster reach it: by credentials of the server's group where test/cluster/up gave some, so that its audit
 * log tells what they use; else as whoever KUBECONFIG names.
 */
export async function reachAsEngines(cluster: Cluster, { clock, lifetimes, asServer }: ReachOptions): Promise<Cluster> {
  const kubeconfig = path.join(path.dirname(process.env.KUBECONFIG ?? ''), `${asServer ? 'slipway' : 'engines'}.kubeconfig`);
  if (!existsSync(kubeconfig)) return asServer ? cluster.as({ user: 'slipway', groups: ['slipway:servers'] }) : cluster;
  const source = { kind: 'kubeconfig', path: kubeconfig } as const;
  const reached = lifetimes.use('cluster of the engines', createRemoteCluster({ source, clock, random: createRandom(9), log: silentLog }));
  if (asServer) return reached;
  await cluster.create(BINDING).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
  // Rights are read from a copy of the API server's that follows a moment later.
  await until('the engines may do everything', async () => readBoolean(await reached.create(REVIEW), 'status', 'allowed') === true);
  return reached;
}
