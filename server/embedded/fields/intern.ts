import { isFields } from '@/lib/kube/fields';
import type { FieldSet } from './field-set';
import { LEAF } from './field-set';

// What is larger is hardly ever met again, and too large to remember.
const MAX_SHARED = 200;

/** Values that were made lately, by what they are made of. What has not been asked for in a while is forgotten: at most twice `most` are kept. */
export class InternPool<Value extends object> {
  readonly #most: number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  constructor(most: number) {
    this.#most = most;
  }

  /** The value made of this, or a new one, which nobody may change. */
  take(key: string, make: () => Value): Value {
    const known = this.#young.get(key);
    if (known !== undefined) return known;
    const value = this.#old.get(key) ?? Object.freeze(make());
    if (this.#young.size >= this.#most) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
    return value;
  }
}

// Equal sets are one object as far as they are remembered: the pods of a workload own their fields alike. Nodes are shared, not whole
// sets, for many differ in one branch only.
const nodes = new InternPool<FieldSet>(4096);
const numbers = new WeakMap<FieldSet, number>([[LEAF, 0]]);
let count = 0;

/** Number of a set that `intern` gave; equal numbers are equal sets. */
export function numberOf(set: FieldSet): number {
  return numbers.get(set) ?? -1;
}

/** Joined, since a key that is added up of pieces keeps each of them. */
function keyOf(elements: readonly string[], children: readonly FieldSet[]): string {
  return elements.map((element, at) => [element, numberOf(children[at] ?? LEAF)].join('\u0000')).join('\u0001');
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
