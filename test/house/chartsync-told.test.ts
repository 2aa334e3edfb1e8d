import { describe, expect, it } from 'vitest';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { formatRelease } from '@/lib/words/format-release';
import { createReleaseReader } from '@/server/chartsync';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import { openChartHouse } from './chartsync-house';

describe('what is told of a release', () => {
  it('[issue 12.4] is who acted last, at which commit, what failed and why it was not upgraded, and what every replica can read', async () => {
    const repository = new ChartRepository();
    const first = repository.commitChart('ledger', aChart());
    await using house = await openChartHouse(repository, { intervalMs: 1000 });
    await house.declare('ledger', { chartGitPath: 'ledger', values: { replicas: 2, password: 'canary-7781' } });
    await until('it was installed, and found equal', () => house.tell('ledger')?.reconciles[0]?.outcome === 'unmoved');
    expect(house.tell('ledger')).toMatchObject({
      state: 'in-sync',
      revision: first,
      release: { namespace: 'pay', name: 'pay-ledger' },
      chart: { name: 'ledger', version: '1.0.0' },
      lastAct: { outcome: 'installed', revision: first, storedRevision: 1 },
      upgrade: { id: 'upgrade.none-due', outcome: 'unmoved', rule: 'R-1B-4', revision: first },
    });
    await until('its live objects were compared', () => house.tell('ledger')?.drift.says.id === 'drift.none');
    expect(house.tell('ledger')?.reconciles.map(({ outcome, rule }) => [outcome, rule])).toContainEqual(['installed', 'R-1A-1']);

    const broken = repository.commitChart('ledger', { 'templates/broken.yaml': '{{ fail "no such thing" }}' });
    await until('the failure is told', () => house.tell('ledger')?.state === 'failed');
    await until('and written where every replica finds it', async () => {
      const resource = await house.get(KINDS.fluxHelmRelease, 'ledger');
      return readString(resource, 'status', 'failure', 'revision') === broken;
    });
    expect(formatRelease(house.tell('ledger')?.says ?? { id: 'state.suspended' })).toContain('no such thing');

    const mended = repository.commitChart('ledger', { 'templates/broken.yaml': '# mended\n' });
    await until('it is released', () => house.tell('ledger')?.lastAct?.revision === mended);
    await until(
      'nothing fails any more',
      async () => (await house.get(KINDS.fluxHelmRelease, 'ledger'))?.status !== undefined && house.tell('ledger')?.state === 'in-sync',
    );
    expect((await house.get(KINDS.fluxHelmRelease, 'ledger'))?.status).not.toHaveProperty('failure');
    // A failure that comes back at every pass is one entry, another sentence of the same commit another one.
    const told = house.recorded.map(({ action, data, message }) => ({ line: `${action} ${data?.revision}`, message }));
    expect(new Set(told.map(({ message }) => message)).size).toBe(told.length);
    expect([...new Set(told.map(({ line }) => line))]).toEqual([
      `release.installed ${first}`,
      `release.failed ${broken}`,
      `release.upgraded ${mended}`,
    ]);

    await using reader = createReleaseReader(house.reading);
    const history = await reader.readHistory({ namespace: 'pay', name: 'pay-ledger' });
    expect(history[0]).toMatchObject({ revision: 2, status: 'deployed', chart: 'ledger', chartVersion: '1.0.0' });
    const secret = await house.get({ apiVersion: 'v1', kind: 'Secret' }, 'sh.helm.release.v1.pay-ledger.v2');
    expect(history[0]?.storedAt).toBe(secret?.metadata.creationTimestamp);
    expect(await reader.readObjects({ namespace: 'pay', name: 'pay-ledger' })).toContainEqual({
      ...KINDS.deployment,
      namespace: 'pay',
      name: 'pay-ledger',
    });
    expect(JSON.stringify([history, house.recorded, house.tell('ledger')?.reconciles])).not.toContain('canary-7781');
  });

  it('[issue 12.1] is a refusal where another resource declared the same release first', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart());
    await using house = await openChartHouse(repository);
    await house.declare('ledger', { chartGitPath: 'ledger', values: {} });
    await until('it is installed', () => house.tell('ledger')?.lastAct !== null && house.tell('ledger') !== undefined);
    await house.declare('second', { chartGitPath: 'ledger', releaseName: 'pay-ledger', values: {} });
    await until('the second is refused', () => house.tell('second')?.state === 'refused');
    expect(formatRelease(house.tell('second')?.says ?? { id: 'state.suspended' })).toBe(
      'release pay-ledger in pay is declared by FluxHelmRelease ledger in pay; this resource is ignored',
    );
    expect(house.tell('ledger')?.state).not.toBe('refused');
  });
});
