import { expect, it } from 'vitest';
import { toReleaseKindRef } from '@/lib/contract/release-kind';
import { KINDS } from '@/lib/kube/kinds';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import { openChartHouse } from './chartsync-house';

it.each([
  ['FluxHelmRelease', KINDS.fluxHelmRelease, KINDS.helmRelease],
  ['HelmRelease', KINDS.helmRelease, KINDS.fluxHelmRelease],
  ['HelmRelease.flux.weave.works', KINDS.olderHelmRelease, KINDS.helmRelease],
] as const)(
  '[issue 12.3] nothing is done for a %s while its definition would drop what is written, and all is for the other kind',
  async (kind, stopped, driven) => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart());
    let why: string | null = null;
    const circumstances = { stoppedReason: (asked: string) => (asked === kind ? why : null) };
    await using house = await openChartHouse(repository, { intervalMs: 1000 }, circumstances);
    const chart = { git: repository.url, ref: 'main', path: 'charts/ledger' };
    const [mine, other] = ['mine', 'other'];
    for (const [name, type] of [
      [mine, stopped],
      [other, driven],
    ] as const) {
      await house.declare(name, { chartGitPath: 'ledger', chart, releaseName: name, values: {} }, type);
      await until(`${name} is released`, () => house.tell(name, type)?.lastAct?.outcome === 'installed');
    }
    why = 'its definition drops spec.values';
    const second = repository.commitChart('ledger', { 'values.yaml': 'replicas: 7\n' });
    await until('the other kind takes the commit', () => house.tell(other, driven)?.lastAct?.revision === second);
    const passes = () => house.looks('schedule', 'unmoved');
    const before = await passes();
    await until('passes go on', async () => (await passes()) > before + 1);
    expect(house.tell(mine, stopped)?.lastAct?.revision).not.toBe(second);
    const releaseRef = { ...toReleaseKindRef(stopped), name: mine, uid: (await house.get(stopped, mine))?.metadata.uid };
    const decision = {
      ...KINDS.releaseDecision,
      metadata: { namespace: 'pay', name: 'asked' },
      spec: { releaseRef, verb: 'sync', actor: { user: 'ada' } },
    };
    await house.cluster.create(decision);
    const more = await passes();
    await until('further passes go by', async () => (await passes()) > more + 1);
    expect([house.tell(mine, stopped)?.lastAct?.revision === second, (await house.get(KINDS.releaseDecision, 'asked'))?.status]).toEqual([
      false,
      undefined,
    ]);
    why = null;
    await until('it goes on', () => house.tell(mine, stopped)?.lastAct?.revision === second);
  },
);
