import { deepEqual } from '@/lib/std/deep-equal';
import { elementOf, formIn, itemsOf, membersOf, toFieldElement } from './elements';
import type { FieldSet } from './field-set';
import { asMember, EMPTY, LEAF } from './field-set';
import type { ListShape, MapShape, Shape } from './shape';

/** What became of the fields of an object. No path is in two of the sets. */
export interface Comparison {
  readonly added: FieldSet;
  readonly removed: FieldSet;
  readonly modified: FieldSet;
}

type Kind = keyof Comparison;
type Found = Partial<Comparison> | undefined;
type Draft = Record<string, FieldSet>;

const KINDS = ['added', 'removed', 'modified'] as const;
const MODIFIED: Found = { modified: LEAF };

/** Compares two objects field by field; what is owned as a whole is one field. */
export function compareFields(before: unknown, after: unknown, shape: Shape): Comparison {
  return { added: EMPTY, removed: EMPTY, modified: EMPTY, ...compare(before, after, shape) };
}

function compare(before: unknown, after: unknown, shape: Shape): Found {
  if (before === after) return undefined;
  if (before === undefined) return { added: whole(after, shape) };
  if (after === undefined) return { removed: whole(before, shape) };
  const was = formIn(shape, before);
  const is = formIn(shape, after);
  if (was !== is) return merged([MODIFIED, branches(before, shape, was, 'removed'), branches(after, shape, is, 'added')]);
  if (is === 'map' && shape.map) return compareMaps(before, after, shape.map);
  if (is === 'list' && shape.list) return compareLists(before, after, shape.list);
  return deepEqual(before, after) ? undefined : MODIFIED;
}

function compareMaps(before: unknown, after: unknown, map: MapShape): Found {
  const left = membersOf(before);
  const right = membersOf(after);
  if (map.isAtomic || (isBare(left) && isBare(right))) return deepEqual(before, after) ? undefined : MODIFIED;
  const parts = new Parts();
  for (const key in left) parts.take(toFieldElement(key), compare(left[key], right[key], map.of(key) ?? {}));
  for (const key in right)
    if (left[key] === undefined && right[key] !== undefined)
      parts.take(toFieldElement(key), { added: whole(right[key], map.of(key) ?? {}) });
  return parts.found;
} // prettier-ignore

function isBare(members: Readonly<Record<string, unknown>>): boolean {
  for (const key in members) if (members[key] !== undefined) return false;
  return true;
}

function compareLists(before: unknown, after: unknown, list: ListShape): Found {
  const left = itemsOf(before);
  const right = itemsOf(after);
  if (list.isAtomic || left.length + right.length === 0) return deepEqual(before, after) ? undefined : MODIFIED;
  const shape = list.items();
  const had = byElement(left, list);
  const has = byElement(right, list);
  const parts = new Parts();
  for (const [element, items] of had) parts.take(element, compareItems(items, has.get(element) ?? [], shape));
  for (const [element, items] of has) if (!had.has(element)) parts.take(element, compareItems([], items, shape));
  return parts.found;
}

/** Items by their elements; those that have none are left out. */
export function byElement(items: readonly unknown[], list: ListShape): ReadonlyMap<string, readonly unknown[]> {
  const found = new Map<string, unknown[]>();
  for (const item of items) {
    const element = elementOf(item, list);
    if (element.startsWith('!')) continue;
    const same = found.get(element);
    if (same) same.push(item);
    else found.set(element, [item]);
  }
  return found;
}

// Items that cannot be told apart are owned together.
function compareItems(before: readonly unknown[], after: readonly unknown[], shape: Shape): Found {
  const [left] = before;
  const [right] = after;
  if (before.length <= 1 && after.length <= 1) return compare(left, right, shape);
  if (before.length >= 2 && after.length >= 2) return deepEqual(before, after) ? undefined : MODIFIED;
  if (before.length >= 2) return right === undefined ? { removed: LEAF } : { removed: LEAF, added: whole(right, shape) };
  return left === undefined ? { added: LEAF } : { added: LEAF, removed: whole(left, shape) };
}

/** Every path at and below a value that came or went with all it has. */
function whole(value: unknown, shape: Shape): FieldSet {
  const under = branches(value, shape, formIn(shape, value), 'added')?.added;
  return under === undefined ? LEAF : asMember(under);
}

/** The same without the path of the value itself; none where it is a leaf. */
function branches(value: unknown, shape: Shape, form: keyof Shape, kind: Kind): Found {
  const node: Draft = {};
  let isLeaf = true;
  if (form === 'map' && shape.map && !shape.map.isAtomic) {
    const members = membersOf(value);
    for (const key in members) {
      if (members[key] === undefined) continue;
      node[toFieldElement(key)] = whole(members[key], shape.map.of(key) ?? {});
      isLeaf = false;
    }
  } else if (form === 'list' && shape.list && !shape.list.isAtomic) {
    const items = shape.list.items();
    for (const [element, [item, second]] of byElement(itemsOf(value), shape.list)) {
      node[element] = second === undefined ? whole(item, items) : LEAF;
      isLeaf = false;
    }
  }
  return isLeaf ? undefined : { [kind]: node };
}

function merged(all: readonly Found[]): Found {
  return Object.assign({}, ...all);
}

/** What was found of the parts of a value, gathered. */
class Parts {
  found: Found;
  readonly #drafts: Partial<Record<Kind, Draft>> = {};

  take(element: string, part: Found): void {
    if (part === undefined) return;
    for (const kind of KINDS) {
      const node = part[kind];
      if (node === undefined) continue;
      let draft = this.#drafts[kind];
      if (draft === undefined) {
        draft = {};
        this.#drafts[kind] = draft;
        this.found = { ...this.found, [kind]: draft };
      }
      draft[element] = node;
    }
  }
}
