import { describe, expect, it } from 'vitest';
import type { RecordEntry } from '@/lib/contract/record-entry';
import { getCondition } from '@/lib/kube/condition';
import { readField, readList, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { planGarbage, readLive, readTracker } from '@/server/dispatch';
import { aBoutique, BOUTIQUE_KIND } from '../support/boutique';
import type { ClusterKind, House } from '../support/house';
import { startHouse } from '../support/house';

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
const limit = (clusterKind: ClusterKind) => (clusterKind === 'embedded' ? 5 * 60_000 : undefined);
const latest = async (house: House) => readString(await house.get(KINDS.application, 'boutique'), 'status', 'latestRevision', 'name');
const explain = async (house: House) => JSON.stringify(readField(await house.get(KINDS.application, 'boutique'), 'status', 'conditions'));

async function applied(house: House, revision: string): Promise<void> {
  try {
    await house.until(`${revision} is applied`, async () => (await latest(house)) === revision, limit(house.clusterKind));
  } catch (cause) {
    throw new Error(`${revision}: ${await explain(house)}`, { cause });
  }
}

async function entries(house: House, revision: string) {
  const found = await house.get(KINDS.resourceTracker, `${revision}-${house.ns}`);
  return found === undefined ? undefined : readTracker(found).entries;
}

async function uids(house: House, objects: readonly KubeObject[]): Promise<Record<string, string | undefined>> {
  const found = await Promise.all(
    objects.map(async ({ apiVersion, kind, metadata: { name = '', namespace } }) => {
      const live = await house.get({ apiVersion, kind }, name, namespace ?? house.ns);
      return [`${kind}/${name}`, live?.metadata.uid] as const;
    }),
  );
  return Object.fromEntries(found);
}

const idsOf = (items: readonly { readonly id: string; readonly verdict: string }[]) =>
  items.flatMap(({ id, verdict }) => (verdict === 'deleted' ? id : [])).sort();
/** The engine drives whatever lies on the cluster: what it does for the applications of another test is left out. */
function ownRecord({ record, ns }: House): readonly RecordEntry[] {
  const all = [...record.values()];
  const planned = all.flatMap(({ action, about, data }) =>
    action === 'garbage.planned' && about.namespace === ns ? [readString(data, 'digest')] : [],
  );
  return all.filter(({ action, data }) => action === 'garbage.deleted' && planned.includes(readString(data, 'digest')));
}

/** Ids of what the engine put on record as deleted since so many of them were. */
const recorded = (house: House, from = 0) =>
  ownRecord(house)
    .slice(from)
    .map(({ message }) => message.split(' ')[0] ?? '');

/** What saving the application would collect, previewed as the screen does it. */
async function previewed(house: House, application: KubeObject): Promise<readonly string[]> {
  const found = await house.get(KINDS.application, 'boutique');
  if (found === undefined) throw new Error('nothing runs yet');
  return idsOf((await house.plan({ ...found, spec: application.spec })).objects);
}

async function remove(house: House, type: TypeRef, name: string): Promise<void> {
  await house.cluster.delete({ ...type, name });
}

/** An application of many services, with a kind of its own, over several namespaces: from the first dispatch to its end. */
export function defineApplicationHouse(clusterKind: ClusterKind): void {
  describe(`an application of two dozen objects on the ${clusterKind} cluster`, () => {
    it('[dispatch 13] is dispatched, changed, rolled back and deleted, with its own kind, namespaces and cluster-scoped objects', async () => {
      await using house = await startHouse({ clusterKind });
      const first = aBoutique(house.ns);
      expect(first.objects.length).toBeGreaterThanOrEqual(24);
      await house.apply(first.application);
      await applied(house, 'boutique-v1');
      const before = await uids(house, first.objects);
      expect(Object.entries(before).filter(([, uid]) => uid === undefined)).toEqual([]);
      expect(await entries(house, 'boutique-v1')).toHaveLength(first.objects.length);
      const cart = await house.get(KINDS.deployment, 'cart', first.shop);
      const managers = readList(cart, 'metadata', 'managedFields').map((one) => readString(one, 'manager'));
      // The simulator keeps no book of managers for updates and patches.
      if (clusterKind === 'real') expect(managers).toContain('slipway.dev/dispatch');

      const second = aBoutique(house.ns, { tag: '2', without: ['recommendation'], discount: 25 });
      const promised = await previewed(house, second.application);
      expect(promised).toEqual([`Deployment.apps/${first.shop}/recommendation`, `Service/${first.shop}/recommendation`]);
      await house.apply(second.application);
      await applied(house, 'boutique-v2');
      await house.until('the first tracker is gone', async () => (await entries(house, 'boutique-v1')) === undefined, limit(clusterKind));
      expect(recorded(house).sort()).toEqual(promised);
      expect(await house.get(KINDS.deployment, 'recommendation', first.shop)).toBeUndefined();
      expect(await house.get(KINDS.service, 'recommendation', first.shop)).toBeUndefined();
      expect(readField(await house.get(BOUTIQUE_KIND(house.ns), 'spring', first.shop), 'spec', 'percent')).toBe(25);
      expect(await uids(house, second.objects)).toEqual(
        Object.fromEntries(Object.entries(before).filter(([id]) => !id.endsWith('/recommendation'))),
      );

      await house.apply(first.application);
      await applied(house, 'boutique-v3');
      await house.until('the second tracker is gone', async () => (await entries(house, 'boutique-v2')) === undefined, limit(clusterKind));
      expect(await house.get(KINDS.deployment, 'recommendation', first.shop)).toBeDefined();
      expect(await uids(house, second.objects)).toEqual(
        Object.fromEntries(Object.entries(before).filter(([id]) => !id.endsWith('/recommendation'))),
      );

      await deleteWhole(house, first.objects.length);
      const left = Object.entries(await uids(house, first.objects)).flatMap(([id, uid]) => (uid === undefined ? [] : id));
      const precious = first.objects.filter(({ kind }) =>
        ['Namespace', 'CustomResourceDefinition', 'PersistentVolumeClaim'].includes(kind),
      );
      expect(left.sort()).toEqual(precious.map(({ kind, metadata }) => `${kind}/${metadata.name}`).sort());
      for (const { apiVersion, kind, metadata } of precious)
        if (metadata.namespace === undefined) await remove(house, { apiVersion, kind }, metadata.name ?? '');
    });
  });

  describe(`an application that kubectl stored on the ${clusterKind} cluster`, () => {
    it('[issue 10.4] with a whole number beyond 2^53 says so, without the number, and does nothing; once it is a smaller one it goes on', async () => {
      await using house = await startHouse({ clusterKind });
      const { ns } = house;
      const spec = '{"terminationGracePeriodSeconds":9007199254740993,"containers":[{"name":"c","image":"x"}]}';
      const pod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"long"},"spec":${spec}}`;
      const components = `[{"name":"o","type":"k8s-objects","properties":{"objects":[${pod}]}}]`;
      const body = `{"apiVersion":"core.oam.dev/v1beta1","kind":"Application","metadata":{"name":"long"},"spec":{"components":${components}}}`;
      const path = `/apis/core.oam.dev/v1beta1/namespaces/${ns}/applications`;
      const { status } = await house.cluster.request({ method: 'POST', path, body, headers: { 'content-type': 'application/json' } });
      expect(status).toBe(201);
      const message = async () => getCondition(await house.get(KINDS.application, 'long'), 'Ready')?.message ?? '';
      await house.until('it says so', async () => (await message()) !== '', limit(clusterKind));
      expect(await message()).toBe(
        `Application long in ${ns}: spec.components[0].properties.objects[0].spec.terminationGracePeriodSeconds must not be a whole number beyond 2^53, which is not stored exactly; write it in quotes, or use a smaller one`,
      );
      expect(await house.get({ apiVersion: 'v1', kind: 'Pod' }, 'long')).toBeUndefined();
      const smaller = JSON.parse(components.replace('9007199254740993', '30')) as object[];
      await house.cluster.patch(
        { ...KINDS.application, namespace: ns, name: 'long' },
        { type: 'merge', body: { spec: { components: smaller } } },
      );
      await house.until(
        'the pod is there',
        async () => (await house.get({ apiVersion: 'v1', kind: 'Pod' }, 'long')) !== undefined,
        limit(clusterKind),
      );
    });

    it('[issue 10.4] nested too deep says so, also deeper than it could be sent back; once it is not it goes on', async () => {
      await using house = await startHouse({ clusterKind });
      const at = { ...KINDS.application, namespace: house.ns, name: 'deep' };
      // So deep that it could not be sent back: a real API server keeps ten thousand levels.
      const levels = clusterKind === 'real' ? 9000 : 600;
      const path = `/apis/core.oam.dev/v1beta1/namespaces/${house.ns}/applications`;
      const object = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"deep"},"data":${'['.repeat(levels)}${']'.repeat(levels)}}`;
      const components = `[{"name":"o","type":"k8s-objects","properties":{"objects":[${object}]}}]`;
      const body = `{"apiVersion":"core.oam.dev/v1beta1","kind":"Application","metadata":{"name":"deep"},"spec":{"components":${components}}}`;
      const { status } = await house.cluster.request({ method: 'POST', path, body, headers: { 'content-type': 'application/json' } });
      expect(status).toBe(201);
      const told = async () => getCondition(await house.cluster.get(at), 'Ready')?.message ?? '';
      await house.until('it says so', async () => (await told()) !== '', limit(clusterKind));
      expect(await told()).toBe(`Application deep in ${house.ns}: spec must not be nested deeper than 500 levels`);
      const flat = [{ name: 'o', type: 'k8s-objects', properties: { objects: [{ ...CONFIG_MAP, metadata: { name: 'deep' } }] } }];
      await house.cluster.patch(at, { type: 'merge', body: { spec: { components: flat } } });
      await house.until('the object is there', async () => (await house.get(CONFIG_MAP, 'deep')) !== undefined, limit(clusterKind));
    });
  });
}

/** Deletes the application, and lets go what a decision for the shown digest names. */
async function deleteWhole(house: House, count: number): Promise<void> {
  const { uid } = (await house.get(KINDS.application, 'boutique'))?.metadata ?? {};
  await house.cluster.delete({ ...KINDS.application, namespace: house.ns, name: 'boutique' });
  const digest = async () => {
    const object = await house.get(KINDS.application, 'boutique');
    return readString(object, 'status', 'status') === 'deleting' ? readString(object, 'status', 'collection', 'digest') : undefined;
  };
  await house.until('the deletion waits for a decision', async () => (await digest()) !== undefined, limit(house.clusterKind));
  const listed = (await entries(house, 'boutique-v3')) ?? [];
  expect(listed.length).toBe(count);
  const tracker = {
    name: `boutique-v3-${house.ns}`,
    uid: (await house.get(KINDS.resourceTracker, `boutique-v3-${house.ns}`))?.metadata.uid ?? '',
    entries: listed,
  };
  const plan = planGarbage(tracker, undefined, { live: await readLive(house.cluster, listed), named: { count } });
  expect(plan.digest).toBe(await digest());
  const from = ownRecord(house).length;
  const seen = { garbage: await digest() };
  const spec = { applicationRef: { name: 'boutique', uid }, verb: 'approve', actor: { user: 'ada' }, seen, garbage: { count } };
  const ada = house.cluster.as({ user: 'ada', groups: ['slipway:operators'] });
  await ada.create({ ...KINDS.stageDecision, metadata: { name: 'let-go', namespace: house.ns }, spec });
  await house.until(
    'the application is gone',
    async () => (await house.get(KINDS.application, 'boutique')) === undefined,
    limit(house.clusterKind),
  );
  expect(recorded(house, from).sort()).toEqual(idsOf(plan.items));
}
