import { isFields } from '@/lib/kube/fields';
import type { FieldSet } from './field-set';
import { LEAF } from './field-set';

const MOST = 16_384;

/**
 * Sets that were seen lately, so that equal ones are one object: the pods of a workload own their fields alike. Nodes are shared, not
 * whole sets, for many differ in one branch only. Whatever has not been met for a while is forgotten; equal sets are then two objects.
 */
const numbers = new WeakMap<FieldSet, number>([[LEAF, 0]]);
let young = new Map<string, FieldSet>();
let old = new Map<string, FieldSet>();
let count = 0;

/** The one object that stands for this set; what is no set of paths gives none. */
export function intern(value: unknown): FieldSet {
  if (!isFields(value)) return LEAF;
  const set = value as FieldSet; // told apart by its elements below
  if (numbers.has(set)) return set;
  let key = '';
  const node: Record<string, FieldSet> = {};
  for (const element of Object.keys(set).sort()) {
    const child = intern(set[element]);
    node[element] = child;
    key += `${element}\u0000${numbers.get(child)}\u0001`;
  }
  if (key === '') return LEAF;
  const known = young.get(key) ?? old.get(key);
  const found = known ?? Object.freeze(node);
  if (known === undefined) numbers.set(found, ++count);
  if (young.size >= MOST) {
    old = young;
    young = new Map();
  }
  young.set(key, found);
  return found;
}
