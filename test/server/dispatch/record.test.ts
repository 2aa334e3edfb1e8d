import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readList } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { AppManifestsDispatcher, digestOfDeletions, planGarbage, readTracker } from '@/server/dispatch';
import { GCHandler } from '@/server/dispatch/garbage/handler';
import { FakeApiServer } from '../../support/dispatch-server';

const TRACKER = { apiVersion: 'core.oam.dev/v1beta1', kind: 'ResourceTracker' } as const;
const config = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop' },
  data: { k: 'v' },
});
const listed = (name: string, members: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, namespace: 'shop', ...members });
const tracker = (name: string, managedResources: readonly object[]): KubeObject => ({
  ...TRACKER,
  metadata: { name },
  spec: { type: 'versioned', applicationGeneration: 0, managedResources },
});
const dispatch = (server: FakeApiServer, manifests: readonly KubeObject[]) =>
  new AppManifestsDispatcher(
    server,
    { name: 'cart-v1', namespace: 'shop' },
    { tools: { clock: { sleep: async () => undefined } } },
  ).dispatch(manifests);

describe('the record of a tracker', () => {
  it('[dispatch T4] that compresses the null of the writers in Go lists nothing', () => {
    const data = gzipSync('null').toString('base64');
    expect(
      readTracker({ ...TRACKER, metadata: { name: 't' }, spec: { type: 'root', compression: { type: 'gzip', data } } }).entries,
    ).toEqual([]);
  });

  it.each(['legacy', 'managed'] as const)('[dispatch D6] keeps what it lists twice (%s form)', async (form) => {
    const server = new FakeApiServer();
    const entries = [listed('a'), listed('a')];
    const held: KubeObject =
      form === 'managed'
        ? tracker('cart-v1-shop', entries)
        : { ...TRACKER, metadata: { name: 'cart-v1-shop' }, status: { trackedResources: entries } };
    server.seed(held);
    const written = await dispatch(server, [config('b'), config('a')]);
    expect(written.entries.map(({ name }) => name)).toEqual(['a', 'a', 'b']);
  });

  it('[issue 9.4] knows what it creates again by the uid that plans know it by, until somebody puts another there', async () => {
    const server = new FakeApiServer();
    const at = { ...TRACKER, name: 'cart-v1-shop' };
    const read = () => readTracker(server.peek(at) as KubeObject);
    const line = () => {
      const plan = planGarbage(read(), undefined, { live: () => ({ kind: 'absent' }) });
      return `${digestOfDeletions(plan)} ${plan.digest}`;
    };
    server.seed(tracker('cart-v1-shop', [listed('a', { uid: 'before' })]));
    const seen = line();
    for (const _time of ['created', 'unchanged']) {
      await dispatch(server, [config('a')]);
      expect([read().entries[0]?.uid === 'before', line(), read().intact]).toEqual([false, seen, true]);
    }
    server.seed({ ...config('a'), metadata: { ...config('a').metadata, uid: 'theirs' } });
    await dispatch(server, [config('a')]);
    expect([read().entries[0], line() === seen, read().intact]).toMatchObject([{ uid: 'theirs' }, false, true]);
    expect(server.peek(at)?.metadata.annotations).not.toHaveProperty(['slipway.dev/recreated']);
  });

  it('[issue 9.4] notes of what it creates again no more than an annotation holds', async () => {
    const server = new FakeApiServer();
    const names = Array.from({ length: 502 }, (_, at) => `map-${at}`);
    server.seed(
      tracker(
        'cart-v1-shop',
        names.map((name) => listed(name, { uid: `before-${name}` })),
      ),
    );
    await dispatch(server, names.map(config));
    const note = server.peek({ ...TRACKER, name: 'cart-v1-shop' })?.metadata.annotations?.['slipway.dev/recreated'] ?? '';
    expect(note.split(',').length).toBe(500);
  });

  it('[dispatch D6] lists an object beside its namesake in another cluster', async () => {
    const server = new FakeApiServer();
    server.seed(tracker('cart-v1-shop', [listed('a', { cluster: 'edge-1' })]));
    await dispatch(server, [config('a')]);
    const stored = readList(server.peek({ ...TRACKER, name: 'cart-v1-shop' }), 'spec', 'managedResources');
    expect(stored).toMatchObject([{ name: 'a', cluster: 'edge-1' }, { name: 'a' }]);
    expect(stored[1]).not.toHaveProperty('cluster');
  });

  it('[dispatch G5] is not collected where it lists an object of another cluster: here its namesake would go', async () => {
    const server = new FakeApiServer();
    server.seed(config('a'));
    const old = readTracker(tracker('cart-v1-shop', [listed('a', { cluster: 'edge-1' })]));
    const collection = new GCHandler(server, 'shop').garbageCollect(old, readTracker(tracker('cart-v2-shop', [])));
    await expect(collection).rejects.toThrow('cannot delete resource {"v1" "ConfigMap" "a" "shop" ""}: it lives in cluster edge-1');
    expect(server.requests).toEqual([]);
  });

  it('[dispatch D5] a manifest without any name is refused and nothing is asked of its kind', async () => {
    const server = new FakeApiServer();
    const nameless: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'shop' } };
    await expect(dispatch(server, [nameless])).rejects.toThrow(
      'cannot apply manifest, name: "" apiVersion: "v1" kind: "ConfigMap": cannot get object: resource name may not be empty',
    );
    expect(server.requests.filter(({ kind }) => kind === 'ConfigMap')).toEqual([]);
  });

  it('[dispatch D9L] a stray that cannot be deleted is a failure of the collection', async () => {
    const server = new FakeApiServer();
    const labels = { 'app.oam.dev/name': 'cart', 'app.oam.dev/namespace': 'shop' };
    for (const name of ['cart-v1-shop', 'cart-v2-shop']) server.seed({ ...tracker(name, []), metadata: { name, labels } });
    server.addFaults([{ verb: 'delete', name: 'cart-v2-shop', code: 500, times: 1 }]);
    const dispatcher = new AppManifestsDispatcher(server, { name: 'cart-v3', namespace: 'shop' }, { garbage: { legacyTrackers: true } });
    await expect(dispatcher.endAndGC({ name: 'cart-v1-shop' }).dispatch([])).rejects.toThrow(
      'cannot do GC based on resource trackers "cart-v1-shop" and "cart-v3-shop": cannot delete resource tracker "cart-v2-shop": ',
    );
  });

  it.each([
    ['of a component that is still there', { components: ['cart'] }, true],
    ['of a component that left', { components: ['till'] }, false],
    ['when nobody says which components there are', {}, true],
  ])('[dispatch L2] an object annotated to stay %s is spared: %o, %s', async (_title, options, spared) => {
    const server = new FakeApiServer();
    const metadata = {
      name: 'a',
      namespace: 'shop',
      labels: { 'app.oam.dev/component': 'cart' },
      annotations: { 'app.oam.dev/skipGC': 'true' },
    };
    server.seed({ ...config('a'), metadata });
    const handler = new GCHandler(server, 'shop', { skipGCAnnotation: true, ...options });
    await handler.garbageCollect(readTracker(tracker('cart-v1-shop', [listed('a')])), readTracker(tracker('cart-v2-shop', [])));
    expect(server.peek({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'a' }) !== undefined).toBe(spared);
  });
});
