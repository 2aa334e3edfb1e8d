import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import type { ManagedField } from '@/server/embedded/fields/managers';
import { at, CONFIG_MAP, configMap, startQuiet } from '../cluster';

const entriesOf = ({ metadata }: KubeObject) => (metadata.managedFields ?? []) as readonly ManagedField[];
const apply = (name: string, data: Record<string, string>) => ({ type: 'apply', body: configMap(name, data) }) as const;

describe('who set a field', () => {
  it('[cluster W4] entries are told by how they came to be, then by age; a write that changes nothing leaves their times', async () => {
    await using embedded = await startQuiet();
    const { cluster, clock } = embedded;
    await cluster.create(configMap('a', { x: '1' }), { fieldManager: 'z' });
    await clock.advance(2000);
    await cluster.patch(at('a'), { type: 'merge', body: { data: { y: '1' } } }, { fieldManager: 'b' });
    await clock.advance(2000);
    const applied = await cluster.patch(at('a'), apply('a', { w: '1' }), { fieldManager: 'm' });
    expect(entriesOf(applied).map(({ manager, operation }) => [operation, manager])).toEqual([
      ['Apply', 'm'],
      ['Update', 'z'],
      ['Update', 'b'],
    ]);
    const times = entriesOf(applied).map(({ time }) => Date.parse(time ?? ''));
    expect([times[2] ?? 0, times[0] ?? 0].map((time) => time - (times[1] ?? 0))).toEqual([2000, 4000]);
    await clock.advance(2000);
    expect(await cluster.patch(at('a'), apply('a', { w: '1' }), { fieldManager: 'm' })).toBe(applied);
    expect(await cluster.patch(at('a'), { type: 'merge', body: { data: { y: '1' } } }, { fieldManager: 'm' })).toBe(applied);
  });

  it('[cluster W4] components of the cluster go by their own names', async () => {
    await using embedded = await startQuiet({ controllers: true, nodes: 1 });
    const { cluster, clock } = embedded;
    const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'main', image: 'web:1' }] } };
    const spec = { replicas: 1, selector: { matchLabels: { app: 'a' } }, template };
    await cluster.create(
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace: 'default', name: 'a' }, spec },
      { fieldManager: 'me' },
    );
    await clock.advance(60_000);
    const managersOf = async (apiVersion: string, kind: string) => {
      const found = new Set<string>();
      for await (const { items } of cluster.list({ apiVersion, kind }))
        for (const item of items)
          for (const { manager, subresource } of entriesOf(item)) found.add(`${manager}${subresource ? `/${subresource}` : ''}`);
      return [...found].sort();
    };
    expect(await managersOf('v1', 'Pod')).toEqual(['kube-controller-manager', 'kubelet/status']);
    expect(await managersOf('apps/v1', 'Deployment')).toEqual(['kube-controller-manager/status', 'me']);
    expect(await managersOf('v1', 'Node')).toEqual(['kubelet', 'kubelet/status']);
    expect(await managersOf('v1', 'Event')).toEqual(['kube-controller-manager', 'kube-scheduler', 'kubelet']);
    expect(await managersOf('rbac.authorization.k8s.io/v1', 'ClusterRole')).toEqual(['kube-apiserver']);
  });

  it('[cluster T3] is one object in memory for all that was made alike, and after a restart again', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'owners-'));
    const distinct = async (embedded: Awaited<ReturnType<typeof startQuiet>>) => {
      const found = new Set<unknown>();
      for await (const { items } of embedded.cluster.list({ ...CONFIG_MAP, namespace: 'default' }))
        for (const item of items) found.add(item.metadata.managedFields);
      return found.size;
    };
    {
      await using embedded = await startQuiet({ dataDir });
      for (let count = 0; count < 300; count++)
        await embedded.cluster.create(configMap(`c-${count}`, { x: String(count) }), { fieldManager: 'me' });
      expect(await distinct(embedded)).toBe(1);
    }
    {
      await using embedded = await startQuiet({ dataDir });
      expect(await distinct(embedded)).toBe(1);
      expect(entriesOf(await embedded.cluster.get(at('c-7')))).toMatchObject([
        { manager: 'me', operation: 'Update', fieldsV1: { 'f:data': { 'f:x': {} } } },
      ]);
    }
    await rm(dataDir, { recursive: true });
  });

  it('[cluster W4] an apply that creates needs the right to create', async () => {
    await using embedded = await startQuiet();
    const { cluster } = embedded;
    const rbac = 'rbac.authorization.k8s.io';
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['patch', 'get'] }];
    await cluster.create({ apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name: 'patch' }, rules });
    await cluster.create({
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'patch' },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'patch' },
      subjects: [{ apiGroup: rbac, kind: 'User', name: 'ann' }],
    });
    const ann = cluster.as({ user: 'ann', groups: [] });
    await expect(ann.patch(at('a'), apply('a', { x: '1' }), { fieldManager: 'ann' })).rejects.toThrow(
      'User "ann" cannot create resource "configmaps"',
    );
    await cluster.create(configMap('a', { y: '1' }));
    expect((await ann.patch(at('a'), apply('a', { x: '1' }), { fieldManager: 'ann' })).data).toEqual({ x: '1', y: '1' });
  });
});

describe('large objects', () => {
  it('[cluster W4] more fields than are remembered are applied as any, and the second time change nothing', async () => {
    await using embedded = await startQuiet();
    const { cluster } = embedded;
    const data = Object.fromEntries(Array.from({ length: 4000 }, (_, index) => [`key-${index}`, 'x'.repeat(40)]));
    const first = await cluster.patch(at('large'), apply('large', data), { fieldManager: 'me' });
    expect(await cluster.patch(at('large'), apply('large', data), { fieldManager: 'me' })).toBe(first);
    const { 'key-0': _gone, ...less } = data;
    const next = await cluster.patch(at('large'), apply('large', { ...less, 'key-1': 'y' }), { fieldManager: 'me' });
    expect(next.data).toEqual({ ...less, 'key-1': 'y' });
    expect(Object.keys(entriesOf(next)[0]?.fieldsV1['f:data'] ?? {})).toHaveLength(3999);
  });
});
