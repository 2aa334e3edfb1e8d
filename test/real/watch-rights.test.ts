import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { readField } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { installMissing, readManifests } from '@/server/installation';
import type { Cluster } from '@/server/kube';
import { realClock } from '@/server/platform';
import type { Requests } from '../support/api-proxy';
import { openCluster } from '../support/census';
import { defineWatchRights } from '../support/define-watch-rights';
import { silentLog } from '../support/silent-log';
import { until } from '../support/until';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

const SERVER = { user: 'slipway', groups: ['slipway:servers'] };

/** The ConfigMap that may still be read where the other may not. */
const STILL_READ = 'settings';

/** The rules without a right: a rule for each resource, so that it can be taken from one. */
function without(rules: readonly Rule[], { verb, resource, name }: Requests): readonly Rule[] {
  return rules.flatMap((rule) =>
    rule.resources.flatMap((one): readonly Rule[] => {
      const kept: Rule = { ...rule, resources: [one] };
      if ((resource !== undefined && resource !== one) || !rule.verbs.includes(verb)) return [kept];
      const less = { ...kept, verbs: rule.verbs.filter((held) => held !== verb) };
      const named = { ...kept, verbs: [verb], resourceNames: [STILL_READ] };
      return (name === undefined ? [less] : [less, named]).filter(({ verbs }) => verbs.length > 0);
    }),
  );
}

/** Takes rights out of the role that the server has. A watch that is open outlives its right, so it is cut. */
async function openRole(cluster: Cluster) {
  const roles = await readManifests('deploy/rbac');
  await installMissing(roles, { cluster, clock: realClock, log: silentLog });
  const ofServer = ['slipway:server', 'slipway:reads', 'slipway:cluster-wide'];
  type Role = KubeObject & { readonly rules: readonly Rule[] };
  const held = roles.filter((one): one is Role => one.kind === 'ClusterRole' && ofServer.includes(one.metadata.name ?? '')); // deployed so
  const taken = new Set<Requests>();
  const write = async () => {
    for (const role of held) {
      const rules = [...taken].reduce(without, role.rules);
      await cluster.patch(toAddress(role), { type: 'merge', body: { rules } });
    }
  };
  return {
    async take(right: Requests) {
      taken.add(right);
      await write();
      // Rights are read from a copy of the server's that follows a moment later.
      await until('the right is gone', async () => !(await mayServer(cluster, right)));
      return async () => {
        taken.delete(right);
        await write();
      };
    },
    restore: async () => {
      taken.clear();
      await write();
    },
  };
}

async function mayServer(cluster: Cluster, { verb, resource = 'pods', name }: Requests): Promise<boolean> {
  const resourceAttributes = { verb, resource, namespace: 'default', ...(name === undefined ? {} : { name }) };
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: {},
    spec: { ...SERVER, resourceAttributes },
  };
  return readField(await cluster.create(review), 'status', 'allowed') === true;
}

/** The server reaches the control plane as its own user, with the rights of the deployment. */
async function openGround() {
  const folder = process.env.SLIPWAY_CLUSTER_DIR ?? '';
  const admin = process.env.KUBECONFIG ?? '';
  const cluster = openCluster(admin);
  const role = await openRole(cluster);
  const options = { namespace: `slipway-rights-${randomUUID().slice(0, 8)}`, kubeconfig: path.join(folder, 'slipway.kubeconfig'), admin };
  return { cluster, role, options };
}

defineWatchRights('by a proxy before a real control plane, with 405 for watches and 403 for the rest', async () => {
  const { cluster, options } = await openGround();
  return {
    options,
    takeAway:
      ({ proxy }) =>
      async (right) => {
        const give = proxy.refuse(right, right.verb === 'watch' ? 405 : 403);
        return async () => give();
      },
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
});

defineWatchRights('by RBAC of a real control plane', async () => {
  const { cluster, role, options } = await openGround();
  return {
    options,
    takeAway:
      ({ proxy }) =>
      async (right) => {
        const give = await role.take(right);
        if (right.verb === 'watch') proxy.cutWatches(right.resource === undefined ? {} : { resource: right.resource });
        return give;
      },
    async [Symbol.asyncDispose]() {
      await role.restore();
      await cluster[Symbol.asyncDispose]();
    },
  };
});
