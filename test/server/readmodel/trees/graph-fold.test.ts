import { describe, expect, it } from 'vitest';
import type { HealthStatus } from '@/lib/contract/health';
import { markOf } from '@/lib/contract/tree-rows';
import { foldAll, representedIds } from '@/server/readmodel/trees/graph-fold';
import { aBranch, aNode } from '@/test/support/fixture/tree';

const pods = (...counts: readonly (readonly [number, HealthStatus])[]) =>
  counts.flatMap(([count, health]) => Array.from({ length: count }, (_, at) => aBranch(aNode('', 'Pod', `${health}-${at}`, { health }))));
const fold = (branches: ReturnType<typeof pods>, open: readonly string[] = []) => {
  const { children } = aBranch(aNode('apps', 'ReplicaSet', 'set'), branches);
  return foldAll([{ above: 'set', branches: children }], new Set(open));
};
const typesOf = (folded: ReturnType<typeof fold>) => ({
  object: folded.filter(({ node }) => node.type === 'object'),
  group: folded.filter(({ node }) => node.type === 'group'),
});

describe('the nodes of a graph', () => {
  it('[issue 14.2] are drawn one by one up to thirty siblings, and grouped past them', () => {
    expect(typesOf(fold(pods([30, 'Current']))).object).toHaveLength(30);
    const folded = fold(pods([31, 'Current']));
    expect(folded.map(({ node }) => [node.type, node.count])).toEqual([['group', 31]]);
  });

  it('[issue 14.2] never hide what is not well behind what is well', () => {
    const unwell = aBranch(aNode('', 'Pod', 'above'), [aBranch(aNode('', 'Pod', 'below', { health: 'Failed' }))]);
    const { object, group } = typesOf(fold([...pods([40, 'Current'], [2, 'Failed']), unwell]));
    expect(object.map(({ node }) => node.name).toSorted()).toEqual(['Failed-0', 'Failed-1', 'above', 'below']);
    expect(group).toHaveLength(1);
    expect(group[0]?.node).toMatchObject({ health: 'Current', counts: [{ health: 'Current', count: 40 }] });
  });

  it('[issue 14.2] count those beyond twenty that are not well by status, worst first', () => {
    const { object, group } = typesOf(fold(pods([25, 'Failed'], [9, 'InProgress'])));
    expect(object).toHaveLength(20);
    expect(group[0]?.node.counts).toEqual([
      { health: 'Failed', count: 5 },
      { health: 'InProgress', count: 9 },
    ]);
    expect(group[0]?.node.health).toBe('Failed');
  });

  it('[issue 14.2] are taken apart where somebody opened the group', () => {
    const [group] = fold(pods([50, 'Current']));
    const opened = fold(pods([50, 'Current']), [markOf(group?.node.id ?? '')]);
    expect(opened.map(({ node }) => node.type)).toEqual(Array(50).fill('object'));
  });

  it('[issue 14.2] stand together for every object that there is, once', () => {
    const sets = Array.from({ length: 40 }, (_, at) =>
      aBranch(aNode('apps', 'ReplicaSet', `set-${at}`), at === 7 ? pods([3, 'Failed']) : pods([1, 'Current'])),
    );
    const behind = fold(sets).flatMap((folded) => [...representedIds(folded)]);
    expect(new Set(behind).size).toBe(40 + 3 + 1);
  });
});
