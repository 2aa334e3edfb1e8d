import { describe, expect, it } from 'vitest';
import { readField, readList, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { openRows, treeOf } from '../server/readmodel/rig';
import type { ClusterKind, House } from '../support/house';
import { driven, startHouse } from '../support/house';

const TEST_LIMIT_MS = 300_000;
const DEFINITION = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const;
const VERSIONS = ['v1', 'v1beta1'] as const;

type Version = (typeof VERSIONS)[number];

const groupOfHouse = ({ ns }: House) => `${ns}.example.com`;
const typeAt = (house: House, version: Version) => ({ apiVersion: `${groupOfHouse(house)}/${version}`, kind: 'Gauge' });

function definition(house: House, served: readonly Version[]): KubeObject {
  const group = groupOfHouse(house);
  return {
    ...DEFINITION,
    metadata: { name: `gauges.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Gauge', plural: 'gauges', singular: 'gauge', listKind: 'GaugeList' },
      versions: VERSIONS.map((name) => ({
        name,
        served: served.includes(name),
        storage: name === 'v1',
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      })),
    },
  };
}

/** An application of gauges, written at one version of their kind. */
function meters(house: House, version: Version, gauges: readonly string[]): KubeObject {
  const objects = [
    ...gauges.map((name) => ({ ...typeAt(house, version), metadata: { name }, spec: { level: gauges.length } })),
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'scale' }, data: { unit: 'bar' } },
  ];
  return {
    ...KINDS.application,
    metadata: { name: 'meters' },
    spec: { components: [{ name: 'all', type: 'k8s-objects', properties: { objects } }] },
  };
}

async function isServed(house: House, version: Version): Promise<boolean> {
  house.cluster.discovery.invalidate();
  return house.cluster.discovery.resolve(typeAt(house, version)).then(
    () => true,
    () => false,
  );
}

const appliedAs = async (house: House) => readString(await house.get(KINDS.application, 'meters'), 'status', 'latestRevision', 'name');

async function stored(house: House): Promise<KubeObject> {
  const found = await house.get(KINDS.application, 'meters');
  if (found === undefined) throw new Error('the application is not there');
  return found;
}

const sentences = async (house: House) =>
  readList(await house.get(KINDS.application, 'meters'), 'status', 'conditions')
    .map((condition) => readString(condition, 'message'))
    .join(' ');

async function start(house: House): Promise<void> {
  await driven(house.clock, house.cluster.create(definition(house, VERSIONS)));
  await house.until('both versions are served', async () => (await isServed(house, 'v1')) && (await isServed(house, 'v1beta1')));
  await house.apply(meters(house, 'v1beta1', ['north', 'south']));
  await house.until('the first revision is applied', async () => (await appliedAs(house)) === 'meters-v1');
}

async function dropBeta(house: House): Promise<void> {
  const { metadata, spec } = definition(house, ['v1']);
  await driven(house.clock, house.cluster.patch({ ...DEFINITION, name: metadata.name ?? '' }, { type: 'merge', body: { spec } }));
  await house.until('v1beta1 is served no more', async () => !(await isServed(house, 'v1beta1')));
  // A real API server cuts the watches of a definition that it takes up anew.
  if (house.clusterKind === 'embedded') house.faults.cutWatches({ kind: 'Gauge' });
}

/** What becomes of objects whose kind is served at another version than the one that they were written at, on either cluster. */
export function defineVersionsHouse(clusterKind: ClusterKind): void {
  describe(`versions that go, on the ${clusterKind} cluster`, () => {
    it('[issue 9.1] the tree tells the status of an object whose version is served no more, by the version that is', {
      timeout: TEST_LIMIT_MS,
    }, async () => {
      await using house = await startHouse({ clusterKind });
      await using rows = await openRows(house);
      await start(house);
      const seen = () => {
        return treeOf(rows, { ns: house.ns, name: 'meters' }).find(({ kind, name }) => kind === 'Gauge' && name === 'north');
      };
      await house.until('the tree has it', () => seen()?.health === 'InProgress', 60_000); // nobody has reported on it yet
      await dropBeta(house);
      const at = { ...typeAt(house, 'v1'), namespace: house.ns, name: 'north' };
      const body = { status: { conditions: [{ type: 'Stalled', status: 'True', reason: 'Leaking', message: 'it leaks' }] } };
      await driven(house.clock, house.cluster.patch(at, { type: 'merge', body }));
      await house.until('the tree tells that it failed', () => seen()?.health === 'Failed');
      expect(seen()?.message).toContain('it leaks');
    });

    it('[issue 9.4] garbage whose version is served no more is deleted, not forgotten, and what is wanted at the new version is handed over', {
      timeout: TEST_LIMIT_MS,
    }, async () => {
      await using house = await startHouse({ clusterKind });
      await start(house);
      const before = await house.get(typeAt(house, 'v1'), 'north');
      await dropBeta(house);
      await house.apply(meters(house, 'v1', ['north']));
      await house.until('the second revision is applied', async () => (await appliedAs(house)) === 'meters-v2');
      await house.until(
        'the first tracker is gone',
        async () => (await house.get(KINDS.resourceTracker, `meters-v1-${house.ns}`, '')) === undefined,
      );
      expect(await house.get(typeAt(house, 'v1'), 'south')).toBeUndefined();
      const north = await house.get(typeAt(house, 'v1'), 'north');
      expect([north?.metadata.uid, readField(north, 'spec', 'level')]).toEqual([before?.metadata.uid, 1]);
    });

    it('[issue 9.4] a revision written at a version that is served no more is refused with the versions that are, and changes nothing', {
      timeout: TEST_LIMIT_MS,
    }, async () => {
      await using house = await startHouse({ clusterKind });
      await start(house);
      await dropBeta(house);
      await house.apply(meters(house, 'v1', ['north', 'south']));
      await house.until('the second revision is applied', async () => (await appliedAs(house)) === 'meters-v2');
      const before = await house.get(typeAt(house, 'v1'), 'north');
      const back = meters(house, 'v1beta1', ['north']);
      const { apiVersion: old } = typeAt(house, 'v1beta1');
      const why = `no matches for kind "Gauge" in version "${old}": the cluster does not serve that version, only ${typeAt(house, 'v1').apiVersion}`;
      const planned = (await house.plan({ ...(await stored(house)), spec: back.spec })).objects.find(({ at }) => at.name === 'north');
      expect([planned?.verdict, planned?.why]).toEqual(['refused', why]);
      await house.apply(back);
      await house.until('the refusal is told', async () => (await sentences(house)).includes(why));
      expect(await house.get(typeAt(house, 'v1'), 'north')).toEqual(before);
      expect(await house.get(typeAt(house, 'v1'), 'south')).toBeDefined();
    });

    it('[issue 9.4] objects whose kind is served at no version are gone with it, and hold no application back', {
      timeout: TEST_LIMIT_MS,
    }, async () => {
      await using house = await startHouse({ clusterKind });
      await start(house);
      const name = `gauges.${groupOfHouse(house)}`;
      await driven(house.clock, house.cluster.delete({ ...DEFINITION, name }));
      await house.until('the kind is served no more', async () => !(await isServed(house, 'v1')) && !(await isServed(house, 'v1beta1')));
      await driven(house.clock, house.cluster.delete({ ...KINDS.application, namespace: house.ns, name: 'meters' }));
      await house.until('the application is gone', async () => (await house.get(KINDS.application, 'meters')) === undefined);
      expect(await house.get(KINDS.resourceTracker, `meters-v1-${house.ns}`, '')).toBeUndefined();
    });
  });
}
