import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { grantObjects } from '@/lib/contract/grant';
import { getCondition } from '@/lib/kube/condition';
import { HELM_FINALIZER, KINDS } from '@/lib/kube/kinds';
import type { TypeRef } from '@/lib/kube/object';
import { accountIdentities, createChartSyncEngine, ReconcileHistory, ReleasePreviews } from '@/server/chartsync';
import { installMissing, readManifests } from '@/server/installation';
import { createInformers, createRemoteCluster, ignoreNotFound } from '@/server/kube';
import { Outbound, readPolicy } from '@/server/outbound';
import { createMetrics, createRandom, Lifetimes, realClock, systemIds } from '@/server/platform';
import { obtainHelm } from '../../scripts/helm-binary.mjs';
import { aChart, ChartRepository } from '../support/chart-repository';
import { silentLog } from '../support/silent-log';
import { until } from '../support/until';
import { startControlPlane } from './control-plane';

const LIMIT_MS = 150_000;

it('[issue 12.1] a HelmRelease deleted while no server runs waits for one to uninstall its release, and no namespace waits for long, on a real control plane', async () => {
  await using lifetimes = new Lifetimes(silentLog);
  const plane = lifetimes.use('plane', await startControlPlane());
  const repository = new ChartRepository();
  lifetimes.defer('repository', () => repository[Symbol.dispose]());
  const folder = await mkdtemp(path.join(tmpdir(), 'chart-finalizer-'));
  lifetimes.defer('folder', () => rm(folder, { recursive: true, force: true }));
  repository.commitChart('ledger', aChart());
  const source = { kind: 'kubeconfig', path: plane.kubeconfig } as const;
  const shared = { clock: realClock, random: createRandom(5), log: silentLog };
  const cluster = lifetimes.use('cluster', createRemoteCluster({ source, ...shared }));
  await installMissing(await readManifests('deploy/crds'), { cluster, clock: realClock, log: silentLog });
  const helm = (await obtainHelm(4)).path;
  const startServer = async () => {
    const informers = createInformers({ cluster, ...shared });
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
    await engine.start();
    return async () => {
      await engine[Symbol.asyncDispose]();
      await informers[Symbol.asyncDispose]();
    };
  };
  const get = (type: TypeRef, namespace: string, name: string) => ignoreNotFound(cluster.get({ ...type, namespace, name }));
  const getNamespace = (name: string) => ignoreNotFound(cluster.get({ ...KINDS.namespace, name }));
  const release = async (namespace: string) => {
    await cluster.create({ ...KINDS.namespace, metadata: { name: namespace } });
    for (const object of grantObjects(namespace)) await cluster.create(object);
    const spec = { chart: { git: repository.url, ref: 'main', path: 'charts/ledger' } };
    await cluster.create({ ...KINDS.helmRelease, metadata: { namespace, name: 'ledger' }, spec });
    const isReleased = async () => {
      const object = await get(KINDS.helmRelease, namespace, 'ledger');
      return object !== undefined && getCondition(object, 'Released')?.status === 'True';
    };
    await until(`${namespace} is released`, isReleased, LIMIT_MS);
  };

  const stopFirst = await startServer();
  for (const namespace of ['pay', 'shop', 'yard']) await release(namespace);
  await cluster.delete({ ...KINDS.namespace, name: 'yard' });
  await until('a namespace goes while a server runs', async () => (await getNamespace('yard')) === undefined, LIMIT_MS);
  await stopFirst();

  await cluster.delete({ ...KINDS.helmRelease, namespace: 'pay', name: 'ledger' });
  await cluster.delete({ ...KINDS.namespace, name: 'shop' });
  await until(
    'the controllers have emptied the namespace',
    async () => (await get(KINDS.deployment, 'shop', 'shop-ledger')) === undefined,
    LIMIT_MS,
  );
  for (const namespace of ['pay', 'shop']) {
    const held = () => get(KINDS.helmRelease, namespace, 'ledger');
    // A namespace deletes one kind after another.
    await until(`the resource in ${namespace} is deleted`, async () => (await held())?.metadata.deletionTimestamp !== undefined, LIMIT_MS);
    expect((await held())?.metadata).toMatchObject({ deletionTimestamp: expect.any(String), finalizers: [HELM_FINALIZER] });
  }
  expect(await get(KINDS.deployment, 'pay', 'pay-ledger')).toBeDefined();
  expect((await getNamespace('shop'))?.metadata.deletionTimestamp).toBeDefined();

  lifetimes.defer('server', await startServer());
  await until('the resource goes', async () => (await get(KINDS.helmRelease, 'pay', 'ledger')) === undefined, LIMIT_MS);
  expect(await get(KINDS.deployment, 'pay', 'pay-ledger')).toBeUndefined();
  expect(await get({ apiVersion: 'v1', kind: 'Secret' }, 'pay', 'sh.helm.release.v1.pay-ledger.v1')).toBeUndefined();
  await until('the namespace goes', async () => (await getNamespace('shop')) === undefined, LIMIT_MS);
}, 600_000);
