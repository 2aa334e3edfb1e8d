import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { grantObjects } from '@/lib/contract/grant';
import { KINDS } from '@/lib/kube/kinds';
import { obtainHelm } from '../../scripts/helm-binary.mjs';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import { openChartHouse } from './chartsync-house';

it('[issue 12.4] what Helm stores is told as it is stored, also by hand and between two passes, to a server that may read the namespace alone', async () => {
  const repository = new ChartRepository();
  repository.commitChart('ledger', aChart());
  await using house = await openChartHouse(repository, { asServer: true, intervalMs: 3_600_000 });
  for (const object of grantObjects('pay')) await house.cluster.create(object);
  await house.declare('base', { chartGitPath: 'ledger', values: {} });
  await house.declare('later', { chart: { git: repository.url, ref: 'main', path: 'charts/ledger' } }, KINDS.helmRelease);
  const told = (name: string, type?: typeof KINDS.helmRelease) => {
    const { stored, storedRevision } = house.tell(name, type) ?? {};
    return `${storedRevision} ${stored}`;
  };
  await until('both are installed', () => told('base') === '1 deployed' && told('later', KINDS.helmRelease) === '1 deployed', 30_000);
  const looks = await house.looks('schedule', 'equal');
  const { path: helm } = await obtainHelm();
  const byHand = (...args: readonly string[]) =>
    promisify(execFile)(helm, [...args, '--namespace', 'pay'], {
      env: { ...process.env, KUBECONFIG: house.kubeconfig, HOME: repository.folder },
    });
  await byHand('rollback', 'pay-base', '1');
  await until('the rollback by hand is told', () => told('base') === '2 deployed');
  await byHand('uninstall', 'pay-later', '--keep-history');
  await until('the end by hand is told', () => told('later', KINDS.helmRelease) === '1 uninstalled');
  await until('the status follows', async () => (await house.statusOf('base')) === 'DEPLOYED');
  expect(await house.looks('schedule', 'equal')).toBe(looks);
});
