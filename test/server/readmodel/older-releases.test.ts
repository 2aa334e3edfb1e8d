import { expect, it } from 'vitest';
import { facets as facetsOf } from '@/lib/contract/lists/facets';
import type { RecordEntry } from '@/lib/contract/record-entry';
import { releaseDetail, releaseRow } from '@/lib/contract/release-rows';
import { inboxRow, statusRow } from '@/lib/contract/system-rows';
import { parseTopic } from '@/lib/contract/topic';
import { KINDS } from '@/lib/kube/kinds';
import type { TypeRef } from '@/lib/kube/object';
import type { Visibility } from '@/server/readmodel/views/window';
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

it('[issue 12.4] rows of HelmReleases of flux.weave.works are seen, counted and told of where that kind may be listed, and by nobody else', async () => {
  await using house = await startHouse();
  await using rows = await openRows(house);
  for (const type of [KINDS.helmRelease, KINDS.olderHelmRelease]) {
    const labels = { group: type.apiVersion.replace(/\/.*/, '') };
    await house.apply({ ...type, metadata: { name: 'web', labels }, spec: { chart, releaseName: labels.group.slice(0, 4) } });
  }
  const held = { verb: 'hold', reason: 'look', actor: { user: 'ada', groups: [] } };
  for (const [name, type] of Object.entries({ later: KINDS.helmRelease, older: KINDS.olderHelmRelease })) {
    const { uid } = (await house.cluster.get({ ...type, namespace: house.ns, name: 'web' })).metadata;
    const group = type === KINDS.olderHelmRelease ? { group: 'flux.weave.works' } : {};
    const releaseRef = { kind: 'HelmRelease', ...group, name: 'web', uid };
    const made = await house.apply({ ...KINDS.releaseDecision, metadata: { name }, spec: { ...held, releaseRef } });
    await house.cluster.update({ ...made, status: { phase: 'Accepted', at: '2027-01-15T08:00:00.000Z' } }, { subresource: 'status' });
  }
  await house.until('both are held', () => rowsOf(rows).filter(({ state }) => state === 'held').length === 2);

  // All are open at once: equal windows are one, and these are not.
  const open = (olderReleases: Visibility | undefined) => {
    const beside = { releases: [house.ns], ...(olderReleases && { olderReleases }) };
    const see = (topic: string) => {
      const parsed = parseTopic(topic);
      return parsed && rows.model.open(parsed, [house.ns], beside);
    };
    return {
      list: see('releases'),
      found: see('releases?q=web'),
      facets: see('facets/releases'),
      inbox: see('inbox'),
      status: see('status'),
    };
  };
  const seen = ['all', [house.ns], ['other'], [], undefined].map((older) => open(older as Visibility | undefined));
  const told = seen.map(({ list, found, facets, inbox, status }) => ({
    kinds: list?.snapshot().rows.map((row) => releaseRow.parse(row).kind),
    totals: [list, found].map((window) => window?.snapshot().total),
    facets: facets?.snapshot().rows.map((row) => facetsOf.parse(row).labels[0]?.values),
    inbox: inbox?.snapshot().rows.map((row) => inboxRow.parse(row).href.split('/')[3]),
    waits: status?.snapshot().rows.map((row) => statusRow.parse(row).counts?.waits),
  }));
  const [later, older] = ['helmrelease', 'helmrelease-v1beta1'];
  const both = {
    kinds: [later, older],
    totals: [2, 2],
    facets: [['flux.weave.works', 'helm.fluxcd.io']],
    inbox: [later, older],
    waits: [2],
  };
  const one = { kinds: [later], totals: [1, 1], facets: [['helm.fluxcd.io']], inbox: [later], waits: [1] };
  expect(told.map(({ kinds = [], inbox = [], ...rest }) => ({ ...rest, kinds: kinds.sort(), inbox: inbox.sort() }))).toEqual([
    both,
    both,
    one,
    one,
    one,
  ]);
});
