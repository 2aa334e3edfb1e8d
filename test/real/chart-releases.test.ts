import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { grantObjects } from '@/lib/contract/grant';
import { getCondition } from '@/lib/kube/condition';
import { readField, readFields } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { accountIdentities, createChartSyncEngine, ReconcileHistory, ReleasePreviews } from '@/server/chartsync';
import { installMissing, readManifests } from '@/server/installation';
import { createInformers, createRemoteCluster, isNotFound, listAll } from '@/server/kube';
import { Outbound, readPolicy } from '@/server/outbound';
import { createMetrics, createRandom, Lifetimes, realClock, systemIds } from '@/server/platform';
import { obtainHelm } from '../../scripts/helm-binary.mjs';
import { aChart, ChartRepository } from '../support/chart-repository';
import { silentLog } from '../support/silent-log';
import { until } from '../support/until';
import { startControlPlane } from './control-plane';

const LIMIT_MS = 90_000;

it.each([4, 3] as const)(
  '[issue 12.1] by Helm %i a release comes after the one that it depends on, each as its account, on a real control plane',
  async (major) => {
    await using lifetimes = new Lifetimes(silentLog);
    const helm = (await obtainHelm(major)).path;
    const plane = lifetimes.use('plane', await startControlPlane());
    const repository = new ChartRepository();
    lifetimes.defer('repository', () => repository[Symbol.dispose]());
    const folder = await mkdtemp(path.join(tmpdir(), 'chart-releases-'));
    lifetimes.defer('folder', () => rm(folder, { recursive: true, force: true }));
    for (const name of ['cache', 'ledger']) repository.commitChart(name, aChart(), `${name}: begin`);
    const source = { kind: 'kubeconfig', path: plane.kubeconfig } as const;
    const shared = { clock: realClock, random: createRandom(5), log: silentLog };
    const cluster = lifetimes.use('cluster', createRemoteCluster({ source, ...shared }));
    await installMissing(await readManifests('deploy/crds'), { cluster, clock: realClock, log: silentLog });
    await cluster.create({ ...KINDS.namespace, metadata: { name: 'pay' } });
    for (const object of grantObjects('pay', { accounts: ['deployer'] })) await cluster.create(object);
    const informers = lifetimes.use('informers', createInformers({ cluster, ...shared }));
    const engine = createChartSyncEngine(
      { cluster, informers, ids: systemIds, ...shared, metrics: createMetrics(), mayAct: () => true, record: async () => undefined },
      {
        repository: undefined,
        repositorySecret: undefined,
        branch: 'main',
        chartsPath: 'charts',
        intervalMs: 2000,
        pollMs: 1000,
        cloneMs: 60_000,
        fetchMs: 60_000,
        mirrorsBytes: 1024 ** 3,
        listTimeoutMs: 10_000,
        outbound: new Outbound({ policy: readPolicy(''), clock: realClock }),
        logDiffs: false,
        alwaysCompare: false,
        approvals: 0,
        helmAtOnce: 2,
        helmMemory: 1024 * 1024 * 1024,
        helm,
        folder: repository.folder,
        journal: new ReconcileHistory(realClock),
        previews: new ReleasePreviews(realClock),
        valuesKey: async () => 'key',
        identities: accountIdentities({
          cluster,
          source,
          account: 'slipway-charts',
          folder: path.join(folder, 'accounts'),
          clock: realClock,
        }),
      },
    );
    lifetimes.use('engine', engine);
    await engine.start();
    const declare = (name: string, more: object = {}) =>
      cluster.create({
        ...KINDS.helmRelease,
        metadata: { namespace: 'pay', name },
        spec: { chart: { git: repository.url, ref: 'main', path: `charts/${name}` }, ...more },
      });
    const resource = (name: string) => cluster.get({ ...KINDS.helmRelease, namespace: 'pay', name });
    const released = async (name: string) => getCondition(await resource(name), 'Released');
    // While Helm is at work on the next commit, Released goes on telling of the one before.
    const releasedCommit = async (name: string) => readField(await resource(name), 'status', 'revision');
    const replicas = async (name: string) =>
      cluster.get({ ...KINDS.deployment, namespace: 'pay', name: `pay-${name}` }).then(
        (object) => readField(object, 'spec', 'replicas'),
        (error: unknown) => {
          if (isNotFound(error)) return undefined;
          throw error;
        },
      );

    await declare('ledger', { dependsOn: [{ name: 'cache' }], serviceAccountName: 'deployer' });
    await until(
      'it waits',
      async () => (await released('ledger'))?.message === 'it depends on HelmRelease pay/cache, which does not exist',
      LIMIT_MS,
    );
    expect(await replicas('ledger')).toBeUndefined();
    await declare('cache', { driftDetection: { mode: 'warn' } });
    await until('the first is released', async () => (await released('cache'))?.status === 'True', LIMIT_MS);
    // The grant gives a named account no rights, and those of the usual account are not lent to it.
    await until(
      'the second is refused',
      async () => /"system:serviceaccount:pay:deployer" cannot/.test((await released('ledger'))?.message ?? ''),
      LIMIT_MS,
    );
    expect([await replicas('cache'), await replicas('ledger')]).toEqual([1, undefined]);
    await cluster.create({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { namespace: 'pay', name: 'deployer' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' },
      subjects: [{ kind: 'ServiceAccount', name: 'deployer', namespace: 'pay' }],
    });
    await until('the second is released', async () => (await released('ledger'))?.status === 'True', LIMIT_MS);
    expect(await replicas('ledger')).toBe(1);

    // What somebody set is told, and stands in the way of no commit, by which field manager ever.
    const drifted = async () => getCondition(await resource('cache'), 'Drifted');
    const at = { ...KINDS.deployment, namespace: 'pay', name: 'pay-cache' };
    await until('it is compared', async () => (await drifted())?.status === 'False', LIMIT_MS);
    await cluster.patch(at, { type: 'merge', body: { spec: { replicas: 7 } } }, { fieldManager: 'kubectl' });
    await until(
      'the drift is told',
      async () => /\/spec\/replicas of Deployment pay-cache/.test((await drifted())?.message ?? ''),
      LIMIT_MS,
    );
    expect([(await drifted())?.status, await replicas('cache')]).toEqual(['True', 7]);

    const commit = repository.commitChart('cache', { 'values.yaml': 'replicas: 3\n' }, 'cache: three of them');
    await until('a commit is released', async () => (await releasedCommit('cache')) === commit, LIMIT_MS);
    expect([await replicas('cache'), (await released('cache'))?.status]).toEqual([3, 'True']);
    await until('nothing differs any more', async () => (await drifted())?.status === 'False', LIMIT_MS);
    const stored = await cluster.get({ apiVersion: 'v1', kind: 'Secret', namespace: 'pay', name: 'sh.helm.release.v1.pay-cache.v2' });
    expect(stored.metadata.labels?.status).toBe('deployed');

    // [issue 12.3] A branch that goes back is followed, and so is one that begins anew without anything that was released.
    const back = repository.git('rev-parse', `${commit}~1`).trim();
    repository.push(back);
    await until('the branch that went back is released', async () => (await replicas('cache')) === 1, LIMIT_MS);
    repository.git('checkout', '--quiet', '--orphan', 'anew');
    const anew = repository.commitChart('cache', { 'values.yaml': 'replicas: 2\n' }, 'cache: anew');
    await until('the branch that began anew is released', async () => (await releasedCommit('cache')) === anew, LIMIT_MS);
    expect(await replicas('cache')).toBe(2);
    // A namespace is made where the resource says so and the account may.
    await cluster.create({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'charts' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: 'slipway-charts', namespace: 'pay' }],
    });
    const chart = { git: repository.url, ref: 'main', path: 'charts/ledger' };
    await declare('fresh', { chart, targetNamespace: 'fresh', createNamespace: true });
    await until('it is released to a new namespace', async () => (await released('fresh'))?.status === 'True', LIMIT_MS);
    expect((await cluster.get({ ...KINDS.namespace, name: 'fresh' })).metadata.name).toBe('fresh');

    // [issue 12.3] Who rolls back by hand holds nothing: what the resource wants is released again, once.
    const storedAs = async (revision: number) =>
      cluster.get({ apiVersion: 'v1', kind: 'Secret', namespace: 'pay', name: `sh.helm.release.v1.pay-cache.v${revision}` }).then(
        ({ metadata }) => metadata.labels?.status,
        () => undefined,
      );
    expect([await storedAs(4), await storedAs(5)]).toEqual(['deployed', undefined]);
    await promisify(execFile)(helm, ['rollback', 'pay-cache', '2', '--namespace', 'pay', '--kubeconfig', plane.kubeconfig]);
    await until('it is released again', async () => (await storedAs(6)) === 'deployed' && (await replicas('cache')) === 2, LIMIT_MS);
    expect([await storedAs(5), await releasedCommit('cache')]).toEqual(['superseded', anew]);
    expect((await listAll(cluster, { ...KINDS.releaseDecision, namespace: 'pay' })).items).toEqual([]);

    // [issue 12.3] Of a branch that is deleted the last commit stays, its resources say so, and nothing goes.
    repository.git('--git-dir', repository.bare, 'config', 'receive.denyDeleteCurrent', 'ignore');
    repository.git('push', '--quiet', 'origin', '--delete', 'main');
    for (const name of ['cache', 'ledger', 'fresh']) {
      const lost = async () => readFields(await resource(name), 'status', 'lostBranch');
      await until(`${name} says that its branch is gone`, async () => (await lost()).branch === 'main', LIMIT_MS);
      expect([(await lost()).revision, (await released(name))?.status]).toEqual([anew, 'True']);
    }
    expect([await replicas('cache'), await replicas('ledger'), await storedAs(6), await storedAs(7)]).toEqual([
      2,
      1,
      'deployed',
      undefined,
    ]);
    repository.push(anew);
    await until(
      'the branch is there again',
      async () => readField(await resource('cache'), 'status', 'lostBranch') === undefined,
      LIMIT_MS,
    );

    await cluster.delete({ ...KINDS.helmRelease, namespace: 'pay', name: 'cache' });
    await until('it is uninstalled with its resource', async () => (await replicas('cache')) === undefined, LIMIT_MS);
  },
);
