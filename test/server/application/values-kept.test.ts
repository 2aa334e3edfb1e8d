import { describe, expect, it } from 'vitest';
import { KINDS, SECRET } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { SUSPENDED } from '@/lib/kube/paused-by';
import { UNREFERENCED_MS, valuesController } from '@/server/application/values/controller';
import type { EngineDeps } from '@/server/framework';
import { FakeInformers } from '@/test/support/fake-informers';
import { ActWorld } from './act-world';
import { revisionOf } from './seen';
import { bare, KEY, refers, values } from './values-scene';

describe('a Secret with values', () => {
  function keeping(...objects: readonly KubeObject[]) {
    const world = new ActWorld(...objects);
    const informers = new FakeInformers(world.server);
    const open = (scope: { readonly apiVersion: string; readonly kind: string }) => informers.open(scope).store;
    const stores = { values: open(SECRET), applications: open(KINDS.application), revisions: open(KINDS.applicationRevision) };
    const { deps } = world.context();
    const controller = valuesController(deps as EngineDeps, stores);
    const pass = async (key = KEY) => controller.reconcile(key, { signal: world.abort.signal, cluster: undefined } as never);
    return { world, controller, pass, stores };
  }
  const ownersOf = (world: ActWorld, name = 'web-values-1') => world.at(values(name))?.metadata.ownerReferences?.map(({ uid }) => uid);

  it('[issue 10.1] belongs to the application that refers to it, once that is there, and goes with it', async () => {
    const { world, pass } = keeping(values('web-values-1'), refers());
    await pass();
    expect(ownersOf(world)).toEqual(['app']);
    const writes = world.writes().length;
    await pass();
    expect(world.writes()).toHaveLength(writes);
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'web', uid: 'c' };
    const former = { ...KINDS.application, name: 'web', uid: 'former' };
    const another = { ...KINDS.application, name: 'api', uid: 'api' };
    const made = keeping(values('web-values-1', {}, { ownerReferences: [other, former, another] }), refers());
    await made.pass();
    expect(ownersOf(made.world)).toEqual(['c', 'api', 'app']);
    const ending = keeping(values('web-values-1'), refers({ deletionTimestamp: '2026-01-01T00:00:00Z' }));
    await ending.pass();
    expect(ownersOf(ending.world)).toBeUndefined();
    const alone = keeping(values('web-values-1'), revisionOf(refers()).object);
    await alone.pass();
    expect(alone.world.writes(), 'while there is none').toEqual([]);
    const recorded = keeping(values('web-values-1'), revisionOf(refers()).object, bare);
    await recorded.pass();
    expect(ownersOf(recorded.world), 'by a revision of it').toEqual(['app']);
  });

  it('[issue 10.1] that nothing refers to goes after an hour, by its version, on record first', async () => {
    const { world, pass } = keeping(values('web-values-1'), bare);
    expect(await pass()).toMatchObject({ ms: UNREFERENCED_MS });
    world.now += UNREFERENCED_MS - 1;
    expect([await pass(), world.deletions]).toMatchObject([{ ms: 1 }, []]);
    world.now += 1;
    const live = world.at(values('web-values-1'));
    await pass();
    expect([world.at(values('web-values-1')), world.deletions]).toMatchObject([
      undefined,
      [['web-values-1', { preconditions: { uid: 'uid-web-values-1', resourceVersion: live?.metadata.resourceVersion } }]],
    ]);
    expect(world.record).toMatchObject([
      {
        id: 'values.deleted:uid-web-values-1',
        actor: 'application',
        action: 'values.deleted',
        message: 'nothing has referred to the values in Secret web-values-1 for an hour',
      },
    ]);
  });

  it('[issue 10.1] begins its hour anew where it was referred to meanwhile, or was made anew', async () => {
    const { world, pass } = keeping(values('web-values-1'));
    await pass();
    world.now += UNREFERENCED_MS;
    world.server.seed(values('web-values-1', {}, { uid: 'another' }));
    expect(await pass()).toMatchObject({ ms: UNREFERENCED_MS });
    world.server.seed(refers());
    await pass();
    await world.server.delete({ ...KINDS.application, name: 'web', namespace: 'shop' });
    world.now += UNREFERENCED_MS;
    expect(await pass()).toMatchObject({ ms: UNREFERENCED_MS });
  });

  it('[issue 10.1] stays where the server says that something refers to it, or its application is suspended', async () => {
    const atLast = async (...objects: readonly KubeObject[]) => {
      const { world, pass, stores } = keeping(values('web-values-1'), ...objects);
      Object.assign(stores.applications, { byIndex: () => [] });
      Object.assign(stores.revisions, { byIndex: () => [] });
      await pass();
      world.now += UNREFERENCED_MS;
      return [await pass(), world.deletions.length];
    };
    const kept = [{ ms: UNREFERENCED_MS }, 0];
    expect(await atLast(refers())).toMatchObject(kept);
    expect(await atLast(revisionOf(refers()).object)).toMatchObject(kept);
    expect(await atLast({ ...bare, metadata: { ...bare.metadata, annotations: { [SUSPENDED]: 'true' } } })).toMatchObject(kept);
    const other = { ...bare, metadata: { ...bare.metadata, name: 'other', annotations: { [SUSPENDED]: 'true' } } };
    expect((await atLast(other))[1], 'of another').toBe(1);
    expect((await atLast())[1]).toBe(1);
  });

  it('[issue 10.1] is looked at again where it changed meanwhile, and is no failure where it is gone', async () => {
    const failing = async (code: number) => {
      const { world, pass } = keeping(values('web-values-1'));
      await pass();
      world.now += UNREFERENCED_MS;
      world.server.addFaults([{ verb: 'delete', code, times: 1 }]);
      return pass();
    };
    expect(await failing(409)).toMatchObject({ ms: 0 });
    expect(await failing(404)).not.toHaveProperty('ms');
    await expect(failing(500)).rejects.toThrow();
  });

  it('[issue 10.1] is one by its type and its label, and nothing else is touched', async () => {
    for (const other of [values('web-values-1', {}, {}, { type: 'Opaque' }), values('web-values-1', {}, { labels: {} })]) {
      const { world, pass } = keeping(other);
      await pass();
      world.now += UNREFERENCED_MS;
      await pass();
      expect([world.writes(), world.deletions]).toEqual([[], []]);
    }
    const none = keeping();
    await none.pass();
    expect(none.world.server.requests).toEqual([]);
  });

  it('[issue 10.1] is looked at when it, an application or a revision changes, together with its application', () => {
    const { controller } = keeping();
    const change = (source: number, before: KubeObject | undefined, after: KubeObject | undefined) =>
      controller.sources[source]?.keysOf?.({ key: 'x' as ObjectKey, before, after });
    expect([change(1, refers(), undefined), change(1, bare, refers()), change(1, refers(), refers())]).toEqual([[KEY], [KEY], [KEY]]);
    expect([change(2, undefined, revisionOf(refers()).object), change(1, bare, bare)]).toEqual([[KEY], []]);
    expect(controller.shardKey?.('shop/web-values-1' as ObjectKey)).toBe('shop/web');
    expect(controller.shardKey?.('shop/a-values-b-values-1' as ObjectKey)).toBe('shop/a-values-b');
  });
});
