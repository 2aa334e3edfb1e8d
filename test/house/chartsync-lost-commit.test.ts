import { expect, it } from 'vitest';
import { readFields } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { formatRelease } from '@/lib/words/format-release';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import { openChartHouse } from './chartsync-house';
import { leave, short } from './gated-release';

it.each([
  ['FluxHelmRelease', KINDS.fluxHelmRelease],
  ['HelmRelease', KINDS.helmRelease],
] as const)(
  '[issue 12.3] that the commit at which somebody holds a %s left its branch is told by a process that never looked as well, until the branch has it again',
  async (_kind, type) => {
    const repository = new ChartRepository();
    const base = repository.commitChart('ledger', aChart());
    const held = repository.commitChart('ledger', { 'values.yaml': 'replicas: 2\n' });
    let hasLease = true;
    await using house = await openChartHouse(repository, { intervalMs: 1000 }, { mayAct: () => hasLease });
    const chart = { git: repository.url, ref: 'main', path: 'charts/ledger' };
    await house.declare('ledger', { chart, chartGitPath: 'ledger', releaseName: 'pay-ledger', values: {} }, type);
    await until('it is installed', () => house.tell('ledger', type)?.lastAct?.revision === held);
    await leave(house, 'hold', { type, reason: 'look first' });
    await until('it is held', () => house.tell('ledger', type)?.state === 'held');
    const says = () => formatRelease(house.tell('ledger', type)?.says ?? { id: 'state.suspended' });
    const written = async () => readFields((await house.get(type, 'ledger'))?.status, 'lostCommit');
    expect(says()).not.toContain('branch');

    repository.push(base);
    const lost = `the branch no longer contains commit ${short(held)}`;
    await until('it says that its commit is gone', () => says().includes(lost));
    const told = says();
    await until('its status does', async () => (await written()).commit === held);
    const before = await written();
    const looks = await house.looks('schedule', 'held');
    await until('it is looked at twice more', async () => (await house.looks('schedule', 'held')) > looks + 1);
    expect(await written()).toEqual(before);
    hasLease = false;
    await until('another one acts', () => house.tell('ledger', type)?.work === 'elsewhere');
    expect(house.tell('ledger', type)?.reconciles).toEqual([]);
    expect(says()).toBe(told);

    hasLease = true;
    repository.push(held);
    await until('nothing is said of it any more', async () => !says().includes(lost) && (await written()).commit === undefined);
  },
);
