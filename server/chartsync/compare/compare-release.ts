import type { Fields } from '@/lib/kube/fields';
import { deepEqual } from '@/lib/std/deep-equal';
import { toStableJson } from '@/lib/std/stable-json';
import type { ChartContent, ChartFiles, DryRunResult, StoredRevision } from '../model/release';

/** The first thing in which a dry run and a stored revision differ; undefined when they are equal. */
export type Difference = { readonly kind: 'values' } | { readonly kind: 'chart'; readonly part: string };

/** Lists of chart metadata whose order says nothing (R-1B-5). */
const UNORDERED = ['sources', 'keywords', 'maintainers'];

/** Compares what would be with what is stored: user values first, then the chart (R-1B-1). */
export function compareRelease(desired: DryRunResult, stored: StoredRevision): Difference | undefined {
  if (!sameValues(desired.values, stored.values)) return { kind: 'values' };
  const part = differingPart(desired.chart, stored.chart);
  if (part !== undefined) return { kind: 'chart', part };
  // Helm does not store subcharts, so only their digest in the description tells them (R-1B-8).
  if (desired.treeDigest !== undefined && !(stored.description ?? '').includes(desired.treeDigest))
    return { kind: 'chart', part: 'dependencies' };
  return undefined;
}

/** Keys in any order, lists in theirs; absent, null and empty are one as a whole, but within them null is data. */
function sameValues(left: Fields | null | undefined, right: Fields | null | undefined): boolean {
  return deepEqual(left ?? {}, right ?? {});
}

function differingPart(left: ChartContent, right: ChartContent): string | undefined {
  if (!deepEqual(ordered(left.metadata), ordered(right.metadata))) return 'metadata';
  if (!sameSet(textsOf(left.templates), textsOf(right.templates))) return 'templates';
  if (!sameSet(textsOf(left.files), textsOf(right.files))) return 'files';
  if (!sameValues(left.values, right.values)) return 'values';
  if ((left.schema ?? '') !== (right.schema ?? '')) return 'schema';
  return sameSet(canonical(left.dependencies), canonical(right.dependencies)) ? undefined : 'dependencies';
}

/** A text for each, or the one that stands for all of them. */
function textsOf(files: ChartFiles): readonly string[] {
  return 'digest' in files ? [files.digest] : files.map(({ name, data }) => JSON.stringify([name, data]));
}

/** Each dependency as one text, its own unordered lists sorted, so that a list of them can be compared in any order. */
function canonical(charts: readonly ChartContent[] = []): readonly string[] {
  return charts.map(({ metadata, templates, files, values, schema, dependencies }) =>
    toStableJson([
      ordered(metadata),
      [...textsOf(templates)].sort(),
      [...textsOf(files)].sort(),
      values,
      schema ?? '',
      [...canonical(dependencies)].sort(),
    ]),
  );
}

function ordered(metadata: Fields): Fields {
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [name, UNORDERED.includes(name) && Array.isArray(value) ? sorted(value) : value]),
  );
}

function sorted(list: readonly unknown[]): readonly unknown[] {
  return list.map((item) => toStableJson(item)).sort();
}

function sameSet(left: readonly string[], right: readonly string[]): boolean {
  if (left.length !== right.length) return false;
  const [a, b] = [[...left].sort(), [...right].sort()];
  return a.every((item, at) => item === b[at]);
}
