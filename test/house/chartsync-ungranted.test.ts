import { expect, it } from 'vitest';
import { grantObjects } from '@/lib/contract/grant';
import { getCondition } from '@/lib/kube/condition';
import { readField, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { formatRelease } from '@/lib/words/format-release';
import { createReleaseReader } from '@/server/chartsync';
import { readDeclared } from '@/server/chartsync/model/declared';
import type { Cluster } from '@/server/kube';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import { openChartHouse } from './chartsync-house';

const asServer = (cluster: Cluster) => cluster.as({ user: 'slipway', groups: ['slipway:servers'] });

it('[issue 10.1] releases of both kinds in a namespace that nobody granted say so with the command, and are released once it is', async () => {
  const repository = new ChartRepository();
  repository.commitChart('ledger', aChart());
  await using house = await openChartHouse(repository, { asServer: true });
  const command = 'slipway grant pay | kubectl apply -f -';
  const why = 'the server may not get, impersonate, list secrets, serviceaccounts in namespace pay until its owner grants it';
  await house.declare('base', { chartGitPath: 'ledger', values: {} });
  await house.declare('later', { chart: { git: repository.url, ref: 'main', path: 'charts/ledger' } }, KINDS.helmRelease);
  const failure = async (type: typeof KINDS.helmRelease | typeof KINDS.fluxHelmRelease, name: string) =>
    readString((await house.get(type, name))?.status, 'failure', 'message');
  await until('both wait', async () =>
    [await failure(KINDS.fluxHelmRelease, 'base'), await failure(KINDS.helmRelease, 'later')].every((one) => one === `${why}: ${command}`),
  );
  const later = await house.get(KINDS.helmRelease, 'later');
  expect(later && getCondition(later, 'Released')).toMatchObject({ status: 'False', reason: 'NotGranted', message: `${why}: ${command}` });
  for (const [name, type] of [
    ['base', KINDS.fluxHelmRelease],
    ['later', KINDS.helmRelease],
  ] as const) {
    const told = house.tell(name, type);
    expect(told && formatRelease(told.says)).toContain(`${why}: ${command}`);
  }
  for (const [name, type] of [
    ['base', KINDS.fluxHelmRelease],
    ['later', KINDS.helmRelease],
  ] as const) {
    const resource = readDeclared((await house.get(type, name)) ?? { ...type, metadata: {} });
    await expect(house.previews.plan(resource)).rejects.toThrow(`${why}: ${command}`);
    await expect(house.previews.render(resource, { commit: await house.previews.head(resource), stored: null })).rejects.toThrow(
      `${why}: ${command}`,
    );
  }
  await using reader = createReleaseReader({ ...house.reading, cluster: asServer(house.cluster) });
  await expect(reader.readHistory({ namespace: 'pay', name: 'pay-base' })).rejects.toThrow(
    `the server may not list secrets in namespace pay until its owner grants it: ${command}`,
  );
  expect(house.engine.findings?.()).toEqual([{ area: 'rights', subject: 'pay', sentence: `2 releases wait: ${why}`, remedy: command }]);
  expect(await house.get(KINDS.deployment, 'pay-base')).toBeUndefined();
  for (const [name, type] of [
    ['base', KINDS.fluxHelmRelease],
    ['later', KINDS.helmRelease],
  ] as const)
    for (const verb of ['rollback', 'unlock'] as const) {
      const { metadata } = await house.cluster.create({
        ...KINDS.releaseDecision,
        metadata: { generateName: `${name}-`, namespace: 'pay' },
        spec: {
          releaseRef: { kind: type.kind, name, uid: (await house.get(type, name))?.metadata.uid },
          verb,
          actor: { user: 'ada', groups: ['system:masters'] },
          reason: 'it was better before',
          seen: { stored: 1 },
          ...(verb === 'rollback' ? { revision: 1 } : {}),
        },
      });
      const answer = async () => (await house.get(KINDS.releaseDecision, metadata.name ?? ''))?.status;
      await until(`${verb} is answered`, async () => readString(await answer(), 'phase') !== undefined);
      expect(await answer()).toMatchObject({ phase: 'Rejected', message: `${why}: ${command}` });
    }

  for (const object of grantObjects('pay')) await house.cluster.create(object);
  const replicas = async (name: string) => readField(await house.get(KINDS.deployment, `pay-${name}`), 'spec', 'replicas');
  await until('both are released', async () => (await replicas('base')) === 1 && (await replicas('later')) === 1);
  await until(
    'both say so',
    async () => (await failure(KINDS.fluxHelmRelease, 'base')) === undefined && (await failure(KINDS.helmRelease, 'later')) === undefined,
  );
  expect(readString(await house.get(KINDS.helmRelease, 'later'), 'status', 'phase')).toBe('Succeeded');
  expect(house.engine.findings?.()).toEqual([]);
});

it('[design 8] a release for what can be no namespace says so, and no command of whoever named it', async () => {
  const repository = new ChartRepository();
  repository.commitChart('ledger', aChart());
  await using house = await openChartHouse(repository, { asServer: true });
  for (const object of grantObjects('pay')) await house.cluster.create(object);
  const chart = { git: repository.url, ref: 'main', path: 'charts/ledger' };
  await house.declare('later', { chart, targetNamespace: 'books; touch owned', releaseName: 'ledger' }, KINDS.helmRelease);
  const says = () => formatRelease(house.tell('later', KINDS.helmRelease)?.says ?? { id: 'state.suspended' });
  await until('it says why', () => says().includes('not a valid namespace name'));
  expect(says()).not.toContain('kubectl');
});

it('[issue 12.3] a release for a namespace that does not exist says how to create it and grant it, then how its account is let in, and is released there', async () => {
  const repository = new ChartRepository();
  repository.commitChart('ledger', aChart());
  await using house = await openChartHouse(repository, { asServer: true });
  for (const object of grantObjects('pay')) await house.cluster.create(object);
  const chart = { git: repository.url, ref: 'main', path: 'charts/ledger' };
  const spec = { chart, targetNamespace: 'books', releaseName: 'ledger', createNamespace: true };
  await house.declare('later', spec, KINDS.helmRelease);
  const says = () => formatRelease(house.tell('later', KINDS.helmRelease)?.says ?? { id: 'state.suspended' });
  const grant = 'slipway grant books | kubectl apply -f -';
  const absent = `in namespace books, which does not exist: create it, and grant it: kubectl create namespace books && ${grant}`;
  await until('it says how', () => says().endsWith(absent));
  await house.cluster.create({ ...KINDS.namespace, metadata: { name: 'books' } });
  for (const object of grantObjects('books')) await house.cluster.create(object);
  const bind = 'kubectl create rolebinding slipway-charts-of-pay -n books --role=slipway:writer --serviceaccount=pay:slipway-charts';
  await until('it says how its account is let in', () => says().endsWith(`until its owner lets it: ${grant} && ${bind}`), 40_000);
  await house.cluster.create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'slipway-charts-of-pay', namespace: 'books' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'slipway:writer' },
    subjects: [{ kind: 'ServiceAccount', name: 'slipway-charts', namespace: 'pay' }],
  });
  await until('it is released', () => house.tell('later', KINDS.helmRelease)?.state === 'in-sync', 40_000);
  const released = { ...KINDS.deployment, namespace: 'books', name: 'ledger' };
  expect(readField(await house.cluster.get(released), 'spec', 'replicas')).toBe(1);
});

it('[issue 12.3] a namespace that Helm is to create and its account may not is told with the command that creates it, or lets the account do no more than that', async () => {
  const repository = new ChartRepository();
  repository.commitChart('ledger', aChart());
  await using house = await openChartHouse(repository, { asServer: true });
  for (const object of grantObjects('pay')) await house.cluster.create(object);
  const account = { kind: 'ServiceAccount', name: 'slipway-charts', namespace: 'pay' };
  await grantEverywhere(house.cluster, 'wide', {
    rule: { apiGroups: ['', 'apps'], resources: ['secrets', 'deployments'], verbs: ['*'] },
    subjects: [account, { kind: 'Group', apiGroup: RBAC, name: 'slipway:servers' }],
  });
  const chart = { git: repository.url, ref: 'main', path: 'charts/ledger' };
  const spec = { chart, targetNamespace: 'books', releaseName: 'ledger', createNamespace: true };
  await house.declare('later', spec, KINDS.helmRelease);
  const told = () => house.tell('later', KINDS.helmRelease);
  await until('it failed', () => told()?.state === 'failed');
  const role = 'slipway-charts-of-pay:namespaces';
  expect(formatRelease(told()?.says ?? { id: 'state.suspended' })).toContain(
    `cannot patch resource "namespaces" in API group "" in the namespace "books"; create it: kubectl create namespace books, or let the account create namespaces: kubectl create clusterrole ${role} --verb=create,patch --resource=namespaces && kubectl create clusterrolebinding ${role} --clusterrole=${role} --serviceaccount=pay:slipway-charts`,
  );
  const rule = { apiGroups: [''], resources: ['namespaces'], verbs: ['create', 'patch'] };
  await grantEverywhere(house.cluster, role, { rule, subjects: [account] });
  await until('it is released', () => told()?.state === 'in-sync', 40_000);
  expect((await house.cluster.get({ ...KINDS.namespace, name: 'books' })).metadata.name).toBe('books');
});

const RBAC = 'rbac.authorization.k8s.io';

async function grantEverywhere(
  cluster: Cluster,
  name: string,
  { rule, subjects }: { readonly rule: object; readonly subjects: readonly object[] },
): Promise<void> {
  await cluster.create({ apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name }, rules: [rule] } as KubeObject);
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name };
  await cluster.create({ apiVersion: `${RBAC}/v1`, kind: 'ClusterRoleBinding', metadata: { name }, roleRef, subjects } as KubeObject);
}
