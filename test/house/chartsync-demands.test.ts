import { expect, it } from 'vitest';
import { readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import { openChartHouse } from './chartsync-house';

const APPROVALS = 'slipway.dev/approvals';
const TYPE = KINDS.helmRelease;

it('[issue 12.1] what an annotation demands counts from when it is set, also of a release that is held or suspended, and of one that is taken away at once', async () => {
  const repository = new ChartRepository();
  repository.commitChart('ledger', aChart());
  await using house = await openChartHouse(repository, { intervalMs: 3_600_000, repository: undefined });
  const { cluster } = house;
  const spec = { chart: { git: repository.url, ref: 'main', path: 'charts/ledger' }, values: { replicas: 2 } };
  for (const name of ['held', 'asleep', 'inherits']) await house.declare(name, spec, TYPE);
  const replicas = async (name: string) => readNumber(await house.get(KINDS.deployment, `pay-${name}`), 'spec', 'replicas');
  for (const name of ['held', 'asleep', 'inherits']) await until(`${name} is installed`, async () => (await replicas(name)) === 2);
  const releaseRef = { kind: TYPE.kind, name: 'held', uid: (await house.get(TYPE, 'held'))?.metadata.uid };
  const hold = { releaseRef, verb: 'hold', actor: { user: 'ada', groups: [] }, reason: 'look first' };
  await cluster.create({ ...KINDS.releaseDecision, metadata: { name: 'hold', namespace: 'pay' }, spec: hold });
  await until('it is held', async () => readString((await house.get(KINDS.releaseDecision, 'hold'))?.status, 'phase') === 'Accepted');
  await house.declare('asleep', { ...spec, suspend: true }, TYPE);
  await until('it is suspended', () => house.tell('asleep', TYPE)?.state === 'suspended');

  const ask = (at: Parameters<typeof cluster.patch>[0], approvals: string | null) =>
    cluster.patch(at, { type: 'merge', body: { metadata: { annotations: { [APPROVALS]: approvals } } } });
  for (const name of ['held', 'asleep']) {
    const at = { ...TYPE, namespace: 'pay', name };
    await ask(at, '2');
    await ask(at, null);
  }
  const home = { ...KINDS.namespace, name: 'pay' };
  await ask(home, '1');
  await ask(home, null);
  for (const [name, required] of [
    ['held', 2],
    ['asleep', 2],
    ['inherits', 1],
  ] as const) {
    await until(`less is asked for of ${name}`, () => house.tell(name, TYPE)?.gate?.wanted?.required === 0);
    expect(house.tell(name, TYPE)?.gate).toMatchObject({ required, groups: [] });
  }
});
