import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress, ObjectKey } from '@/lib/kube/object';
import type { ApplicationStores } from '@/server/application/observe/observe';
import {
  addIndexes,
  applicationsOf,
  observe,
  observeAs,
  observeGiven,
  observeGone,
  readDecision,
  WATCHED,
} from '@/server/application/observe/observe';
import { createCachedReader } from '@/server/application/plan/cached-reader';
import { ANNOTATION, LABEL } from '@/server/dispatch';
import { NoMatchError } from '@/server/kube';
import type { Clock } from '@/server/platform';
import { FakeApiServer } from '@/test/support/dispatch-server';
import { FakeInformers } from '@/test/support/fake-informers';
import { configMap, holding, revisionOf } from './seen';

const KEY = 'shop/web' as ObjectKey;
const labels = { [LABEL.appName]: 'web', [LABEL.appNamespace]: 'shop' };
const application = holding([configMap('a')]);

function storesOf(objects: readonly KubeObject[]): ApplicationStores {
  const server = new FakeApiServer();
  for (const object of objects) server.seed(object);
  const informers = new FakeInformers(server);
  const stores = Object.fromEntries(Object.entries(WATCHED).map(([name, kind]) => [name, informers.open(kind).store]));
  addIndexes(stores as unknown as ApplicationStores); // one store for each kind of WATCHED
  return stores as unknown as ApplicationStores;
}
const tracker = (name: string, metadata: object = {}, resources: readonly object[] = []): KubeObject => ({
  ...KINDS.resourceTracker,
  metadata: { name, uid: name, labels, ...metadata },
  spec: { type: 'versioned', applicationGeneration: 1, managedResources: resources },
});
const resource = (name: string, more: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, namespace: 'shop', ...more });
const decision = (name: string, spec: object, more: object = {}): KubeObject => ({
  ...KINDS.stageDecision,
  metadata: { name, namespace: 'shop', uid: name },
  spec: { verb: 'approve', actor: { user: 'ada', groups: [] }, ...spec },
  ...more,
});
const revision = (number: number, owner = 'app') => {
  const { object } = revisionOf({ ...application, metadata: { ...application.metadata, uid: owner } }, {}, number);
  return object;
};

describe('what an application is judged by', () => {
  it('[dispatch R1] is its own revisions, oldest first, and the highest number that anybody took', () => {
    const stores = storesOf([
      application,
      revision(3),
      revision(1),
      revision(7, 'former'),
      { ...revision(2), metadata: { ...revision(2).metadata, name: 'odd' } },
    ]);
    const seen = observe(stores, KEY);
    expect([seen?.revisions.map(({ name }) => name), seen?.highestNumber]).toEqual([['web-v1', 'web-v3'], 7]);
    expect(observe(stores, 'shop/other' as ObjectKey)).toBeNull();
  });

  it('[dispatch P3] is its records, also one that somebody took the labels off, of its revisions and of the last that was reached', () => {
    const bare = { labels: {} };
    const stores = storesOf([
      application,
      revision(1),
      tracker('web-v5-shop'),
      tracker('web-v1-shop', bare),
      tracker('web-v2-shop', bare),
      tracker('web-v4-shop', bare),
    ]);
    const names = (object: KubeObject) => observeGiven(stores, object).trackers.map(({ name }) => name);
    expect(names(application)).toEqual(['web-v5-shop', 'web-v1-shop']);
    expect(names({ ...application, status: { latestRevision: { name: 'web-v2' } } })).toEqual([
      'web-v5-shop',
      'web-v1-shop',
      'web-v2-shop',
    ]);
    const others = { labels: { [LABEL.appName]: 'other', [LABEL.appNamespace]: 'shop' } };
    expect(observeGiven(storesOf([application, revision(1), tracker('web-v1-shop', others)]), application).trackers).toEqual([]);
    expect(observeGiven(stores, { ...application, status: { latestRevision: { name: 'web-v2' } } }).latest).toBe('web-v2');
  });

  it('[dispatch P3] tells of a record that cannot be read or was changed, and of any record by its name', () => {
    const changed = tracker('web-v3-shop', { annotations: { [ANNOTATION.recordDigest]: 'sha256:other' } }, [resource('a')]);
    const unreadable = tracker('web-v1-shop', {}, [{ kind: 'ConfigMap' }]);
    const stores = storesOf([application, tracker('web-v2-shop'), changed, unreadable, tracker('api-v1-shop', { labels: {} })]);
    const seen = observeGiven(stores, application);
    expect(seen.trackers.map(({ name }) => name)).toEqual(['web-v2-shop', 'web-v3-shop']);
    expect(seen.trackerFaults).toEqual([
      expect.stringContaining('ResourceTracker web-v3-shop: its record of 1 object'),
      expect.stringContaining('web-v1-shop'),
    ]);
    expect([seen.trackerNamed('api-v1-shop')?.name, seen.trackerNamed('none')]).toEqual(['api-v1-shop', undefined]);
    expect(observeGiven(storesOf([application, tracker('web-v2-shop')]), application).trackerFaults).toEqual([]);
    // One that a revision never had, or has no more, is no fault.
    expect(observeGiven(storesOf([application, revision(1)]), application).trackerFaults).toEqual([]);
  });

  it('[dispatch P2] knows whose record lists an object, but for what it lists as gone', () => {
    const listing = [resource('a', { uid: 'u1' }), resource('b', { uid: 'u2', deleted: true }), resource('c')];
    const unlabelled = tracker('stray', { labels: {} }, [resource('d', { uid: 'u3' })]);
    const other = tracker('api-v1-shop', { labels: { ...labels, [LABEL.appName]: 'api' } }, [resource('e', { uid: 'u4' })]);
    const { recordedBy } = observeGiven(storesOf([application, unlabelled, tracker('web-v1-shop', {}, listing), other]), application);
    expect(['u1', 'u2', 'u3', 'u4', 'none'].map(recordedBy)).toEqual([KEY, undefined, undefined, 'shop/api', undefined]);
  });

  it('[rollout 13] is its rollout with the workloads of it, and the decisions on either', () => {
    const rollout = {
      ...KINDS.rolloutOrchestrator,
      metadata: { name: 'web', namespace: 'shop', labels: { [LABEL.component]: 'front' } },
      spec: { targetRevisions: [{ revisionName: 'web-v1' }] },
    };
    const workload = (name: string, service?: string): KubeObject => ({
      ...KINDS.deployment,
      metadata: { name, namespace: 'shop', labels: service === undefined ? {} : { [LABEL.rolloutService]: service } },
      spec: {},
    });
    const decisions = [
      decision('own', { applicationRef: { name: 'web', uid: 'app' }, seen: { garbage: 'sha256:a' } }, { status: { phase: 'Accepted' } }),
      decision('rollout', { rolloutRef: { name: 'web', uid: 'ro' } }),
      decision('other', { rolloutRef: { name: 'api', uid: 'ro' } }),
      decision('broken', { applicationRef: { name: 'web', uid: 'app' }, verb: 'nonsense' }),
    ];
    const stores = storesOf([application, rollout, workload('web-v1', 'web'), workload('api', 'api'), workload('plain'), ...decisions]);
    const seen = observeGiven(stores, application);
    expect(seen.workloads.map(({ metadata }) => metadata.name)).toEqual(['web-v1']);
    expect([seen.rollout?.component, seen.rollout?.target, seen.rollout?.object.metadata.name]).toEqual(['front', 'web-v1', 'web']);
    expect(seen.decisions.map(({ object, phase }) => `${object.metadata.name} ${phase}`)).toEqual(['own Accepted', 'rollout Pending']);
    expect(observeGiven(storesOf([application]), application).rollout).toBeUndefined();
    const left = observeGone(storesOf([...decisions, tracker('web-v1-shop')]), KEY);
    expect([left.decisions.length, left.trackers.map(({ metadata }) => metadata.name)]).toEqual([2, ['web-v1-shop']]);
    expect(readDecision({ ...decisions[0], apiVersion: 'v1' } as KubeObject)).toEqual([]);
  });

  it('[dispatch 13] is told by the labels of an object, the misspelt one as well', () => {
    const of = (own: Readonly<Record<string, string>> | undefined) =>
      applicationsOf({ ...configMap('a'), metadata: { name: 'a', ...(own ? { labels: own } : {}) } });
    expect(of(labels)).toEqual([KEY]);
    expect(of({ [LABEL.appName]: 'web', [LABEL.appNamespaceMisspelt]: 'shop' })).toEqual([KEY]);
    expect([of({ [LABEL.appName]: 'web' }), of({ [LABEL.appNamespace]: 'shop' }), of(undefined), applicationsOf(undefined)]).toEqual([
      [],
      [],
      [],
      [],
    ]);
  });

  it('[dispatch P3] is nothing that tells of no application, whatever its name', () => {
    const undefinedOne: KubeObject = { ...application, metadata: { ...application.metadata, name: 'undefined' } };
    const { labels: _none, ...bare } = revision(1).metadata;
    const plain: KubeObject = { ...KINDS.deployment, metadata: { name: 'plain', namespace: 'shop' }, spec: {} };
    const unlabelled = tracker('stray', { labels: {} }, [resource('d', { uid: 'u3' })]);
    const stores = storesOf([
      undefinedOne,
      { ...revision(1), metadata: { ...bare, name: 'undefined-v1' } },
      plain,
      unlabelled,
      decision('nobody', {}),
    ]);
    const seen = observeGiven(stores, undefinedOne);
    expect([seen.revisions, seen.highestNumber, seen.workloads, seen.trackers, seen.decisions, seen.recordedBy('u3')]).toEqual([
      [],
      0,
      [],
      [],
      [],
      undefined,
    ]);
    expect(stores.decisions.byIndex('application-engine/application', 'shop/undefined')).toEqual([]);
  });

  it('[design 11] is the same with another spec, and what cannot be parsed is told', () => {
    const seen = observeGiven(storesOf([application, revision(1)]), application);
    expect(observeAs(seen, application)).toBe(seen);
    const broken = observeAs(seen, { ...application, spec: { components: 'x' } });
    expect([broken.revisions, 'fault' in broken.application]).toEqual([seen.revisions, true]);
    expect(observeGiven(storesOf([]), { ...application, spec: {} }).application).toHaveProperty('fault');
  });
});

describe('the reader of a plan', () => {
  const at = (name: string, apiVersion = 'v1'): ObjectAddress => ({ apiVersion, kind: 'ConfigMap', namespace: 'shop', name });
  const held = (name: string, apiVersion = 'v1'): KubeObject => ({ apiVersion, kind: 'ConfigMap', metadata: { name, namespace: 'shop' } });
  const secret = (name: string, namespace: string, where: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
    type: where,
  });
  function reader(more: object = {}) {
    const asked: string[] = [];
    const server = new FakeApiServer();
    for (const object of [held('b'), held('c'), secret('server', 'shop', 'server')]) server.seed(object);
    const get = server.get.bind(server);
    const cluster = Object.assign(server, {
      get: (of: ObjectAddress) => {
        asked.push(of.name);
        return get(of);
      },
    });
    const states: Readonly<Record<string, object>> = {
      a: { kind: 'present', object: held('a') },
      b: { kind: 'unknown', why: 'not yet' },
      c: { kind: 'present', object: held('c', 'v1beta1') },
      d: { kind: 'absent' },
    };
    const objects = {
      live: ({ name }: ObjectAddress) => states[name],
      read: ({ name }: ObjectAddress) => (name === 'copy' ? secret('copy', 'shop', 'copy') : undefined),
    };
    return {
      asked,
      made: createCachedReader({
        objects,
        cluster,
        clock: { now: () => 0, sleep: async () => undefined } as unknown as Clock,
        ...more,
      } as never),
    };
  }

  it('[design 11] asks the server only about what the copies do not know, or know in another version', async () => {
    const { made, asked } = reader();
    const stateOf = await made.states(['a', 'b', 'c', 'd'].map((name) => at(name)));
    expect(['a', 'b', 'c', 'd'].map((name) => stateOf(at(name)).kind)).toEqual(['present', 'present', 'present', 'absent']);
    expect([...asked].sort()).toEqual(['b', 'c']);
    expect(stateOf(at('e'))).toEqual({ kind: 'unknown', why: 'ConfigMap e in shop was not read' });
  });

  it('[design 8] has values as they are about to be written, else by the copies, else by the server', async () => {
    const { made, asked } = reader({
      secrets: [secret('copy', 'other', 'ahead'), secret('ahead', 'shop', 'ahead'), secret('other', 'other', 'ahead')],
    });
    const values = await Promise.all(['ahead', 'copy', 'server', 'other', 'none'].map((name) => made.values({ name, namespace: 'shop' })));
    expect(values.map((found) => found?.type)).toEqual(['ahead', 'copy', 'server', undefined, undefined]);
    expect(asked).toEqual(['server', 'other', 'none']);
    const { made: bare } = reader({ signal: new AbortController().signal });
    expect((await bare.values({ name: 'server', namespace: 'shop' }))?.type).toBe('server');
  });

  it('[dispatch 13] tells of a kind where it lives, and that nobody serves it; what cannot be asked is a failure', async () => {
    const { made } = reader();
    expect([
      await made.isNamespaced({ apiVersion: 'v1', kind: 'ConfigMap' }),
      await made.isNamespaced({ apiVersion: 'v1', kind: 'Namespace' }),
    ]).toEqual([true, false]);
    const failing = (error: Error) =>
      reader({ cluster: { discovery: { resolve: () => Promise.reject(error) } } }).made.isNamespaced({ apiVersion: 'x/v1', kind: 'Lamp' });
    expect(await failing(new NoMatchError({ apiVersion: 'x/v1', kind: 'Lamp' }))).toEqual({ unserved: expect.stringContaining('Lamp') });
    await expect(failing(new Error('down'))).rejects.toThrow('down');
  });
});
