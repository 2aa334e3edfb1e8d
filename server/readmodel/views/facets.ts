import type { Facets } from '@/lib/contract/lists/facets';
import { MAX_FACET_VALUES, MAX_FACETS } from '@/lib/contract/lists/facets';
import type { Visibility } from './window';

interface FacetRow {
  readonly ns: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly owner: string | null;
}

/** What the rows that a reader may see can be filtered by, the commonest first. One walk over them. */
export function toFacets(key: string, rows: Iterable<FacetRow>, visibility: Visibility): Facets {
  const allowed = visibility === 'all' ? undefined : new Set(visibility);
  const owners = new Map<string, number>();
  const labels = new Map<string, Map<string, number>>();
  let total = 0;
  for (const { ns, labels: own, owner } of rows) {
    if (allowed !== undefined && (ns === null || !allowed.has(ns))) continue;
    total += 1;
    if (owner !== null) count(owners, owner);
    for (const [key, value] of Object.entries(own)) {
      const values = labels.get(key) ?? new Map<string, number>();
      if (values.size === 0) labels.set(key, values);
      count(values, value);
    }
  }
  const owned = [...owners.values()].reduce((sum, one) => sum + one, 0);
  return {
    key,
    unowned: total - owned,
    owners: commonest(owners, MAX_FACETS).map(([owner, times]) => ({ owner, count: times })),
    labels: [...labels]
      .map(([key, values]) => ({ key, count: sum(values), values: commonest(values, MAX_FACET_VALUES).map(([value]) => value) }))
      .sort((a, b) => b.count - a.count || compare(a.key, b.key))
      .slice(0, MAX_FACETS),
  };
}

function count(counts: Map<string, number>, value: string): void {
  counts.set(value, (counts.get(value) ?? 0) + 1);
}

function commonest(counts: ReadonlyMap<string, number>, most: number): readonly (readonly [string, number])[] {
  return [...counts].sort((a, b) => b[1] - a[1] || compare(a[0], b[0])).slice(0, most);
}

const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((all, one) => all + one, 0);
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
