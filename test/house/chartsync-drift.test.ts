import { expect, it } from 'vitest';
import { grantObjects } from '@/lib/contract/grant';
import { readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { formatRelease } from '@/lib/words/format-release';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import type { ChartHouse } from './chartsync-house';
import { openChartHouse } from './chartsync-house';

const CANARY = 'canary-9182-of-a-secret';
const LEDGER = { ...KINDS.deployment, namespace: 'pay', name: 'pay-ledger' };
const KEY = { apiVersion: 'v1', kind: 'Secret', namespace: 'pay', name: 'ledger-key' } as const;
const key = 'apiVersion: v1\nkind: Secret\nmetadata: { name: ledger-key }\nstringData: { token: first }\n';

async function openAsServer(
  spec: object,
  type = KINDS.fluxHelmRelease as typeof KINDS.fluxHelmRelease | typeof KINDS.helmRelease,
): Promise<ChartHouse> {
  const repository = new ChartRepository();
  repository.commitChart('ledger', aChart({ 'templates/key.yaml': key }));
  const house = await openChartHouse(repository, { asServer: true, intervalMs: 3_600_000 });
  for (const object of grantObjects('pay')) await house.cluster.create(object);
  await house.declare(
    'ledger',
    { chartGitPath: 'ledger', values: {}, chart: { git: repository.url, ref: 'main', path: 'charts/ledger' }, ...spec },
    type,
  );
  await until('it is installed', () => house.tell('ledger', type)?.storedRevision === 1, 30_000);
  return house;
}

const scale = (house: ChartHouse, replicas: number) =>
  house.cluster.patch(LEDGER, { type: 'merge', body: { spec: { replicas } } }, { fieldManager: 'somebody' });

const annotate = (house: ChartHouse, mode: string) =>
  house.cluster.patch(
    { ...KINDS.fluxHelmRelease, namespace: 'pay', name: 'ledger' },
    { type: 'merge', body: { metadata: { annotations: { 'slipway.dev/drift-detection': mode } } } },
  );

it('[issue 12.1] of a FluxHelmRelease is told as soon as an object is otherwise, by a server with the rights of a grant, and never acted on', async () => {
  await using house = await openAsServer({});
  const told = () => {
    const { drift, state } = house.tell('ledger') ?? {};
    return drift && `${state}: ${formatRelease(drift.says)}`;
  };
  await until('it is compared', () => told() === 'in-sync: live objects match the release');
  await scale(house, 5);
  await until('the field is told', () => told() === 'drifted: 1 field differs from the release: /spec/replicas of Deployment pay-ledger');
  await until(
    'every replica can tell it',
    async () => readString(await house.get(KINDS.fluxHelmRelease, 'ledger'), 'status', 'drift', 'state') === 'drifted',
  );
  await house.cluster.patch(KEY, { type: 'merge', body: { data: { token: Buffer.from(CANARY).toString('base64') } } });
  await until('the Secret is told', () => told() === 'drifted: 2 fields differ from the release, first /data/token of Secret ledger-key');
  await house.cluster.delete(KEY);
  const both =
    '1 field differs from the release: /spec/replicas of Deployment pay-ledger; 1 object of the release is missing: Secret ledger-key';
  await until('what is missing is told', () => told() === `drifted: ${both}`);
  const looks = await house.looks('resource', 'equal');
  await annotate(house, 'enabled'); // which is for the later kinds
  await until('it was looked at once more', async () => (await house.looks('resource', 'equal')) > looks);
  expect([told(), readNumber(await house.cluster.get(LEDGER), 'spec', 'replicas')]).toEqual([`drifted: ${both}`, 5]);
  await scale(house, 1);
  await until('what somebody put back is told', () => told() === 'drifted: 1 object of the release is missing: Secret ledger-key');
  expect(JSON.stringify([house.lines, house.recorded, await house.get(KINDS.fluxHelmRelease, 'ledger')])).not.toContain(CANARY);
});

it('[issue 12.1] of a HelmRelease is put back as soon as it is seen where that is wanted', async () => {
  await using house = await openAsServer(
    { driftDetection: { mode: 'enabled', ignore: [{ paths: ['/spec/template/metadata'] }] } },
    KINDS.helmRelease,
  );
  const replicas = async () => readNumber(await house.cluster.get(LEDGER), 'spec', 'replicas');
  await until('it was compared', () => house.tell('ledger', KINDS.helmRelease)?.state === 'in-sync');
  await scale(house, 5);
  await until('it was put back between two passes', async () => (await replicas()) === 1);
  const tell = () => house.tell('ledger', KINDS.helmRelease);
  await until('the act is told', () => tell()?.lastAct?.outcome === 'put-back');
  const putBack = '1 field differs from the release: /spec/replicas of Deployment pay-ledger';
  expect(tell()?.reconciles.find(({ outcome }) => outcome === 'put-back')).toMatchObject({ by: 'drift', putBack });
  expect(tell()?.lastAct).toMatchObject({ by: 'drift', storedRevision: 1, users: [] });
  const onRecord = house.recorded.filter(({ action }) => action === 'release.put-back').map(({ message }) => message);
  expect(onRecord).toEqual([`a change of a live object: live objects of release pay-ledger in pay were reverted: ${putBack}`]);
});

it('[issue 12.1] of a FluxHelmRelease whose annotation says disabled is not looked for', async () => {
  await using house = await openAsServer({});
  await until('it is compared', () => house.tell('ledger')?.drift.state === 'none');
  await annotate(house, 'disabled');
  await until('it says so', () => house.tell('ledger')?.drift.says.id === 'drift.turned-off');
  await until(
    'nothing of it stays written',
    async () => readString(await house.get(KINDS.fluxHelmRelease, 'ledger'), 'status', 'drift', 'state') === undefined,
  );
});

it('[issue 12.1] of a FluxHelmRelease does not stand in the way of the next commit: what the chart says is taken back', async () => {
  await using house = await openAsServer({});
  await until('it is compared', () => house.tell('ledger')?.drift.state === 'none');
  await scale(house, 5);
  await until('it is told', () => house.tell('ledger')?.drift.state === 'drifted');
  house.repository.commitChart('ledger', { 'values.yaml': 'replicas: 2\n' });
  await until('the commit is released', () => house.tell('ledger')?.lastAct?.storedRevision === 2);
  expect(house.tell('ledger')?.lastAct).toMatchObject({ by: 'commit', outcome: 'upgraded' });
  expect(readNumber(await house.cluster.get(LEDGER), 'spec', 'replicas')).toBe(2);
  await until('nothing differs any more', () => house.tell('ledger')?.drift.state === 'none');
});
