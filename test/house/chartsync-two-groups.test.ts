import { describe, expect, it } from 'vitest';
import type { ReleaseVerb } from '@/lib/contract/release-decision';
import { toReleaseKindRef } from '@/lib/contract/release-kind';
import { readNumber, readString } from '@/lib/kube/fields';
import { HELM_FINALIZER, KINDS } from '@/lib/kube/kinds';
import type { TypeRef } from '@/lib/kube/object';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import type { ChartHouse } from './chartsync-house';
import { openChartHouse } from './chartsync-house';

const HOUR_MS = 3_600_000;
const LATER = KINDS.helmRelease;
const OLDER = KINDS.olderHelmRelease;
const NAME = 'web';

const replicas = async (house: ChartHouse, release: string) => readNumber(await house.get(KINDS.deployment, release), 'spec', 'replicas');
const markOf = async (house: ChartHouse, release: string) =>
  Object.entries((await house.get(KINDS.deployment, release))?.metadata.annotations ?? {}).filter(([name]) => name.endsWith('/antecedent'));
const chartOf = ({ url }: ChartRepository, path: string) => ({ git: url, ref: 'main', path: `charts/${path}` });

async function decide(
  house: ChartHouse,
  { type, uid, verb }: { readonly type: TypeRef; readonly uid?: string | undefined; readonly verb: ReleaseVerb },
) {
  const found = uid ?? (await house.get(type, NAME))?.metadata.uid;
  const releaseRef = { ...toReleaseKindRef(type), name: NAME, uid: found };
  const spec = { releaseRef, verb, actor: { user: 'ada', groups: ['system:masters'] }, reason: 'look first' };
  const { metadata } = await house.cluster.create({
    ...KINDS.releaseDecision,
    metadata: { generateName: `${NAME}-`, namespace: 'pay' },
    spec,
  });
  const phase = async () => readString((await house.get(KINDS.releaseDecision, metadata.name ?? ''))?.status, 'phase');
  await until(`${verb} is answered`, async () => !['Pending', undefined].includes(await phase()));
  return phase();
}

describe('HelmReleases of both groups', () => {
  it('[issue 12.1] of one name in one namespace are two: each follows its own chart, is held, told and uninstalled by itself', async () => {
    const repository = new ChartRepository();
    for (const path of ['later', 'older']) repository.commitChart(path, aChart(), `${path}: begin`);
    await using house = await openChartHouse(repository, { intervalMs: HOUR_MS });
    await house.declare(NAME, { chart: chartOf(repository, 'later'), releaseName: 'late' }, LATER);
    await house.declare(NAME, { chart: chartOf(repository, 'older'), releaseName: 'old' }, OLDER);
    for (const type of [LATER, OLDER]) await until('it is installed', () => house.tell(NAME, type)?.lastAct?.storedRevision === 1);
    expect(await markOf(house, 'late')).toEqual([['helm.fluxcd.io/antecedent', 'pay:helmrelease/web']]);
    expect(await markOf(house, 'old')).toEqual([['flux.weave.works/antecedent', 'pay:helmrelease/web']]);
    for (const type of [LATER, OLDER]) expect((await house.get(type, NAME))?.metadata.finalizers).toEqual([HELM_FINALIZER]);

    repository.commitChart('older', { 'values.yaml': 'replicas: 3\n' });
    await until('the older one is upgraded', () => house.tell(NAME, OLDER)?.lastAct?.storedRevision === 2);
    expect([await replicas(house, 'old'), await replicas(house, 'late')]).toEqual([3, 1]);
    expect(house.tell(NAME, LATER)?.lastAct?.storedRevision).toBe(1);
    expect(house.tell(NAME, LATER)?.reconciles.map(({ by }) => by)).not.toContain('commit');

    // A decision about one of them is none about the other, whose uid it names in vain.
    const uid = (await house.get(OLDER, NAME))?.metadata.uid;
    expect(await decide(house, { type: LATER, uid, verb: 'hold' })).toBe('Rejected');
    expect(await decide(house, { type: OLDER, verb: 'hold' })).toBe('Accepted');
    await until('the page says so', () => house.tell(NAME, OLDER)?.state === 'held');
    expect(house.tell(NAME, LATER)?.hold).toBeNull();
    const holds = () => house.recorded.filter(({ action }) => action === 'decision.hold').map(({ about }) => about.apiVersion);
    await until('both are on record', () => holds().length === 2);
    expect(holds()).toEqual([LATER.apiVersion, OLDER.apiVersion]);
    repository.commit({ 'charts/older/values.yaml': 'replicas: 5\n', 'charts/later/values.yaml': 'replicas: 4\n' });
    await until('the later one is upgraded', () => house.tell(NAME, LATER)?.lastAct?.storedRevision === 2);
    await until(
      'the older one was passed over',
      () => house.tell(NAME, OLDER)?.reconciles.some(({ outcome }) => outcome === 'held') === true,
    );
    expect([await replicas(house, 'old'), await replicas(house, 'late')]).toEqual([3, 4]);

    await house.cluster.delete({ ...OLDER, namespace: 'pay', name: NAME });
    await until('the older one is gone', async () => (await house.get(OLDER, NAME)) === undefined, 40_000);
    expect([await replicas(house, 'old'), await replicas(house, 'late')]).toEqual([undefined, 4]);
    repository.commitChart('later', { 'values.yaml': 'replicas: 6\n' });
    await until('the later one goes on', () => house.tell(NAME, LATER)?.lastAct?.storedRevision === 3);
  });

  it('[issue 12.1] that name one release: the second is refused, and told by which', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart());
    await using house = await openChartHouse(repository, { intervalMs: HOUR_MS });
    const spec = { chart: chartOf(repository, 'ledger') };
    await house.declare(NAME, spec, OLDER);
    await until('the first is installed', () => house.tell(NAME, OLDER)?.lastAct?.storedRevision === 1);
    await house.declare(NAME, { ...spec, values: { replicas: 7 } }, LATER);
    await until('the second is refused', () => house.tell(NAME, LATER)?.state === 'refused');
    expect(house.tell(NAME, LATER)?.says).toMatchObject({ id: 'state.refused', by: 'HelmRelease.flux.weave.works web in pay' });
    expect(await replicas(house, 'pay-web')).toBe(1);
  });
});
