import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readField, readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { DispatchOptions } from '@/server/dispatch';
import { AppManifestsDispatcher, explainTampering, readTracker } from '@/server/dispatch';
import { loadPrevious } from '@/server/dispatch/steps/find-trackers';
import { TrackerStore } from '@/server/dispatch/tracker/store';
import { moveGroup } from '../../support/dispatch-moved';
import { FakeApiServer } from '../../support/dispatch-server';

const TRACKER = { apiVersion: 'core.oam.dev/v1beta1', kind: 'ResourceTracker' };
const REVISION = { name: 'cart-v1', namespace: 'shop' };
const config = (name: string, data: Record<string, string> = { k: 'v' }): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop' },
  data,
});
const secret = (stringData: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'keys', namespace: 'shop' },
  stringData,
});

const dispatch = (server: FakeApiServer, manifests: readonly KubeObject[], options: DispatchOptions = {}, revision = REVISION) =>
  new AppManifestsDispatcher(server, revision, {
    ...options,
    tools: { clock: { sleep: async () => undefined }, ...options.tools },
  }).dispatch(manifests);

describe('the tracker that is taken over from', () => {
  it('[record 0032] is the same one where its kind is served at another version by now, and is not taken for gone', async () => {
    const server = new FakeApiServer();
    const previous = await dispatch(server, [config('a')]);
    moveGroup(server, 'core.oam.dev', 'v1');
    const store = new TrackerStore({ client: server, clock: { sleep: async () => undefined }, random: () => 0.5 });
    expect((await store.load(previous.name))?.uid).toBe(previous.uid);
    const step = {
      client: server,
      options: { merge: {}, writing: {}, tracking: { missingPrevious: 'ignore' }, garbage: {}, tools: {}, scopes: 'ignore' },
      store,
      signal: undefined,
    } as const;
    expect((await loadPrevious(step, { name: previous.name }, 'cart-v2-shop'))?.entries.map(({ name }) => name)).toEqual(['a']);
  });

  it('[dispatch D3L] stops the dispatch where it could not be read for another reason than that it is gone', async () => {
    const server = new FakeApiServer();
    await dispatch(server, [config('a')]);
    server.addFaults([{ verb: 'get', kind: 'ResourceTracker', name: 'cart-v1-shop', code: 500, times: 1 }]);
    const next = new AppManifestsDispatcher(
      server,
      { name: 'cart-v2', namespace: 'shop' },
      { tracking: { missingPrevious: 'ignore' } },
    ).endAndGC({
      name: 'cart-v1-shop',
    });
    await expect(next.dispatch([config('b')])).rejects.toThrow('failed to get previous resource tracker: ');
    expect(server.peek({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'b' })).toBeUndefined();
  });
});

describe('dispatching again', () => {
  it('[design 11] an unchanged set from a watched copy is no request at all', async () => {
    const server = new FakeApiServer();
    const options: DispatchOptions = {
      writing: { skipUnchanged: true },
      tracking: { record: 'beforeApply' },
      tools: { cache: { read: (at) => server.peek(at) } },
    };
    const manifests = [config('a'), config('b')];
    await dispatch(server, manifests, options);
    server.requests.length = 0;
    await dispatch(server, manifests, options);
    expect(server.requests).toEqual([]);
  });

  it('[design 12.6] what a copy does not know is asked of the server before it is created', async () => {
    const server = new FakeApiServer();
    await dispatch(server, [config('a')]);
    server.requests.length = 0;
    await dispatch(server, [config('a')], { writing: { skipUnchanged: true }, tools: { cache: { read: () => undefined } } });
    expect(server.requests.map(({ verb }) => verb)).not.toContain('create');
  });

  it('[design 12.6] what complete copies lack is created without a read; when somebody was quicker it is read and patched', async () => {
    const server = new FakeApiServer();
    const cache = { read: () => undefined, lacks: () => true };
    await dispatch(server, [config('a')], { writing: { skipUnchanged: true }, tools: { cache } });
    expect(server.requests.filter(({ kind }) => kind === 'ConfigMap').map(({ verb }) => verb)).toEqual(['create']);
    server.requests.length = 0;
    await dispatch(server, [config('a', { k: 'w' })], { writing: { skipUnchanged: true }, tools: { cache } });
    expect(server.requests.filter(({ kind }) => kind === 'ConfigMap').map(({ verb }) => verb)).toEqual(['create', 'get', 'patch']);
  });

  it.each([
    [
      'emptied',
      'is shorter',
      (server: FakeApiServer, held: KubeObject) => server.seed({ ...held, spec: { ...(held.spec as object), managedResources: [] } }),
    ],
    ['gone', 'is not there any more', (server: FakeApiServer) => void server.delete({ ...TRACKER, name: 'cart-v1-shop' })],
  ])(
    '[issue 9, 6] a record that a watched copy remembers, and that is %s, is not relied on: nothing is made outside of it',
    async (_how, said, lose) => {
      const server = new FakeApiServer();
      const options: DispatchOptions = { writing: { skipUnchanged: true }, tracking: { record: 'beforeApply' } };
      await dispatch(server, [config('a'), config('b')], options);
      const held = server.peek({ ...TRACKER, name: 'cart-v1-shop' });
      if (held === undefined) throw new Error('there is no record');
      await server.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'b' });
      lose(server, held);
      const cache = { read: ({ kind }: { readonly kind: string }) => (kind === TRACKER.kind ? held : undefined) };
      await expect(dispatch(server, [config('a'), config('b')], { ...options, tools: { cache } })).rejects.toThrow(
        `resource tracker "cart-v1-shop" ${said}`,
      );
      expect(server.peek({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'b' })).toBeUndefined();
    },
  );

  it('[dispatch D6] a copy of the tracker that is behind never makes its record shrink', async () => {
    const server = new FakeApiServer();
    await dispatch(server, [config('a')]);
    const behind = server.peek({ ...TRACKER, name: 'cart-v1-shop' });
    await dispatch(server, [config('b')]);
    const tracker = await dispatch(server, [config('c')], {
      writing: { skipUnchanged: true },
      tools: { cache: { read: ({ kind }) => (kind === 'ResourceTracker' ? behind : undefined) } },
    });
    expect(tracker.entries.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  it('[dispatch D5] sixteen at once begin with the namespaces that the others live in', async () => {
    const server = new FakeApiServer();
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
    const tracker = await dispatch(server, [config('a'), config('b'), namespace], { writing: { concurrency: 16 } });
    const creates = server.requests.filter(({ verb, kind }) => verb === 'create' && kind !== 'ResourceTracker').map(({ kind }) => kind);
    expect(creates).toEqual(['Namespace', 'ConfigMap', 'ConfigMap']);
    expect(tracker.entries.map(({ name }) => name)).toEqual(['a', 'b', 'shop']);
  });

  it('[dispatch D5] sixteen at once stop starting new ones after the first failure', async () => {
    const server = new FakeApiServer();
    server.addFaults([{ verb: 'create', kind: 'ConfigMap', name: 'c-3', code: 500, times: 1 }]);
    const manifests = Array.from({ length: 100 }, (_, at) => config(`c-${at}`));
    await expect(dispatch(server, manifests, { writing: { concurrency: 16 } })).rejects.toThrow('cannot apply manifest, name: "c-3"');
    expect(server.requests.filter(({ verb, kind }) => verb === 'create' && kind === 'ConfigMap').length).toBeLessThan(40);
  });
});

describe('the record', () => {
  it('[dispatch 12.3] written first lists objects that a failure left uncreated', async () => {
    const server = new FakeApiServer();
    server.addFaults([{ verb: 'create', kind: 'ConfigMap', name: 'b', code: 500, times: 1 }]);
    await expect(dispatch(server, [config('a'), config('b')], { tracking: { record: 'beforeApply' } })).rejects.toThrow();
    const tracker = readTracker(server.peek({ ...TRACKER, name: 'cart-v1-shop' }) ?? { ...TRACKER, metadata: {} });
    expect(tracker.entries.map(({ name, uid }) => [name, uid])).toEqual([
      ['a', undefined],
      ['b', undefined],
    ]);
  });

  it('[dispatch T4] of a large application is compressed and reads as before', async () => {
    const server = new FakeApiServer();
    const manifests = Array.from({ length: 120 }, (_, at) => config(`c-${at}`, { text: 'x'.repeat(3000) }));
    await dispatch(server, manifests);
    const stored = server.peek({ ...TRACKER, name: 'cart-v1-shop' });
    expect(readField(stored, 'spec', 'managedResources')).toBeUndefined();
    expect(JSON.parse(gunzipSync(Buffer.from(readString(stored, 'spec', 'compression', 'data') ?? '', 'base64')).toString())).toHaveLength(
      120,
    );
    expect(readTracker(stored ?? { ...TRACKER, metadata: {} }).entries).toHaveLength(120);
  });

  it('[dispatch T] falls back to the form of 2021 where the cluster prunes the spec', async () => {
    const server = new FakeApiServer();
    const create = server.create.bind(server);
    server.create = (object) =>
      create(object.kind === 'ResourceTracker' ? { apiVersion: object.apiVersion, kind: object.kind, metadata: object.metadata } : object);
    await dispatch(server, [config('a')]);
    expect(readList(server.peek({ ...TRACKER, name: 'cart-v1-shop' }), 'status', 'trackedResources')).toEqual([
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace: 'shop' },
    ]);
  });

  it('[dispatch T4] reads zstd', () => {
    // `[{"apiVersion":"v1","kind":"ConfigMap","name":"a"}]` as one raw block.
    const text = Buffer.from('[{"apiVersion":"v1","kind":"ConfigMap","name":"a"}]');
    const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, text.length, ((text.length << 3) | 1) & 0xff, (text.length >> 5) & 0xff, 0]);
    const data = Buffer.concat([header, text]).toString('base64');
    const tracker = readTracker({ ...TRACKER, metadata: { name: 't' }, spec: { type: 'versioned', compression: { type: 'zstd', data } } });
    expect(tracker.entries.map(({ name }) => name)).toEqual(['a']);
  });

  it.each([
    [
      'garbled data',
      { type: 'versioned', compression: { type: 'gzip', data: 'AAAA' } },
      'ResourceTracker t: its gzip record cannot be read',
    ],
    [
      'an unknown compression',
      { type: 'versioned', compression: { type: 'lzma', data: '' } },
      'the compression must be gzip or zstd, found lzma',
    ],
    [
      'an entry without a name',
      { type: 'versioned', managedResources: [{ kind: 'Pod' }] },
      'ResourceTracker t: entry 0 needs a kind and a name',
    ],
  ])('[dispatch T4] %s is a sentence, never an empty record', (_title, spec, sentence) => {
    expect(() => readTracker({ ...TRACKER, metadata: { name: 't' }, spec })).toThrow(sentence);
  });

  it('[design 13 G] that somebody edited is noticed, and one without our digest is taken as it is', async () => {
    const server = new FakeApiServer();
    await dispatch(server, [config('a'), config('b')]);
    const stored = server.peek({ ...TRACKER, name: 'cart-v1-shop' }) ?? { ...TRACKER, metadata: {} };
    expect(explainTampering(readTracker(stored))).toBeUndefined();
    const edited = {
      ...stored,
      spec: { ...(stored.spec as object), managedResources: readList(stored, 'spec', 'managedResources').slice(1) },
    };
    expect(explainTampering(readTracker(edited))).toContain(
      'ResourceTracker cart-v1-shop: its record of 1 object is not the one this server wrote',
    );
    expect(explainTampering(readTracker({ ...edited, metadata: { name: 'cart-v1-shop' } }))).toBeUndefined();
  });
});

describe('secrets', () => {
  it('[design 13 S] leave no value in record, annotation or digest, and a second dispatch writes nothing', async () => {
    const server = new FakeApiServer();
    const options: DispatchOptions = { writing: { secretKey: 'k', skipUnchanged: true }, tracking: { record: 'beforeApply' } };
    await dispatch(server, [secret({ password: 'canary-4711', user: 'ada' })], options);
    const live = server.peek({ apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'keys' });
    const encoded = Buffer.from('canary-4711').toString('base64');
    expect(readField(live, 'data')).toMatchObject({ password: encoded });
    const elsewhere = JSON.stringify([live?.metadata, server.peek({ ...TRACKER, name: 'cart-v1-shop' })]);
    expect(elsewhere).not.toContain('canary-4711');
    expect(elsewhere).not.toContain(encoded);
    server.requests.length = 0;
    await dispatch(server, [secret({ password: 'canary-4711', user: 'ada' })], {
      ...options,
      writing: { ...options.writing, secretKey: 'the key of another process' },
    });
    expect(server.requests.filter(({ verb }) => verb !== 'get')).toEqual([]);
  });

  it('[design 13 S] a key that the manifest no longer has goes', async () => {
    const server = new FakeApiServer();
    const options: DispatchOptions = { writing: { secretKey: 'k' } };
    await dispatch(server, [secret({ password: 'x', old: 'y' })], options);
    await dispatch(server, [secret({ password: 'x' })], options);
    expect(
      Object.keys(readField(server.peek({ apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'keys' }), 'data') ?? {}),
    ).toEqual(['password']);
  });
});

describe('names', () => {
  it('[dispatch V2] two applications that come to one tracker name are told apart when names are strict', async () => {
    const server = new FakeApiServer();
    await dispatch(server, [config('a')], {}, { name: 'web-v1', namespace: 'v2-prod' });
    const second = { name: 'web-v1-v2', namespace: 'prod' };
    await expect(dispatch(server, [config('b')], { tracking: { strictNames: true } }, second)).rejects.toThrow(
      'resource tracker "web-v1-v2-prod" belongs to application v2-prod/web; application prod/web-v1 needs it too',
    );
    expect(server.peek({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'b' })).toBeUndefined();
    await dispatch(server, [config('b')], {}, second); // the original does not notice
  });
});
