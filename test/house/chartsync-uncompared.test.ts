import { rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { formatRelease } from '@/lib/words/format-release';
import { obtainHelm } from '../../scripts/helm-binary.mjs';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import { openChartHouse } from './chartsync-house';

it.each([
  ['FluxHelmRelease', KINDS.fluxHelmRelease],
  ['HelmRelease', KINDS.helmRelease],
] as const)(
  '[issue 12.2] of a %s that Helm is not there to compare any more, the last answer is told with its age and what is missing',
  async (_kind, type) => {
    const repository = new ChartRepository();
    const commit = repository.commitChart('ledger', aChart());
    const helm = path.join(repository.folder, 'helm-of-test');
    symlinkSync((await obtainHelm()).path, helm);
    let hasLease = true;
    await using house = await openChartHouse(repository, { helm }, { mayAct: () => hasLease });
    const chart = { git: repository.url, ref: 'main', path: 'charts/ledger' };
    const spec = { chartGitPath: 'ledger', chart, values: {}, driftDetection: { mode: 'warn' } };
    await house.declare('ledger', spec, type);
    await until('it is in sync', () => house.tell('ledger', type)?.state === 'in-sync');
    await until('its live objects match', () => house.tell('ledger', type)?.drift.says.id === 'drift.none');
    hasLease = false;
    // What another replica is to compare is told by the status, of which the copy has to hear first.
    await until('another one acts, and that is told', () => {
      const { work, says } = house.tell('ledger', type) ?? {};
      return work === 'elsewhere' && says !== undefined && formatRelease(says).includes('the replica that holds the Lease compares it');
    });
    const finding = () => house.engine.findings?.()[0]?.sentence ?? '';
    await until('its loops have ended', () => finding().includes('has ended for now'));
    rmSync(helm); // no pass is under way that would fail by it
    hasLease = true;
    await until('it cannot go on', () => house.tell('ledger', type)?.waits?.id === 'wait.remedy');
    const told = house.tell('ledger', type);
    expect(told).toMatchObject({ state: 'unknown', drift: { state: 'unknown' }, nextCheckAt: null });
    const [says, drift] = [told?.says, told?.drift.says].map((message) => formatRelease(message ?? { id: 'state.suspended' }));
    const since = /as of 2\S+Z, not compared since: .*; run npm run helm$/;
    expect(says).toMatch(since);
    expect(says).toContain(`in sync at ${commit.slice(0, 8)} as of`);
    expect(drift).toMatch(since);
    expect(drift).toContain('live objects matched the release');
  },
);
