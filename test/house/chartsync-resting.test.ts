import { expect, it } from 'vitest';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import { openChartHouse } from './chartsync-house';

it.each([
  ['FluxHelmRelease', KINDS.fluxHelmRelease],
  ['HelmRelease', KINDS.helmRelease],
] as const)(
  '[issue 12.1] passes over a %s do not all repeat a dry run that failed, and the commit that mends it is released at once',
  async (_kind, type) => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart());
    await using house = await openChartHouse(repository, { intervalMs: 1000 });
    const chart = { git: repository.url, ref: 'main', path: 'charts/ledger' };
    await house.declare('ledger', type === KINDS.helmRelease ? { chart } : { chartGitPath: 'ledger', values: {} }, type);
    await until('it is released', () => house.tell('ledger', type)?.state === 'in-sync');
    repository.commitChart('ledger', { 'templates/broken.yaml': '{{ fail "broken" }}' });
    await until('a pass has failed', async () => (await house.looks('schedule', 'failed')) > 0);
    const runs = () => house.reading.journal.figures().dryRuns;
    const [looks, before] = [await house.looks('schedule', 'failed'), runs()];
    await until('passes were told without one', async () => (await house.looks('schedule', 'failed')) - looks > runs() - before + 2);
    expect(readString((await house.get(type, 'ledger'))?.status, 'failure', 'message')).toContain('broken');
    const mended = repository.commit({ 'charts/ledger/templates/broken.yaml': null });
    await until(
      'the commit is released',
      () => house.tell('ledger', type)?.state === 'in-sync' && house.tell('ledger', type)?.revision === mended,
    );
  },
);
