import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toTreeLines } from '@/components/applications/tree-rows';
import type { TreeNode } from '@/lib/contract/application-rows';
import type { HealthStatus } from '@/lib/contract/health';
import { HEALTH_STATUSES } from '@/lib/contract/health';

const node = (id: string, parent: string | null, health: HealthStatus = 'Current'): TreeNode => ({
  id,
  parent,
  apiVersion: 'v1',
  kind: 'Pod',
  ns: 'shop',
  name: id,
  uid: id,
  health,
  message: '',
  origin: 'generated',
  count: null,
  counts: null,
  known: { source: 'watch', at: null },
  component: null,
  revision: null,
  createdAt: null,
});

const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const forest = fc
  .tuple(...ids.map(() => fc.tuple(fc.option(fc.constantFrom(...ids, 'elsewhere')), fc.constantFrom(...HEALTH_STATUSES))))
  .map((drawn) => drawn.map(([parent, health], at) => node(ids[at] ?? '', parent, health)));

describe('the resource tree', () => {
  it('[design 9] shows every object exactly once, whoever owns it', () => {
    fc.assert(
      fc.property(forest, (nodes) => {
        const shown = toTreeLines(nodes, new Set()).map((line) => line.node.id);
        expect(shown.toSorted()).toEqual(ids);
      }),
    );
  });

  it('[design 9] puts what is worst first, also when it lies below something well', () => {
    const lines = toTreeLines([node('a', null), node('b', null), node('b1', 'b', 'Failed'), node('c', null, 'InProgress')], new Set());
    expect(lines.map((line) => line.node.id)).toEqual(['b', 'b1', 'c', 'a']);
  });

  it('[design 9] says at a closed node how the worst below it is', () => {
    const [line, ...others] = toTreeLines([node('a', null), node('a1', 'a', 'Failed')], new Set(['a']));
    expect(others).toEqual([]);
    expect(line).toMatchObject({ worst: 'Failed', children: 1 });
  });
});
