import { describe, expect, it } from 'vitest';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { toObjectId } from '@/lib/kube/object';
import type { Observation } from '@/server/application/observe/observe';
import type { PlanReader } from '@/server/application/plan/plan-change';
import { planChange } from '@/server/application/plan/plan-change';
import { planDeletion } from '@/server/application/plan/plan-deletion';
import { parseApplication } from '@/server/application/spec/parse';
import type { LiveState } from '@/server/dispatch';
import { configMap, entry, holding, revisionOf, seenAfter } from './seen';
import { first, NOW, planned, rollout, second, shop, tracker } from './staged-shop';

const OURS = { 'app.oam.dev/name': 'web', 'app.oam.dev/namespace': 'shop' };
const there = (name: string, value = '1', more: object = {}): KubeObject => ({
  ...configMap(name, { a: value }, { namespace: 'shop', uid: `uid-${name}`, labels: OURS, ...more }),
});
const record = (name: string, ...names: readonly string[]) =>
  tracker(name, { entries: names.map((one) => entry('ConfigMap', one)), intact: true });

/** A cluster of these objects, and how it is read. */
function reading(objects: readonly KubeObject[], more: Partial<PlanReader> = {}) {
  const held = new Map(
    objects.map((object) => [toObjectId({ ...object, namespace: object.metadata.namespace, name: object.metadata.name ?? '' }), object]),
  );
  const asked: ObjectAddress[] = [];
  let turns = 0;
  const reader: PlanReader = {
    values: async () => undefined,
    states: async (addresses) => {
      asked.push(...addresses);
      const told = new Set(addresses.map(toObjectId));
      return (at): LiveState => {
        if (!told.has(toObjectId(at))) return { kind: 'unknown', why: 'nobody asked' };
        const object = held.get(toObjectId(at));
        return object === undefined ? { kind: 'absent' } : { kind: 'present', object };
      };
    },
    isNamespaced: async () => true,
    yieldToEventLoop: async () => void turns++,
    ...more,
  };
  return { reader, asked, turns: () => turns };
}
const change = (seen: Observation, reader: PlanReader, object = seen.object) => planChange(seen, { object, now: NOW }, reader);
/** An object as the plan writes it. */
function written(seen: Observation, name: string): KubeObject {
  const manifest = planned(seen).rendered.manifests.find(({ metadata }) => metadata.name === name);
  return { ...manifest, metadata: { ...manifest?.metadata, uid: `uid-${name}` } } as KubeObject;
}
const told = ({ objects }: Awaited<ReturnType<typeof change>>) => objects.map(({ id, verdict }) => `${id} ${verdict}`);

describe('the plan of a change', () => {
  it('[design 11] says why nothing is done, of what cannot be read and of what is being deleted', async () => {
    const { reader, asked } = reading([]);
    const broken = seenAfter([], holding([]), { application: { fault: 'it is broken' } });
    expect(await change(broken, reader)).toMatchObject({ revision: undefined, objects: [], refused: 'it is broken' });
    const ending = holding([], {}, { deletionTimestamp: '2026-01-01T00:00:00Z' });
    const gone = { ...seenAfter([], holding([])), object: ending };
    expect(await change(gone, reader)).toMatchObject({ revision: undefined, refused: 'Application web in shop is being deleted' });
    expect(asked).toEqual([]);
  });

  it('[design 11] has what is made, changed, kept and deleted, each with the object that is there', async () => {
    const object = holding([configMap('new', { a: '1' }), configMap('other', { a: '1' }), configMap('same', { a: '1' })]);
    const seen = seenAfter([revisionOf(holding([]))], object, { latest: 'web-v1', trackers: [record('web-v1-shop', 'same', 'old')] });
    const { reader, asked } = reading([there('other', '9'), written(seen, 'same'), there('old')]);
    const plan = await change(seen, reader);
    expect(told(plan)).toEqual([
      'ConfigMap/shop/new new',
      'ConfigMap/shop/other changed',
      'ConfigMap/shop/same handed-over',
      'ConfigMap/shop/old deleted',
    ]);
    expect(plan.revision).toEqual({ name: 'web-v2', isNew: true });
    const [, changed, , old] = plan.objects;
    expect([changed?.uid, old?.uid, old?.at, old?.garbage?.verdict]).toEqual([
      'uid-other',
      'uid-old',
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'old', namespace: 'shop' },
      'deleted',
    ]);
    expect(asked.map(toObjectId)).toEqual([
      'Namespace//shop',
      ...['new', 'other', 'same', 'same', 'old'].map((name) => `ConfigMap/shop/${name}`),
    ]);
    expect(plan.refused).toBeUndefined();
  });

  it('[design 11] deletes nothing that the record of the revision lists already, and is of the stored revision then', async () => {
    const object = holding([configMap('a', { a: '1' })]);
    const own = record('web-v1-shop', 'a', 'kept');
    const seen = seenAfter([revisionOf(object)], object, { trackers: [own, record('web-v0-shop', 'kept', 'old')] });
    const controlled = { ownerReferences: [{ apiVersion: 'v1', kind: 'ResourceTracker', name: own.name, uid: own.uid, controller: true }] };
    const plan = await change(seen, reading([written(seen, 'a'), there('kept'), there('old', '1', controlled)]).reader);
    expect(told(plan)).toEqual(['ConfigMap/shop/a kept', 'ConfigMap/shop/old deleted']);
    expect(plan.revision).toEqual({ name: 'web-v1', isNew: false });
  });

  it('[design 11] tells of a cluster-wide object once, whatever namespace its record has', async () => {
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'r', labels: OURS }, rules: [] };
    const asked: string[] = [];
    const { reader, asked: read } = reading([role], {
      isNamespaced: async ({ kind }) => {
        asked.push(kind);
        return kind !== 'ClusterRole';
      },
    });
    const wide = { ...entry('ClusterRole', 'r'), apiVersion: role.apiVersion, namespace: '' };
    const object = holding([role, { ...role, metadata: { name: 's' } }, configMap('a')]);
    const seen = seenAfter([revisionOf(holding([]))], object, {
      latest: 'web-v1',
      trackers: [tracker('web-v1-shop', { entries: [wide] })],
    });
    const plan = await change(seen, reader);
    expect(told(plan)).toEqual([
      'ClusterRole.rbac.authorization.k8s.io//r changed',
      'ClusterRole.rbac.authorization.k8s.io//s new',
      'ConfigMap/shop/a new',
    ]);
    expect(asked, 'each kind is asked about once').toEqual(['ClusterRole', 'ConfigMap']);
    expect(read.filter(({ kind }) => kind === 'Namespace').map(({ name }) => name)).toEqual(['shop']);
    expect(plan.objects[0]?.wanted?.manifest.metadata).not.toHaveProperty('namespace');
    const gone = await change(
      { ...seen, object: holding([configMap('a')]), application: parseApplication(holding([configMap('a')])) },
      reader,
    );
    expect(gone.objects[1]?.at).toEqual({ apiVersion: role.apiVersion, kind: 'ClusterRole', name: 'r' });
  });

  it('[dispatch 13] refuses what is of a kind that nobody serves, unless it brings the kind along', async () => {
    const lamp = { apiVersion: 'optics.example.dev/v1', kind: 'Lamp', metadata: { name: 'l' } };
    const { reader } = reading([], {
      isNamespaced: async ({ kind }) => (kind === 'Lamp' ? { unserved: 'no Lamp' } : kind !== 'CustomResourceDefinition'),
    });
    const alone = holding([lamp]);
    expect((await change(seenAfter([], alone), reader)).objects).toMatchObject([{ verdict: 'refused', why: 'no Lamp' }]);
    const definition = {
      ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'lamps.optics.example.dev' } },
      spec: {
        group: 'optics.example.dev',
        scope: 'Cluster',
        names: { kind: 'Lamp', plural: 'lamps' },
        versions: [{ name: 'v1', served: true, storage: true }],
      },
    };
    const plan = await change(seenAfter([], holding([definition, lamp])), reader);
    expect(plan.objects.find(({ at }) => at.kind === 'Lamp')).toMatchObject({ verdict: 'new', at: { name: 'l' } });
    expect(plan.objects.find(({ at }) => at.kind === 'Lamp')?.at).not.toHaveProperty('namespace');
    const served = reading([], { isNamespaced: async ({ kind }) => kind === 'Lamp' });
    const again = await change(seenAfter([], holding([definition, lamp])), served.reader);
    expect(again.objects.find(({ at }) => at.kind === 'Lamp')?.at, 'once it is served, that tells').toHaveProperty('namespace', 'shop');
  });

  it('[dispatch P2] takes over what any record of the application controls, and nothing that another controls', async () => {
    const object = holding([configMap('a', { a: '1' })]);
    const seen = seenAfter([revisionOf(object)], object, { trackers: [record('web-v1-shop'), record('web-v0-shop')] });
    const of = async (uid: string) => {
      const { metadata, ...rest } = written(seen, 'a');
      const ownerReferences = [{ apiVersion: 'v1', kind: 'ResourceTracker', name: 't', uid, controller: true }];
      const controlled = { ...rest, metadata: { ...metadata, ownerReferences } };
      return told(await change(seen, reading([controlled]).reader))[0];
    };
    expect([await of('web-v1-shop'), await of('web-v0-shop'), await of('other')]).toEqual([
      'ConfigMap/shop/a kept',
      'ConfigMap/shop/a kept',
      'ConfigMap/shop/a refused',
    ]);
  });

  it('[dispatch G] keeps what its own annotation asks to keep, of the components that it has', async () => {
    const object = holding([configMap('a', { a: '1' })]);
    const kept = (component: string) =>
      there('old', '1', { annotations: { 'app.oam.dev/skipGC': 'true' }, labels: { ...OURS, 'app.oam.dev/component': component } });
    const seen = seenAfter([revisionOf(holding([]))], object, { latest: 'web-v1', trackers: [record('web-v1-shop', 'old')] });
    const of = async (component: string) => told(await change(seen, reading([kept(component)]).reader)).at(-1);
    expect([await of('set'), await of('other')]).toEqual(['ConfigMap/shop/old kept', 'ConfigMap/shop/old deleted']);
  });

  it('[design 8] does nothing where a value is nowhere, and says which', async () => {
    const reference = { valueFrom: { secretKeyRef: { name: 'web-values-1', key: 'k' } } };
    const object = holding([{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { k: reference } }]);
    const plan = await change(seenAfter([], object), reading([]).reader);
    expect([plan.objects, plan.refused]).toEqual([
      [],
      expect.stringContaining('is stored in Secret web-values-1 in shop, which does not exist'),
    ]);
  });

  it('[issue 10.4] lets others have their turn every 64 objects', async () => {
    const turnsOf = async (count: number) => {
      const { reader, turns } = reading([]);
      await change(seenAfter([], holding(Array.from({ length: count }, (_, at) => configMap(`c${at}`)))), reader);
      return turns();
    };
    expect([await turnsOf(63), await turnsOf(64), await turnsOf(128)]).toEqual([1, 2, 3]);
  });

  it('[design 13 B] of a rejected revision restores what it shares with the stable one, and deletes nothing', async () => {
    const rejected = { rollout: rollout({ target: 'web-v2', rejected: 'web-v2' }), latest: 'web-v1' };
    const trackers = [record('web-v1-shop', 'old')];
    const plan = await change(seenAfter([first, second], shop('web:2'), { ...rejected, trackers }), reading([there('old')]).reader);
    expect([told(plan), plan.refused]).toEqual([['Deployment.apps/shop/api new'], expect.stringContaining('web-v2 was rejected')]);
    const alone = await change(seenAfter([second], shop('web:2'), { ...rejected, latest: undefined }), reading([]).reader);
    expect([alone.objects, alone.revision]).toEqual([[], { name: 'web-v2', isNew: false }]);
  });

  it('[dispatch G] says of deletions that a rule holds why they wait, where there are any', async () => {
    const object = holding([configMap('a', { a: '1' })]);
    const many = Array.from({ length: 30 }, (_, at) => `old${at}`);
    const seen = seenAfter([revisionOf(holding([]))], object, { latest: 'web-v1', trackers: [record('web-v1-shop', ...many)] });
    const plan = await change(seen, reading(many.map((name) => there(name))).reader);
    expect(plan.refused).toContain('30');
    const half = await change(seen, reading(many.slice(0, 15).map((name) => there(name))).reader);
    expect(half.refused, 'what is gone already counts: the plan is of the same deletions').toContain('30');
  });
});

describe('the plan of a deletion', () => {
  it('[design 11] has every object with what is there of it, how many revisions, and the rollout that goes', async () => {
    const object = holding([configMap('a')], {}, { deletionTimestamp: '2026-01-01T00:00:00Z' });
    const seen = seenAfter([first, second], object, { trackers: [record('web-v1-shop', 'a', 'gone')] });
    const { reader } = reading([there('a')]);
    const plan = await planDeletion(seen, NOW, reader);
    expect(plan.items.map(({ item, live }) => [item.id, live?.metadata.uid])).toEqual([
      ['ConfigMap/shop/a', 'uid-a'],
      ['ConfigMap/shop/gone', undefined],
    ]);
    expect(plan).toMatchObject({ revisions: 2, rollout: undefined, fault: undefined, approval: { required: expect.any(Number) } });
    const more = await planDeletion({ ...seen, trackerFaults: ['changed', 'x'], rollout: rollout({ isUnderWay: true }) }, NOW, reader);
    expect([more.fault, more.rollout]).toEqual(['changed', { name: 'web', isUnderWay: true }]);
  });
});
