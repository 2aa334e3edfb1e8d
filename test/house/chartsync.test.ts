import { describe, expect, it } from 'vitest';
import { readField, readList, readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { aChart, ChartRepository } from '../support/chart-repository';
import { readDeployed } from '../support/definitions';
import { unlistedFields } from '../support/unlisted-fields';
import { until } from '../support/until';
import { openChartHouse } from './chartsync-house';

const SECRET = { apiVersion: 'v1', kind: 'Secret' } as const;
const storage = (name: string, revision: number) => `sh.helm.release.v1.${name}.v${revision}`;

describe('a release that follows a chart in git', () => {
  it('[R-1A-1, R-2-2, R-1B-2, R-DEL-1] is installed, follows commits and values, is put back, and goes with its resource', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart());
    await using house = await openChartHouse(repository);
    const replicas = async () => readNumber(await house.get(KINDS.deployment, 'pay-ledger'), 'spec', 'replicas');

    await house.declare('ledger', { chartGitPath: 'ledger', values: { replicas: 2 } });
    await until('it is installed', async () => (await replicas()) === 2);
    await until('its status tells so', async () => (await house.statusOf('ledger')) === 'DEPLOYED');
    await until('its objects are marked', async () => {
      const live = await house.get(KINDS.deployment, 'pay-ledger');
      return live?.metadata.annotations?.['flux.weave.works/antecedent'] === 'pay:fluxhelmrelease/ledger';
    });

    const [template = ''] = [aChart()['templates/deployment.yaml']];
    repository.commitChart('ledger', { 'templates/deployment.yaml': template.replace('app:1', 'app:2') });
    const image = async () =>
      readField(await house.get(KINDS.deployment, 'pay-ledger'), 'spec', 'template', 'spec', 'containers', 0, 'image');
    await until('the commit is released', async () => (await image()) === 'registry.example.com/app:2');
    expect(await house.get(SECRET, storage('pay-ledger', 2))).toBeDefined();

    await house.declare('ledger', { chartGitPath: 'ledger', values: { replicas: 3 } });
    await until('the values are released', async () => (await replicas()) === 3);

    await house.cluster.delete({ ...KINDS.fluxHelmRelease, namespace: 'pay', name: 'ledger' });
    await until('it is uninstalled', async () => (await house.get(KINDS.deployment, 'pay-ledger')) === undefined);
    await until('its history is gone', async () => (await house.get(SECRET, storage('pay-ledger', 3))) === undefined);
  });

  it('[R-2-1] is released once for a commit, and compared once after that: nothing moved, so nothing is asked of Helm again', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart());
    await using house = await openChartHouse(repository, { intervalMs: 1000 });
    await house.declare('ledger', { chartGitPath: 'ledger', values: {} });
    await until('it is installed', async () => (await house.statusOf('ledger')) === 'DEPLOYED');
    const definition = (await readDeployed('deploy/crds')).find(({ metadata }) => metadata.name?.startsWith('fluxhelmreleases.'));
    const declared = await house.get(KINDS.fluxHelmRelease, 'ledger');
    expect(definition && declared && unlistedFields(definition, declared)).toEqual([]);
    repository.commitChart('ledger', { 'values.yaml': 'replicas: 4\n' });
    await until('the commit is released', async () => (await house.get(SECRET, storage('pay-ledger', 2))) !== undefined);
    const before = await house.looks('schedule', 'equal');
    await until('the schedule has compared it once more', async () => (await house.looks('schedule', 'equal')) > before);
    const unmoved = await house.looks('schedule', 'unmoved');
    await until('the schedule has passed it over twice', async () => (await house.looks('schedule', 'unmoved')) >= unmoved + 2);
    expect(await house.looks('schedule', 'equal')).toBe(before + 1);
    expect(await house.get(SECRET, storage('pay-ledger', 3))).toBeUndefined();
  });
});

describe('a release of a later kind', () => {
  const spec = (url: string, more: object = {}) => ({
    chart: { git: url, ref: 'main', path: 'charts/ledger' },
    values: { replicas: 2 },
    ...more,
  });

  it('[X-SYNC-1, X-RB-1, X-RB-3] is installed with its conditions, rolled back when an upgrade fails, and upgraded by the commit that fixes it', async () => {
    const repository = new ChartRepository();
    const first = repository.commitChart('ledger', aChart());
    await using house = await openChartHouse(repository);
    const status = async () => (await house.get(KINDS.helmRelease, 'ledger'))?.status;
    const phase = async () => readString(await status(), 'phase');
    await house.declare('ledger', spec(repository.url, { rollback: { enable: true }, wait: false, timeout: 20 }), KINDS.helmRelease);
    await until('it is installed', async () => (await phase()) === 'Succeeded');

    const { 'templates/deployment.yaml': template = '' } = aChart();
    const failed = repository.commitChart('ledger', {
      'templates/deployment.yaml': template.replace('matchLabels: { app: {{ .Release.Name }} }', 'matchLabels: { app: other }'),
    });
    await until('it is rolled back', async () => (await phase()) === 'RolledBack');
    expect(await status()).toMatchObject({ rollbackCount: 1, lastAttemptedRevision: failed });
    expect(await house.get(SECRET, storage('pay-ledger', 3))).toMatchObject({ metadata: { labels: { status: 'deployed' } } });
    const tell = () => house.tell('ledger', KINDS.helmRelease);
    const back = { by: 'commit', outcome: 'remediated', revision: first };
    await until('the rollback is the last act', () => tell()?.lastAct?.outcome === 'remediated');
    const why = readString(await status(), 'failure', 'message');
    expect(why).toContain('selector');
    expect(tell()).toMatchObject({
      state: 'rolled-back',
      revision: first,
      lastAct: { ...back, storedRevision: 3, commit: { commit: first } },
    });
    const acts = tell()?.reconciles.filter(({ by }) => by === 'commit');
    expect(acts).toMatchObject([
      { ...back, rule: 'X-RB-1', error: why },
      { outcome: 'failed', revision: failed, error: why },
    ]);
    expect(house.recorded.slice(-2).map(({ action, message }) => [action, message])).toEqual([
      ['release.failed', expect.stringContaining(`failed at ${failed.slice(0, 8)}: ${why}`)],
      ['release.remediated', expect.stringContaining(`was rolled back to ${first.slice(0, 8)}, since the attempt failed: ${why}`)],
    ]);
    await until('a pass has compared it', async () => (await house.looks('schedule', 'unmoved')) > 0);
    expect(tell()).toMatchObject({ state: 'rolled-back', revision: first, lastAct: { ...back, storedRevision: 3 } });
    expect(tell()?.says).toMatchObject({ id: 'state.rolled-back', revision: failed, why });

    const mended = repository.commitChart('ledger', { 'templates/deployment.yaml': template.replace('app:1', 'app:2') });
    await until('it is upgraded', async () => readString(await status(), 'revision') === mended);
    expect(await status()).toMatchObject({ phase: 'Succeeded', rollbackCount: 0 });
    const definition = (await readDeployed('deploy/crds')).find(({ metadata }) => metadata.name === 'helmreleases.helm.fluxcd.io');
    const declared = await house.get(KINDS.helmRelease, 'ledger');
    expect(definition && declared && unlistedFields(definition, declared)).toEqual([]);
  });

  it('[X-DRIFT-1, X-DRIFT-3, X-DEL-1] is put back where somebody changed it, but for what is ignored, and goes with its resource', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart());
    await using house = await openChartHouse(repository);
    const ignore = [{ paths: ['/spec/replicas'], target: { kind: 'Deployment' } }];
    await house.declare('ledger', spec(repository.url, { driftDetection: { mode: 'enabled', ignore } }), KINDS.helmRelease);
    await until('it is installed', async () => readString((await house.get(KINDS.helmRelease, 'ledger'))?.status, 'phase') === 'Succeeded');
    const at = { ...KINDS.deployment, namespace: 'pay', name: 'pay-ledger' };
    const image = { op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'registry.example.com/other:1' };
    await house.cluster.patch(at, { type: 'json', body: [{ op: 'replace', path: '/spec/replicas', value: 5 }, image] });
    await until('the image is put back', async () => {
      const live = await house.get(KINDS.deployment, 'pay-ledger');
      return readField(live, 'spec', 'template', 'spec', 'containers', 0, 'image') === 'registry.example.com/app:1';
    });
    expect(readNumber(await house.get(KINDS.deployment, 'pay-ledger'), 'spec', 'replicas')).toBe(5);
    await house.cluster.delete({ ...KINDS.helmRelease, namespace: 'pay', name: 'ledger' });
    await until('it is uninstalled', async () => (await house.get(KINDS.deployment, 'pay-ledger')) === undefined);
  });

  it('[issue 12, 5] takes its chart from no address that nobody listed, and says so', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart());
    await using house = await openChartHouse(repository);
    await house.declare('ledger', spec('https://127.0.0.1:8443/other.git'), KINDS.helmRelease);
    const message = async () =>
      readList((await house.get(KINDS.helmRelease, 'ledger'))?.status, 'conditions').map((one) => readString(one, 'message'))[0] ?? '';
    await until('it says why', async () => (await message()).includes('resolves to'));
    expect(await message()).toBe(
      'chart not ready: git repo not ready: 127.0.0.1 resolves to a loopback or link-local address; allow it on the server with its port: --outbound-allow 127.0.0.1:8443',
    );
  });
});

describe('without Helm', () => {
  it('[issue 12, 2] releases wait, and the engine says for what and which command brings it', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart());
    await using house = await openChartHouse(repository, { helm: '/nonexistent/helm' });
    await house.declare('ledger', { chartGitPath: 'ledger', values: {} });
    await until('the engine says what it waits for', () =>
      (house.engine.findings?.() ?? []).some(({ remedy }) => remedy === 'npm run helm'),
    );
    expect(house.engine.findings?.()).toEqual([
      {
        area: 'programs',
        subject: 'chartsync engine',
        sentence: 'Helm releases wait: Helm is not at /nonexistent/helm',
        remedy: 'npm run helm',
      },
    ]);
    expect(await house.get(KINDS.deployment, 'pay-ledger')).toBeUndefined();
  });
});
