import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { KINDS } from '@/lib/kube/kinds';
import { installMissing, readManifests } from '@/server/installation';
import { isNotFound } from '@/server/kube';
import { realClock } from '@/server/platform';
import { startBrowser } from '../support/browser';
import { openCluster } from '../support/census';
import { defineReplace } from '../support/define-replace';
import { startServerProcess } from '../support/server-process';
import { silentLog } from '../support/silent-log';
import { until } from '../support/until';

defineReplace('on a real control plane', async () => {
  const cluster = openCluster(process.env.KUBECONFIG ?? '');
  await installMissing(await readManifests('deploy/rbac'), { cluster, clock: realClock, log: silentLog });
  const server = await startServerProcess(['--kubeconfig', path.join(process.env.SLIPWAY_CLUSTER_DIR ?? '', 'slipway.kubeconfig')]);
  const visitors = await startBrowser();
  const namespace = `slipway-replace-${randomUUID().slice(0, 8)}`;
  const depot = { ...KINDS.application, namespace, name: 'depot' };
  return {
    origin: server.origin,
    operator: await visitors.visit(server.address),
    cluster,
    namespace,
    async [Symbol.asyncDispose]() {
      // Only a running engine lets go of it; what stayed would be taken up by the engines of another test.
      await cluster.delete(depot).catch(() => undefined);
      await until('the application is gone', () => cluster.get(depot).then(() => false, isNotFound)).catch(() => undefined);
      await cluster.delete({ ...KINDS.namespace, name: namespace }).catch(() => undefined);
      await visitors[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await cluster[Symbol.asyncDispose]();
    },
  };
});
