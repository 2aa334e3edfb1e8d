import { describe, expect, it } from 'vitest';
import type { ListShape } from '@/server/readmodel/list-view';
import { pageOf } from '@/server/readmodel/list-view';

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

  it('[design 7] has the order that was asked for', () => {
    expect(pageOf(rows, { sort: 'size' }, 'all', shape).order).toEqual(['b', 'a']);
  });
});
