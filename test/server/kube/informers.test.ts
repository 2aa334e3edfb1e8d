import { describe, expect, it } from 'vitest';
import { DISPATCH_MANAGER, isAppliedList } from '@/lib/kube/applied-lists';
import { readList } from '@/lib/kube/fields';
import { FLUX_KINDS } from '@/lib/kube/flux-kinds';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Cluster, Discovery, ListPage, WatchEvent } from '@/server/kube';
import { createHealthProbe, createInformers, KubeTransportError, NoMatchError, OWNER_INDEX } from '@/server/kube';
import { createMetrics, createRandom } from '@/server/platform';
import { ManualClock } from '@/test/support/manual-clock';
import { silentLog } from '../../support/silent-log';

const WIDGETS = { apiVersion: 'v1', kind: 'Widget' } as const;

/** A port of one kind in memory: what informers need, and no more. */
class FakeCluster {
  lists = 0;
  watches = 0;
  invalidations = 0;
  readonly askedForMetadata: { readonly list: (boolean | undefined)[]; readonly watch: (boolean | undefined)[] } = { list: [], watch: [] };
  missing = false;
  ready: 'yes' | 'no' | 'hangs' = 'yes';
  readonly #objects: KubeObject[];
  readonly #waiting: ((event: WatchEvent | undefined) => void)[] = [];

  constructor(...objects: KubeObject[]) {
    this.#objects = objects;
  }

  /** Tells the watcher, who must be waiting. */
  tell(type: WatchEvent['type'], object: KubeObject): void {
    this.#waiting.shift()?.({ type, object });
  }

  get watchers(): number {
    return this.#waiting.length;
  }

  port(): Cluster {
    const resolveKind = async () => {
      if (this.missing) throw new NoMatchError(WIDGETS);
      return { group: '', version: 'v1' };
    };
    const discovery = { invalidate: () => void this.invalidations++, resolveKind } as unknown as Discovery;
    return {
      discovery,
      list: (_of: unknown, { metadataOnly }: { metadataOnly?: boolean }) => {
        this.askedForMetadata.list.push(metadataOnly);
        return this.#list();
      },
      watch: (_of: unknown, { signal, metadataOnly }: { signal: AbortSignal; metadataOnly?: boolean }) => {
        this.askedForMetadata.watch.push(metadataOnly);
        return this.#watch(signal);
      },
      request: ({ signal }: { signal: AbortSignal }) => this.#request(signal),
    } as unknown as Cluster; // the rest of the port is none of the informers' business
  }

  async *#list(): AsyncGenerator<ListPage> {
    this.lists++;
    await new Promise((resolve) => setImmediate(resolve));
    if (this.missing) throw new NoMatchError(WIDGETS);
    yield { items: this.#objects, resourceVersion: '10' };
  }

  async *#watch(signal: AbortSignal): AsyncGenerator<WatchEvent> {
    this.watches++;
    for (;;) {
      const event = await new Promise<WatchEvent | undefined>((resolve) => {
        this.#waiting.push(resolve);
        signal.addEventListener('abort', () => resolve(undefined), { once: true });
      });
      if (event === undefined) return;
      yield event;
    }
  }

  async #request(signal: AbortSignal) {
    if (this.ready === 'hangs') await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    if (this.ready === 'no') throw new KubeTransportError('connection refused');
    return { status: 200, headers: {}, body: (async function* () {})() };
  }
}

function widget(name: string, version: number, more: object = {}): KubeObject {
  return {
    ...WIDGETS,
    metadata: { namespace: 'shop', name, uid: `uid-${name}`, resourceVersion: String(version), managedFields: [{}], ...more },
  };
}

function startInformers(fake: FakeCluster) {
  const clock = new ManualClock();
  const metrics = createMetrics();
  const informers = createInformers({ cluster: fake.port(), clock, random: createRandom(1), log: silentLog, metrics });
  return { clock, metrics, informers };
}

describe('informers', () => {
  it('[cluster I6] share one store per kind and scope, and close it five minutes after its last use', async () => {
    const fake = new FakeCluster(widget('a', 1));
    const { clock, informers } = startInformers(fake);
    const [first, second] = [informers.open(WIDGETS), informers.open({ ...WIDGETS })];
    expect(first.store).toBe(second.store);
    expect(informers.open({ ...WIDGETS, namespace: 'shop' }).store).not.toBe(first.store);
    await clock.settle();
    first.release();
    first.release();
    await clock.advance(400_000);
    expect(second.store.health().state.kind).toBe('watching');
    second.release();
    await clock.advance(299_000);
    expect(informers.open(WIDGETS).store).toBe(first.store);
    const third = informers.open(WIDGETS);
    await clock.advance(1_000_000);
    expect(third.store.health().state.kind).toBe('watching');
    await informers[Symbol.asyncDispose]();
    expect(third.store.health().state.kind).toBe('stopped');
  });

  it('[design 12.9] of a scope of metadata nothing else is asked for, and it is a store of its own', async () => {
    const fake = new FakeCluster(widget('a', 1));
    const { clock, informers } = startInformers(fake);
    const metadata = informers.open({ ...WIDGETS, metadataOnly: true });
    expect(informers.open(WIDGETS).store).not.toBe(metadata.store);
    await clock.settle();
    expect(fake.askedForMetadata).toEqual({ list: [true, undefined], watch: [true, undefined] });
    await informers[Symbol.asyncDispose]();
  });

  it('[cluster I6] a closed store is stopped, and the next use opens another', async () => {
    const { clock, informers } = startInformers(new FakeCluster());
    const use = informers.open(WIDGETS);
    await clock.settle();
    await use[Symbol.asyncDispose]();
    await clock.advance(300_001);
    expect(use.store.health().state).toEqual({ kind: 'stopped' });
    expect(informers.all()).toEqual([]);
    expect(informers.open(WIDGETS).store).not.toBe(use.store);
    await informers[Symbol.asyncDispose]();
  });

  it('[cluster I2] stored objects are frozen to the leaf and lack managedFields', async () => {
    const { clock, informers } = startInformers(new FakeCluster(widget('a', 1, { labels: { x: '1' } })));
    const { store } = informers.open(WIDGETS);
    await clock.settle();
    const [held] = store.list();
    expect(held?.metadata).toEqual({ namespace: 'shop', name: 'a', uid: 'uid-a', resourceVersion: '1', labels: { x: '1' } });
    expect([held, held?.metadata, held?.metadata.labels].every(Object.isFrozen)).toBe(true);
    await informers[Symbol.asyncDispose]();
  });

  it('[cluster I2] of a stored object it is known which lists a dispatch wrote', async () => {
    const written = (name: string, manager: string) => {
      const managedFields = [{ manager, operation: 'Update', time: '2026-01-01T00:00:00Z', fieldsV1: { 'f:spec': { 'f:rules': {} } } }];
      return { ...widget(name, 1, { managedFields }), spec: { rules: [{ port: 80 }] } };
    };
    const { clock, informers } = startInformers(new FakeCluster(written('a', DISPATCH_MANAGER), written('b', 'somebody')));
    const { store } = informers.open(WIDGETS);
    await clock.settle();
    expect(store.list().map((held) => isAppliedList(readList(held, 'spec', 'rules')))).toEqual([true, false]);
    await informers[Symbol.asyncDispose]();
  });

  it('[cluster I3] indexes follow every change; an undeclared one is an error', async () => {
    const fake = new FakeCluster(
      widget('a', 1, { ownerReferences: [{ uid: 'p' }, { uid: 'q' }], labels: { tier: 'front' } }),
      widget('b', 2),
    );
    const { clock, informers } = startInformers(fake);
    const { store } = informers.open(WIDGETS);
    store.addIndex('tier', (object) => (object.metadata.labels?.tier ? [object.metadata.labels.tier] : []));
    await clock.settle();
    const names = (index: string, value: string) => store.byIndex(index, value).map((object) => object.metadata.name);
    expect([names(OWNER_INDEX, 'p'), names(OWNER_INDEX, 'q'), names('tier', 'front')]).toEqual([['a'], ['a'], ['a']]);
    fake.tell('MODIFIED', widget('a', 3, { ownerReferences: [{ uid: 'q' }], labels: { tier: 'back' } }));
    await clock.settle();
    expect([names(OWNER_INDEX, 'p'), names(OWNER_INDEX, 'q'), names('tier', 'front'), names('tier', 'back')]).toEqual([
      [],
      ['a'],
      [],
      ['a'],
    ]);
    store.addIndex('late', (object) => [object.metadata.name ?? '']);
    expect(names('late', 'b')).toEqual(['b']);
    fake.tell('DELETED', widget('a', 4));
    await clock.settle();
    expect([
      names(OWNER_INDEX, 'q'),
      names('tier', 'back'),
      names('late', 'a'),
      store.list('shop').length,
      store.list('elsewhere'),
    ]).toEqual([[], [], [], 1, []]);
    expect(() => store.byIndex('colour', 'red')).toThrow('index "colour" was not declared');
    await informers[Symbol.asyncDispose]();
  });

  it('[issue 12.4] counts objects and changes of kinds of one name each under its own', async () => {
    const { clock, metrics, informers } = startInformers(new FakeCluster(widget('a', 1)));
    for (const type of [KINDS.helmRelease, KINDS.olderHelmRelease, FLUX_KINDS['helmrelease-v2']]) {
      const { store } = informers.open(type);
      store.subscribe(() => {
        throw new Error('no');
      });
    }
    await clock.settle();
    for (const name of ['objects', 'changes_total', 'handler_errors_total']) {
      const told = await metrics.getSingleMetricAsString(`slipway_informer_${name}`);
      const lines = told.split('\n').filter((line) => !line.startsWith('#'));
      expect(lines, name).toEqual([
        `slipway_informer_${name}{kind="HelmRelease"} 1`,
        `slipway_informer_${name}{kind="HelmRelease.flux.weave.works"} 1`,
        `slipway_informer_${name}{kind="HelmRelease.helm.toolkit.fluxcd.io"} 1`,
      ]);
    }
    await informers[Symbol.asyncDispose]();
  });

  it('[cluster I4] a throwing handler is counted and neither stops the stream nor reaches another', async () => {
    const fake = new FakeCluster(widget('a', 1));
    const { clock, metrics, informers } = startInformers(fake);
    const { store } = informers.open(WIDGETS);
    const heard: string[] = [];
    store.subscribe(() => {
      throw new Error('no');
    });
    const release = store.subscribe(({ key }) => heard.push(key));
    await clock.settle();
    fake.tell('ADDED', widget('b', 2));
    await clock.settle();
    expect(heard).toEqual(['shop/a', 'shop/b']);
    expect(await metrics.getSingleMetricAsString('slipway_informer_handler_errors_total')).toContain('{kind="Widget"} 2');
    release();
    fake.tell('ADDED', widget('c', 3));
    await clock.settle();
    expect(heard).toHaveLength(2);
    expect(store.list()).toHaveLength(3);
    await informers[Symbol.asyncDispose]();
  });

  it('[cluster I4] replay tells a late subscriber what is held, once', async () => {
    const { clock, informers } = startInformers(new FakeCluster(widget('a', 1), widget('b', 2)));
    const { store } = informers.open(WIDGETS);
    await clock.settle();
    const heard: string[] = [];
    store.subscribe(({ key, before, after }) => heard.push(`${key} ${before === undefined} ${after !== undefined}`), { replay: true });
    expect(heard).toEqual(['shop/a true true', 'shop/b true true']);
    await informers[Symbol.asyncDispose]();
  });

  it('[cluster I1] an event told twice is one change', async () => {
    const fake = new FakeCluster(widget('a', 1));
    const { clock, informers } = startInformers(fake);
    const { store } = informers.open(WIDGETS);
    await clock.settle();
    let changes = 0;
    store.subscribe(() => changes++);
    for (const version of [2, 2, 3]) {
      fake.tell('MODIFIED', widget('a', version));
      await clock.settle();
    }
    expect(changes).toBe(2);
    await informers[Symbol.asyncDispose]();
  });

  it('[issue 13] what the server answered somebody is taken in where the watch has not come to it, and never brings back what that told the end of', async () => {
    const fake = new FakeCluster(widget('a', 1), widget('b', 2));
    const { clock, informers } = startInformers(fake);
    const { store } = informers.open(WIDGETS);
    await clock.settle();
    fake.tell('DELETED', widget('b', 20));
    await clock.settle();
    store.takeIn(widget('b', 19));
    store.takeIn(widget('a', 19));
    expect(store.list().map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`)).toEqual(['a 1']);
    store.takeIn(widget('a', 25));
    fake.tell('MODIFIED', widget('a', 22));
    await clock.settle();
    expect(store.get('shop/a')?.metadata.resourceVersion).toBe('25');
    fake.tell('DELETED', widget('a', 26));
    await clock.settle();
    expect(store.list()).toEqual([]);
    await informers[Symbol.asyncDispose]();
  });

  it('[cluster I1] an object created again under its old name is gone first and then new', async () => {
    const fake = new FakeCluster(widget('a', 1));
    const { clock, informers } = startInformers(fake);
    const { store } = informers.open(WIDGETS);
    await clock.settle();
    const heard: (string | undefined)[] = [];
    store.subscribe(({ before, after }) => heard.push(`${before?.metadata.uid} → ${after?.metadata.uid}`));
    fake.tell('ADDED', widget('a', 5, { uid: 'second' }));
    await clock.settle();
    expect(heard).toEqual(['uid-a → undefined', 'undefined → second']);
    await informers[Symbol.asyncDispose]();
  });

  it('[cluster I5] tells how fresh it is, and synced waits for the whole list', async () => {
    const fake = new FakeCluster(widget('a', 1));
    const { clock, informers } = startInformers(fake);
    const { store } = informers.open(WIDGETS);
    expect(store.health()).toMatchObject({ state: { kind: 'listing' }, synced: false, lastContactAt: undefined });
    const synced = store.synced();
    await clock.settle();
    await synced;
    const listedAt = clock.now();
    expect(store.health()).toEqual({
      state: { kind: 'watching' },
      synced: true,
      lastEventAt: undefined,
      lastContactAt: listedAt,
      resourceVersion: '10',
      objects: 1,
    });
    await clock.advance(1_000);
    fake.tell('BOOKMARK', widget('', 20));
    await clock.settle();
    expect(store.health()).toMatchObject({ lastEventAt: undefined, lastContactAt: clock.now(), resourceVersion: '20' });
    fake.tell('MODIFIED', widget('a', 21));
    await clock.settle();
    expect(store.health().lastEventAt).toBe(clock.now());
    await informers[Symbol.asyncDispose]();
    await expect(informers.open(WIDGETS).store.synced(AbortSignal.abort(new Error('not now')))).rejects.toThrow('not now');
    await informers[Symbol.asyncDispose]();
  });

  it('[cluster I5] waiting for the first list ends with the store', async () => {
    const fake = new FakeCluster();
    fake.missing = true;
    const { clock, informers } = startInformers(fake);
    const synced = informers.open(WIDGETS).store.synced();
    const refused = expect(synced).rejects.toThrow('the store of Widget was closed');
    await clock.settle();
    await informers[Symbol.asyncDispose]();
    await refused;
  });

  it('[cluster I1] a kind that is not installed is asked for each second, and watched once it is there', async () => {
    const fake = new FakeCluster(widget('a', 1));
    fake.missing = true;
    const { clock, informers } = startInformers(fake);
    const { store } = informers.open(WIDGETS);
    await clock.settle();
    expect(store.health().state).toMatchObject({ kind: 'retrying', reason: 'no matches for kind "Widget" in version "v1"' });
    await clock.advance(10_000);
    expect(fake.lists).toBeGreaterThanOrEqual(10);
    expect(fake.lists).toBeLessThan(25);
    expect(fake.invalidations).toBe(fake.lists);
    fake.missing = false;
    await clock.advance(1_000);
    expect(store.health()).toMatchObject({ state: { kind: 'watching' }, synced: true, objects: 1 });
    await informers[Symbol.asyncDispose]();
  });

  it('[cluster T1] the clock settles while a watch merely waits, and not while a list is under way', async () => {
    const fake = new FakeCluster(widget('a', 1));
    const { clock, informers } = startInformers(fake);
    const { store } = informers.open(WIDGETS);
    await clock.settle();
    expect([store.health().synced, fake.watchers]).toEqual([true, 1]);
    await informers[Symbol.asyncDispose]();
  });
});

describe('the health probe', () => {
  it.each(['no', 'hangs'] as const)('[design 7] five seconds without an answer are stale: %s', async (trouble) => {
    const fake = new FakeCluster();
    const clock = new ManualClock();
    const probe = createHealthProbe({ cluster: fake.port(), clock, log: silentLog });
    const heard: string[] = [];
    probe.subscribe((state) => heard.push(state.kind));
    expect(probe.state()).toEqual({ kind: 'unknown' });
    probe.start();
    await clock.advance(60_000);
    expect(probe.state()).toMatchObject({ kind: 'answering' });
    const since = clock.now();
    fake.ready = trouble;
    await clock.advance(4_900);
    expect(probe.state().kind).toBe('answering');
    await clock.advance(100);
    expect(probe.state()).toMatchObject({ kind: 'stale', since });
    fake.ready = 'yes';
    await clock.advance(2_000);
    expect(probe.state()).toMatchObject({ kind: 'answering' });
    expect(heard).toEqual(['answering', 'stale', 'answering']);
    await probe[Symbol.asyncDispose]();
  });
});
