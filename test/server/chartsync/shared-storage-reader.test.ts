import { expect, it } from 'vitest';
import type { Fields } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { readUndeclaredContent } from '@/server/chartsync/describe/reader/undeclared-content';
import type { HelmStorage, NewestRevision } from '@/server/chartsync/helm/storage';
import { definitionsOf } from '@/server/chartsync/undeclared/listed';
import { readUndeclaredDetail } from '@/server/chartsync/undeclared/read-detail';
import { readUndeclared } from '@/server/chartsync/undeclared/read-undeclared';
import { requireUndeclared } from '@/server/chartsync/undeclared/require-undeclared';
import { SharedStorageReader } from '@/server/chartsync/undeclared/shared-storage-reader';
import type { Cluster, Store, StoreChange } from '@/server/kube';
import { ManualClock } from '../../support/manual-clock';

const NAMES = Array.from({ length: 40 }, (_, at) => `ns${at}`);
/** Where Secrets may be listed. */
const GRANTED = ['ns1', 'ns2', 'ns3', 'ns7'];

type Status = NewestRevision['entry']['status'];

const newest = (namespace: string, status: Status = 'deployed'): NewestRevision => ({
  release: { namespace, name: 'web' },
  entry: { revision: 1, status, storedAt: '2026-01-01T00:00:00Z' } as NewestRevision['entry'],
  version: '1',
  uid: 'u',
});

/** Copies of one kind, of which a test says that something changed. */
function aStore(scope: TypeRef, objects: readonly object[] = []) {
  const state: Fields = { kind: 'watching' };
  const listeners = new Set<(change: StoreChange) => void>();
  const store = {
    scope,
    health(this: Store) {
      return { synced: true, state, of: this.scope }; // as a store's, it is not to be taken off it
    },
    list: () => objects,
    byIndex: () => [],
    get: (key: string) => objects.find((one) => toObjectKey((one as KubeObject).metadata) === key),
    addIndex: () => undefined,
    subscribe(listener: (change: StoreChange) => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as Store;
  const change = (before?: object, after?: object) => {
    for (const listener of listeners) listener({ key: '', before, after } as StoreChange);
  };
  return { store, change, listeners, state };
}

/** A server that may list Secrets in few namespaces, and what it asked. */
function open() {
  const clock = new ManualClock();
  const asked: string[] = [];
  const state = { failing: undefined as string | undefined, status: 'deployed' as Status, granted: [...GRANTED], defined: 0 };
  /** What is answered later, and refused then. */
  const late = new Map<string, Promise<void>>();
  const deletions = new Map<string, { readonly namespace: string }>();
  const storage: Pick<HelmStorage, 'tryNewest'> = {
    async tryNewest(kept, namespace = '') {
      asked.push(`${kept} ${namespace}`);
      if (namespace === state.failing) throw new Error('too many requests');
      const answered = late.get(`${kept} ${namespace}`);
      if (answered !== undefined) return answered.then(() => ({ kind: 'refused' }));
      return state.granted.includes(namespace) || state.granted.includes(`${kept} ${namespace}`)
        ? { kind: 'found', found: kept === 'secrets' ? [newest(namespace, namespace === 'ns2' ? state.status : 'deployed')] : [] }
        : { kind: 'refused' };
    },
  };
  const named = NAMES.map((name) => ({ metadata: { name } }));
  const namespaces = aStore(KINDS.namespace, named).store;
  const [declared, older, decisions] = [aStore(KINDS.helmRelease), aStore(KINDS.olderHelmRelease), aStore(KINDS.releaseDecision)];
  const [stores, deleted] = [[declared.store, older.store], () => deletions];
  const readings = new SharedStorageReader({ storage, namespaces, stores, decisions: decisions.store, deletions: deleted, clock });
  const cluster = { get: (async () => ({ defined: ++state.defined })) as unknown as Cluster['get'] };
  const deps = {
    readings,
    isUndefined: definitionsOf(cluster, clock),
    stores,
    decisions: decisions.store,
    others: () => new Set<string>(),
    before: { begin: () => async () => null },
  };
  const read = (where: readonly string[] | 'all' = 'all') => readUndeclared(deps, where);
  const since = async (act: () => unknown) => {
    const before = asked.length;
    await act();
    return asked.slice(before).sort();
  };
  return { clock, state, late, named, deletions, kind: declared.state, declared, older, deps, decisions, readings, read, since };
}

it('[issue 12.1] what Helm stores is asked of each namespace once for all who look, and more rarely where many refuse', async () => {
  const { clock, read, since } = open();
  expect(await since(() => Promise.all([read(), read(), read(GRANTED)]))).toHaveLength(2 * (1 + NAMES.length));
  expect(await since(() => Promise.all([read(), read(['ns1', 'ns9'])]))).toEqual([]);
  expect((await read()).releases.map(({ ns }) => ns)).toEqual(GRANTED);
  await clock.advance(30_000);
  expect(await since(read)).toEqual(['secrets', 'configmaps'].flatMap((kept) => GRANTED.map((ns) => `${kept} ${ns}`)).sort());
  await clock.advance(43_000);
  expect(await since(() => read(['ns9', 'ns10']))).toEqual([]);
  await clock.advance(1000);
  expect(await since(read)).toHaveLength(2 * (1 + NAMES.length));
});

it('[issue 12.1] are told of where a kind that declares releases is defined and not served, with that, which is asked once for all who look', async () => {
  const { clock, state, kind, deps, read } = open();
  Object.assign(kind, { kind: 'retrying', isMissing: true });
  const why = 'HelmReleases are defined, and the cluster serves no version of them, so it is not known what they declare';
  const [told] = await Promise.all([read(['ns1', 'ns2']), read(['ns1']), read(['ns3'])]);
  expect([told.releases.map(({ ns }) => ns), told.why]).toEqual([['ns1', 'ns2'], why]);
  const release = { namespace: 'ns1', name: 'web' };
  expect(() => requireUndeclared(deps, release)).not.toThrow(); // its history is told
  const detail = await readUndeclaredDetail(
    {
      ...deps,
      storage: {
        findNewest: async () => newest('ns1'),
        readRevision: async () => ({ chart: {} }) as Awaited<ReturnType<HelmStorage['readRevision']>>,
      },
      live: { readAt: async () => [], readHooksAt: async () => [] },
      addressOf: () => Promise.reject(new Error('there is no object')),
      accountOf: () => undefined,
    },
    release,
  );
  expect(detail).toMatchObject({ name: 'web', revision: 1, refusal: why });
  const content = readUndeclaredContent(deps as unknown as Parameters<typeof readUndeclaredContent>[0], release, {
    revision: undefined,
    permit: async () => undefined,
  });
  await expect(content).rejects.toThrow(why); // what it has from Secrets a resource may tell that nobody can read
  expect(state.defined).toBe(1);
  await clock.advance(30_000);
  await read(['ns1']);
  expect(state.defined).toBe(2);
});

it('[issue 12.1] a grant is seen as soon as what is stored elsewhere, where few namespaces refuse, and the sentence about those says when', async () => {
  const { clock, state, read } = open();
  const why =
    'the server may not list secrets in namespace ns9; slipway grant ns9 | kubectl apply -f - grants it there; it shows here within 1 minute';
  expect(await read(['ns1', 'ns9'])).toMatchObject({ releases: [{ ns: 'ns1' }], why });
  state.granted.push('ns9');
  await clock.advance(30_000);
  expect(await read(['ns1', 'ns9'])).toMatchObject({ releases: [{ ns: 'ns1' }, { ns: 'ns9' }], why: null });
});

it('[issue 12.1] a namespace that cannot be listed takes nothing from the others, and is told beside what is refused', async () => {
  const { clock, state, read } = open();
  state.failing = 'ns7';
  const told = await read();
  expect(told.releases.map(({ ns }) => ns)).toEqual(['ns1', 'ns2', 'ns3']);
  expect(told.why).toMatch(
    /^the secrets of releases in namespace ns7 could not be listed: too many requests; the server may not list secrets in 36 namespaces, such as .*; slipway grant NAMESPACE .* grants it there; it shows here within 2 minutes$/,
  );
  expect((await read(['ns9'])).why).toMatch(
    /^the server may not list secrets in namespace ns9; slipway grant ns9 .* grants it there; it shows here within 2 minutes$/,
  );
  state.failing = undefined;
  await clock.advance(30_000);
  expect((await read()).releases.map(({ ns }) => ns)).toEqual(GRANTED);
});

it('[issue 12.1] when a grant shows is told by what is refused, also where the server may list the other storage everywhere', async () => {
  const { state, read } = open();
  state.granted.push('configmaps ');
  expect((await read()).why).toMatch(/^the server may not list secrets in 36 namespaces.* it shows here within 2 minutes$/);
});

it('[issue 12.1] namespaces that do not exist, and those that went, make a grant in the others no later', async () => {
  const { named, read } = open();
  const within = async (where?: readonly string[]) => / it shows here within .*$/.exec((await read(where)).why ?? '')?.[0];
  expect(await within(['ns9', ...Array.from({ length: 200 }, (_, at) => `nowhere${at}`)])).toBe(' it shows here within 1 minute');
  expect(await within()).toBe(' it shows here within 2 minutes');
  named.splice(0, named.length, { metadata: { name: 'ns9' } });
  expect(await within(['ns9'])).toBe(' it shows here within 1 minute');
});

it('[issue 12.1] a refusal that comes after its namespace was listed anew counts no more', async () => {
  const { clock, late, decisions, read, since } = open();
  const answers: (() => void)[] = [];
  late.set('secrets ns1', new Promise((resolve) => answers.push(resolve)));
  const first = read();
  await clock.advance(0);
  late.clear();
  const spec = { releaseRef: { kind: 'Secret', name: 'sh.helm.release.v1.web.v1', uid: 'u' }, verb: 'uninstall', actor: { user: 'ada' } };
  decisions.change(undefined, { ...KINDS.releaseDecision, metadata: { namespace: 'ns1', name: 'd' }, spec });
  await read(['ns1']);
  for (const answer of answers) answer();
  await first;
  await clock.advance(30_000);
  expect(await since(() => read(['ns1']))).toContain('secrets ns1');
});

it('[issue 12.1] a namespace is listed anew at once after an uninstall in it was asked for or ended, or a resource went, and each second while Helm uninstalls', async () => {
  const { clock, state, deletions, declared, decisions, readings, read, since } = open();
  await read();
  const ns2 = ['configmaps ns2', 'secrets ns2'];
  const spec = { releaseRef: { kind: 'Secret', name: 'sh.helm.release.v1.web.v1', uid: 'u' }, verb: 'uninstall', actor: { user: 'ada' } };
  const decision = { ...KINDS.releaseDecision, metadata: { namespace: 'ns2', name: 'd' }, spec } as KubeObject;
  decisions.change(undefined, decision);
  expect(await since(read)).toEqual(ns2);
  decisions.change(undefined, { ...decision, spec: { ...spec, verb: 'hold' } });
  expect(await since(read)).toEqual([]);

  const chart = { git: 'https://git.example.com/charts', path: 'web' };
  const resource = { ...KINDS.helmRelease, metadata: { namespace: 'ns2', name: 'web', uid: 'u', generation: 1 }, spec: { chart } };
  declared.change(resource, { ...resource, status: {} });
  declared.change(undefined, resource);
  expect(await since(read)).toEqual([]);
  declared.change(resource);
  expect(await since(read)).toEqual(ns2);

  deletions.set('ns2/web', { namespace: 'ns2' });
  expect(await since(read)).toEqual(ns2);
  expect(await since(read)).toEqual([]);
  deletions.clear();
  state.status = 'uninstalling';
  expect(await since(read)).toEqual(ns2);
  await clock.advance(1000);
  expect(await since(read)).toEqual(['secrets ns2']);

  readings[Symbol.dispose]();
  expect([declared.listeners.size, decisions.listeners.size]).toEqual([0, 0]);
});

it('[issue 12.4] are told of where the server may not list the older kind, with what grants that, and of no other kind', async () => {
  const { declared, older, deps, read } = open();
  const sentence = (kinds: string) =>
    `the server may not list ${kinds}, so it is not known which releases those declare; kubectl apply -f deploy/rbac/server.yaml grants it`;
  const refuse = (store: Store, synced = false) =>
    Object.assign(store, { health: () => ({ synced, state: { kind: 'refused', verb: 'list', reason: 'forbidden', since: 0 } }) });
  refuse(older.store);
  const told = await read(['ns1', 'ns2']);
  expect([told.releases.map(({ ns }) => ns), told.why]).toEqual([['ns1', 'ns2'], sentence('HelmReleases.flux.weave.works')]);
  // Whoever would act by it is not let: one may declare it.
  expect(() => requireUndeclared(deps, { namespace: 'ns1', name: 'web' })).toThrow(sentence('HelmReleases.flux.weave.works'));
  refuse(older.store, true); // what was listed once is known
  expect(() => requireUndeclared(deps, { namespace: 'ns1', name: 'web' })).not.toThrow();
  expect((await read(['ns1'])).why).toBeNull();
  refuse(declared.store);
  await expect(read(['ns1'])).rejects.toThrow(sentence('HelmReleases'));
});
