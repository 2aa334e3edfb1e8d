import { expect, it } from 'vitest';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import type { TrackerRow } from '@/lib/contract/tracker-rows';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { House } from '../../support/house';
import { startHouse } from '../../support/house';
import type { Rows } from './rig';
import { openRows } from './rig';

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };

const shop = (objects: readonly object[]): KubeObject => ({
  ...KINDS.application,
  metadata: { name: 'shop' },
  spec: { components: [{ name: 'set', type: 'k8s-objects', properties: { objects } }] },
});
const maps = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ ...CONFIG_MAP, metadata: { name: `m-${at}` }, data: { a: '1' } }));
const fixed = (value: string) => [{ ...CONFIG_MAP, metadata: { name: 'fixed' }, immutable: true, data: { a: value } }];

function detailOf(rows: Rows, house: House): ApplicationDetail | undefined {
  return rows.see({ kind: 'application', ns: house.ns, name: 'shop' })?.rows[0] as unknown as ApplicationDetail | undefined; // checked by its schema where it is read
}
const statesOf = (rows: Rows, house: House) => detailOf(rows, house)?.revisions.map(({ name, state }) => `${name} ${state}`);
const trackersOf = (rows: Rows) =>
  (rows.see({ kind: 'trackers', query: {} })?.rows as unknown as readonly TrackerRow[] | undefined)
    ?.map(({ revision, state }) => `${revision} ${state}`)
    .sort();

async function change(house: House, objects: readonly object[]): Promise<void> {
  const live = await house.get(KINDS.application, 'shop');
  await house.cluster.update({ ...shop(objects), metadata: { ...live?.metadata } });
}

it('[design 14] while deletions are held the newer revision is current, for it is what runs; page and tracker say the same', async () => {
  await using house = await startHouse();
  await using rows = await openRows(house);
  await house.apply(shop(maps(10)));
  await house.until('the first one is current', () => statesOf(rows, house)?.[0] === 'shop-v1 current');
  await change(house, maps(2));
  await house.until('the deletions are held', () => detailOf(rows, house)?.activity === 'held');
  expect(statesOf(rows, house)).toEqual(['shop-v2 current', 'shop-v1 previous']);
  expect(trackersOf(rows)).toEqual(['shop-v1 previous', 'shop-v2 current']);
  // Two are the newer revision's, eight the former one's, and each is counted once.
  expect(detailOf(rows, house)?.objects).toMatchObject({
    total: 11,
    kinds: [
      { kind: 'Application.core.oam.dev', count: 1 },
      { kind: 'ConfigMap', count: 10 },
    ],
  });
});

it('[design 14] a revision that cannot be applied is told as not applied, and the former one stays current', async () => {
  await using house = await startHouse();
  await using rows = await openRows(house);
  await house.apply(shop(fixed('1')));
  await house.until('the first one is current', () => statesOf(rows, house)?.[0] === 'shop-v1 current');
  await change(house, fixed('2'));
  await house.until('the next one is refused', () => statesOf(rows, house)?.[0] === 'shop-v2 unapplied');
  expect(statesOf(rows, house)).toEqual(['shop-v2 unapplied', 'shop-v1 current']);
  expect(detailOf(rows, house)?.drift).toMatchObject({
    state: 'applying',
    revision: 'shop-v2',
    repair: { when: 'waits', why: expect.stringContaining('immutable') },
  });
  // What it wants is known all the same, so that what keeps it from being applied can be told object by object, and nothing that it lacks.
  const desiredOf = (name: string) => rows.model.desiredOf({ ns: house.ns, name: 'shop' }, { ...CONFIG_MAP, namespace: house.ns, name });
  expect(desiredOf('fixed')).toMatchObject({
    revision: 'shop-v2',
    isApplied: false,
    manifest: { data: { a: '2' } },
    repair: { failing: true },
  });
  expect(desiredOf('other')).toEqual({ uncompared: expect.stringContaining('immutable') });
});
