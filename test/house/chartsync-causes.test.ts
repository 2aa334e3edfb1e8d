import { renameSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readNumber } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import { openChartHouse } from './chartsync-house';

const NEVER_MS = 3_600_000;

it('[issue 12.3, 12.4] tells of a HelmRelease that a commit brought an upgrade, and looks again as soon as a repository that was away is back', async () => {
  const repository = new ChartRepository();
  repository.commitChart('ledger', aChart());
  await using house = await openChartHouse(repository, { intervalMs: NEVER_MS });
  const spec = (values: object) => ({ chart: { git: repository.url, ref: 'main', path: 'charts/ledger' }, values });
  const told = () => house.tell('ledger', KINDS.helmRelease);
  const replicas = async () => readNumber(await house.get(KINDS.deployment, 'pay-ledger'), 'spec', 'replicas');
  await house.declare('ledger', spec({}), KINDS.helmRelease);
  await until('it is installed', () => told()?.lastAct?.storedRevision === 1);
  expect(told()?.lastAct?.by).toBe('resource');
  repository.commitChart('ledger', { 'values.yaml': 'replicas: 2\n' });
  await until('the commit is released', () => told()?.lastAct?.storedRevision === 2);
  expect(told()?.lastAct?.by).toBe('commit');

  const away = `${repository.bare}.away`;
  renameSync(repository.bare, away);
  await until('the mirror says so', () => house.lines.some((line) => line.startsWith('git repo: fetching failed')));
  await house.declare('ledger', spec({ replicas: 3 }), KINDS.helmRelease);
  await until('it failed', () => told()?.state === 'failed');
  expect([await replicas(), told()?.revision]).toEqual([2, told()?.lastAct?.revision]); // what was released stays
  renameSync(away, repository.bare);
  await until('it is released', async () => (await replicas()) === 3);
  await until('that is told', () => told()?.lastAct?.storedRevision === 3);
  expect(told()?.lastAct?.by).toBe('repository');
});
