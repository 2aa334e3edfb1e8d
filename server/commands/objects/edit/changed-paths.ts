import type { PathStep } from '@/lib/kube/field-owners';
import { isFields, readField } from '@/lib/kube/fields';
import { deepEqual } from '@/lib/std/deep-equal';

/** What entries of lists are told apart by, the usual first. */
const KEYS = ['name', 'containerPort', 'port', 'key', 'mountPath', 'ip', 'type', 'topologyKey', 'uid'] as const;

/** A field that is another in one state than in the other. */
export interface ChangedField {
  readonly steps: readonly PathStep[];
  readonly before: unknown;
  readonly after: unknown;
}

/** The fields that differ between two states, as deep as both go. */
export function changedFields(before: unknown, after: unknown, above: readonly PathStep[] = []): readonly ChangedField[] {
  if (deepEqual(before, after)) return [];
  if (isFields(before) && isFields(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => changedFields(before[name], after[name], [...above, name]));
  }
  const steps = Array.isArray(before) && Array.isArray(after) ? stepsOf(before, after) : undefined;
  if (steps === undefined) return [{ steps: above, before, after }];
  return steps.flatMap(({ step, old, fresh }) => changedFields(old, fresh, [...above, step]));
}

interface Pair {
  readonly step: PathStep;
  readonly old: unknown;
  readonly fresh: unknown;
}

/** Entries of two lists side by side; undefined where nothing tells them apart, so that the list is one field. */
function stepsOf(before: readonly unknown[], after: readonly unknown[]): readonly Pair[] | undefined {
  const all = [...before, ...after];
  const key = KEYS.find(
    (one) => all.every((entry) => readField(entry, one) !== undefined) && isDistinct(before, one) && isDistinct(after, one),
  );
  if (key === undefined) return undefined;
  const find = (list: readonly unknown[], value: unknown) => list.find((entry) => deepEqual(readField(entry, key), value));
  const values = [...new Set(all.map((entry) => readField(entry, key)))];
  return values.map((value) => ({ step: { key, value }, old: find(before, value), fresh: find(after, value) }));
}

const isDistinct = (list: readonly unknown[], key: string) => new Set(list.map((entry) => readField(entry, key))).size === list.length;
