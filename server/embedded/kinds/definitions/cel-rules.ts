import { Environment } from '@marcbachmann/cel-js';
import { isFields } from '@/lib/kube/fields';
import type { FieldError } from '../../api/failures';
import { forbiddenField, invalidValue, required } from '../../api/failures';
import type { CelRule, Structural } from './structural';
import { schemaOf } from './structural';

type Program = (variables: Record<string, unknown>) => unknown;

const environment = new Environment({ unlistedVariablesAreDyn: true }).registerVariable('self', 'dyn').registerVariable('oldSelf', 'dyn');
const programs = new Map<string, Program>();

function programOf(text: string): Program {
  const known = programs.get(text);
  if (known) return known;
  const made = environment.parse(text) as Program;
  programs.set(text, made);
  return made;
}

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
    if (programOf(rule.rule)(variables) === true) return [];
    return [toError(rule, at, value, messageOf(rule, variables))];
  } catch (error) {
    return [toError(rule, at, value, `rule evaluation error: ${firstLine(error)}`)];
  }
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

// Whole numbers are integers to CEL only where the schema says so.
function toCel(value: unknown, schema: Structural): unknown {
  if (typeof value === 'number') return schema.type === 'integer' || schema['x-kubernetes-int-or-string'] ? BigInt(Math.trunc(value)) : value;
  if (Array.isArray(value)) return value.map((member) => toCel(member, schema.items ?? {}));
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toCel(member, schemaOf(schema, key) ?? {})]));
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split('\n')[0] ?? '';
}
