import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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
