import { expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { Outbound, readPolicy } from '@/server/outbound';
import { realClock } from '@/server/platform';
import { aChart, ChartRepository } from '../support/chart-repository';
import { makeCertificate } from '../support/loopback-certificate';
import { startWeb } from '../support/loopback-web';
import { until } from '../support/until';
import { use } from '../support/use';
import { openChartHouse } from './chartsync-house';

const TYPE = KINDS.helmRelease;

it('[issue 12.3] a release whose repository is being cloned is not told as failed by the passes meanwhile', async () => {
  const repository = new ChartRepository();
  repository.commitChart('ledger', aChart());
  const certificate = makeCertificate(['git.test']);
  const silent = use(await startWeb(() => undefined, { certificate }));
  const outbound = new Outbound({ policy: readPolicy(`127.0.0.1:${silent.port}`), clock: realClock, lookup: async () => ['127.0.0.1'] });
  const house = use(await openChartHouse(repository, { outbound, cloneMs: 600_000, intervalMs: 200 }));
  const data = { 'ca.crt': Buffer.from(certificate.ca).toString('base64') };
  await house.cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'pay', name: 'deploy' }, data });
  const coming = { git: `https://git.test:${silent.port}/origin.git`, ref: 'main', path: 'charts/ledger', secretRef: { name: 'deploy' } };
  await house.declare('coming', { chart: coming }, TYPE);
  await until('it is being cloned', () => silent.seen.length > 0);
  await house.declare('there', { chart: { git: repository.url, ref: 'main', path: 'charts/ledger' } }, TYPE);
  const passes = () => house.tell('there', TYPE)?.reconciles.find(({ by }) => by === 'schedule')?.times ?? 0;
  await until('passes have gone by', () => passes() > 2);
  expect([house.tell('coming', TYPE)?.state, house.tell('coming', TYPE)?.reconciles]).toEqual(['waiting', []]);
  expect((await house.get(TYPE, 'coming'))?.status ?? {}).toEqual({});
});
