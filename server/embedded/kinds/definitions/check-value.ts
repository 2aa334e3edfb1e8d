import { isFields } from '@/lib/kube/fields';
import { deepEqual } from '@/lib/std/deep-equal';
import type { FieldError } from '../../api/failures';
import { duplicate, invalidValue, notSupported, required } from '../../api/failures';
import { goPattern } from './go-pattern';
import type { Structural } from './structural';
import { schemaOf } from './structural';

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  'date-time': (text) => /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text)),
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
  duration: (text) => /^-?(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/.test(text),
  byte: (text) => /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  uuid: (text) => UUID.test(text),
  uri: (text) => URL.canParse(text),
  email: (text) => /^[^@\s]+@[^@\s]+$/.test(text),
  ipv4: (text) => /^(\d{1,3}\.){3}\d{1,3}$/.test(text) && text.split('.').every((part) => Number(part) < 256),
  ipv6: (text) => /^[0-9a-f:.]+$/i.test(text) && text.includes(':'),
  hostname: (text) => /^[A-Za-z0-9.-]{1,255}$/.test(text),
};

/** Where a value is: the path of its errors, and the one its sentences use, which begins at the part that is checked. */
export interface Place {
  readonly field: string;
  readonly said: string;
}

const below = (at: Place, key: string): Place => ({
  field: at.field === '' ? key : `${at.field}.${key}`,
  said: at.said === '' ? key : `${at.said}.${key}`,
});
const item = (at: Place, index: number): Place => ({ field: `${at.field}[${index}]`, said: `${at.said}[${index}]` });
const wrong = ({ field, said }: Place, value: unknown, why: string) => invalidValue(field, value, `${said} in body ${why}`);

/** Everything about a value that its schema does not allow, in the API server's words. */
export function checkValue(value: unknown, schema: Structural, at: Place): FieldError[] {
  if (value === null && schema.nullable === true) return [];
  const mistyped = checkType(value, schema, at);
  if (mistyped.length > 0) return mistyped;
  return [
    ...checkEnum(value, schema, at),
    ...(typeof value === 'number' || typeof value === 'bigint' ? checkNumber(value, schema, at) : []),
    ...(typeof value === 'string' ? checkString(value, schema, at) : []),
    ...(Array.isArray(value) ? checkList(value, schema, at) : []),
    ...(isFields(value) ? checkObject(value, schema, at) : []),
    ...checkCombined(value, schema, at),
  ];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'integer';
  return typeof value === 'number' ? (Number.isInteger(value) ? 'integer' : 'number') : typeof value;
}

function checkType(value: unknown, schema: Structural, at: Place): FieldError[] {
  const found = typeOf(value);
  const isIntOrString = schema['x-kubernetes-int-or-string'] === true;
  const wanted = isIntOrString ? 'integer,string' : schema.type;
  if (wanted === undefined || wanted === found || (wanted === 'number' && found === 'integer')) return [];
  if (isIntOrString && (found === 'integer' || found === 'string')) return [];
  const error: FieldError = { ...wrong(at, found, `must be of type ${wanted}: "${found}"`), reason: 'FieldValueTypeInvalid' };
  if (wanted !== 'integer' || found !== 'number') return [error];
  return [error, invalidValue('<nil>', '', `Checked value must be of type integer (default format) in ${at.said}`)];
}

function checkEnum(value: unknown, schema: Structural, at: Place): FieldError[] {
  if (!schema.enum || schema.enum.some((allowed) => deepEqual(allowed, value))) return [];
  return [notSupported(at.field, value, schema.enum.map(String))];
}

function checkNumber(value: number | bigint, schema: Structural, at: Place): FieldError[] {
  const errors: FieldError[] = [];
  const { minimum, maximum, multipleOf } = schema;
  if (minimum !== undefined && (schema.exclusiveMinimum ? value <= minimum : value < minimum)) {
    errors.push(wrong(at, value, `should be greater than ${schema.exclusiveMinimum ? '' : 'or equal to '}${minimum}`));
  }
  if (maximum !== undefined && (schema.exclusiveMaximum ? value >= maximum : value > maximum)) {
    errors.push(wrong(at, value, `should be less than ${schema.exclusiveMaximum ? '' : 'or equal to '}${maximum}`));
  }
  if (multipleOf !== undefined && Number(value) % multipleOf !== 0) errors.push(wrong(at, value, `should be a multiple of ${multipleOf}`));
  return errors;
}

function checkString(value: string, schema: Structural, at: Place): FieldError[] {
  const { format } = schema;
  const mismatchReason = checkText(value, schema, at);
  const fits = format === undefined ? undefined : FORMATS[format];
  if (fits === undefined || fits(value)) return mismatchReason;
  return [
    ...mismatchReason,
    { ...wrong(at, value, `must be of type ${format}: ${JSON.stringify(value)}`), reason: 'FieldValueTypeInvalid' },
  ];
}

// Only the first that does not fit is told.
function checkText(value: string, { minLength, maxLength, pattern }: Structural, at: Place): FieldError[] {
  const length = [...value].length;
  if (maxLength !== undefined && length > maxLength) {
    return [{ reason: 'FieldValueTooLong', field: at.field, message: `Too long: may not be more than ${maxLength} bytes` }];
  }
  if (minLength !== undefined && length < minLength) return [wrong(at, value, `should be at least ${minLength} chars long`)];
  if (pattern !== undefined && !fitsPattern(pattern, value)) return [wrong(at, value, `should match '${pattern}'`)];
  return [];
}

function fitsPattern(pattern: string, value: string): boolean {
  try {
    return goPattern(pattern).test(value);
  } catch {
    return true; // what Go reads and JavaScript cannot, such as flags for a part, is not checked (record 0004)
  }
}

function checkList(value: readonly unknown[], schema: Structural, at: Place): FieldError[] {
  const errors: FieldError[] = [];
  const { minItems, maxItems, items } = schema;
  if (maxItems !== undefined && value.length > maxItems) {
    errors.push({
      reason: 'FieldValueTooMany',
      field: at.field,
      message: `Too many: ${value.length}: must have at most ${maxItems} items`,
    });
  }
  if (minItems !== undefined && value.length < minItems) errors.push(wrong(at, value.length, `should have at least ${minItems} items`));
  if (items) errors.push(...value.flatMap((member, index) => checkValue(member, items, item(at, index))));
  return errors.length > 0 ? errors : checkUnique(value, schema, at);
}

function checkUnique(value: readonly unknown[], schema: Structural, at: Place): FieldError[] {
  const kind = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (kind !== 'map' && kind !== 'set' && schema.uniqueItems !== true) return [];
  const keyOf = (member: unknown) =>
    kind === 'map' && isFields(member) ? Object.fromEntries(keys.map((key) => [key, member[key]])) : member;
  return value.flatMap((member, index) => {
    const isTwice = value.slice(0, index).some((earlier) => deepEqual(keyOf(earlier), keyOf(member)));
    return isTwice ? [duplicate(item(at, index).field, keyOf(member))] : [];
  });
}

function checkObject(value: Readonly<Record<string, unknown>>, schema: Structural, at: Place): FieldError[] {
  const errors: FieldError[] = [];
  const { maxProperties, minProperties } = schema;
  const size = Object.keys(value).length;
  if (maxProperties !== undefined && size > maxProperties) {
    errors.push({ reason: 'FieldValueTooMany', field: at.field, message: `Too many: ${size}: must have at most ${maxProperties} items` });
  }
  if (minProperties !== undefined && size < minProperties) errors.push(wrong(at, size, `should have at least ${minProperties} properties`));
  const wanted =
    schema['x-kubernetes-embedded-resource'] === true ? [...(schema.required ?? []), 'apiVersion', 'kind'] : (schema.required ?? []);
  const missing = wanted.filter((key) => value[key] === undefined || (value[key] === null && schemaOf(schema, key)?.nullable !== true));
  for (const [key, member] of Object.entries(value)) {
    const of = schemaOf(schema, key);
    if (of && !missing.includes(key)) errors.push(...checkValue(member, of, below(at, key)));
  }
  return [...errors, ...missing.map((key) => required(below(at, key).field))];
}

function checkCombined(value: unknown, schema: Structural, at: Place): FieldError[] {
  const errors = (schema.allOf ?? []).flatMap((of) => checkValue(value, of, at));
  const refuse = (why: string) => invalidValue('<nil>', '', `${JSON.stringify(at.said)} ${why}`);
  if (schema.anyOf) {
    const { held, nearest } = tryEach(value, schema.anyOf, at);
    if (held === 0) errors.push(refuse('must validate at least one schema (anyOf)'), ...nearest);
  }
  if (schema.oneOf) {
    const { held, nearest } = tryEach(value, schema.oneOf, at);
    if (held === 0) errors.push(refuse('must validate one and only one schema (oneOf). Found none valid'), ...nearest);
    if (held > 1) errors.push(refuse(`must validate one and only one schema (oneOf). Found ${held} valid alternatives`));
  }
  if (schema.not && checkValue(value, schema.not, at).length === 0) errors.push(refuse('must not validate the schema (not)'));
  return errors;
}

/** How many alternatives hold, and what is wrong by the first of them. */
function tryEach(
  value: unknown,
  alternatives: readonly Structural[],
  at: Place,
): { readonly held: number; readonly nearest: readonly FieldError[] } {
  const found = alternatives.map((of) => checkValue(value, of, at));
  return { held: found.filter(({ length }) => length === 0).length, nearest: found[0] ?? [] };
}
