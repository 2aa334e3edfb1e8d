import type { ListQuery } from '@/lib/contract/lists/list-query';
import type { ObjectMetadata } from '@/lib/contract/lists/metadata-filter';
import { metadataFilter } from '@/lib/contract/lists/metadata-filter';
import type { Keyed } from '@/lib/contract/live';
import type { View } from './live-window';
import type { Visibility } from './window';

/** How rows of one kind are searched, filtered and ordered. */
export interface ListShape<Row extends Keyed> {
  readonly namespaceOf: (row: Row) => string | null;
  readonly text: (row: Row) => string;
  /** Value that `health=` filters by. */
  readonly filter: (row: Row) => string;
  /** Labels and owner of the object that a row is about; where it is absent, `labels=` and `owner=` show none. */
  readonly marks?: (row: Row) => ObjectMetadata;
  /** Whether `drifted=1` shows the row; where it is absent, the filter shows all. */
  readonly drifted?: (row: Row) => boolean;
  readonly sorts: Readonly<Record<string, (row: Row) => string | number>>;
  readonly defaultSort: string;
}

const PAGE = 50;
/** A page that ends within this part of the rows is picked out; for one further back all are ordered. */
const FEW = 8;

/** One page of the rows that a reader may see and asked for; ties are broken by key, so that pages never overlap. */
export function pageOf<Row extends Keyed>(rows: Iterable<Row>, query: ListQuery, visibility: Visibility, shape: ListShape<Row>): View {
  const isWanted = filterOf(query, visibility, shape);
  const found: Row[] = [];
  for (const row of rows) if (isWanted(row)) found.push(row);
  // Whoever asks may name anything, members of every object included.
  const sort = query.sort !== undefined && Object.hasOwn(shape.sorts, query.sort) ? query.sort : shape.defaultSort;
  const by = shape.sorts[sort] ?? ((row: Row) => row.key);
  const sign = query.desc ? -1 : 1;
  const keyed = found.map((row) => ({ row, value: by(row) }));
  const size = query.size ?? PAGE;
  const start = (query.page ?? 0) * size;
  const page = firstOf(keyed, start + size, (a, b) => sign * compare(a.value, b.value) || compare(a.row.key, b.row.key))
    .slice(start)
    .map(({ row }) => row);
  return { order: page.map((row) => row.key), rows: new Map(page.map((row) => [row.key, row])), total: found.length };
}

/** The first so many in order. Most pages are the first of thousands of rows, and ordering all of them is most of what a page costs. */
function firstOf<T>(items: readonly T[], count: number, compareItems: (a: T, b: T) => number): readonly T[] {
  if (count * FEW >= items.length) return [...items].sort(compareItems).slice(0, count);
  const first: T[] = [];
  for (const item of items) {
    const last = first[count - 1];
    if (last !== undefined && compareItems(item, last) >= 0) continue;
    let [low, high] = [0, first.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const held = first[middle];
      if (held !== undefined && compareItems(held, item) <= 0) low = middle + 1;
      else high = middle;
    }
    first.splice(low, 0, item);
    if (first.length > count) first.pop();
  }
  return first;
}

function filterOf<Row extends Keyed>(query: ListQuery, visibility: Visibility, shape: ListShape<Row>): (row: Row) => boolean {
  const allowed = visibility === 'all' ? undefined : new Set(visibility);
  const namespaces = query.ns && new Set(query.ns);
  const states = query.health && new Set(query.health);
  const isMarked = metadataFilter(query);
  const wanted = query.q?.toLowerCase();
  return (row) => {
    const ns = shape.namespaceOf(row);
    if (allowed !== undefined && (ns === null || !allowed.has(ns))) return false;
    if (namespaces !== undefined && (ns === null || !namespaces.has(ns))) return false;
    if (states !== undefined && !states.has(shape.filter(row))) return false;
    if (query.drifted && shape.drifted?.(row) === false) return false;
    if (isMarked !== undefined && (shape.marks === undefined || !isMarked(shape.marks(row)))) return false;
    return wanted === undefined || shape.text(row).toLowerCase().includes(wanted);
  };
}

function compare(a: string | number, b: string | number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
