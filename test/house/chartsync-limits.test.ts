import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readField, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import type { ChartHouse } from './chartsync-house';
import { openChartHouse } from './chartsync-house';

const SECRET = { apiVersion: 'v1', kind: 'Secret' } as const;
const MAP = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
const MB = 1024 * 1024;

const later = (repository: ChartRepository, path: string) => ({ chart: { git: repository.url, ref: 'main', path: `charts/${path}` } });
const phaseOf = async (house: ChartHouse, name: string) => readString((await house.get(KINDS.helmRelease, name))?.status, 'phase');
const reasonOf = (house: ChartHouse, name: string) => readField(house.tell(name, KINDS.helmRelease)?.says, 'why');

/** A chart that depends on another one beside it, and makes one ConfigMap of its own name. */
const depending = (name: string, on: string) => ({
  'Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: 1.0.0\ndependencies: [ { name: ${on}, version: 1.0.0, repository: "file://../${on}" } ]\n`,
  'templates/map.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\n`,
});

describe('a chart beyond what is usual', () => {
  it('[issue 12.3] whose dependencies lead back to it is installed with what each declares once, and ends there', async () => {
    const repository = new ChartRepository();
    repository.commitChart('alpha', depending('alpha', 'beta'));
    repository.commitChart('beta', depending('beta', 'alpha'));
    await using house = await openChartHouse(repository);
    await house.declare('alpha', later(repository, 'alpha'), KINDS.helmRelease);
    await until('it is installed', async () => (await phaseOf(house, 'alpha')) === 'Succeeded');
    for (const name of ['alpha', 'beta']) expect(await house.get(MAP, name)).toBeDefined();
    const before = await house.looks('schedule', 'unmoved');
    await until('it stays as it is', async () => (await house.looks('schedule', 'unmoved')) > before);
    expect(await house.get(SECRET, 'sh.helm.release.v1.pay-alpha.v2')).toBeUndefined();
  });

  it('[issue 12.3] of 10,000 templates is installed, compared once, and then only looked at', async () => {
    const repository = new ChartRepository();
    const templates = Array.from({ length: 10_000 }, (_, at) => [
      `templates/many/${at}.yaml`,
      `{{- if .Values.many }}\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: many-${at} }\n{{- end }}\n`,
    ]);
    repository.commitChart('ledger', aChart(Object.fromEntries(templates)));
    await using house = await openChartHouse(repository, { cloneMs: 60_000, fetchMs: 60_000 });
    await house.declare('ledger', { chartGitPath: 'ledger', values: {} });
    await until('it is installed', () => house.tell('ledger')?.lastAct?.storedRevision === 1);
    await until('nothing moves', () => house.tell('ledger')?.reconciles[0]?.outcome === 'unmoved');
    const compared = await Promise.all(['schedule', 'resource', 'commit'].map((by) => house.looks(by, 'equal')));
    expect(compared.reduce((sum, looks) => sum + looks)).toBe(1);
    expect(await house.get(SECRET, 'sh.helm.release.v1.pay-ledger.v2')).toBeUndefined();
  });

  it('[issue 12.3] with a file of 40 MB is refused in words, keeps no other release from anything, and is taken where it is ignored', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart({ 'big.bin': randomBytes(30 * MB).toString('base64') }));
    repository.commitChart('other', aChart({}, 'other'));
    await using house = await openChartHouse(repository);
    await house.declare('ledger', later(repository, 'ledger'), KINDS.helmRelease);
    await house.declare('other', later(repository, 'other'), KINDS.helmRelease);
    // Until so much is cloned it says that instead.
    const words = /^Helm stores a release with all files of its chart in one Secret of at most 1 MiB, .*too large/i;
    await until('it is refused in these words', () => words.test(String(reasonOf(house, 'ledger'))));
    expect(house.tell('ledger', KINDS.helmRelease)?.state).toBe('failed');
    await until('the other one is installed', async () => (await phaseOf(house, 'other')) === 'Succeeded');
    repository.commitChart('ledger', { '.helmignore': 'big.bin\n' });
    await until('it is installed', async () => (await phaseOf(house, 'ledger')) === 'Succeeded');
  });

  it("[issue 12.3] that Helm's storage has no room for is told so in words, with nothing made, and is installed once it is smaller", async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart({ 'files/big.txt': randomBytes(MB).toString('base64') }));
    await using house = await openChartHouse(repository);
    await house.declare('ledger', later(repository, 'ledger'), KINDS.helmRelease);
    await until('it failed', () => house.tell('ledger', KINDS.helmRelease)?.state === 'failed');
    expect(reasonOf(house, 'ledger')).toMatch(
      /^Helm stores a release with all files of its chart in one Secret of at most 1 MiB, .*may not be more than 1048576 bytes/,
    );
    expect(await house.get(KINDS.deployment, 'pay-ledger')).toBeUndefined();
    repository.commit({ 'charts/ledger/files/big.txt': null });
    await until('it is installed', async () => (await phaseOf(house, 'ledger')) === 'Succeeded');
    expect(await house.get(KINDS.deployment, 'pay-ledger')).toBeDefined();
  });
});
