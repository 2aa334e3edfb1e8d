import { isFields } from '@/lib/kube/fields';
import type { Schema } from './built-in';
import { SCHEMAS } from './built-in';
import { parseQuantity } from './quantity';

/** What a decoding found beside the object: fields that no schema names. */
export interface Decoded {
  readonly object: Record<string, unknown>;
  readonly unknown: readonly string[];
}

/** The value is of another type than the field. */
export class MistypedError extends Error {}

interface Place {
  readonly unknown: string[];
  /** Path in the document, with indexes. */
  readonly path: string;
  /** Path as Go tells it, without indexes. */
  readonly goPath: string;
  /** Type around the field, as Go names it. */
  readonly owner: string;
}

const NO_QUANTITY = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

// Fields of Go types that are no pointers and vanish when zero, though their schema looks like that of a pointer.
const VANISHES_AT_ZERO = new Set([
  'minReadySeconds',
  'paused',
  'hostNetwork',
  'hostPID',
  'hostIPC',
  'tty',
  'stdin',
  'stdinOnce',
  'publishNotReadyAddresses',
  'unschedulable',
  'generation',
  'hostPort',
  'nodePort',
  'healthCheckNodePort',
  'initialDelaySeconds',
  'periodSeconds',
  'timeoutSeconds',
  'successThreshold',
  'failureThreshold',
]); // prettier-ignore
// Counters of a status vanish at zero, but for these, which are pointers.
const STAYS_IN_STATUS = new Set([
  'ready',
  'terminating',
  'terminatingReplicas',
  'collisionCount',
  'started',
  'minReplicas',
  'serving',
  'observedGeneration',
  'exitCode',
  'restartCount',
]); // prettier-ignore

/** Reads an object of a built-in kind as the API server's decoder does: unknown fields go, zero values take their usual form. */
export function decodeObject(value: unknown, schemaName: string, kind: string): Decoded {
  const unknown: string[] = [];
  const object = decodeStruct(value, SCHEMAS[schemaName] ?? {}, { unknown, path: '', goPath: '', owner: kind });
  return { object: object as Record<string, unknown>, unknown };
}

function decode(value: unknown, schema: Schema, at: Place): unknown {
  const { $ref } = schema;
  if ($ref !== undefined) return decodeReferred(value, $ref, at);
  if (schema.oneOf !== undefined) return value;
  if (schema.type === 'object') return schema.properties ? decodeStruct(value, schema, at) : decodeMap(value, schema, at);
  if (schema.type === 'array') return decodeList(value, schema, at);
  return schema.type === undefined ? clone(value) : decodeScalar(value, schema, at);
}

function decodeReferred(value: unknown, name: string, at: Place): unknown {
  if (name.endsWith('.Quantity')) return decodeQuantity(value);
  const schema = SCHEMAS[name] ?? {};
  return decode(value, schema, schema.properties ? { ...at, owner: goNameOf(name) } : at);
}

function decodeList(value: unknown, schema: Schema, at: Place): unknown {
  if (!Array.isArray(value)) throw mistyped(value, schema, at);
  const items = schema.items ?? {};
  return value.map((item, index) => decode(item ?? (items.$ref === undefined ? '' : {}), items, { ...at, path: `${at.path}[${index}]` }));
}

const FITS: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  integer: (value) => Number.isInteger(value) || typeof value === 'bigint',
  number: (value) => typeof value === 'number' || typeof value === 'bigint',
};

function decodeScalar(value: unknown, schema: Schema, at: Place): unknown {
  if (FITS[schema.type ?? '']?.(value) === false || (typeof value === 'bigint' && schema.format === 'int32'))
    throw mistyped(value, schema, at);
  if (schema.format === 'byte' && typeof value === 'string') checkBase64(value);
  return value;
}

function decodeMap(value: unknown, schema: Schema, at: Place): unknown {
  if (!isFields(value)) throw mistyped(value, schema, at);
  const of = schema.additionalProperties;
  if (of === undefined) return clone(value);
  const decoded: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    if (key !== '__proto__') decoded[key] = member === null ? zeroOf(of) : decode(member, of, { ...at, path: `${at.path}.${key}` });
  }
  return decoded;
}

function decodeStruct(value: unknown, schema: Schema, at: Place): unknown {
  if (!isFields(value)) throw mistyped(value, schema, at);
  const properties = schema.properties ?? {};
  const decoded: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const path = at.path === '' ? key : `${at.path}.${key}`;
    const of = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (of === undefined) at.unknown.push(path);
    if (of === undefined || member === null || member === undefined) continue;
    const read = decode(member, of, { ...at, path, goPath: at.goPath === '' ? key : `${at.goPath}.${key}` });
    if (schema.required?.includes(key) || !isZero(key, read, of, path)) decoded[key] = read;
  }
  fillZeroValues(decoded, schema, at);
  return decoded;
}

// Structs that are no pointers are always written, and so are fields that may not be left out.
function fillZeroValues(decoded: Record<string, unknown>, schema: Schema, at: Place): void {
  for (const [key, of] of Object.entries(schema.properties ?? {})) {
    const zero = of.default;
    if (decoded[key] !== undefined || zero === undefined) continue;
    if (isFields(zero)) {
      if (of.$ref !== undefined) decoded[key] = decode({}, of, at);
    } else if (schema.required?.includes(key) || (zero === 0 && isInStatus(at.path))) decoded[key] = zero;
  }
}

function isZero(key: string, value: unknown, schema: Schema, path: string): boolean {
  if (value === '') return schema.format !== 'byte';
  if (Array.isArray(value)) return value.length === 0;
  if (isFields(value)) return isMapSchema(schema) && Object.keys(value).length === 0;
  if (value === false) return VANISHES_AT_ZERO.has(key);
  // A counter whose schema has zero as its default is one that Go always writes.
  if (value === 0) return VANISHES_AT_ZERO.has(key) || (isInStatus(path) && schema.default !== 0 && !STAYS_IN_STATUS.has(key));
  return false;
}

const isInStatus = (path: string) => path === 'status' || path.startsWith('status.');

function isMapSchema(schema: Schema): boolean {
  return schema.type === 'object' && schema.additionalProperties !== undefined;
}

function zeroOf(schema: Schema): unknown {
  if (schema.type === 'string') return '';
  return schema.type === 'integer' ? 0 : {};
}

function decodeQuantity(value: unknown): unknown {
  const canonical =
    typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? parseQuantity(String(value)) : undefined;
  if (canonical === undefined) throw new MistypedError(NO_QUANTITY);
  return canonical;
}

function checkBase64(text: string): void {
  const bad = text.replace(/=+$/, '').search(/[^A-Za-z0-9+/\r\n]/);
  if (bad >= 0) throw new MistypedError(`illegal base64 data at input byte ${bad}`);
  if (text.replace(/[\r\n]/g, '').length % 4 !== 0)
    throw new MistypedError(`illegal base64 data at input byte ${text.length - (text.length % 4)}`);
}

function mistyped(value: unknown, schema: Schema, at: Place): MistypedError {
  const found = Array.isArray(value)
    ? 'array'
    : typeof value === 'boolean'
      ? 'bool'
      : typeof value === 'number' || typeof value === 'bigint'
        ? numberWord(value, schema)
        : typeof value;
  return new MistypedError(
    `json: cannot unmarshal ${found} into Go struct field ${at.owner}.${at.goPath} of type ${goTypeOf(schema, at.owner)}`,
  );
}

function numberWord(value: number | bigint, schema: Schema): string {
  return schema.type === 'integer' ? `number ${value}` : 'number';
}

function goTypeOf(schema: Schema, owner: string): string {
  if (schema.$ref !== undefined) return goNameOf(schema.$ref);
  if (schema.type === 'array') return `[]${goTypeOf(schema.items ?? {}, owner)}`;
  if (schema.type === 'object')
    return schema.properties ? `v1.${owner}` : `map[string]${goTypeOf(schema.additionalProperties ?? {}, owner)}`;
  if (schema.type === 'integer') return schema.format ?? 'int64';
  if (schema.type === 'boolean') return 'bool';
  return schema.type === 'number' ? 'float64' : 'string';
}

function goNameOf(schemaName: string): string {
  return schemaName.slice(schemaName.lastIndexOf('.') + 1);
}

/** A copy of plain JSON without nulls' surprises: members stay as they are, `__proto__` goes. */
export function clone<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(clone) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = {};
  // Keys alone: pairs of a manifest of thousands of objects would be as many arrays again.
  for (const key of Object.keys(value)) {
    const member: unknown = value[key as keyof typeof value];
    if (key !== '__proto__' && member !== undefined) copy[key] = clone(member);
  }
  return copy as Value;
}
