import { isFields } from '@/lib/kube/fields';
import type { CustomVersion } from '../kinds/custom-version';
import type { Resource } from '../kinds/resource';
import { SCHEMAS, schemaNameOf } from '../schemas/built-in';

/** What a value may be, and how its parts are owned; several forms may be open. */
export interface Shape {
  readonly scalar?: 'numeric' | 'string' | 'boolean' | 'untyped';
  readonly list?: ListShape;
  readonly map?: MapShape;
}

export interface ListShape {
  /** Owned as a whole. */
  readonly isAtomic: boolean;
  /** Members that tell items apart; none in a set of scalars. */
  readonly keys: readonly string[];
  readonly items: () => Shape;
  /** What a key is where an item does not say. */
  readonly defaultOf: (key: string) => unknown;
}

export interface MapShape {
  readonly isAtomic: boolean;
  /** True for a member that the schema names. */
  readonly has: (key: string) => boolean;
  /** Shape of a member; absent for one that may not be. */
  readonly of: (key: string) => Shape | undefined;
}

/** The parts of published and of custom schemas that say how fields are owned. */
interface Owned {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Owned>>;
  readonly items?: Owned;
  readonly additionalProperties?: Owned | boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const UNTYPED: Shape = {
  scalar: 'untyped',
  list: { isAtomic: true, keys: [], items: () => UNTYPED, defaultOf: () => undefined },
  map: { isAtomic: true, has: () => false, of: () => UNTYPED },
};
const DEDUCED: Shape = {
  scalar: 'untyped',
  list: { isAtomic: true, keys: [], items: () => UNTYPED, defaultOf: () => undefined },
  map: { isAtomic: false, has: () => false, of: () => DEDUCED },
};
// Types whose schema does not tell their form.
const FIXED: Readonly<Record<string, Shape>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { scalar: 'untyped' },
  'io.k8s.apimachinery.pkg.runtime.RawExtension': UNTYPED,
};

const shapes = new WeakMap<object, Shape>();
const preserving = new WeakMap<object, Shape>();
const custom = new WeakMap<CustomVersion, Shape>();

/** The shape of the objects of a resource. */
export function shapeOfResource(resource: Pick<Resource, 'group' | 'version' | 'kind' | 'custom'>): Shape {
  if (resource.custom === undefined) return shapeOf({ $ref: schemaNameOf(resource.group, resource.version, resource.kind) ?? '' });
  const known = custom.get(resource.custom);
  if (known) return known;
  const made = asResource(shapeOf(resource.custom.schema as Owned));
  custom.set(resource.custom, made);
  return made;
}

// Whatever its schema says, an object has these.
function asResource(shape: Shape): Shape {
  const { map } = shape;
  if (map === undefined) return shape;
  const own = new Map<string, Shape>([
    ['apiVersion', { scalar: 'string' }],
    ['kind', { scalar: 'string' }],
    ['metadata', shapeOf({ $ref: META })],
  ]);
  return { ...shape, map: { ...map, has: (key) => own.has(key) || map.has(key), of: (key) => own.get(key) ?? map.of(key) } };
}

function shapeOf(schema: Owned, preserves = false): Shape {
  if (schema.$ref !== undefined) return withRelation(FIXED[schema.$ref] ?? shapeOf((SCHEMAS[schema.$ref] ?? {}) as Owned), schema);
  const keeps = preserves || schema['x-kubernetes-preserve-unknown-fields'] === true;
  const memo = keeps ? preserving : shapes;
  const known = memo.get(schema);
  if (known) return known;
  const plain = toShape(schema, keeps);
  const made = schema['x-kubernetes-embedded-resource'] === true ? asResource(plain) : plain;
  memo.set(schema, made);
  return made;
}

// A reference may say of a map that it is owned as a whole here.
function withRelation(shape: Shape, schema: Owned): Shape {
  const type = schema['x-kubernetes-map-type'];
  return type === undefined || shape.map === undefined ? shape : { ...shape, map: { ...shape.map, isAtomic: type === 'atomic' } };
}

function toShape(schema: Owned, keeps: boolean): Shape {
  switch (schema.type) {
    case undefined:
      return { scalar: 'untyped', list: toList(schema, keeps), map: toMap(schema, keeps) };
    case 'object':
      return { map: toMap(schema, keeps) };
    case 'array':
      return { list: toList(schema, keeps) };
    case 'integer':
    case 'number':
      return { scalar: 'numeric' };
    case 'boolean':
      return { scalar: 'boolean' };
    default:
      return { scalar: schema.format === undefined || schema.format === 'byte' ? 'string' : 'untyped' };
  }
}

function toMap(schema: Owned, keeps: boolean): MapShape {
  const { properties = {}, additionalProperties: more } = schema;
  const isOpen = more === true || (more === undefined && (keeps || Object.keys(properties).length === 0));
  const other = isFields(more) ? () => shapeOf(more as Owned, keeps) : () => (isOpen ? DEDUCED : undefined);
  return {
    isAtomic: schema['x-kubernetes-map-type'] === 'atomic',
    has: (key) => Object.hasOwn(properties, key),
    of: (key) => (Object.hasOwn(properties, key) ? shapeOf(properties[key] ?? {}, keeps) : other()),
  };
}

function toList(schema: Owned, keeps: boolean): ListShape {
  const { items } = schema;
  const { isAtomic, keys } = relationOf(schema);
  const resolved = items?.$ref === undefined ? items : (SCHEMAS[items.$ref] as Owned | undefined);
  return {
    isAtomic,
    keys,
    items: () => (items === undefined ? UNTYPED : shapeOf(items, keeps)),
    defaultOf: (key) => resolved?.properties?.[key]?.default,
  };
}

function relationOf(schema: Owned): { readonly isAtomic: boolean; readonly keys: readonly string[] } {
  const type = schema['x-kubernetes-list-type'];
  if (type !== undefined)
    return { isAtomic: type !== 'set' && type !== 'map', keys: type === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : [] };
  const key = schema['x-kubernetes-patch-merge-key'];
  const isMerged = /^merge(,retainKeys)?$/.test(schema['x-kubernetes-patch-strategy'] ?? '');
  return { isAtomic: !isMerged, keys: isMerged && key !== undefined ? [key] : [] };
}

const zeros = new Map<string, Readonly<Record<string, unknown>>>();

/** An object of the resource before anything was said of it: what Go writes of an empty struct. */
export function emptyOf({
  group,
  version,
  kind,
  custom: own,
}: Pick<Resource, 'group' | 'version' | 'kind' | 'custom'>): Readonly<Record<string, unknown>> {
  if (own !== undefined) return {};
  const name = schemaNameOf(group, version, kind) ?? '';
  const known = zeros.get(name);
  if (known) return known;
  const made = zeroOf((SCHEMAS[name] ?? {}) as Owned & { readonly required?: readonly string[] });
  zeros.set(name, made);
  return made;
}

// Structs that are no pointers are there from the beginning, and so is what may not be left out.
function zeroOf(schema: Owned & { readonly required?: readonly string[] }): Readonly<Record<string, unknown>> {
  const zero: Record<string, unknown> = {};
  for (const [key, of] of Object.entries(schema.properties ?? {})) {
    if (isFields(of.default)) {
      if (of.$ref !== undefined) zero[key] = zeroOf((SCHEMAS[of.$ref] ?? {}) as Owned);
    } else if (schema.required?.includes(key)) zero[key] = of.default ?? null;
  }
  return zero;
}
