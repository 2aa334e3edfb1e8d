import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { toInstant } from '@/lib/std/instant';
import type { TrackerEntry } from '@/server/dispatch';
import { planGarbage } from '@/server/dispatch';
import type { Informers } from '@/server/kube';
import { ClusterView } from '@/server/readmodel/cluster-view';
import { toLiveState } from '@/server/readmodel/live-state';
import { blastRadiusOf, explainBlast } from '@/server/readmodel/trackers/blast-radius';
import { toGarbageView } from '@/server/readmodel/trackers/garbage-view';
import { FakeApiServer } from '../../support/dispatch-server';
import { FakeInformers } from '../../support/fake-informers';
import { ManualClock } from '../../support/manual-clock';
import { FakeStore } from '../framework/fake-store';

const labels = (app: string) => ({ metadata: { labels: { app } }, spec: {} });
const ownedBy = (kind: string, name: string) => ({
  ownerReferences: [{ apiVersion: 'v1', kind, name, uid: `uid:${kind}/shop/${name}`, controller: true }],
});
const deployment = (name: string, app: string): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'shop' },
  spec: { template: labels(app) },
});
const service = (name: string, app: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'shop' },
  spec: { selector: { app } },
});
const volume = (name: string, policy: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: { persistentVolumeReclaimPolicy: policy },
});
const claim = (name: string, volumeName: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'shop' },
  spec: { volumeName },
});
const definition: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'campaigns.example.dev', finalizers: ['customresourcecleanup.apiextensions.k8s.io'] },
  spec: { group: 'example.dev', names: { kind: 'Campaign' }, versions: [{ name: 'v1', served: true }] },
};
const campaign = (name: string): KubeObject => ({ apiVersion: 'example.dev/v1', kind: 'Campaign', metadata: { name, namespace: 'other' } });

function stage(objects: readonly KubeObject[], bystanders: readonly KubeObject[]) {
  const server = new FakeApiServer();
  for (const object of [...objects, ...bystanders]) server.seed(object);
  const informers = new FakeInformers(server);
  const view = new ClusterView(informers, new ManualClock());
  const entries = objects.map(({ apiVersion, kind, metadata: { name = '', namespace } }): TrackerEntry => {
    return {
      apiVersion,
      kind,
      name,
      ...(namespace ? { namespace } : {}),
      cluster: 'local',
      component: 'web',
      deleted: false,
      skipGC: false,
    };
  });
  const named = { objects: entries.map(({ kind, namespace, name }) => `${kind}/${namespace ?? ''}/${name}`), count: entries.length };
  const see = () => {
    const plan = planGarbage({ name: 'web-v1-shop', uid: 'old', entries }, undefined, { live: (entry) => toLiveState(view, entry), named });
    return new Map(toGarbageView(plan, 'web-v1-shop', '', view).rows.map((row) => [row.name, row]));
  };
  return { informers, see };
}

it('[design 9] a deletion tells what goes or suffers with it: dependents, endpoints, finalizers and whoever lists it too', () => {
  const tracker: KubeObject = {
    apiVersion: 'core.oam.dev/v1beta1',
    kind: 'ResourceTracker',
    metadata: { name: 'other-v7-shop' },
    spec: { type: 'versioned', managedResources: [{ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' }] },
  };
  const replicas: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'web-1', namespace: 'shop', ...ownedBy('Deployment', 'web') },
  };
  const pod: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-1-a', namespace: 'shop', labels: { app: 'web' }, ...ownedBy('ReplicaSet', 'web-1') },
  };
  const { see } = stage([deployment('web', 'web')], [replicas, pod, tracker, service('web', 'web'), service('other', 'other')]);
  expect(see().get('web')?.blast).toEqual([
    'deletes 1 ReplicaSet with it: web-1',
    'deletes 1 Pod with it: web-1-a',
    'Service web in shop loses its last endpoint',
    'ResourceTracker other-v7-shop lists it too',
  ]);
  expect(
    see()
      .get('web')
      ?.radius?.map(({ kind }) => kind),
  ).toEqual(['dependents', 'dependents', 'endpoints', 'tracker']);
});

it('[design 9] a service loses its last endpoint when all its workloads go together, and none while one stays', () => {
  const blast = (stays: readonly KubeObject[]) =>
    stage([deployment('web-v1', 'web'), deployment('web-v2', 'web')], [service('web', 'web'), ...stays])
      .see()
      .get('web-v1')?.blast;
  expect(blast([])).toEqual(['Service web in shop loses its last endpoint']);
  expect(blast([deployment('web-v3', 'web')])).toEqual([]);
});

it.each([
  ['Delete', 'its PersistentVolume disk is deleted with the data on it (reclaim policy Delete)'],
  ['Retain', 'its PersistentVolume disk stays with the data on it, released and unused (reclaim policy Retain)'],
])('[design 9] a claim tells what its volume comes to: %s', (policy, sentence) => {
  const { see } = stage([claim('data', 'disk')], [volume('disk', policy)]);
  expect(see().get('data')).toMatchObject({ blast: [sentence], radius: [{ kind: 'volume', name: 'disk', policy }] });
});

it('[issue 9.4] a claim tells which pods mount it, and that it goes only once none does', () => {
  const protectedClaim = {
    ...claim('data', ''),
    metadata: { name: 'data', namespace: 'shop', finalizers: ['kubernetes.io/pvc-protection'] },
  };
  const pod = (name: string, claimName: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'shop' },
    spec: {
      volumes: [
        { name: 'logs', emptyDir: {} },
        { name: 'data', persistentVolumeClaim: { claimName } },
      ],
    },
  });
  const { see } = stage([protectedClaim], [pod('db-0', 'data'), pod('db-1', 'other')]);
  expect(see().get('data')?.blast).toEqual(['used by 1 Pod: db-0', 'held until no Pod uses it (kubernetes.io/pvc-protection)']);
});

it.each([
  [{}, 'leaves 3 PersistentVolumeClaims with their data: data-db-1, data-db-2, data-db-3'],
  [
    { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } },
    'deletes 3 PersistentVolumeClaims with their data: data-db-1, data-db-2, data-db-3',
  ],
])('[issue 9.4] a StatefulSet tells what becomes of the claims that it made: %j', (more, sentence) => {
  const spec = {
    replicas: 3,
    ordinals: { start: 1 },
    template: labels('db'),
    volumeClaimTemplates: [{ metadata: { name: 'data' } }],
    ...more,
  };
  const set: KubeObject = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'db', namespace: 'shop' }, spec };
  const told = stage([set], []).see().get('db');
  expect(told?.blast).toEqual([sentence]);
  // `fate` is the older name of `outcome`.
  const isDeleted = sentence.startsWith('deletes');
  expect(told?.radius).toMatchObject([isDeleted ? { outcome: 'deleted', fate: 'go' } : { outcome: 'kept', fate: 'stay' }]);
});

it('[design 9] a definition tells how many custom resources go with it, and that nobody knows while they are not listed', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const { see, informers } = stage([definition], names.map(campaign));
  const held = 'held until customresourcecleanup.apiextensions.k8s.io is removed';
  expect(see().get('campaigns.example.dev')?.blast).toEqual(['deletes every Campaign in the cluster with it, 5: a, b, c, d, …', held]);
  informers.fall('Campaign', 'unlisted');
  expect(see().get('campaigns.example.dev')?.blast).toEqual(['what happens to its Campaign objects is unknown: the list is refused', held]);
});

it.each([
  ['Pod', claim('data', ''), 'what happens to its users is unknown: the list is refused'],
  ['Pod', deployment('data', 'web'), 'what happens to its Pods is unknown: the list is refused'],
  ['ReplicaSet', deployment('data', 'web'), 'what happens to its ReplicaSets is unknown: the list is refused'],
  ['Service', deployment('data', 'web'), 'what happens to its Services is unknown: the list is refused'],
])('[issue 10.1] where no %s may be read, nobody says that none goes or suffers', (kind, object, sentence) => {
  const { see, informers } = stage([object], []);
  expect(see().get('data')?.blast).toEqual([]);
  informers.fall(kind, 'unlisted');
  expect(see().get('data')?.blast).toEqual([sentence]);
});

describe('a definition whose custom resources are polled', () => {
  const sentence = (told: readonly string[]) => told.find((one) => one.includes('Campaign'));

  function polled() {
    const clock = new ManualClock(toInstant(0));
    const store = new FakeStore({ scope: { apiVersion: 'example.dev/v1', kind: 'Campaign' } });
    const informers = new FakeInformers(new FakeApiServer());
    const open: Informers['open'] = (scope) =>
      scope.kind === 'Campaign' ? { store, release: () => undefined, [Symbol.asyncDispose]: async () => undefined } : informers.open(scope);
    const view = new ClusterView(Object.assign(Object.create(informers), { open, all: () => [...informers.all(), store] }), clock);
    store.setState({ kind: 'refused', verb: 'list', reason: 'no list over all namespaces', since: toInstant(0) });
    const { apiVersion, kind } = definition;
    const entry = { apiVersion, kind, name: 'campaigns.example.dev', cluster: 'local', component: 'web', deleted: false, skipGC: false };
    const item = { id: '', uid: 'crd', why: '', tracker: '', verdict: 'deleted' as const, entry };
    const scene = { view, going: new Set<string>(), compared: new Set<string>() };
    return { clock, store, blast: () => blastRadiusOf(definition, item, scene).map(explainBlast) };
  }

  it('[issue 9.1] tells what there is at least where only some namespaces are polled, and all where the whole kind is', async () => {
    const { store, blast, clock } = polled();
    expect(sentence(blast())).toBe('what happens to its Campaign objects is unknown: no list over all namespaces');
    await store.acceptPoll({ namespace: 'other' }, { objects: [campaign('a'), campaign('b')] });
    expect(sentence(blast())).toBe(
      'deletes every Campaign in the cluster with it, at least 2: a, b (there may be more: no list over all namespaces)',
    );
    await store.acceptPoll({}, { objects: [campaign('a'), campaign('b')] });
    expect(sentence(blast())).toBe('deletes every Campaign in the cluster with it, 2: a, b');
    await clock.advance(60_000);
    expect(sentence(blast())).toContain('at least 2: a, b');
  });
});
