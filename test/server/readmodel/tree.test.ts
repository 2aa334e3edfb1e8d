import { describe, expect, it } from 'vitest';
import type { TreeNode } from '@/lib/contract/application-rows';
import type { HealthStatus } from '@/lib/contract/health';
import type { Branch } from '@/server/readmodel/applications/tree-fold';
import { sizeOf, toShownNodes } from '@/server/readmodel/applications/tree-fold';

const node = (id: string, parent: string | null, kind: string, health: HealthStatus): TreeNode => ({
  id,
  parent,
  apiVersion: 'v1',
  kind,
  ns: 'shop',
  name: id,
  uid: id,
  health,
  message: 'a sentence of the usual length about what it waits for',
  origin: 'generated',
  count: null,
  counts: null,
  component: 'web',
  revision: 'web-v4',
  createdAt: '2026-01-01T09:00:00Z',
  known: { source: 'watch', at: null },
});

const branch = (id: string, parent: string | null, kind: string, health: HealthStatus, children: readonly Branch[] = []): Branch => ({
  node: node(id, parent, kind, health),
  children,
});

const pods = (healths: readonly HealthStatus[]) => healths.map((health, at) => branch(`pod-${String(at).padStart(5, '0')}`, 'app', 'Pod', health));
const many = (count: number, health: HealthStatus) => Array<HealthStatus>(count).fill(health);
const app = (children: readonly Branch[]) => branch('app', null, 'Application', 'InProgress', children);

describe('the resource tree, folded', () => {
  it('[design 9] names five that are well one by one, and puts more behind one line that can be opened', () => {
    expect(toShownNodes(app(pods(many(5, 'Current')))).map(({ origin }) => origin)).toEqual(Array(6).fill('generated'));
    const [, group, ...members] = toShownNodes(app(pods(many(6, 'Current'))));
    expect(group).toMatchObject({ origin: 'group', parent: 'app', count: 6, counts: [{ health: 'Current', count: 6 }] });
    expect(members.map(({ parent }) => parent)).toEqual(Array(6).fill(group?.id));
  });

  it('[design 9] never hides what is not well behind what is well, also when it lies below', () => {
    const fine = pods(many(8, 'Current'));
    const bad = branch('pod-bad', 'app', 'Pod', 'Failed');
    const above = branch('pod-above', 'app', 'Pod', 'Current', [branch('below', 'pod-above', 'Pod', 'Unknown')]);
    const shown = toShownNodes(app([...fine, bad, above]));
    expect(shown.slice(0, 4).map(({ id, origin }) => (origin === 'group' ? 'group' : id))).toEqual(['app', 'pod-bad', 'pod-above', 'group']);
    expect(shown.find(({ id }) => id === 'below')).toMatchObject({ parent: 'pod-above' });
    expect(shown.find(({ origin }) => origin === 'group')).toMatchObject({ count: 8 });
  });

  it('[design 9] counts those beyond twenty that are not well by status, the worst first', () => {
    const shown = toShownNodes(app(pods([...many(21, 'Failed'), ...many(9, 'InProgress'), ...many(7, 'Current')])));
    const groups = shown.filter(({ origin }) => origin === 'group');
    expect(groups.map(({ counts }) => counts)).toEqual([
      [
        { health: 'Failed', count: 1 },
        { health: 'InProgress', count: 9 },
      ],
      [{ health: 'Current', count: 7 }],
    ]);
  });

  it.each([
    ['all well', many(10_000, 'Current')],
    ['all failing', many(10_000, 'Failed')],
    ['of every kind', Array.from({ length: 10_000 }, (_, at): HealthStatus => (at % 3 === 0 ? 'Failed' : at % 3 === 1 ? 'InProgress' : 'Current'))],
  ])('[design 9] keeps ten thousand pods, %s, small enough to be pushed at every change, and counts them all', (_what, healths) => {
    const tree = app([
      branch('rs', 'app', 'ReplicaSet', 'Current', pods(healths)),
      ...Array.from({ length: 40 }, (_, at) => branch(`config-${at}`, 'app', 'ConfigMap', 'Current')),
    ]);
    const shown = toShownNodes(tree);
    expect(sizeOf(tree)).toBe(10_042);
    expect(shown.length).toBeLessThanOrEqual(500);
    expect(JSON.stringify(shown).length).toBeLessThan(200_000);
    expect(new Set(shown.map(({ id }) => id)).size).toBe(shown.length);
  });
});
