import { z } from 'zod';
import { t } from '@/lib/words/catalogue/console/ui';
import type { OutlineNode, Place } from './editor-outline';
import { kindWritten, pathToNode } from './editor-outline';

/** As much of JSON Schema as help while writing needs. */
export interface Schema {
  readonly $ref?: string | undefined;
  readonly $defs?: Readonly<Record<string, Schema>> | undefined;
  readonly type?: string | readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly additionalProperties?: Schema | boolean | undefined;
  readonly items?: Schema | undefined;
  readonly oneOf?: readonly Schema[] | undefined;
  readonly anyOf?: readonly Schema[] | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly const?: unknown;
  readonly default?: unknown;
  /** Schemas of kinds that objects inside may be of, by `apiVersion kind`. */
  readonly kinds?: Readonly<Record<string, Schema>> | undefined;
}

/** What the server publishes; unknown members are of no concern here. */
export const schemaShape: z.ZodType<Schema> = z.lazy(() =>
  z.object({
    $ref: z.string().optional(),
    $defs: z.record(z.string(), schemaShape).optional(),
    type: z.union([z.string(), z.array(z.string())]).optional(),
    description: z.string().optional(),
    properties: z.record(z.string(), schemaShape).optional(),
    required: z.array(z.string()).optional(),
    additionalProperties: z.union([z.boolean(), schemaShape]).optional(),
    items: schemaShape.optional(),
    oneOf: z.array(schemaShape).optional(),
    anyOf: z.array(schemaShape).optional(),
    enum: z.array(z.unknown()).optional(),
    const: z.unknown().optional(),
    default: z.unknown().optional(),
  }),
);

/** One thing that may be written at a place. */
export interface Suggestion {
  readonly label: string;
  /** What it takes: `string`, `list`, `map`. */
  readonly takes: string;
  readonly help: string;
  readonly required: boolean;
  /** What is put in: the label, and what has to follow it. */
  readonly insert: string;
}

/** The schema of a node of the text; undefined where the schema says nothing. */
function schemaOf(root: Schema, node: OutlineNode): Schema | undefined {
  let schema: Schema | undefined = resolved(root, root, pathToNode(node)[0]?.parent ?? node);
  for (const step of pathToNode(node)) {
    const next: Schema | undefined = step.kind === 'item' ? schema?.items : memberOf(schema, step.name);
    schema = next && resolved(root, next, step);
  }
  return schema;
}

function memberOf(schema: Schema | undefined, name: string): Schema | undefined {
  const own = schema?.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
  return own ?? (typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined);
}

/** The schema of the kind that the text names, references followed, and of several kinds the one that it names by its `type`. */
function resolved(root: Schema, schema: Schema, node: OutlineNode): Schema {
  const kind = root.kinds === undefined ? undefined : kindWritten(node);
  if (kind !== undefined && root.kinds !== undefined && Object.hasOwn(root.kinds, kind)) return root.kinds[kind] ?? schema;
  const name = schema.$ref?.split('/').at(-1);
  const target = name === undefined ? schema : (root.$defs?.[name] ?? schema);
  if (target.oneOf?.every((one) => one.properties)) return chosen(target.oneOf, node);
  const fit = target.anyOf?.find((one) => (node.children[0]?.kind === 'item' ? one.items : one.properties));
  return fit === undefined ? target : { ...target, ...fit, description: target.description };
}

function chosen(kinds: readonly Schema[], node: OutlineNode): Schema {
  const type = node.children.find((child) => child.name === 'type')?.value;
  const named = kinds.find((kind) => kind.properties?.type?.const === type);
  const types = {
    description: kinds[0]?.properties?.type?.description,
    oneOf: kinds.map((kind) => ({ const: kind.properties?.type?.const, description: kind.description })),
  };
  const like = named ?? { ...kinds[0], description: undefined };
  const { properties: own, ...members } = like.properties ?? {};
  // Until the type is known nobody can say what its properties are.
  return { ...like, properties: { ...members, type: types, ...(named && own ? { properties: own } : {}) } };
}

/** What may be written at a place: keys that are not there yet, or the values a key takes. */
export function suggest(root: Schema, place: Place): readonly Suggestion[] {
  return place.kind === 'key' ? suggestKeys(root, place.parent) : suggestValues(schemaOf(root, place.node));
}

/** The members of a map that are not written yet, what has to be there first. */
export function suggestKeys(root: Schema, parent: OutlineNode): readonly Suggestion[] {
  const schema = schemaOf(root, parent);
  const written = new Set(parent.children.map((child) => child.name));
  const open = Object.entries(schema?.properties ?? {}).filter(([name]) => !written.has(name));
  const all = open.map(([name, of]): Suggestion => {
    const takes = takenBy(root, of);
    const required = schema?.required?.includes(name) ?? false;
    return {
      label: name,
      takes,
      help: of.description ?? '',
      required,
      insert: takes === 'map' || takes === 'list' ? `${name}:` : `${name}: `,
    };
  });
  return all.toSorted((a, b) => Number(b.required) - Number(a.required));
}

function suggestValues(schema: Schema | undefined): readonly Suggestion[] {
  if (schema === undefined) return [];
  const value = (of: unknown, help: string): Suggestion => ({ label: String(of), takes: '', help, required: false, insert: String(of) });
  const kinds = [schema, ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  return kinds.flatMap((kind) => [
    ...(kind.const === undefined ? [] : [value(kind.const, kind.description ?? '')]),
    ...(kind.enum ?? []).map((one) => value(one, one === schema.default ? t.theDefault : '')),
    ...(kind.type === 'boolean' ? [value(true, ''), value(false, '')] : []),
  ]);
}

/** What a schema takes, in a word. */
function takenBy(root: Schema, schema: Schema): string {
  const name = schema.$ref?.split('/').at(-1);
  if (name !== undefined) return takenBy(root, root.$defs?.[name] ?? {});
  if (schema.properties !== undefined || schema.type === 'object') return 'map';
  if (schema.type === 'array') return 'list';
  if (schema.const !== undefined || schema.enum !== undefined) return t.oneOfAFew;
  if (schema.oneOf !== undefined) return schema.oneOf.every((one) => one.const !== undefined) ? t.oneOfAFew : 'map';
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map((one) => takenBy(root, one)))].join(' or ');
  return typeof schema.type === 'string' ? schema.type : t.anyValue;
}

/** What a key is for, as its help says it. */
export interface Help {
  readonly name: string;
  readonly takes: string;
  readonly text: string;
  readonly fallback: string | null;
}

/** The help of a key; null where the schema says nothing. */
export function helpOf(root: Schema, node: OutlineNode): Help | null {
  const schema = schemaOf(root, node);
  if (schema?.description === undefined) return null;
  const { default: fallback } = schema;
  const plain = fallback !== undefined && (typeof fallback !== 'object' || fallback === null);
  return { name: node.name, takes: takenBy(root, schema), text: schema.description, fallback: plain ? String(fallback) : null };
}
