import { describe, expect, it } from 'vitest';
import { KINDS, nameOfKind, nameOfKinds } from '@/lib/kube/kinds';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import type { ChartHouse } from './chartsync-house';
import { openChartHouse } from './chartsync-house';

function specOf(repository: ChartRepository, name: string, dependsOn: readonly string[], path = `charts/${name}`) {
  return { chart: { git: repository.url, ref: 'main', path }, dependsOn: dependsOn.map((one) => ({ name: one })) };
}

describe.each([
  ['helm.fluxcd.io', KINDS.helmRelease],
  ['flux.weave.works', KINDS.olderHelmRelease],
])('releases of %s that depend on others', (_group, type) => {
  const told = (house: ChartHouse, name: string) => house.tell(name, type);
  const state = (house: ChartHouse, name: string) => told(house, name)?.state;

  it('[issue 12.1] wait with the sentence until those are released, and are then released without waiting for the next pass', async () => {
    const repository = new ChartRepository();
    for (const name of ['cache', 'ledger']) repository.commitChart(name, aChart(), `${name}: begin`);
    await using house = await openChartHouse(repository, { intervalMs: 3_600_000 });
    const declare = (name: string, dependsOn: readonly string[], path?: string) =>
      house.declare(name, specOf(repository, name, dependsOn, path), type);
    await declare('ledger', ['cache']);
    await until('it waits', () => told(house, 'ledger')?.says.id === 'state.depends');
    expect(state(house, 'ledger')).toBe('waiting');
    const missing = { id: 'state.depends', why: `it depends on ${nameOfKind(type)} pay/cache, which does not exist` };
    expect(told(house, 'ledger')).toMatchObject({ says: missing, upgrade: { ...missing, id: 'upgrade.depends' } });
    await declare('cache', [], 'charts/gone');
    await until('it tells that the other failed', () =>
      new RegExp(`${nameOfKind(type)} pay/cache, which failed: .*charts/gone`).test(JSON.stringify(told(house, 'ledger')?.says)),
    );
    expect(await house.looks('resource', 'installed')).toBe(0);
    await declare('cache', []);
    await until('both are released', () => state(house, 'cache') === 'in-sync' && state(house, 'ledger') === 'in-sync');
    await until('that is noted', () => told(house, 'ledger')?.lastAct?.outcome === 'installed');
    expect(told(house, 'ledger')?.reconciles.map(({ outcome }) => outcome)).toContain('waits');
  });

  it('[issue 12.1] in a circle say so, and go on once it is broken', async () => {
    const repository = new ChartRepository();
    for (const name of ['cache', 'ledger']) repository.commitChart(name, aChart(), `${name}: begin`);
    await using house = await openChartHouse(repository, { intervalMs: 3_600_000 });
    await house.declare('ledger', specOf(repository, 'ledger', ['cache']), type);
    await house.declare('cache', specOf(repository, 'cache', ['ledger']), type);
    const circle = `these ${nameOfKinds(type)} depend on each other, so none of them is released: pay/cache → pay/ledger → pay/cache`;
    await until('it is told', () => JSON.stringify(told(house, 'cache')?.says ?? {}).includes(circle));
    await house.declare('cache', specOf(repository, 'cache', []), type);
    await until('both are released', () => state(house, 'cache') === 'in-sync' && state(house, 'ledger') === 'in-sync');
  });
});
