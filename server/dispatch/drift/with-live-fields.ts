import type { PathStep } from '@/lib/kube/field-owners';
import { isFields } from '@/lib/kube/fields';
import { deepEqual } from '@/lib/std/deep-equal';
import { indexOfStep } from './field-path';
import type { DriftField } from './find-drift';

type LiveField = Pick<DriftField, 'steps' | 'kind' | 'found'>;
const GONE = Symbol('gone');

/**
 * What is wanted with the fields as they were found; everything else is as wanted. A map that has nothing left of what is wanted is shown with what
 * others have in it, since it is not empty.
 */
export function withLiveFields(wanted: unknown, fields: readonly LiveField[], live: unknown): unknown {
  return prune(
    fields.reduce((tree, field) => put(tree, field.steps, field), wanted),
    live,
  );
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

function prune(value: unknown, live: unknown): unknown {
  // An entry has no fixed place in a list.
  if (Array.isArray(value)) return value.filter((entry) => entry !== GONE).map((entry) => prune(entry, undefined));
  if (!isFields(value)) return value;
  const members = Object.entries(value);
  const there = isFields(live) ? live : {};
  const left = members.filter(([, member]) => member !== GONE);
  return left.length === 0 && members.length > 0
    ? there
    : Object.fromEntries(left.map(([name, member]) => [name, prune(member, there[name])]));
}
