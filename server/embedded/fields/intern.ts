import { isFields } from '@/lib/kube/fields';
import type { FieldSet } from './field-set';
import { LEAF } from './field-set';

const MOST = 4096;
// What is larger is hardly ever met again, and too large to remember.
const MAX_SHARED = 200;

/** Values that were made lately, by what they are made of. What has not been asked for in a while is forgotten. */
export class Pool<Value extends object> {
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  /** The value made of this, or a new one, which nobody may change. */
  take(key: string, make: () => Value): Value {
    const known = this.#young.get(key);
    if (known !== undefined) return known;
    const value = this.#old.get(key) ?? Object.freeze(make());
    if (this.#young.size >= MOST) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
    return value;
  }
}

// Equal sets are one object as far as they are remembered: the pods of a workload own their fields alike. Nodes are shared, not whole
// sets, for many differ in one branch only.
const nodes = new Pool<FieldSet>();
const numbers = new WeakMap<FieldSet, number>([[LEAF, 0]]);
let count = 0;

/** Number of a set that `intern` gave; equal numbers are equal sets. */
export function numberOf(set: FieldSet): number {
  return numbers.get(set) ?? -1;
}

function keyOf(elements: readonly string[], children: readonly FieldSet[]): string {
  let key = '';
  for (const [at, element] of elements.entries()) key += `${element}\u0000${numberOf(children[at] ?? LEAF)}\u0001`;
  return key;
}

/** The object that stands for this set; what is no set of paths gives none. */
export function intern(value: unknown): FieldSet {
  if (!isFields(value)) return LEAF;
  const set = value as FieldSet; // told apart by its elements below
  if (numbers.has(set)) return set;
  const elements = Object.keys(set).sort();
  if (elements.length === 0) return LEAF;
  const children = elements.map((element) => intern(set[element]));
  const make = () => Object.fromEntries(elements.map((element, at) => [element, children[at] ?? LEAF]));
  const found = elements.length > MAX_SHARED ? Object.freeze(make()) : nodes.take(keyOf(elements, children), make);
  if (!numbers.has(found)) numbers.set(found, ++count);
  return found;
}
