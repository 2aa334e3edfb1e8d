import { expect, it } from 'vitest';
import type { RecordEntry } from '@/lib/contract/record-entry';
import { releaseDetail, releaseRow } from '@/lib/contract/release-rows';
import { parseTopic } from '@/lib/contract/topic';
import { KINDS } from '@/lib/kube/kinds';
import type { TypeRef } from '@/lib/kube/object';
import type { House } from '../../support/house';
import { startHouse } from '../../support/house';
import type { Rows } from './rig';
import { openRows } from './rig';

const chart = { git: 'https://git.example.com/charts.git', path: 'charts/web' };

const rowsOf = (rows: Rows) => {
  const topic = parseTopic('releases?sort=name');
  return (topic && rows.see(topic)?.rows.map((row) => releaseRow.parse(row))) ?? [];
};
const pageOf = (rows: Rows, house: House, of: 'helmrelease' | 'helmrelease-v1beta1') => {
  const page = rows.see({ kind: 'release', ns: house.ns, of, name: 'web' })?.rows[0];
  return page && releaseDetail.parse(page);
};

it('[issue 12.4] HelmReleases of flux.weave.works have rows and pages of their own, also beside one of helm.fluxcd.io of their name', async () => {
  await using house = await startHouse();
  const about = (id: string, type: TypeRef): RecordEntry => ({
    id,
    at: house.clock.now(),
    actor: 'ann',
    action: 'release.edit',
    about: { ...type, namespace: house.ns, name: 'web' },
    message: id,
  });
  await using rows = await openRows(house, { recorded: [about('later', KINDS.helmRelease), about('older', KINDS.olderHelmRelease)] });
  const declare = (type: TypeRef, releaseName: string) => house.apply({ ...type, metadata: { name: 'web' }, spec: { chart, releaseName } });
  await declare(KINDS.helmRelease, 'late');
  await declare(KINDS.olderHelmRelease, 'old');
  await house.until('both are rows', () => rowsOf(rows).length === 2);
  const told = rowsOf(rows).map(({ key, kind, release }) => [key, kind, release.name]);
  expect(told.sort()).toEqual([
    [`${house.ns}/helmrelease-v1beta1/web`, 'helmrelease-v1beta1', 'old'],
    [`${house.ns}/helmrelease/web`, 'helmrelease', 'late'],
  ]);
  expect(pageOf(rows, house, 'helmrelease-v1beta1')).toMatchObject({
    kind: 'helmrelease-v1beta1',
    apiVersion: 'flux.weave.works/v1beta1',
    hold: null,
  });
  const timeline = (of: Parameters<typeof pageOf>[2]) => pageOf(rows, house, of)?.timeline.map(({ key }) => key);
  expect([timeline('helmrelease'), timeline('helmrelease-v1beta1')]).toEqual([['later'], ['older']]);

  const { metadata } = await house.cluster.get({ ...KINDS.olderHelmRelease, namespace: house.ns, name: 'web' });
  const releaseRef = { kind: 'HelmRelease', group: 'flux.weave.works', name: 'web', uid: metadata.uid };
  const spec = { releaseRef, verb: 'hold', reason: 'look first', actor: { user: 'ada', groups: [] } };
  const made = await house.apply({ ...KINDS.releaseDecision, metadata: { name: 'hold' }, spec });
  await house.cluster.update({ ...made, status: { phase: 'Accepted', at: '2027-01-15T08:00:00.000Z' } }, { subresource: 'status' });
  await house.until('its row says so', () => rowsOf(rows).some(({ kind, state }) => kind === 'helmrelease-v1beta1' && state === 'held'));
  expect(pageOf(rows, house, 'helmrelease-v1beta1')?.hold).toMatchObject({ by: 'ada' });
  expect(pageOf(rows, house, 'helmrelease')).toMatchObject({ hold: null, decisions: [] });
});
