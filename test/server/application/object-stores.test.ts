import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { ObjectStores } from '@/server/application/observe/object-stores';
import { LABEL } from '@/server/dispatch';
import type { Cluster } from '@/server/kube';
import { NoMatchError } from '@/server/kube';
import { ManualClock } from '@/test/support/manual-clock';
import { FakeApiServer } from '../../support/dispatch-server';
import { FakeInformers } from '../../support/fake-informers';

const OPTICS: readonly TypeRef[] = ['Lamp', 'Lens', 'Mirror'].map((kind) => ({ apiVersion: 'optics.example.dev/v1', kind }));

function stage() {
  const server = new FakeApiServer();
  const informers = new FakeInformers(server);
  const clock = new ManualClock();
  const woken: string[] = [];
  let asking = 0;
  let mostAsking = 0;
  const resolve = async (type: TypeRef) => {
    mostAsking = Math.max(mostAsking, ++asking);
    await new Promise<void>((done) => setImmediate(done));
    asking -= 1;
    return server.discovery.resolve(type);
  };
  const cluster: Pick<Cluster, 'discovery'> = {
    discovery: {
      ...server.discovery,
      resolve,
      resolveKind: ({ group, kind, version = '' }) => resolve({ apiVersion: `${group}/${version}`, kind }),
    },
  };
  const stores = new ObjectStores({ cluster, informers, clock, onChange: (keys) => woken.push(...keys) });
  const ensure = () => stores.ensure(OPTICS, 'shop/web', new AbortController().signal);
  return { informers, clock, woken, ensure, mostAsking: () => mostAsking };
}

it('[dispatch 13] kinds that are new to the server are opened all at once, not one after the other', async () => {
  const { ensure, informers, mostAsking } = stage();
  expect(await ensure()).toBeUndefined();
  expect([mostAsking(), informers.all().length]).toEqual([OPTICS.length, OPTICS.length]);
});

it('[dispatch 13] a kind that is still being listed ends the pass at once, later with a sentence, and after a while the server is asked instead', async () => {
  const { ensure, informers, clock } = stage();
  informers.fall('Lens', 'unlisted');
  expect(await ensure()).toEqual({ againMs: 1000, why: undefined });
  await clock.advance(1000);
  expect(await ensure()).toEqual({ againMs: 4000, why: 'Lens objects are not known yet: the list is refused' });
  await clock.advance(4000);
  expect(await ensure()).toBeUndefined();
});

it('[dispatch 13] an application is woken when the kind it waits for becomes known', async () => {
  const { ensure, informers, woken } = stage();
  informers.fall('Lens', 'partial');
  await ensure();
  expect(woken).toEqual([]);
  informers.recover();
  expect(woken).toEqual(['shop/web']);
  expect(await ensure()).toBeUndefined();
});

describe('the copies of a kind', () => {
  const SCOPE = { apiVersion: 'v1', kind: 'ConfigMap' };
  const at = (name: string, apiVersion = 'v1') => ({ apiVersion, kind: 'ConfigMap', namespace: 'shop', name });
  const labelled = (app: string) => ({ 'app.oam.dev/name': app, 'app.oam.dev/namespace': 'shop' });
  const object = (name: string, labels: Readonly<Record<string, string>>, more: object = {}): KubeObject => ({
    ...{ ...SCOPE, metadata: { name, namespace: 'shop', labels }, ...more },
  });
  const signal = new AbortController().signal;

  function opened() {
    const server = new FakeApiServer();
    const informers = new FakeInformers(server);
    const clock = new ManualClock();
    const woken: (readonly string[])[] = [];
    let served: Error | undefined;
    const discovery = {
      ...server.discovery,
      resolveKind: (ref: Parameters<typeof server.discovery.resolveKind>[0]) =>
        served === undefined ? server.discovery.resolveKind(ref) : Promise.reject(served),
    };
    const stores = new ObjectStores({ cluster: { discovery }, informers, clock, onChange: (keys) => woken.push(keys) });
    const ensure = (types: readonly TypeRef[] = [SCOPE]) => stores.ensure(types, 'shop/web', signal);
    const serve = (error: Error | undefined) => {
      served = error;
    };
    return { server, informers, clock, woken, stores, ensure, serve };
  }

  it('[dispatch 13] wake the applications that an object names, before or after its change, each once, and nobody else', async () => {
    const { server, ensure, woken } = opened();
    await ensure();
    await server.create(object('a', labelled('web')));
    await server.update({
      ...(server.peek(at('a')) as KubeObject),
      metadata: { ...server.peek(at('a'))?.metadata, name: 'a', labels: labelled('api') },
    });
    await server.create(object('stranger', {}));
    expect(woken).toEqual([['shop/web'], ['shop/web', 'shop/api']]);
    await server.update({ ...(server.peek(at('a')) as KubeObject), status: { x: 1 } }, { subresource: 'status' });
    expect(woken, 'of a status nobody hears here').toHaveLength(2);
    await server.update({ ...(server.peek(at('a')) as KubeObject), data: { x: '1' } });
    expect(woken.at(-1)).toEqual(['shop/api']);
    const staged = {
      ...KINDS.deployment,
      metadata: { name: 'w', namespace: 'shop', labels: { ...labelled('web'), [LABEL.rolloutService]: 'web' } },
      spec: { replicas: 1 },
    };
    await ensure([KINDS.deployment]);
    await server.create(staged);
    await server.update({ ...(server.peek({ ...KINDS.deployment, namespace: 'shop', name: 'w' }) as KubeObject), spec: { replicas: 2 } });
    expect(woken, 'nor of what its rollout scales').toHaveLength(4);
  });

  it('[dispatch 13] are read by the version that is asked for, lacked only where that is known, and by any version as recorded', async () => {
    const { server, ensure, stores, informers } = opened();
    expect([stores.read(at('a')), stores.lacks(at('a')), stores.live(at('a'))]).toEqual([
      undefined,
      false,
      { kind: 'unknown', why: 'ConfigMap a in shop has not been read yet' },
    ]);
    await ensure();
    server.seed(object('a', {}));
    expect([stores.read(at('a'))?.metadata.name, stores.read(at('a', 'v1beta1')), stores.read(at('b'))]).toEqual([
      'a',
      undefined,
      undefined,
    ]);
    expect([stores.lacks(at('a')), stores.lacks(at('b'))]).toEqual([false, true]);
    expect([stores.live(at('a')).kind, stores.live(at('b')).kind]).toEqual(['present', 'absent']);
    informers.fall('ConfigMap', 'unlisted');
    expect([stores.lacks(at('b')), stores.live(at('b')).kind]).toEqual([false, 'unknown']);
  });

  it.each([
    ['that may not be listed are not waited for', 'refused', false, undefined],
    ['that are listed for the first time are', 'listing', false, 1000],
    ['that are listed again are', 'listing', true, 1000],
    ['that are watched are not', 'watching', true, undefined],
  ])('[issue 10.7] %s', async (_what, kind, synced, againMs) => {
    const { informers, ensure } = opened();
    const { store } = informers.open(SCOPE);
    store.health = () => ({ state: { kind, reason: 'no', since: 0 }, synced }) as never; // no more of it is looked at
    expect((await ensure())?.againMs).toBe(againMs);
  });

  it('[dispatch 13] of records are told with those of everything else', async () => {
    const { server, ensure, stores, informers } = opened();
    await ensure();
    const trackers = informers.open(KINDS.resourceTracker).store;
    server.seed({ ...KINDS.resourceTracker, metadata: { name: 't' } });
    server.seed(object('a', {}));
    const reader = stores.withTrackers(trackers);
    const tracker = (name: string) => ({ ...KINDS.resourceTracker, name });
    expect([reader.read(tracker('t'))?.metadata.name, reader.read(tracker('u')), reader.read(at('a'))?.metadata.name]).toEqual([
      't',
      undefined,
      'a',
    ]);
    expect([reader.lacks?.(tracker('t')), reader.lacks?.(tracker('u')), reader.lacks?.(at('a')), reader.lacks?.(at('b'))]).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  it('[dispatch 13] of a kind that nobody serves are absent until somebody does; what cannot be asked is a failure', async () => {
    const { ensure, stores, serve, informers } = opened();
    serve(new Error('down'));
    await expect(ensure()).rejects.toThrow('down');
    serve(new NoMatchError(SCOPE));
    expect([await ensure(), stores.live(at('a')), informers.all().length]).toEqual([undefined, { kind: 'absent' }, 0]);
    serve(undefined);
    await ensure();
    informers.fall('ConfigMap', 'unlisted');
    expect(stores.live(at('a')).kind, 'it is served again').toBe('unknown');
  });

  it('[dispatch 13] are given up once their kind is served no more, and only then', async () => {
    const { ensure, stores, serve, informers, server, woken } = opened();
    await ensure();
    serve(new NoMatchError(SCOPE));
    await ensure();
    expect(stores.lacks(at('a')), 'they are watched well').toBe(true);
    informers.fall('ConfigMap', 'lost');
    serve(new Error('down'));
    await ensure();
    expect(stores.live(at('a')).kind).not.toBe('absent');
    serve(new NoMatchError(SCOPE));
    await ensure();
    expect(stores.live(at('a'))).toEqual({ kind: 'absent' });
    informers.recover();
    await server.create(object('a', labelled('web')));
    expect(woken, 'nothing is heard of them any more').toEqual([]);
  });

  it('[dispatch 13] are opened once, and end with whoever opened them', async () => {
    const { ensure, stores, server, woken, informers } = opened();
    await Promise.all([ensure(), ensure([SCOPE, SCOPE])]);
    await server.create(object('a', labelled('web')));
    expect(woken).toHaveLength(1);
    stores[Symbol.dispose]();
    await server.create(object('b', labelled('web')));
    informers.fall('ConfigMap', 'lost');
    informers.recover();
    expect([woken.length, stores.read(at('a'))]).toEqual([1, undefined]);
  });

  it('[dispatch 13] that are still being listed say so by their kinds, of the longest wait, and wake who waits only once', async () => {
    const { ensure, informers, clock, woken, server } = opened();
    informers.fall('ConfigMap', 'partial');
    informers.fall('Secret', 'partial');
    await ensure();
    await clock.advance(999);
    expect(await ensure([SCOPE, { apiVersion: 'v1', kind: 'Secret' }])).toEqual({ againMs: 1, why: undefined });
    await clock.advance(1);
    expect(await ensure([SCOPE, { apiVersion: 'v1', kind: 'Secret' }])).toEqual({
      againMs: 4000,
      why: 'ConfigMap objects are not known yet: they are still being listed; Secret objects are not known yet: they are still being listed',
    });
    await clock.advance(3999);
    expect((await ensure())?.againMs).toBe(1);
    await clock.advance(1);
    expect(await ensure(), 'a kind that cannot be listed holds nobody for ever').toBeUndefined();
    expect(woken).toEqual([]);
    informers.recover();
    expect(woken).toEqual([['shop/web'], ['shop/web']]);
    informers.fall('ConfigMap', 'lost');
    informers.recover();
    expect([woken.length, server.all()]).toEqual([2, []]);
  });
});
