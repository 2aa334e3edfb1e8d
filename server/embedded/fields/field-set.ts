/**
 * A set of field paths in the form in which managedFields carries it (FieldsV1): a tree of path elements.
 *
 * 1. A node without children stands for the path to it, and is always LEAF.
 * 2. A node with children stands for its own path too when it has the child `.`.
 * 3. The root stands for no path; an empty root is the empty set.
 * 4. Sets are never changed.
 */
export type FieldSet = { readonly [element: string]: FieldSet };
type Draft = Record<string, FieldSet>;

export const LEAF: FieldSet = Object.freeze({});
/** The set of no path. */
export const EMPTY: FieldSet = Object.freeze({});
const SELF = '.';

/** True for a set of no path. */
export function isEmpty(set: FieldSet): boolean {
  for (const _element in set) return false;
  return true;
}

/** A node for its own path and those below it. */
export function asMember(node: FieldSet): FieldSet {
  return node === LEAF || node[SELF] !== undefined ? node : { [SELF]: LEAF, ...node };
}

const isMember = (node: FieldSet) => node === LEAF || node[SELF] !== undefined;

// A node of a draft: nothing left is no node, and `.` alone is a leaf.
function toNode(draft: Draft): FieldSet | undefined {
  let first: string | undefined;
  for (const element in draft) {
    if (first !== undefined) return draft;
    first = element;
  }
  if (first === undefined) return undefined;
  return first === SELF ? LEAF : draft;
}

/** Paths that are in either set. */
export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (isEmpty(left)) return right;
  return isEmpty(right) ? left : join(left, right);
}

function join(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right) return left;
  if (left === LEAF) return asMember(right);
  if (right === LEAF) return asMember(left);
  let joined: Draft | undefined;
  for (const element in right) {
    const mine = left[element];
    const other = right[element] ?? LEAF;
    const both = mine === undefined ? other : join(mine, other);
    if (both === mine) continue;
    joined ??= { ...left };
    joined[element] = both;
  }
  return joined ?? left;
}

/** Paths of the first set that are not in the second; a path is not taken for those below it. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  return isEmpty(left) || isEmpty(right) ? left : (minus(left, right) ?? EMPTY);
}

function minus(left: FieldSet, right: FieldSet): FieldSet | undefined {
  if (left === right) return undefined;
  if (left === LEAF) return isMember(right) ? undefined : left;
  if (right === LEAF && left[SELF] === undefined) return left;
  const kept: Draft = {};
  let isSame = true;
  for (const element in left) {
    const mine = left[element] ?? LEAF;
    const other = right === LEAF && element === SELF ? LEAF : right[element];
    const rest = other === undefined ? mine : minus(mine, other);
    if (rest !== undefined) kept[element] = rest;
    if (rest !== mine) isSame = false;
  }
  return isSame ? left : toNode(kept);
}

/** Paths that are in both sets. */
export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  return isEmpty(left) || isEmpty(right) ? EMPTY : (meet(left, right) ?? EMPTY);
}

function meet(left: FieldSet, right: FieldSet): FieldSet | undefined {
  if (left === right) return left;
  if (left === LEAF) return isMember(right) ? LEAF : undefined;
  if (right === LEAF) return isMember(left) ? LEAF : undefined;
  const kept: Draft = {};
  for (const element in left) {
    const mine = left[element];
    const other = right[element];
    const both = mine && other && meet(mine, other);
    if (both) kept[element] = both;
  }
  return toNode(kept);
}

/** Paths of the first set that are neither in the second nor below one of its paths. */
export function without(left: FieldSet, cut: FieldSet): FieldSet {
  return isEmpty(left) || isEmpty(cut) ? left : (cutOff(left, cut) ?? EMPTY);
}

function cutOff(left: FieldSet, cut: FieldSet): FieldSet | undefined {
  if (left === LEAF) return left;
  const kept: Draft = {};
  for (const element in left) {
    const mine = left[element] ?? LEAF;
    const other = cut[element];
    const rest = other === undefined || element === SELF ? mine : isMember(other) ? undefined : cutOff(mine, other);
    if (rest !== undefined) kept[element] = rest;
  }
  return toNode(kept);
}

/** True when the set has the path. */
export function hasPath(set: FieldSet, path: readonly string[]): boolean {
  let at: FieldSet | undefined = set;
  for (const element of path) at = at?.[element];
  return path.length > 0 && at !== undefined && isMember(at);
}

/** The set of one path. */
export function setOfPath(path: readonly string[]): FieldSet {
  return path.reduceRight<FieldSet>((below, element) => ({ [element]: below }), LEAF);
}

/** True when nothing above it keeps an item out: the exact path, and what is below it. */
export function below(set: FieldSet, element: string): { readonly isIn: boolean; readonly rest: FieldSet } {
  const node = set[element];
  if (node === undefined) return { isIn: false, rest: EMPTY };
  if (node[SELF] === undefined) return { isIn: node === LEAF, rest: node };
  const { [SELF]: _self, ...rest } = node;
  return { isIn: true, rest };
}

/** Every path, in the order in which the original tells them: those that end at a level before those that go on. */
export function pathsOf(set: FieldSet, prefix = ''): readonly string[] {
  const elements = Object.entries(set)
    .filter(([element]) => element !== SELF)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const ending = elements.filter(([, node]) => isMember(node)).map(([element]) => prefix + toText(element));
  return [...ending, ...elements.flatMap(([element, node]) => pathsOf(node, prefix + toText(element)))];
}

/** A path element as sentences tell it: `.spec`, `[name="web"]`, `[="a"]`. */
export function toText(element: string): string {
  const said = element.slice(2);
  if (element.startsWith('f:')) return `.${said}`;
  if (element.startsWith('v:')) return `[=${said}]`;
  if (!element.startsWith('k:')) return `[${said}]`;
  const keys = JSON.parse(said) as Record<string, unknown>; // written by toKeyElement, or checked when it was read
  return `[${Object.entries(keys)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(',')}]`;
} // prettier-ignore
