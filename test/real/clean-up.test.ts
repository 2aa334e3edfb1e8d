import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { installMissing } from '@/server/installation';
import { isNotFound } from '@/server/kube';
import type { RemoteCluster } from '@/server/kube/remote/create';
import { realClock } from '@/server/platform';
import { openCluster } from '../support/census';
import { createOnceServed } from '../support/create-once-served';
import { readDeployed } from '../support/definitions';
import { silentLog } from '../support/silent-log';
import { until } from '../support/until';
import type { ControlPlane } from './control-plane';
import { startControlPlane } from './control-plane';

const RBAC = 'rbac.authorization.k8s.io';
const MANAGER = 'system:kube-controller-manager';
const KEPT: readonly TypeRef[] = [
  KINDS.rolloutOrchestrator,
  KINDS.stagePodAutoscaler,
  KINDS.applicationRevision,
  KINDS.stageDecision,
  KINDS.releaseDecision,
];

/** How the controllers of a cluster may be run: each as an account of its own, as kubeadm has it, or all as one user. */
const WAYS: Readonly<Record<string, readonly string[]>> = {
  'an account for each controller': ['--use-service-account-credentials'],
  'one user for all': [],
};

// The suite's own control plane runs its controllers as an administrator, who is refused nothing.
describe('what cleans up in a cluster whose controllers are no administrators', () => {
  let plane: ControlPlane;
  let cluster: RemoteCluster;

  beforeAll(async () => {
    plane = await startControlPlane();
    cluster = openCluster(plane.kubeconfig);
    await plane.kill('kube-controller-manager');
    await installMissing(await readDeployed('deploy/crds'), { cluster, clock: realClock, log: silentLog });
    const policies = (await readDeployed('deploy')).filter(({ apiVersion }) => apiVersion.startsWith('admissionregistration'));
    await installMissing(policies, { cluster, clock: realClock, log: silentLog });
    // A controller manager that runs as one user is given what its controllers need.
    for (const controller of ['generic-garbage-collector', 'namespace-controller'])
      await cluster.create(
        aBinding('ClusterRoleBinding', { name: controller }, `system:controller:${controller}`, {
          apiGroup: RBAC,
          kind: 'User',
          name: MANAGER,
        }),
      );
  });
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    await plane?.[Symbol.asyncDispose]();
  });

  it.each(Object.entries(WAYS))('[issue 10, 2] takes away what an application and a namespace had: %s', async (way, flags) => {
    const ns = `clean-${flags.length}`;
    const manager = await startManager(plane, flags);
    try {
      await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } });
      const agent = { kind: 'ServiceAccount', name: 'agent', namespace: 'kube-system' };
      await cluster.create(aBinding('RoleBinding', { name: 'agent', namespace: ns }, 'cluster-admin', agent));
      const application = await createOnceServed(cluster, {
        ...KINDS.application,
        metadata: { name: 'web', namespace: ns },
        spec: { components: [] },
      });
      const owner = { ...KINDS.application, name: 'web', uid: application.metadata.uid ?? '', controller: true, blockOwnerDeletion: true };
      for (const one of kept(ns))
        await createOnceServed(cluster, { ...one, metadata: { ...one.metadata, ownerReferences: [owner] } } as KubeObject);
      const names = async () => (await Promise.all(KEPT.map((kind) => listed(cluster, kind, ns)))).flat();
      expect(await names()).toHaveLength(KEPT.length);
      await until('only engines and those who clean up may', () => isGuarded(cluster, ns));
      await cluster.delete({ ...KINDS.application, namespace: ns, name: 'web' }, { propagationPolicy: 'Foreground' });
      await until(`${way}: they went with their application`, async () => (await names()).length === 0);

      for (const one of kept(ns)) await cluster.create(one);
      await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: ns });
      const gone = () =>
        cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: ns }).then(
          () => false,
          (error: unknown) => isNotFound(error),
        );
      await until(`${way}: they went with their namespace`, gone);
    } finally {
      manager.kill('SIGKILL');
    }
  });
});

const aBinding = (kind: string, metadata: object, role: string, subject: object): KubeObject =>
  ({
    apiVersion: `${RBAC}/v1`,
    kind,
    metadata,
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
    subjects: [subject],
  }) as KubeObject;

/** One of each kind that only engines and those who clean up may delete. */
function kept(namespace: string): readonly KubeObject[] {
  const said = { actor: { user: 'admin' }, reason: 'for the test' };
  const about = { releaseRef: { kind: 'FluxHelmRelease', name: 'ledger', uid: 'any' } };
  const specs: readonly object[] = [
    { control: { gates: 'every-stage' } },
    { stageMinScale: 1, stageMaxScale: 1 },
    {},
    { rolloutRef: { name: 'web', uid: 'any' }, verb: 'pause', ...said },
    { ...about, verb: 'hold', ...said },
  ];
  return KEPT.map((kind, at) => ({ ...kind, metadata: { name: 'kept', namespace }, spec: specs[at] }));
}

async function listed(cluster: RemoteCluster, kind: TypeRef, namespace: string): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { items } of cluster.list({ ...kind, namespace })) names.push(...items.map(({ metadata }) => metadata.name ?? ''));
  return names;
}

/** True once somebody who may do everything in the namespace is refused what only engines may. */
async function isGuarded(cluster: RemoteCluster, namespace: string): Promise<boolean> {
  const as = cluster.as({ user: 'system:serviceaccount:kube-system:agent', groups: [] });
  const attempts = await Promise.allSettled(KEPT.map((kind) => as.delete({ ...kind, namespace, name: 'kept' }, { dryRun: true })));
  return attempts.every((attempt) => attempt.status === 'rejected' && /may not (write|answer)/.test(String(attempt.reason)));
}

/** Runs the controllers as the user that a cluster has for them. */
async function startManager({ kubeconfig }: ControlPlane, flags: readonly string[]): Promise<ChildProcess> {
  const dir = path.dirname(kubeconfig);
  const own = path.join(dir, 'manager.kubeconfig');
  await writeFile(own, (await readFile(kubeconfig, 'utf8')).replace('user: { token', `user: { as: "${MANAGER}", token`), { mode: 0o600 });
  const args = ['--kubeconfig', own, '--leader-elect=false', '--bind-address', '127.0.0.1', '--secure-port', '0', ...flags];
  const keys = ['--service-account-private-key-file', path.join(dir, 'pki/sa.key'), '--root-ca-file', path.join(dir, 'pki/apiserver.crt')];
  return spawn(path.join(process.env.KUBEBUILDER_ASSETS ?? '', 'kube-controller-manager'), [...args, ...keys], { stdio: 'ignore' });
}
