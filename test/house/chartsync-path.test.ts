import { rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readNumber } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { TypeRef } from '@/lib/kube/object';
import { readDeclared } from '@/server/chartsync/model/declared';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import { openChartHouse } from './chartsync-house';

/** What becomes of the folder of the chart, as a commit. */
const CHANGES: Readonly<Record<string, (repository: ChartRepository, chart: string) => string>> = {
  'is gone': (_repository, chart) => {
    rmSync(chart, { recursive: true });
    return '';
  },
  'became a file': (repository, chart) => {
    rmSync(chart, { recursive: true });
    repository.commit({ 'charts/ledger': 'no folder' });
    return '; it is a file there';
  },
  'became a link that leads out of the repository': (_repository, chart) => {
    rmSync(chart, { recursive: true });
    symlinkSync('../../../..', chart);
    return '; it is a link there that points outside the repository or to nothing';
  },
};

describe('a chart whose path', () => {
  it.each(Object.keys(CHANGES))(
    '[issue 12.3] %s is told on the release of either kind, which stays as it is, and is followed again once it is back',
    async (change) => {
      const repository = new ChartRepository();
      repository.commitChart('ledger', aChart());
      await using house = await openChartHouse(repository, { intervalMs: 1000 });
      const chart = { git: repository.url, ref: 'main', path: 'charts/ledger' };
      await house.declare('base', { chartGitPath: 'ledger', values: { replicas: 2 } });
      await house.declare('later', { chart, values: { replicas: 2 } }, KINDS.helmRelease);
      const replicas = async (name: string) => readNumber(await house.get(KINDS.deployment, `pay-${name}`), 'spec', 'replicas');
      for (const name of ['base', 'later']) await until(`${name} is installed`, async () => (await replicas(name)) === 2);

      const other = CHANGES[change]?.(repository, path.join(repository.git('rev-parse', '--show-toplevel').trim(), 'charts', 'ledger'));
      const head = repository.commit({}, change);
      const saidOf = (name: string, kind: TypeRef) => JSON.stringify(house.tell(name, kind) ?? null);
      await until('the later kind tells it', () =>
        saidOf('later', KINDS.helmRelease).includes(`the repository has no folder charts/ledger at ${head.slice(0, 8)}`),
      );
      // Nothing was attempted with the commit that it is at.
      const why = `chart not ready: the repository has no folder charts/ledger at ${head.slice(0, 8)}${other}`;
      expect(house.tell('later', KINDS.helmRelease)?.upgrade).toEqual({ id: 'upgrade.failed', rule: null, revision: null, why });
      expect(house.tell('later', KINDS.helmRelease)?.says).toMatchObject({ id: 'state.failed', why, stays: true });
      await until('the base kind tells it', () =>
        saidOf('base', KINDS.fluxHelmRelease).includes(`there is no chart at charts/ledger of ${head.slice(0, 8)}${other}`),
      );
      const resource = await house.get(KINDS.helmRelease, 'later');
      if (resource === undefined) throw new Error('it was declared');
      await expect(house.previews.render(readDeclared(resource), { commit: head, stored: null })).rejects.toThrow(
        new RegExp(`^there is no chart at charts/ledger in commit ${head.slice(0, 8)}${other}$`),
      );
      const revisions = async (name: string) => house.get({ apiVersion: 'v1', kind: 'Secret' }, `sh.helm.release.v1.pay-${name}.v2`);
      for (const name of ['base', 'later']) expect([name, await replicas(name), await revisions(name)]).toEqual([name, 2, undefined]);

      repository.commit({ 'charts/ledger': null });
      repository.commitChart('ledger', aChart({ 'values.yaml': 'replicas: 1\nnew: true\n' }));
      for (const name of ['base', 'later']) await until(`${name} is upgraded`, async () => (await revisions(name)) !== undefined);
    },
  );
});
