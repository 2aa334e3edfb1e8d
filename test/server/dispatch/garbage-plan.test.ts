import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ObjectAddress } from '@/lib/kube/object';
import type { GarbageContext, TrackerEntry } from '@/server/dispatch';
import { executeGarbage, planGarbage, readLive } from '@/server/dispatch';
import { NoMatchError } from '@/server/kube';
import { DiscoveryFailedError } from '@/server/kube/errors';
import { allThere, entry, objectOf, seen, server, TRACKER, tracker, verdicts } from './garbage-rig';

describe('the plan of a collection', () => {
  const entries = fc.uniqueArray(
    fc.record({
      kind: fc.constantFrom('ConfigMap', 'Service', 'PersistentVolumeClaim'),
      name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      version: fc.constantFrom('v1', 'v1beta1'),
    }),
    { selector: ({ kind, name }) => `${kind}/${name}` },
  );
  const listed = (list: readonly { kind: string; name: string; version: string }[]) =>
    list.map(({ kind, name, version }) => entry(kind, name, { apiVersion: `things.example.dev/${version}` }));

  it('[dispatch G2] garbage is what the old trackers list and the new one does not, whatever the API version', () => {
    fc.assert(
      fc.property(entries, entries, entries, (first, second, after) => {
        const plan = planGarbage([tracker('one', listed(first)), tracker('two', listed(second))], tracker('next', listed(after)), allThere);
        const ids = (list: readonly { kind: string; name: string }[]) => new Set(list.map(({ kind, name }) => `${kind}/${name}`));
        const next = ids(after);
        const garbage = [...ids([...first, ...second])].filter((id) => !next.has(id)).sort();
        const going = plan.items.filter(({ verdict }) => verdict === 'deleted').map((item) => `${item.entry.kind}/${item.entry.name}`);
        expect(going.sort()).toEqual(garbage);
        expect(plan.items).toHaveLength(ids([...first, ...second, ...after]).size);
      }),
    );
  });

  it('[design 13 G] the digest does not depend on order, and changes with uid and verdict', () => {
    const [a, b] = [entry('ConfigMap', 'a'), entry('ConfigMap', 'b')];
    const digest = (old: readonly TrackerEntry[], next: readonly TrackerEntry[] = []) =>
      planGarbage(tracker('old', old), tracker('next', next), allThere).digest;
    expect(digest([a, b])).toBe(digest([b, a]));
    expect(digest([a, b])).not.toBe(digest([a, b], [b]));
    expect(digest([{ ...a, uid: 'other' }])).not.toBe(digest([a]));
  });

  it('[design 13 G] an object that two trackers recorded under two uids is judged by the record that is true', () => {
    const [former, present] = [entry('ConfigMap', 'a', { uid: 'former' }), entry('ConfigMap', 'a')];
    const live: GarbageContext = { live: () => ({ kind: 'present', object: objectOf(present) }) };
    const plans = [
      [tracker('one', [former]), tracker('two', [present])],
      [tracker('two', [present]), tracker('one', [former])],
    ].map((olds) => planGarbage(olds, undefined, live));
    expect(plans.map(verdicts)).toEqual([{ a: 'deleted' }, { a: 'deleted' }]);
    expect(plans[0]?.digest).toBe(plans[1]?.digest);
  });

  it('[design 13 G] an object of another cluster is never judged by its namesake here, so nothing goes while it is listed', () => {
    const plan = planGarbage(tracker('old', [entry('ConfigMap', 'a', { cluster: 'east' }), entry('ConfigMap', 'b')]), undefined, allThere);
    expect(verdicts(plan)).toEqual({ a: 'held', b: 'deleted' });
    expect(plan.refused).toBe('nothing is deleted while the state of ConfigMap a in shop is unknown: it lives in cluster east');
  });

  it('[design 13 K] an object that went meanwhile leaves the digest as it was seen', () => {
    const old = tracker('old', [entry('ConfigMap', 'a'), entry('ConfigMap', 'b')]);
    const half: GarbageContext = { live: (one) => (one.name === 'a' ? { kind: 'absent' } : { kind: 'present', object: objectOf(one) }) };
    const [before, after] = [planGarbage(old, undefined, allThere), planGarbage(old, undefined, half)];
    expect(verdicts(after)).toEqual({ a: 'gone', b: 'deleted' });
    expect(after.digest).toBe(before.digest);
  });

  it('[design 8] an object that cannot be read is not absent, and stops everything', () => {
    const plan = planGarbage(tracker('old', [entry('ConfigMap', 'a')]), undefined, seen({ kind: 'unknown', why: 'the list failed' }));
    expect(verdicts(plan)).toEqual({ a: 'held' });
    expect(plan.refused).toBe('nothing is deleted while the state of ConfigMap a in shop is unknown: the list failed');
  });

  it.each([
    ['v1', 'PersistentVolume', undefined, 'PersistentVolume//x'],
    ['v1', 'PersistentVolumeClaim', 'shop', 'PersistentVolumeClaim/shop/x'],
    ['v1', 'Namespace', undefined, 'Namespace//x'],
    ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', undefined, 'CustomResourceDefinition//x'],
  ])('[design 8] %s %s only goes when a decision names it, which changes nothing of the digest', (apiVersion, kind, namespace, named) => {
    const { namespace: _shop, ...bare } = entry(kind, 'x', { apiVersion });
    const old = tracker('old', [namespace === undefined ? bare : { ...bare, namespace }]);
    const held = planGarbage(old, undefined, allThere);
    const going = planGarbage(old, undefined, { ...allThere, named: { objects: [named] } });
    expect([verdicts(held), verdicts(going)]).toEqual([{ x: 'held' }, { x: 'deleted' }]);
    expect(going.digest).toBe(held.digest);
  });

  it.each<[string, number, number, number | undefined, boolean]>([
    ['four of four go', 4, 0, undefined, false],
    ['five of ten go', 5, 5, undefined, false],
    ['five of nine are too many', 5, 4, undefined, true],
    ['six of six go when a decision names six', 6, 0, 6, false],
    ['six of six are too many when it names five', 6, 0, 5, true],
  ])('[design 8] %s', (_title, going, staying, count, isRefused) => {
    const old = Array.from({ length: going }, (_, at) => entry('ConfigMap', `old-${at}`));
    const shared = Array.from({ length: staying }, (_, at) => entry('ConfigMap', `shared-${at}`));
    const plan = planGarbage(tracker('old', [...old, ...shared]), tracker('next', shared), { ...allThere, named: { count } });
    expect(plan.refused !== undefined).toBe(isRefused);
  });

  it('[dispatch G7] what another controller has, or what was replaced under its name, stays', () => {
    const foreign = objectOf(entry('ConfigMap', 'a'), {
      ownerReferences: [{ apiVersion: 'x/v1', kind: 'Robot', name: 'r1', uid: 'r', controller: true }],
    });
    const plans = [foreign, objectOf({ ...entry('ConfigMap', 'a'), uid: 'another' })].map((object) =>
      planGarbage(tracker('old', [entry('ConfigMap', 'a')]), undefined, seen({ kind: 'present', object })),
    );
    expect(plans.map(verdicts)).toEqual([{ a: 'kept' }, { a: 'kept' }]);
    expect(plans.map(({ items }) => items[0]?.why)).toEqual([
      'Robot r1 controls it',
      'it was replaced: recorded as uid uid:ConfigMap/shop/a, found another',
    ]);
  });
});

describe('carrying out a plan', () => {
  it('[design 13 G] deletes each object with uid and resourceVersion, the tracker last and without its dependents', async () => {
    const [a, claim] = [entry('ConfigMap', 'a'), entry('PersistentVolumeClaim', 'data')];
    const owned = { ownerReferences: [{ ...TRACKER, name: 'old', uid: 'uid:ResourceTracker/old', controller: true }] };
    const fake = await server(objectOf(a, owned), objectOf(claim, owned));
    const old = tracker('old', [a, claim]);
    await executeGarbage(fake, planGarbage(old, undefined, { live: await readLive(fake, old.entries) }), [old]);
    expect(fake.requests.filter(({ verb }) => verb === 'delete').map(({ key }) => key)).toEqual([
      'v1|ConfigMap|shop|a',
      'core.oam.dev/v1beta1|ResourceTracker||old',
    ]);
    expect(fake.peek(claim)?.metadata.ownerReferences).toEqual([]);
  });

  it('[design 13 G] an object that was replaced after the plan was made stays, and so does the tracker', async () => {
    const a = entry('ConfigMap', 'a');
    const fake = await server(objectOf(a));
    const old = tracker('old', [a]);
    const plan = planGarbage(old, undefined, { live: await readLive(fake, old.entries) });
    fake.seed(objectOf({ ...a, uid: 'another' }));
    await expect(executeGarbage(fake, plan, [old])).rejects.toThrow(
      'cannot delete ConfigMap a in shop: it was planned as uid uid:ConfigMap/shop/a, found another',
    );
    expect(fake.peek({ ...TRACKER, name: 'old' })).toBeDefined();
  });

  it('[issue 9, 6] an object that was created again between read and delete stays, also where versions were given out twice', async () => {
    const a = entry('ConfigMap', 'a');
    const fake = await server(objectOf(a));
    const old = tracker('old', [a]);
    const plan = planGarbage(old, undefined, { live: await readLive(fake, old.entries) });
    let remade = false;
    // As after etcd was put back: what is read and what is there by then have the same version.
    const get = fake.get.bind(fake);
    fake.get = async (at) => {
      const read = await get(at);
      if (remade || at.kind !== 'ConfigMap') return read;
      remade = true;
      fake.seed(objectOf({ ...a, uid: 'another' }));
      return { ...read, metadata: { ...read.metadata, resourceVersion: fake.peek(a)?.metadata.resourceVersion ?? '' } };
    };
    await expect(executeGarbage(fake, plan, [old])).rejects.toThrow('it was planned as uid uid:ConfigMap/shop/a, found another');
    expect(fake.peek(a)?.metadata.uid).toBe('another');
  });

  it('[design 13 G] an object whose status changes between read and delete is read again', async () => {
    const a = entry('ConfigMap', 'a');
    const fake = await server(objectOf(a));
    const old = tracker('old', [a]);
    const plan = planGarbage(old, undefined, { live: await readLive(fake, old.entries) });
    let raced = false;
    fake.onRequest = (verb, at) => {
      if (verb !== 'delete' || raced || at.kind !== 'ConfigMap') return;
      raced = true;
      fake.seed(objectOf(a));
    };
    await executeGarbage(fake, plan, [old]);
    expect([raced, fake.peek(a)]).toEqual([true, undefined]);
  });

  it('[issue 9.4] an object whose kind nobody can look up is not gone: nothing is deleted, and nothing is forgotten', async () => {
    const [a, b] = [entry('Pump', 'a', { apiVersion: 'water.test/v1' }), entry('ConfigMap', 'b')];
    const fake = await server(objectOf(a), objectOf(b));
    const old = tracker('old', [a, b]);
    const plan = planGarbage(old, undefined, allThere);
    const unserved = async (at: ObjectAddress) => {
      if (at.kind === 'Pump') throw new NoMatchError(at);
      return fake.get(at);
    };
    const resolveKind = async () =>
      Promise.reject(new DiscoveryFailedError('water.test', { cause: new Error('its server does not answer') }));
    const client = Object.assign(Object.create(fake) as typeof fake, { get: unserved, discovery: { ...fake.discovery, resolveKind } });
    const said = 'the API group "water.test" could not be discovered: its server does not answer';
    expect((await readLive(client, old.entries))(a)).toEqual({ kind: 'unknown', why: `Pump a in shop cannot be read: ${said}` });
    await expect(executeGarbage(client, plan, [old])).rejects.toThrow(`cannot delete Pump a in shop: ${said}`);
    expect([fake.peek(b), fake.peek({ ...TRACKER, name: 'old' })]).not.toContain(undefined);
  });

  it('[design 8] a refused plan deletes nothing', async () => {
    const many = Array.from({ length: 5 }, (_, at) => entry('ConfigMap', `c-${at}`));
    const fake = await server(...many.map((one) => objectOf(one)));
    const old = tracker('old', many);
    await expect(executeGarbage(fake, planGarbage(old, undefined, allThere), [old])).rejects.toThrow('it would delete 5 of 5 objects');
    expect(fake.requests.filter(({ verb }) => verb === 'delete')).toEqual([]);
  });
});
