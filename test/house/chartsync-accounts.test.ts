import { describe, expect, it } from 'vitest';
import { grantObjects } from '@/lib/contract/grant';
import { getCondition } from '@/lib/kube/condition';
import { readField } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { formatRelease } from '@/lib/words/format-release';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import type { ChartHouse } from './chartsync-house';
import { openChartHouse } from './chartsync-house';

const RBAC = 'rbac.authorization.k8s.io';
const CONFIG = { apiVersion: 'v1', kind: 'ConfigMap' };

async function openGranted(): Promise<ChartHouse> {
  const repository = new ChartRepository();
  repository.commitChart('ledger', aChart());
  const house = await openChartHouse(repository, { asServer: true });
  for (const object of grantObjects('pay')) await house.cluster.create(object);
  return house;
}

const laterSpec = ({ repository }: ChartHouse, more: object = {}) => ({
  chart: { git: repository.url, ref: 'main', path: 'charts/ledger' },
  ...more,
});

async function declareAs(house: ChartHouse, account: string, spec: object = {}): Promise<void> {
  const metadata = { namespace: 'pay', name: 'later', annotations: { 'slipway.dev/service-account': account } };
  await house.cluster.create({ ...KINDS.helmRelease, metadata, spec: laterSpec(house, spec) });
}

/** What its owner lets the account of the test do, beside being acted as. */
async function giveRights({ cluster }: ChartHouse, resources: readonly string[]): Promise<void> {
  const name = `deployer-${resources[0]}`;
  const rules = [{ apiGroups: ['', 'apps'], resources, verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'] }];
  await cluster.create({ apiVersion: `${RBAC}/v1`, kind: 'Role', metadata: { namespace: 'pay', name }, rules });
  const subjects = [{ kind: 'ServiceAccount', name: 'deployer', namespace: 'pay' }];
  const roleRef = { apiGroup: RBAC, kind: 'Role', name };
  await cluster.create({ apiVersion: `${RBAC}/v1`, kind: 'RoleBinding', metadata: { namespace: 'pay', name }, subjects, roleRef });
}

const released = async (house: ChartHouse) => {
  const object = await house.get(KINDS.helmRelease, 'later');
  return object && getCondition(object, 'Released');
};
const replicas = async (house: ChartHouse) => readField(await house.get(KINDS.deployment, 'pay-later'), 'spec', 'replicas');

describe('a release whose resource names an account', () => {
  it('[issue 12.1] waits with the command until its owner lets the server act as that account; then Helm and what it reads are that account', async () => {
    await using house = await openGranted();
    await house.cluster.create({ ...CONFIG, metadata: { namespace: 'pay', name: 'more' }, data: { 'values.yaml': 'replicas: 3' } });
    await declareAs(house, 'deployer', { valuesFrom: [{ configMapKeyRef: { name: 'more' } }] });
    const command = 'slipway grant pay --accounts deployer | kubectl apply -f -';
    const why = `the server may not impersonate serviceaccounts in namespace pay until its owner grants it: ${command}`;
    await until('it waits', async () => (await released(house))?.message === why);
    expect(await released(house)).toMatchObject({ status: 'False', reason: 'NotGranted' });
    const tell = () => house.tell('later', KINDS.helmRelease);
    const sentence = () => {
      const told = tell();
      return told && formatRelease(told.says);
    };
    await expect.poll(sentence).toContain(why);
    expect(tell()?.actsAs).toEqual({ account: 'deployer', named: true });
    expect(house.engine.findings?.()).toMatchObject([{ subject: 'pay', remedy: command }]);
    expect(house.recorded.filter(({ action }) => action === 'release.installed')).toEqual([]);

    const known = new Set(grantObjects('pay').map((object) => JSON.stringify(object)));
    for (const object of grantObjects('pay', { accounts: ['deployer'] }))
      if (!known.has(JSON.stringify(object))) await house.cluster.create(object);
    await until('what it reads is refused', async () =>
      /"system:serviceaccount:pay:deployer" cannot get.*configmaps/.test((await released(house))?.message ?? ''),
    );
    await giveRights(house, ['configmaps']);
    await until('what Helm writes is refused', async () =>
      /"system:serviceaccount:pay:deployer" cannot get.*deployments/.test((await released(house))?.message ?? ''),
    );
    expect(await replicas(house)).toBeUndefined();
    await giveRights(house, ['secrets', 'deployments', 'services']);
    await until('it is released', async () => (await released(house))?.status === 'True');
    expect(await replicas(house)).toBe(3);
    await until('it is on record', () =>
      house.recorded.some(({ action, data }) => action === 'release.installed' && readField(data, 'as') === 'deployer'),
    );

    await house.declare(
      'later',
      laterSpec(house, { valuesFrom: [{ configMapKeyRef: { name: 'more' } }], serviceAccountName: 'slipway-charts' }),
      KINDS.helmRelease,
    );
    await until('another account upgrades it', () =>
      house.recorded.some(({ action, data }) => action === 'release.upgraded' && readField(data, 'as') === 'slipway-charts'),
    );
  });

  it.each(['kube-system/clusterrole-aggregation-controller', 'system:masters', 'kube-system:admin', '../slipway-charts'])(
    '[issue 12.1] of another namespace or none, as %s, says so, and nothing is run',
    async (account) => {
      await using house = await openGranted();
      await declareAs(house, account);
      const why = `the resource names "${account}" as its service account, which is not a valid name; use the bare name of a ServiceAccount in its own namespace pay`;
      await until('it says so', async () => (await released(house))?.message === why);
      const { metadata } = (await house.get(KINDS.helmRelease, 'later')) ?? { metadata: { name: '' } };
      await house.cluster.patch(
        { ...KINDS.helmRelease, namespace: 'pay', name: metadata.name ?? '' },
        { type: 'merge', body: { metadata: { annotations: { 'slipway.dev/service-account': null } } } },
      );
      await until('without, it is released', async () => (await released(house))?.status === 'True');
      await until('that is on record', () => house.recorded.some(({ action }) => action === 'release.installed'));
      expect(house.recorded.map(({ data }) => readField(data, 'as'))).not.toContain(account);
      expect(house.recorded.filter(({ action }) => action === 'release.installed')).toMatchObject([{ data: { as: 'slipway-charts' } }]);
    },
  );
});
