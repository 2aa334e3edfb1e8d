import { expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { startGarbageCollector } from '@/server/embedded/controllers/lifetime/garbage-collector';
import { startNamespaceDefaults } from '@/server/embedded/controllers/lifetime/namespace-defaults';
import { startNamespaces } from '@/server/embedded/controllers/lifetime/namespaces';
import { FakeHost } from './fake-host';

const MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const at = (name: string, namespace = 'shop') => ({ ...MAP, namespace, name });

async function made(
  host: FakeHost,
  name: string,
  owners: readonly KubeObject[] = [],
  more: { namespace?: string; block?: boolean; finalizers?: string[] } = {},
) {
  const ownerReferences = owners.map(({ apiVersion, kind, metadata }) => ({
    apiVersion,
    kind,
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    ...(more.block ? { blockOwnerDeletion: true } : {}),
  }));
  const { namespace = 'shop', finalizers } = more;
  return host.cluster.create({ ...MAP, metadata: { name, namespace, ownerReferences, ...(finalizers ? { finalizers } : {}) } });
}

function names(host: FakeHost): string[] {
  return host.list(MAP).map((object) => object.metadata.name ?? '');
}

it('[cluster D2] deletes what an owner left behind, through all generations', async () => {
  const host = new FakeHost();
  await using _collector = startGarbageCollector(host);
  const parent = await made(host, 'parent');
  const child = await made(host, 'child', [parent]);
  await made(host, 'grandchild', [child]);
  await host.cluster.delete(at('parent'), { propagationPolicy: 'Background' });
  await host.clock.settle();
  expect(names(host)).toEqual([]);
});

it('[cluster D2] deletes an object that is created for an owner that is gone already', async () => {
  const host = new FakeHost();
  const parent = await made(host, 'parent');
  await host.cluster.delete(at('parent'));
  await using _collector = startGarbageCollector(host);
  await made(host, 'late', [parent]);
  await host.clock.settle();
  expect(names(host)).toEqual([]);
});

it('[cluster D2] keeps an object while one of several owners is there, and drops the reference to the other', async () => {
  const host = new FakeHost();
  await using _collector = startGarbageCollector(host);
  const [a, b] = [await made(host, 'a'), await made(host, 'b')];
  await made(host, 'shared', [a, b]);
  await host.cluster.delete(at('a'));
  await host.clock.settle();
  expect(names(host)).toEqual(['b', 'shared']);
  expect(host.get(MAP, 'shop/shared')?.metadata.ownerReferences).toEqual([expect.objectContaining({ name: 'b' })]);
  await host.cluster.delete(at('b'));
  await host.clock.settle();
  expect(names(host)).toEqual([]);
});

it.each<[string, (host: FakeHost) => Promise<KubeObject>, string[]]>([
  ['an owner in another namespace counts as absent', (host) => made(host, 'owner', [], { namespace: 'other' }), ['owner']],
  [
    'a cluster-scoped owner may own it',
    (host) => host.cluster.create({ apiVersion: 'v1', kind: 'ClusterThing', metadata: { name: 'owner' } }),
    ['mine'],
  ],
  [
    'an owner of a kind that is not served is left alone',
    async () => ({ apiVersion: 'v1', kind: 'Unserved', metadata: { name: 'owner', uid: 'u' } }),
    ['mine'],
  ],
])('[cluster D2] %s', async (_title, owner, left) => {
  const host = new FakeHost();
  await using _collector = startGarbageCollector(host);
  await made(host, 'mine', [await owner(host)]);
  await host.clock.settle();
  expect(names(host)).toEqual(left);
});

it('[cluster D2] goes by uid: a new object of the same name does not save what the old one owned', async () => {
  const host = new FakeHost();
  await using _collector = startGarbageCollector(host);
  await made(host, 'owner');
  const stale = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owner', namespace: 'shop', uid: 'of-an-earlier-life' } };
  await made(host, 'mine', [stale]);
  await host.clock.settle();
  expect(names(host)).toEqual(['owner']);
});

it('[cluster D1] in the foreground an owner waits for the dependents that block it, and for no others', async () => {
  const host = new FakeHost();
  await using _collector = startGarbageCollector(host);
  const owner = await made(host, 'owner');
  await made(host, 'blocking', [owner], { block: true, finalizers: ['example.com/wait'] });
  await made(host, 'free', [owner], { finalizers: ['example.com/wait'] });
  await host.cluster.delete(at('owner'), { propagationPolicy: 'Foreground' });
  await host.clock.settle();
  expect(names(host)).toEqual(['owner', 'blocking', 'free']);
  expect(host.list(MAP).map((object) => object.metadata.deletionTimestamp !== undefined)).toEqual([true, true, true]);
  const blocking = host.get(MAP, 'shop/blocking') as KubeObject;
  await host.cluster.update({ ...blocking, metadata: { ...blocking.metadata, finalizers: [] } });
  await host.clock.settle();
  expect(names(host)).toEqual(['free']);
});

it('[cluster D1] two objects that own each other do not wait for each other for ever', async () => {
  const host = new FakeHost();
  await using _collector = startGarbageCollector(host);
  const first = await made(host, 'first');
  const second = await made(host, 'second', [first], { block: true });
  const ownerReferences = [{ ...MAP, name: 'second', uid: second.metadata.uid ?? '', blockOwnerDeletion: true }];
  await host.cluster.update({ ...first, metadata: { ...first.metadata, ownerReferences } });
  await host.cluster.delete(at('first'), { propagationPolicy: 'Foreground' });
  await host.clock.advance(1000);
  expect(names(host)).toEqual([]);
});

it('[cluster D1] orphaning lets the dependents go free before the owner goes', async () => {
  const host = new FakeHost();
  await using _collector = startGarbageCollector(host);
  const owner = await made(host, 'owner');
  await made(host, 'kept', [owner]);
  await host.cluster.delete(at('owner'), { propagationPolicy: 'Orphan' });
  await host.clock.settle();
  expect(names(host)).toEqual(['kept']);
  expect(host.get(MAP, 'shop/kept')?.metadata.ownerReferences).toEqual([]);
});

const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace' };

it('[cluster D3] a namespace names what keeps it, and goes when its content is gone', async () => {
  const host = new FakeHost();
  await using _namespaces = startNamespaces(host);
  await host.cluster.create({
    ...NAMESPACE,
    metadata: { name: 'shop' },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  });
  await made(host, 'plain');
  await made(host, 'held', [], { finalizers: ['example.com/wait'] });
  await host.cluster.delete({ ...NAMESPACE, name: 'shop' });
  await host.clock.settle();
  expect(names(host)).toEqual(['held']);
  expect(host.get(NAMESPACE, 'shop')?.status).toMatchObject({
    phase: 'Terminating',
    conditions: [
      {
        type: 'NamespaceDeletionDiscoveryFailure',
        status: 'False',
        reason: 'ResourcesDiscovered',
        message: 'All resources successfully discovered',
      },
      { type: 'NamespaceDeletionGroupVersionParsingFailure', status: 'False', reason: 'ParsedGroupVersions' },
      { type: 'NamespaceDeletionContentFailure', status: 'False', reason: 'ContentDeleted' },
      {
        type: 'NamespaceContentRemaining',
        status: 'True',
        reason: 'SomeResourcesRemain',
        message: 'Some resources are remaining: configmaps. has 1 resource instances',
      },
      {
        type: 'NamespaceFinalizersRemaining',
        status: 'True',
        reason: 'SomeFinalizersRemain',
        message: 'Some content in the namespace has finalizers remaining: example.com/wait in 1 resource instances',
      },
    ],
  });
  const held = host.get(MAP, 'shop/held') as KubeObject;
  await host.cluster.update({ ...held, metadata: { ...held.metadata, finalizers: [] } });
  await host.clock.settle();
  expect(host.get(NAMESPACE, 'shop')).toBeUndefined();
});

it('[cluster K] every namespace has its default ServiceAccount and certificate bundle, and gets them again', async () => {
  const host = new FakeHost();
  await using _defaults = startNamespaceDefaults(host, 'PEM');
  await host.cluster.create({ ...NAMESPACE, metadata: { name: 'shop' }, spec: { finalizers: ['kubernetes'] } });
  await host.clock.settle();
  expect(host.get({ apiVersion: 'v1', kind: 'ServiceAccount' }, 'shop/default')).toBeDefined();
  await host.cluster.delete(at('kube-root-ca.crt'));
  await host.clock.settle();
  expect(host.get(MAP, 'shop/kube-root-ca.crt')?.data).toEqual({ 'ca.crt': 'PEM' });
});
