import { isFields } from '@/lib/kube/fields';
import type { FieldError } from '../../api/failures';
import { forbiddenField, invalidValue, required } from '../../api/failures';
import { programOf } from './cel-program';
import type { CelRule, Structural } from './structural';
import { schemaOf } from './structural';

/** What is wrong with the rules themselves, by path. */
export function checkRules(schema: Structural, field: string): FieldError[] {
  const own = (schema['x-kubernetes-validations'] ?? []).flatMap(({ rule }, at) => {
    try {
      programOf(rule);
      return [];
    } catch (error) {
      return [invalidValue(`${field}.x-kubernetes-validations[${at}].rule`, rule, `compilation failed: ${firstLine(error)}`)];
    }
  });
  const members = Object.entries(schema.properties ?? {}).flatMap(([key, of]) => checkRules(of, `${field}.properties[${key}]`));
  return [...own, ...members, ...(schema.items ? checkRules(schema.items, `${field}.items`) : [])];
}

/** The rules that a value breaks, here and below. Rules on the old value hold only where there is one. */
export function brokenRules(value: unknown, before: unknown, schema: Structural, field: string): FieldError[] {
  if (value === undefined || value === null) return [];
  const errors = (schema['x-kubernetes-validations'] ?? []).flatMap((rule) => broken(rule, value, before, schema, field));
  if (Array.isArray(value)) {
    const { items } = schema;
    const old = oldItems(before, schema);
    if (items) errors.push(...value.flatMap((member, at) => brokenRules(member, old(member, at), items, `${field}[${at}]`)));
  } else if (isFields(value)) {
    for (const [key, member] of Object.entries(value)) {
      const of = schemaOf(schema, key);
      if (of) errors.push(...brokenRules(member, isFields(before) ? before[key] : undefined, of, field === '' ? key : `${field}.${key}`));
    }
  }
  return errors;
}

// Items have an old value only in lists whose items have a name.
function oldItems(before: unknown, schema: Structural): (member: unknown, at: number) => unknown {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (!keys || !Array.isArray(before)) return () => undefined;
  return (member) => before.find((old) => isFields(old) && isFields(member) && keys.every((key) => old[key] === member[key]));
}

function broken(rule: CelRule, value: unknown, before: unknown, schema: Structural, field: string): FieldError[] {
  const isTransition = /\boldSelf\b/.test(rule.rule);
  if (isTransition && before === undefined && rule.optionalOldSelf !== true) return [];
  const variables = { self: toCel(value, schema), oldSelf: before === undefined ? null : toCel(before, schema) };
  const at = field + (rule.fieldPath ?? '');
  try {
    if (holds(rule, variables)) return [];
    return [toError(rule, at, value, messageOf(rule, variables))];
  } catch (error) {
    return [
      invalidValue(at, schema.type ?? 'object', `${toGoWords(firstLine(error))} evaluating rule: ${(rule.message ?? rule.rule).trim()}`),
    ];
  }
}

function holds({ rule }: CelRule, variables: Record<string, unknown>): boolean {
  const program = programOf(rule);
  try {
    return program(variables) === true;
  } catch (error) {
    // The library compares maps and lists of its own types only. Times, spans and bytes in them are equal where their texts are.
    if (!(error instanceof Error) || !/^Unsupported type: (Date|Duration|Uint8Array)\b/.test(error.message)) throw error;
    return program(asTexts(variables)) === true;
  }
}

function asTexts(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, asText(member)]));
}

function asText(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(asText);
  if (!isFields(value)) return value;
  return Object.getPrototypeOf(value) === Object.prototype ? asTexts(value) : String(value);
}

function messageOf(rule: CelRule, variables: Record<string, unknown>): string {
  if (rule.messageExpression !== undefined) {
    try {
      const said = programOf(rule.messageExpression)(variables);
      if (typeof said === 'string' && said.trim() !== '') return said;
    } catch {
      // An expression that fails gives way to the plain message, as in the original.
    }
  }
  return rule.message ?? `failed rule: ${rule.rule}`;
}

function toError(rule: CelRule, field: string, value: unknown, message: string): FieldError {
  if (rule.reason === 'FieldValueForbidden') return forbiddenField(field, message);
  if (rule.reason === 'FieldValueRequired') return required(field, message);
  if (typeof value !== 'object') return invalidValue(field, value, message);
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${message}` };
}

// A value as its schema has it: whole numbers, points in time, spans of time and bytes are types of their own.
function toCel(value: unknown, schema: Structural): unknown {
  if (typeof value === 'number')
    return schema.type === 'integer' || schema['x-kubernetes-int-or-string'] ? BigInt(Math.trunc(value)) : value;
  if (typeof value === 'bigint') return schema.type === 'number' ? Number(value) : value;
  if (typeof value === 'string') return textToCel(value, schema.format);
  if (Array.isArray(value)) return value.map((member) => toCel(member, schema.items ?? {}));
  if (!isFields(value)) return value;
  const { properties } = schema;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [properties?.[key] ? toCelName(key) : key, toCel(member, schemaOf(schema, key) ?? {})]),
  );
}

function textToCel(text: string, format: string | undefined): unknown {
  if (format === 'date-time' || format === 'date') return new Date(text);
  if (format === 'byte') return new Uint8Array(Buffer.from(text, 'base64'));
  return format === 'duration' ? toDuration({ text }) : text;
}

const toDuration = programOf('duration(text)');
const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

/** The name by which rules call a property whose own is none to CEL, or a word of its own. */
function toCelName(key: string): string {
  if (RESERVED.has(key)) return `__${key}__`;
  return key.replaceAll('__', '__underscores__').replaceAll('.', '__dot__').replaceAll('-', '__dash__').replaceAll('/', '__slash__');
}

const OUT_OF_BOUNDS = /^No such key: index out of bounds, index (-?\d+).*$/;

function toGoWords(sentence: string): string {
  return sentence
    .replace(OUT_OF_BOUNDS, 'index out of bounds: $1')
    .replace(/^No such key/, 'no such key')
    .replace(/^Division by zero.*/i, 'division by zero');
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split('\n')[0] ?? '';
}
