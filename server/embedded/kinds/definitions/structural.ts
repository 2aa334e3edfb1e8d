import { isFields } from '@/lib/kube/fields';
import { clone } from '../../schemas/decode';
import type { Draft } from '../draft';

/** A structural schema of a definition, as far as it is used. */
export interface Structural {
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Structural>>;
  readonly additionalProperties?: Structural | boolean;
  readonly items?: Structural;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly pattern?: string;
  readonly allOf?: readonly Structural[];
  readonly anyOf?: readonly Structural[];
  readonly oneOf?: readonly Structural[];
  readonly not?: Structural;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-validations'?: readonly CelRule[];
}

/** One `x-kubernetes-validations` entry. */
export interface CelRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

const TYPE_META = new Set(['apiVersion', 'kind', 'metadata']);

/** Drops what the schema does not name, in place; gives the paths of what went. */
export function prune(value: unknown, schema: Structural, isResource: boolean, path = ''): string[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.flatMap((item, at) => prune(item, items, items['x-kubernetes-embedded-resource'] === true, `${path}[${at}]`)) : [];
  }
  if (!isFields(value)) return [];
  const object = value as Draft;
  const dropped: string[] = [];
  for (const [key, member] of Object.entries(object)) {
    if (isResource && TYPE_META.has(key)) continue;
    const of = schemaOf(schema, key);
    const at = path === '' ? key : `${path}.${key}`;
    if (of) dropped.push(...prune(member, of, of['x-kubernetes-embedded-resource'] === true, at));
    else if (schema['x-kubernetes-preserve-unknown-fields'] !== true && schema.additionalProperties !== true) {
      delete object[key];
      dropped.push(at);
    }
  }
  return dropped;
}

/** The schema of a member that has one. */
export function schemaOf(schema: Structural, key: string): Structural | undefined {
  const { properties, additionalProperties } = schema;
  if (properties && Object.hasOwn(properties, key)) return properties[key];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

/** Fills defaults in place; a null where none is allowed gives way to its default, or goes. */
export function fillDefaults(value: unknown, schema: Structural): void {
  if (Array.isArray(value)) {
    if (schema.items) for (const item of value) fillDefaults(item, schema.items);
    return;
  }
  if (!isFields(value)) return;
  const object = value as Draft;
  for (const [key, of] of Object.entries(schema.properties ?? {})) {
    const isMissing = object[key] === undefined || (object[key] === null && of.nullable !== true);
    if (isMissing && of.default !== undefined) object[key] = clone(of.default);
    else if (isMissing) delete object[key];
  }
  for (const [key, member] of Object.entries(object)) {
    const of = schemaOf(schema, key);
    if (of) fillDefaults(member, of);
  }
}
