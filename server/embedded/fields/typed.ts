import { isFields } from '@/lib/kube/fields';
import { elementOf, formIn, formOf, itemsOf, membersOf, toFieldElement } from './elements';
import type { FieldSet } from './field-set';
import { asMember, below, EMPTY, isEmpty, LEAF, toText } from './field-set';
import type { ListShape, MapShape, Shape } from './shape';

type Draft = Record<string, unknown>;

/** Every field and item that a configuration speaks of. */
export function toFieldSet(value: unknown, shape: Shape): FieldSet {
  return pathsIn(value, shape) ?? EMPTY;
}

// Fields that the schema names stand for what is in them; members of maps and items of lists for themselves as well.
function pathsIn(value: unknown, shape: Shape): FieldSet | undefined {
  const form = formIn(shape, value);
  if (form === 'map' && shape.map) return shape.map.isAtomic ? LEAF : pathsInMap(value, shape.map);
  if (form === 'list' && shape.list) return shape.list.isAtomic ? LEAF : pathsInList(value, shape.list);
  return LEAF;
}

function pathsInMap(value: unknown, map: MapShape): FieldSet | undefined {
  const node: Record<string, FieldSet> = {};
  for (const [key, member] of Object.entries(membersOf(value))) {
    const under = pathsIn(member, map.of(key) ?? {});
    const isOwn = member === null || !map.has(key) || (isFields(member) && Object.keys(member).length === 0);
    const paths = isOwn ? (under === undefined ? LEAF : asMember(under)) : under;
    if (paths !== undefined) node[toFieldElement(key)] = paths;
  }
  return Object.keys(node).length === 0 ? undefined : node;
}

function pathsInList(value: unknown, list: ListShape): FieldSet | undefined {
  const node: Record<string, FieldSet> = {};
  for (const item of itemsOf(value)) {
    const element = elementOf(item, list);
    if (element.startsWith('!')) continue;
    const under = node[element] === undefined ? pathsIn(item, list.items()) : undefined;
    node[element] = under === undefined ? LEAF : asMember(under);
  }
  return Object.keys(node).length === 0 ? undefined : node;
}

/** What is wrong with a configuration, in the words of the original. */
export function checkTyped(value: unknown, shape: Shape, path = ''): readonly string[] {
  const form = formIn(shape, value);
  if (value === null || value === undefined) return [];
  if (form === 'map' && shape.map) return checkMap(value, shape.map, path);
  if (form === 'list' && shape.list) return checkList(value, shape.list, path);
  const wrong = checkScalar(value, shape);
  return wrong === undefined ? [] : [`${path}: ${wrong}`];
}

function checkMap(value: unknown, map: MapShape, path: string): readonly string[] {
  if (!isFields(value)) return [`${path}: expected map, got &{${toGoText(value)}}`];
  return Object.entries(value).flatMap(([key, member]) => {
    const of = map.of(key);
    return of === undefined ? [`${path}.${key}: field not declared in schema`] : checkTyped(member, of, `${path}.${key}`);
  });
}

function checkList(value: unknown, list: ListShape, path: string): readonly string[] {
  if (!Array.isArray(value)) return [`${path}: expected list, got &{${toGoText(value)}}`];
  const seen = new Set<string>();
  return value.flatMap((item: unknown, at) => {
    const element = list.isAtomic ? `i:${at}` : elementOf(item, list);
    if (element.startsWith('!')) return [`${path}: element ${at}: ${element.slice(1)}`];
    const twice = seen.has(element) ? [`${path}: duplicate entries for key ${toText(element)}`] : [];
    seen.add(element);
    return [...twice, ...checkTyped(item, list.items(), path + toText(element))];
  });
}

function checkScalar(value: unknown, { scalar }: Shape): string | undefined {
  const type = typeof value;
  if (scalar === 'numeric')
    return type === 'number' || type === 'bigint' ? undefined : `expected numeric (int or float), got ${goTypeOf(value)}`;
  if (scalar === 'string') return type === 'string' ? undefined : `expected string, got &value.valueUnstructured{Value:${toGoText(value)}}`;
  if (scalar === 'boolean') return type === 'boolean' ? undefined : `expected boolean, got &{${toGoText(value)}}`;
  return formOf(value) === 'scalar' ? undefined : `expected any scalar, got &{${toGoText(value)}}`;
}

// As Go prints plain JSON.
function toGoText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toGoText).join(' ')}]`;
  if (!isFields(value)) return String(value);
  const keys = Object.keys(value).sort();
  return `map[${keys.map((key) => `${key}:${toGoText(value[key])}`).join(' ')}]`;
}

function goTypeOf(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (isFields(value)) return 'map[string]interface {}';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** An object with what a configuration says of it; nothing is taken away. */
export function mergeTyped(live: unknown, config: unknown, shape: Shape): unknown {
  if (config === undefined) return live;
  if (live === undefined) return config;
  const form = formIn(shape, config);
  if (form !== formIn(shape, live)) return config;
  if (form === 'map' && shape.map && !shape.map.isAtomic) return mergeMaps(live, config, shape.map);
  if (form === 'list' && shape.list && !shape.list.isAtomic) return mergeLists(live, config, shape.list);
  return config;
}

function mergeMaps(live: unknown, config: unknown, map: MapShape): unknown {
  const said = membersOf(config);
  const held = membersOf(live);
  if (Object.keys(said).length + Object.keys(held).length === 0) return config;
  const merged: Draft = { ...held };
  for (const [key, member] of Object.entries(said)) merged[key] = mergeTyped(held[key], member, map.of(key) ?? {});
  return merged;
}

function mergeLists(live: unknown, config: unknown, list: ListShape): unknown {
  const left = itemsOf(live);
  const right = itemsOf(config);
  if (left.length + right.length === 0) return config;
  const shape = list.items();
  const leftElements = left.map((item) => elementOf(item, list));
  const rightElements = right.map((item) => elementOf(item, list));
  const said = new Map(rightElements.map((element, at) => [element, right[at]]));
  // What is there twice is not merged.
  const held = new Map<string, unknown>();
  for (const [at, element] of leftElements.entries()) held.set(element, held.has(element) ? null : left[at]);
  return mergedOrder(leftElements, rightElements).map((at) =>
    typeof at === 'number' ? left[at] : mergeTyped(held.get(at), said.get(at), shape),
  );
}

/** Items of the right by element, and those of the left alone by place: shared ones follow the right, others keep their neighbours as far as that goes. */
function mergedOrder(left: readonly string[], right: readonly string[]): readonly (number | string)[] {
  const inRight = new Set(right);
  const inLeft = new Set(left);
  const shared = right.filter((element) => inLeft.has(element));
  const order: (number | string)[] = [];
  const done = new Set<string>();
  let next = shared.shift();
  for (let l = 0, r = 0; l < left.length || r < right.length; ) {
    const mine = left[l];
    const other = right[r];
    if (mine !== undefined && !inRight.has(mine)) {
      order.push(l++);
      continue;
    }
    // Its turn comes when the right gets there, or it had it.
    if (mine !== undefined && mine !== other && ((other !== undefined && next !== undefined && next !== mine) || done.has(mine))) {
      l++;
      continue;
    }
    if (other === undefined) break;
    if (mine === other) l++;
    order.push(other);
    done.add(other);
    r++;
    if (mine === other || next === other) next = shared.shift();
  }
  return order;
}

/** An object without the fields and items of a set. */
export function removeItems(value: unknown, gone: FieldSet, shape: Shape): unknown {
  const form = formIn(shape, value);
  if (form === 'map' && shape.map) return removeFromMap(value, gone, shape.map);
  if (form === 'list' && shape.list) return removeFromList(value, gone, shape.list);
  return value;
}

function removeFromMap(value: unknown, gone: FieldSet, map: MapShape): unknown {
  const members = Object.entries(membersOf(value));
  if (map.isAtomic || members.length === 0) return null;
  const kept: Draft = {};
  let isTouched = false;
  for (const [key, member] of members) {
    const { isIn, rest } = below(gone, toFieldElement(key));
    if (isIn) continue;
    if (isEmpty(rest)) kept[key] = member;
    else {
      isTouched = true;
      kept[key] = removeItems(member, rest, map.of(key) ?? {}) ?? emptyLike(member);
    }
  }
  return isTouched || Object.keys(kept).length > 0 ? kept : null;
}

function removeFromList(value: unknown, gone: FieldSet, list: ListShape): unknown {
  const items = itemsOf(value);
  if (list.isAtomic || items.length === 0) return null;
  const kept: unknown[] = [];
  let isTouched = false;
  for (const item of items) {
    const { isIn, rest } = below(gone, elementOf(item, list));
    if (isIn) continue;
    if (isEmpty(rest)) kept.push(item);
    else {
      isTouched = true;
      kept.push(removeItems(item, rest, list.items()) ?? emptyLike(item));
    }
  }
  return isTouched || kept.length > 0 ? kept : null;
}

// What is in it went, not the thing itself.
function emptyLike(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  return isFields(value) ? {} : null;
}

/** The set with every field that the schema names among its paths, where it has paths below it. */
export function withNamedFields(set: FieldSet, shape: Shape): FieldSet {
  const node: Record<string, FieldSet> = {};
  for (const [element, child] of Object.entries(set)) {
    if (element === '.') {
      node[element] = child;
      continue;
    }
    const key = element.slice(2);
    const isField = element.startsWith('f:') && shape.map !== undefined;
    const of = isField ? shape.map?.of(key) : element.startsWith('k:') ? shape.list?.items() : undefined;
    const under = withNamedFields(child, of ?? {});
    node[element] = isField && shape.map?.has(key) && !isEmpty(under) ? asMember(under) : under;
  }
  return isEmpty(node) ? LEAF : node;
}
