import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { KINDS } from '@/lib/kube/kinds';
import { toAddress } from '@/lib/kube/object';
import { installMissing, readManifests } from '@/server/installation';
import { realClock } from '@/server/platform';
import { openCluster } from '../support/census';
import { defineCommandLine } from '../support/define-command-line';
import { startServerProcess } from '../support/server-process';
import { silentLog } from '../support/silent-log';

defineCommandLine('on a real control plane, signed in with a token of the cluster', async () => {
  const folder = process.env.SLIPWAY_CLUSTER_DIR ?? '';
  const cluster = openCluster(process.env.KUBECONFIG ?? '');
  const roles = await readManifests('deploy/rbac');
  await installMissing(roles, { cluster, clock: realClock, log: silentLog });
  // What it reads is collected from this one, a moment later.
  const role = roles.find(({ metadata }) => metadata.name === 'slipway:reads');
  if (role === undefined) throw new Error('no role of the server is deployed');
  const rules = role.rules as readonly { readonly resources: readonly string[] }[];
  const writeRules = (kept: typeof rules) => cluster.patch(toAddress(role), { type: 'merge', body: { rules: kept } });
  const namespace = `slipway-command-${randomUUID().slice(0, 8)}`;
  await cluster.create({ ...KINDS.namespace, metadata: { name: namespace } });
  const server = await startServerProcess(['--kubeconfig', path.join(folder, 'slipway.kubeconfig'), '--auth', 'token']);
  const { users } = parse(await readFile(path.join(folder, 'ann.kubeconfig'), 'utf8')) as {
    readonly users: readonly { readonly user: { readonly token: string } }[];
  };
  return {
    origin: server.origin,
    cluster,
    namespace,
    token: async () => users[0]?.user.token ?? '',
    apply: async (application) => void (await cluster.as({ user: 'ann', groups: ['slipway:operators'] }).create(application)),
    disorder: {
      make: async () => void (await writeRules(rules.filter(({ resources }) => !resources.includes('priorityclasses')))),
      repair: async () => void (await writeRules(rules)),
      named: /^rights: the server may not .* priorityclasses\.scheduling\.k8s\.io/m,
      command: /^ {2}kubectl apply -f deploy\/rbac\/server\.yaml$/m,
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await cluster.delete({ ...KINDS.namespace, name: namespace });
      await cluster[Symbol.asyncDispose]();
    },
  };
});
