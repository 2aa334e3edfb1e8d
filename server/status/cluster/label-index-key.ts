import type { KubeObject } from '@/lib/kube/object';
import type { LabelSelector } from './label-selector';

/**
 * Where a selector finds what it selects: the names of the labels it wants, and their values. Objects are filed by the same
 * names, so that a selector looks only at those that have its labels.
 */
export interface LabelIndexKey {
  /** Names of labels, sorted, and the same as one text. */
  readonly names: readonly string[];
  readonly name: string;
  /** The values that are wanted, as one text. */
  readonly value: string;
}

/** The file of a selector; undefined for one that names no label with its value. */
export function labelIndexKeyOf({ pairs }: LabelSelector): LabelIndexKey | undefined {
  if (pairs.length === 0) return undefined;
  const sorted = pairs.toSorted(([left], [right]) => (left < right ? -1 : 1));
  const names = sorted.map(([name]) => name);
  return { names, name: JSON.stringify(names), value: JSON.stringify(sorted.map(([, value]) => value)) };
}

/** The value under which an object is filed by these names; undefined when it lacks one of them. */
export function valueIn(names: readonly string[], { metadata: { labels = {} } }: KubeObject): string | undefined {
  const values: string[] = [];
  for (const name of names) {
    const value = Object.hasOwn(labels, name) ? labels[name] : undefined;
    if (value === undefined) return undefined;
    values.push(value);
  }
  return JSON.stringify(values);
}
