import type { PathStep } from '@/lib/kube/field-owners';
import { isFields } from '@/lib/kube/fields';
import { deepEqual } from '@/lib/std/deep-equal';
import { indexOfStep } from './field-path';
import type { DriftField } from './find-drift';

type LiveField = Pick<DriftField, 'steps' | 'kind' | 'found'>;
const GONE = Symbol('gone');

/** What is wanted with the fields as they were found; everything else is as wanted. */
export function withLiveFields(wanted: unknown, fields: readonly LiveField[]): unknown {
  return prune(fields.reduce((tree, field) => put(tree, field.steps, field), wanted));
}

function put(tree: unknown, steps: readonly PathStep[], field: LiveField): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) {
    if (field.kind === 'reordered') return reorder(tree, field.found);
    return field.kind === 'removed' ? GONE : field.found;
  }
  if (typeof step === 'string') {
    if (tree !== undefined && !isFields(tree)) return tree;
    return { ...tree, [step]: put(tree?.[step], rest, field) };
  }
  if (tree !== undefined && !Array.isArray(tree)) return tree;
  const list: readonly unknown[] = tree ?? [];
  const at = indexOfStep(list, step);
  if (at < 0) return [...list, put(undefined, rest, field)];
  return list.map((entry, index) => (index === at ? put(entry, rest, field) : entry));
}

/** Entries in the order in which their keys were found. */
function reorder(list: unknown, order: unknown): unknown {
  if (!Array.isArray(list) || !Array.isArray(order)) return list;
  const place = (entry: unknown) =>
    order.findIndex((key) => isFields(entry) && Object.values(entry).some((value) => deepEqual(value, key)));
  return [...(list as readonly unknown[])].sort((a, b) => place(a) - place(b));
}

function prune(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((entry) => entry !== GONE).map(prune);
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([name, member]) => (member === GONE ? [] : [[name, prune(member)]])));
}
