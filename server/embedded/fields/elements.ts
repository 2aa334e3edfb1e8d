import { isFields } from '@/lib/kube/fields';
import { stringifyExact } from '@/lib/std/exact-json';
import type { ListShape, Shape } from './shape';

/** The form that a value has. */
export function formOf(value: unknown): 'null' | 'scalar' | 'list' | 'map' {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'list';
  return isFields(value) ? 'map' : 'scalar';
}

/** The part of a shape that applies to a value; a value that fits none gets the first there is, as in the original. */
export function formIn(shape: Shape, value: unknown): 'map' | 'scalar' | 'list' {
  const form = formOf(value);
  if (form !== 'null' && shape[form] !== undefined) return form;
  if (shape.map) return 'map';
  return shape.scalar ? 'scalar' : 'list';
}

/** Items of a value that is a list, and none of any other. */
export const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
/** Members of a value that is an object, and none of any other. */
export const membersOf = (value: unknown): Readonly<Record<string, unknown>> => (isFields(value) ? value : {});

export const toFieldElement = (key: string) => `f:${key}`;

/** The path element of an item of a list that is not owned as a whole; a string that begins with `!` says why it has none. */
export function elementOf(item: unknown, list: ListShape): string {
  if (list.keys.length === 0) return formOf(item) === 'scalar' ? `v:${toGoJson(item)}` : `!${noValueReason(item)}`;
  if (item === null) return '!associative list with keys may not have a null element';
  if (!isFields(item)) return '!associative list with keys may not have non-map elements';
  const keys: Record<string, unknown> = {};
  for (const key of [...list.keys].sort()) {
    const value = item[key] ?? list.defaultOf(key);
    if (value !== undefined) keys[key] = value;
  }
  if (Object.keys(keys).length > 0) return `k:${toGoJson(keys)}`;
  const named = list.keys.map((key) => JSON.stringify(key)).join(' ');
  return `!associative list with keys has an element that omits all key fields [${named}] (and doesn't have default values for any key fields)`;
}

function noValueReason(item: unknown): string {
  if (Array.isArray(item)) return 'not supported: associative list with lists as elements';
  return item === null
    ? "associative list without keys has an element that's an explicit null"
    : "associative list without keys has an element that's a map type";
}

/** JSON as Go writes it, which escapes what would be markup. */
export function toGoJson(value: unknown): string {
  const text = stringifyExact(value);
  return /[<>&\u2028\u2029]/.test(text)
    ? text.replace(/[<>&\u2028\u2029]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : text;
}
