import path from 'node:path';
import { startBrowser } from '../support/browser';
import { openCluster } from '../support/census';
import { defineSameRollout } from '../support/define-same-rollout';
import { startServerProcess } from '../support/server-process';

defineSameRollout('on the embedded cluster', async () => {
  const server = await startServerProcess(['--demonstration', 'off']);
  const visitors = await startBrowser();
  const cluster = openCluster(path.join(server.dataDir, 'cluster/kubeconfig'));
  return {
    origin: server.origin,
    operator: await visitors.visit(server.address),
    cluster,
    namespaces: { console: 'by-console', kubectl: 'by-kubectl' },
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]();
      await visitors[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
});
