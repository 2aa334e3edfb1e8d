import { expect, it } from 'vitest';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { deepEqual } from '@/lib/std/deep-equal';
import { createReleaseReader } from '@/server/chartsync';
import { aChart, ChartRepository, STUCK_HOOK } from '../support/chart-repository';
import { until } from '../support/until';
import { openChartHouse } from './chartsync-house';

const NS = 'pay';
const JOB = { apiVersion: 'batch/v1', kind: 'Job' };
const BEFORE_DELETION = STUCK_HOOK.replace('pre-upgrade', 'pre-delete').replace(
  'suspend: true, template: {',
  'suspend: true, backoffLimit: 0, template: { metadata: { annotations: { sim.slipway.dev/fail: "{{ .Values.fail }}" } },',
);

it('[issue 12.1] a release whose resource was deleted is being uninstalled until Helm has ended, and is orphaned only where that failed', async () => {
  const repository = new ChartRepository();
  repository.commitChart('ledger', aChart({ 'templates/hook.yaml': BEFORE_DELETION }));
  await using house = await openChartHouse(repository, { intervalMs: 3_600_000 });
  const { cluster } = house;
  const names = ['ends', 'fails'];
  for (const name of names)
    await house.declare(name, { chartGitPath: 'ledger', values: { stuck: true, fail: name === 'fails' ? 'crash-loop' : '' } });
  for (const name of names) await until(`${name} is installed`, () => house.tell(name)?.lastAct?.storedRevision === 1);
  await using reader = createReleaseReader(house.reading);
  const elsewhere = { deletions: () => new Map(), loops: () => ({ kind: 'elsewhere' }) as const };
  await using beside = createReleaseReader({ ...house.reading, journal: elsewhere });
  const toldOf = async (name: string, by = reader) => {
    const { releases } = await by.undeclared([NS]);
    return releases.find((one) => one.name === `pay-${name}`)?.declaredBefore;
  };
  for (const name of names) await cluster.delete({ ...KINDS.fluxHelmRelease, namespace: NS, name });
  for (const name of names) {
    const told = { kind: 'FluxHelmRelease', ns: NS, name, exists: false, isUninstalling: true };
    await until('the resource is gone', () => house.tell(name) === undefined);
    expect(await toldOf(name)).toEqual(told);
    await until('its hook waits', async () => (await house.get(JOB, `pay-${name}-hook`)) !== undefined);
    expect(await toldOf(name)).toEqual(told);
    // Another replica knows it from what Helm stored, of which its own watch has to hear first.
    await until('another replica tells it too', async () => deepEqual(await toldOf(name, beside), told));
  }
  // What was declared may hold values of Secrets, also while its objects go.
  const content = await reader.undeclaredContent({ namespace: NS, name: 'pay-ends' }, { revision: 1, permit: async () => undefined });
  expect(content).toMatchObject({ hidesValues: true });

  const seen = new Set<string>();
  const go = (name: string) =>
    cluster.patch({ ...JOB, namespace: NS, name: `pay-${name}-hook` }, { type: 'merge', body: { spec: { suspend: false } } });
  await go('ends');
  await until('nothing is left of it', async () => {
    const told = await toldOf('ends');
    if (told != null) seen.add(`${told.isUninstalling}`);
    return told === undefined;
  });
  expect([...seen].filter((one) => one !== 'true')).toEqual([]);
  await go('fails');
  await until('it is orphaned', async () => (await toldOf('fails'))?.isUninstalling === false);
  expect(
    readString(await house.get({ apiVersion: 'v1', kind: 'Secret' }, 'sh.helm.release.v1.pay-fails.v1'), 'metadata', 'labels', 'status'),
  ).toBe('uninstalling');
});
