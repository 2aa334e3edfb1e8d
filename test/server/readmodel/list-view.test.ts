import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ListQuery } from '@/lib/contract/lists/list-query';
import { toFacets } from '@/server/readmodel/views/facets';
import type { ListShape } from '@/server/readmodel/views/list-view';
import { pageOf } from '@/server/readmodel/views/list-view';

interface Row {
  readonly key: string;
  readonly size: number;
}

const shape: ListShape<Row> = {
  namespaceOf: () => 'shop',
  text: ({ key }) => key,
  filter: () => 'all',
  sorts: { name: ({ key }) => key, size: ({ size }) => size },
  defaultSort: 'name',
};
const rows: readonly Row[] = [
  { key: 'b', size: 1 },
  { key: 'a', size: 2 },
];

interface Marked {
  readonly key: string;
  readonly ns: string;
  readonly health: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly owner: string | null;
}

const marked: ListShape<Marked> = {
  namespaceOf: ({ ns }) => ns,
  text: ({ key }) => key,
  filter: ({ health }) => health,
  marks: (row) => row,
  sorts: { name: ({ key }) => key },
  defaultSort: 'name',
};
const MARKED: readonly Marked[] = [
  { key: 'a', ns: 'shop', health: 'Current', labels: { tier: 'web' }, owner: 'Kustomization/flux-system/apps' },
  { key: 'b', ns: 'pay', health: 'Failed', labels: { tier: 'db', old: '' }, owner: 'Application/argocd/pay' },
  { key: 'c', ns: 'ops', health: 'InProgress', labels: {}, owner: null },
  { key: 'd', ns: 'pay', health: 'Failed', labels: { tier: 'web' }, owner: 'Helm' },
];

describe('the filters of a list', () => {
  it.each<readonly [string, ListQuery, readonly string[]]>([
    ['any of the namespaces', { ns: ['shop', 'ops'] }, ['a', 'c']],
    ['any of the statuses', { health: ['Failed', 'InProgress'] }, ['b', 'c', 'd']],
    ['every requirement of the selector', { labels: 'tier in (web,db),!old' }, ['a', 'd']],
    ['a whole owner', { owner: ['Kustomization/flux-system/apps'] }, ['a']],
    ['the kind of an owner', { owner: ['Application'] }, ['b']],
    ['a tool, or no owner', { owner: ['Helm', 'none'] }, ['c', 'd']],
    ['all of them at once', { ns: ['pay'], health: ['Failed'], labels: 'tier=web', owner: ['Helm'] }, ['d']],
    ['nothing, where the selector cannot be read', { labels: 'a b' }, []],
  ])('[issue 14.3] show %s', (_what, query, expected) => {
    expect(pageOf(MARKED, query, 'all', marked)).toMatchObject({ order: expected, total: expected.length });
  });

  it('[issue 14.3] never show a namespace that the reader may not see', () => {
    expect(pageOf(MARKED, { owner: ['none', 'Helm'] }, ['ops'], marked).order).toEqual(['c']);
  });

  it('[issue 14.3] are chosen from what the reader may see, the commonest first', () => {
    expect(toFacets('applications', MARKED, ['pay', 'shop'])).toEqual({
      key: 'applications',
      unowned: 0,
      owners: [
        { owner: 'Application/argocd/pay', count: 1 },
        { owner: 'Helm', count: 1 },
        { owner: 'Kustomization/flux-system/apps', count: 1 },
      ],
      labels: [
        { key: 'tier', count: 3, values: ['web', 'db'] },
        { key: 'old', count: 1, values: [''] },
      ],
    });
  });
});

describe('a page of a list', () => {
  it.each(['__proto__', 'constructor', 'toString', 'nothing'])('[design 8] asked for in the order "%s" has the usual one', (sort) => {
    expect(pageOf(rows, { sort }, 'all', shape).order).toEqual(['a', 'b']);
  });

  it('[design 7] has the order that was requested', () => {
    expect(pageOf(rows, { sort: 'size' }, 'all', shape).order).toEqual(['b', 'a']);
  });

  it('[design 7] is the same part of one order, whether it is the first of many or far back', () => {
    const many = fc.uniqueArray(fc.record({ key: fc.stringMatching(/^[a-z]{1,3}$/), size: fc.integer({ min: 0, max: 9 }) }), {
      selector: ({ key }) => key,
      maxLength: 120,
      size: 'max',
    });
    fc.assert(
      fc.property(many, fc.boolean(), fc.nat(8), fc.integer({ min: 1, max: 12 }), (all, desc, page, size) => {
        const sign = desc ? -1 : 1;
        const ordered = [...all].sort((a, b) => sign * (a.size - b.size) || (a.key < b.key ? -1 : 1)).map(({ key }) => key);
        const seen = pageOf(all, { sort: 'size', desc, page, size }, 'all', shape);
        expect(seen).toMatchObject({ order: ordered.slice(page * size, (page + 1) * size), total: all.length });
      }),
    );
  });
});
