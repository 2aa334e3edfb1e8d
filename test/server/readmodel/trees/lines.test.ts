import { describe, expect, it } from 'vitest';
import type { TreeQuery } from '@/lib/contract/lists/tree-query';
import { markOf, TREE_PAGE, treeLine } from '@/lib/contract/tree-rows';
import type { ObjectMeta } from '@/lib/kube/object';
import type { TreeLines } from '@/server/readmodel/trees/lines';
import { toTreeLines } from '@/server/readmodel/trees/lines';
import { aBranch, aNode } from '@/test/support/fixture/tree';

const copy = (kind: string, name: string, metadata: Partial<ObjectMeta>) => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'shop', ...metadata },
});
const ofSet = { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: 'uid-web-1', controller: true }] };
const pod = (name: string, rest = {}) => ({
  ...aBranch(aNode('', 'Pod', name, { origin: 'generated', ...rest })),
  object: copy('Pod', name, { labels: { app: 'web', 'pod-template-hash': '1' }, ...ofSet }),
});
const set = {
  ...aBranch(aNode('apps', 'ReplicaSet', 'web-1', { origin: 'generated' }), [
    pod('web-a'),
    pod('web-b', { health: 'Failed', message: 'exit code 137' }),
  ]),
  object: copy('ReplicaSet', 'web-1', { labels: { app: 'web' } }),
};
const failed = { health: 'Failed', message: 'exit code 137' } as const;
const root = aBranch(aNode('core.oam.dev', 'Application', 'shop', { origin: 'application' }), [
  aBranch(aNode('apps', 'Deployment', 'web'), [set]),
  aBranch(aNode('', 'ConfigMap', 'settings')),
  aBranch(aNode('', 'Service', 'web', { health: 'InProgress' })),
]);
const linesOf = (lines: TreeLines, query: TreeQuery = {}) => [...lines.page(query).rows.values()].map((row) => treeLine.parse(row));
const seen = (query: TreeQuery) => linesOf(toTreeLines(root), query).map(({ kind, name, depth }) => `${'  '.repeat(depth)}${kind} ${name}`);

describe('the list of the objects of an application', () => {
  it('[issue 14.2] shows all of them below their owners, what is worst or owns the worst first', () => {
    expect(seen({})).toEqual([
      'Application shop',
      '  Deployment web',
      '    ReplicaSet web-1',
      '      Pod web-b',
      '      Pod web-a',
      '  Service web',
      '  ConfigMap settings',
    ]);
  });

  it('[issue 14.2] leaves out what lies below a closed line, and says there how the worst of it is', () => {
    const closed = [markOf('Deployment.apps/shop/web')];
    expect(seen({ closed })).toEqual(['Application shop', '  Deployment web', '  Service web', '  ConfigMap settings']);
    expect(linesOf(toTreeLines(root), { closed })[1]).toMatchObject({ isClosed: true, children: 1, health: 'Current', worst: 'Failed' });
  });

  it.each<readonly [string, TreeQuery, readonly string[]]>([
    ['text in a name', { q: 'WEB-' }, ['Pod web-b', 'ReplicaSet web-1', 'Pod web-a']],
    ['text in a message', { q: '137' }, ['Pod web-b']],
    ['a kind', { kind: 'Deployment.apps' }, ['Deployment web']],
    ['a status', { status: 'InProgress' }, ['Service web']],
    ['anything but current', { status: 'unwell' }, ['Pod web-b', 'Service web']],
    ['what hangs below one', { under: markOf('ReplicaSet.apps/shop/web-1') }, ['Pod web-b', 'Pod web-a']],
    ['all of it', { q: 'web', kind: 'Pod', status: 'Current' }, ['Pod web-a']],
    ['nothing', { q: 'no such' }, []],
  ])('[issue 14.2] is narrowed by %s', (_what, query, expected) => {
    expect(seen(query)).toEqual(expected);
  });

  it.each<readonly [string, TreeQuery, readonly string[]]>([
    ['a label', { labels: 'app=web' }, ['Pod web-b', 'ReplicaSet web-1', 'Pod web-a']],
    ['a label that another has not', { labels: 'app=web,!pod-template-hash' }, ['ReplicaSet web-1']],
    ['an owner', { owner: ['ReplicaSet/shop/web-1'] }, ['Pod web-b', 'Pod web-a']],
    ['a kind of owner beside another filter', { owner: ['ReplicaSet'], status: 'Current' }, ['Pod web-a']],
    ['a namespace that has none', { ns: ['pay'] }, []],
    ['one of several namespaces', { ns: ['pay', 'shop'], kind: 'Pod' }, ['Pod web-b', 'Pod web-a']],
    ['no owner, and not by what there is no copy of', { owner: ['none'] }, ['ReplicaSet web-1']],
  ])('[issue 14.3] is filtered by %s', (_what, query, expected) => {
    expect(seen(query)).toEqual(expected);
  });

  it('[issue 14.3] tells what it can be filtered by, with counts', () => {
    expect(toTreeLines(root).facets()).toMatchObject({
      owners: [{ owner: 'ReplicaSet/shop/web-1', count: 2 }],
      unowned: 1,
      labels: [
        { key: 'app', count: 3, values: ['web'] },
        { key: 'pod-template-hash', count: 2, values: ['1'] },
      ],
    });
    expect(toTreeLines(root).counts().namespaces).toEqual([{ ns: 'shop', count: 7 }]);
  });

  it('[issue 14.2] names the owner of what stands without it', () => {
    expect(linesOf(toTreeLines(root), { q: 'web-b' })[0]?.owner).toEqual({ kind: 'ReplicaSet', name: 'web-1' });
  });

  it('[issue 14.2] holds ten thousand, each on one page, and counts them by kind and status', () => {
    const pods = Array.from({ length: 9_998 }, (_, at) => pod(`pod-${at}`, at === 5000 ? failed : {}));
    const lines = toTreeLines(
      aBranch(aNode('core.oam.dev', 'Application', 'large', { origin: 'application' }), [
        aBranch(aNode('apps', 'ReplicaSet', 'set'), pods),
      ]),
    );
    const ids = Array.from({ length: 10_000 / TREE_PAGE }, (_, page) => lines.page({ page })).flatMap(({ order, total }) => {
      expect(total).toBe(10_000);
      expect(order.length).toBeLessThanOrEqual(TREE_PAGE);
      return order;
    });
    expect(new Set(ids).size).toBe(10_000);
    expect(lines.page({ page: 200 }).order).toEqual([]);
    expect(lines.counts()).toMatchObject({
      total: 10_000,
      kinds: [{ count: 1 }, { kind: 'Pod', count: 9_998 }, { count: 1 }],
      statuses: [
        { health: 'Failed', count: 1 },
        { health: 'Current', count: 9_999 },
      ],
    });
  });

  it('[issue 14.2] tells of one object its owners and its line, also where the list leaves it out', () => {
    const lines = toTreeLines(root);
    const id = 'Pod/shop/web-a';
    expect(lines.location(id, {})).toMatchObject({
      key: id,
      at: 4,
      owners: [{ kind: 'ReplicaSet' }, { kind: 'Deployment' }, { kind: 'Application' }],
    });
    expect(lines.location(id, { status: 'Failed' })).toMatchObject({ key: id, at: null });
    expect(lines.location('Pod/shop/gone', {})).toBeUndefined();
  });
});
