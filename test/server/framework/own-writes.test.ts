import { expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { CACHE_CATCH_UP_MS, OwnWrites } from '@/server/framework/own-writes';
import type { Cluster, WriteOptions } from '@/server/kube';
import type { InformerState } from '@/server/kube/informer';
import { ManualClock } from '@/test/support/manual-clock';
import { FakeStore } from './fake-store';

/** A server that stores what it is told, each time at the next version, and copies that are told by hand: before their watch began they take in no answer. */
function aGround(state: InformerState['kind'] & ('listing' | 'watching') = 'listing') {
  const clock = new ManualClock();
  const store = new FakeStore({ scope: KINDS.deployment });
  store.setState({ kind: state });
  let version = 10;
  const answer = async (object: KubeObject) => ({ ...object, metadata: { ...object.metadata, resourceVersion: String(++version) } });
  const stored = new Map<string, KubeObject>();
  const cluster = {
    get: async ({ name }: { readonly name: string }) => stored.get(name) ?? Promise.reject(new Error('nothing there')),
    create: answer,
    update: (object: KubeObject, _options?: WriteOptions) => answer(object),
    patch: () => answer({ apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'web', namespace: 'shop' } }),
  } as unknown as Cluster; // nothing else of the port is used
  const own = new OwnWrites([store], clock, cluster);
  const woken: string[] = [];
  const holds = (writer: string, name = 'other') =>
    own.holds({ writer, own: { ...KINDS.deployment, namespace: 'shop', name }, wake: () => woken.push(writer) });
  return {
    clock,
    store,
    stored,
    own,
    woken,
    holds,
    web: own.noting(cluster, 'web'),
    tell: (at: number) => store.put(aDeployment(String(at))),
  };
}

const aDeployment = (resourceVersion: string): KubeObject => ({
  ...KINDS.deployment,
  metadata: { name: 'web', namespace: 'shop', resourceVersion },
});

it('[issue 13] a pass waits until the copies show what was written in its name, and comes as soon as they do', async () => {
  const { web, holds, tell, woken } = aGround();
  tell(10);
  await web.update(aDeployment('10'));
  expect([holds('web'), holds('api')]).toEqual([true, false]);
  tell(10);
  expect([holds('web'), woken]).toEqual([true, []]);
  tell(11);
  expect([holds('web'), woken]).toEqual([false, ['web']]);
});

it('[issue 13] a pass waits for its own object whoever of the engine wrote it, a subresource included', async () => {
  const { web, holds, tell } = aGround();
  await web.patch({ ...KINDS.deployment, namespace: 'shop', name: 'web' }, { type: 'merge', body: {} }, { subresource: 'scale' });
  expect([holds('another', 'web'), holds('another')]).toEqual([true, false]);
  tell(11);
  expect(holds('another', 'web')).toBe(false);
});

it('[issue 13] nothing waits for what the copies have shown already, for what was only tried, for what is gone, or for other kinds', async () => {
  const { web, store, holds, tell } = aGround();
  tell(11);
  await web.update(aDeployment('10'));
  await web.update(aDeployment('11'), { dryRun: true });
  await web.update({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web', namespace: 'shop' } });
  expect(holds('web', 'web')).toBe(false);
  await web.update(aDeployment('11'));
  expect(holds('web')).toBe(true);
  store.remove('shop/web');
  expect(holds('web')).toBe(false);
});

it('[issue 13] a pass waits as long as the watch is behind, and no longer once that went beyond the write without showing the object', async () => {
  const { web, store, holds, clock } = aGround();
  await web.create(aDeployment('0'));
  await clock.advance(10 * CACHE_CATCH_UP_MS);
  expect(holds('web')).toBe(true);
  store.reached = '11';
  expect(holds('web')).toBe(false);
});

it('[issue 13] no pass waits for ever: not in a cluster put back to an earlier state, not for a kind that is served no more', async () => {
  const { web, store, holds, clock } = aGround();
  await web.update(aDeployment('10'));
  store.reached = '3';
  store.contactAt = clock.now();
  await clock.advance(CACHE_CATCH_UP_MS);
  expect(holds('web')).toBe(true);
  store.contactAt = clock.now();
  expect(holds('web')).toBe(false);

  await web.update(aDeployment('11'));
  await clock.advance(CACHE_CATCH_UP_MS);
  expect(holds('web')).toBe(true);
  store.setState({ kind: 'retrying', reason: 'the server does not serve Deployment', since: clock.now(), isMissing: true });
  expect(holds('web')).toBe(false);
});

it('[issue 13] nothing waits for what came and went before its answer was heard: the watch has been past it', async () => {
  const { web, store, holds } = aGround();
  store.reached = '11';
  await web.create(aDeployment('0'));
  expect(holds('web')).toBe(false);
});

it('[issue 13] for a pass that a person waits for the server itself is read, each object that the copies are behind of once, and no other', async () => {
  const { web, own, stored, store, holds, woken } = aGround();
  store.put(aDeployment('10'));
  await own.catchUp({ writer: 'web', own: undefined }, new AbortController().signal);
  expect(store.get('shop/web')?.metadata.resourceVersion).toBe('10');
  await web.update(aDeployment('10'));
  expect(holds('web')).toBe(true);
  await own.catchUp({ writer: 'web', own: undefined }, new AbortController().signal);
  expect(holds('web')).toBe(true); // what cannot be read is waited for
  stored.set('web', aDeployment('14'));
  store.setState({ kind: 'watching' });
  await own.catchUp({ writer: 'web', own: undefined }, new AbortController().signal);
  expect([holds('web'), woken, store.get('shop/web')?.metadata.resourceVersion]).toEqual([false, ['web'], '14']);
});

it('[issue 13] what the server answers a write is taken in by copies that watch, so that the next pass need not wait for the watch', async () => {
  const { web, store, holds, tell } = aGround('watching');
  tell(10);
  await web.update(aDeployment('10'));
  expect([store.get('shop/web')?.metadata.resourceVersion, holds('web'), holds('another', 'web')]).toEqual(['11', false, false]);
  store.remove('shop/web');
  await web.create(aDeployment('0'));
  expect([store.get('shop/web')?.metadata.resourceVersion, holds('web')]).toEqual(['12', false]);
});

it('[issue 13] what a subresource answers, which is another object, is waited for, and so is another version of the kind', async () => {
  const { web, store, holds, tell } = aGround('watching');
  tell(10);
  await web.patch({ ...KINDS.deployment, namespace: 'shop', name: 'web' }, { type: 'merge', body: {} }, { subresource: 'scale' });
  expect([store.get('shop/web')?.kind, holds('web')]).toEqual(['Deployment', true]);
  tell(11);
  await web.update({ ...aDeployment('11'), apiVersion: 'apps/v1beta2' });
  expect([store.get('shop/web')?.apiVersion, holds('web')]).toEqual(['apps/v1', true]);
});
