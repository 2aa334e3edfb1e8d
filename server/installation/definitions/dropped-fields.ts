import type { Fields } from '@/lib/kube/fields';
import { isFields, readBoolean, readField, readFields, readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';

/** What a definition in a cluster takes away of what we write. Fields are paths such as `spec.control.gates`, `[]` for each of a list. */
export type DroppedField =
  | { readonly kind: 'version'; readonly field: ''; readonly version: string }
  /** There is no status to be written by itself. */
  | { readonly kind: 'subresource'; readonly field: 'status' }
  /** Dropped without a word. */
  | { readonly kind: 'field'; readonly field: string }
  /** What lies below is kept only as far as it is listed, and we write more. */
  | { readonly kind: 'closed'; readonly field: string }
  /** Refused, since another type is wanted. */
  | { readonly kind: 'type'; readonly field: string }
  /** Values that are refused. */
  | { readonly kind: 'values'; readonly field: string; readonly values: readonly string[] };

/** Parts of our definitions that nobody here writes: they keep what other tools put there. */
const OF_OTHERS: Readonly<Record<string, readonly string[]>> = {
  Application: ['spec.components[].externalRevision', 'spec.components[].dependsOn', 'spec.components[].scopes', 'spec.workflow'],
  ApplicationRevision: ['status'],
};

/** Parts that list some fields for printing, and take more of ours than they list. */
const MORE_THAN_LISTED: Readonly<Record<string, readonly string[]>> = { RolloutOrchestrator: ['status.control'] };

interface Walk {
  readonly ofOthers: readonly string[];
  readonly moreThanListed: readonly string[];
  readonly losses: DroppedField[];
}

/** What of that which we write by our definition one in a cluster would not keep. */
export function findDroppedFields(ours: KubeObject, theirs: KubeObject): readonly DroppedField[] {
  const kind = readString(ours, 'spec', 'names', 'kind') ?? '';
  const walk: Walk = { ofOthers: OF_OTHERS[kind] ?? [], moreThanListed: MORE_THAN_LISTED[kind] ?? [], losses: [] };
  // A definition of the old form prunes nothing.
  const prunes = readBoolean(theirs, 'spec', 'preserveUnknownFields') !== true;
  for (const version of readList(ours, 'spec', 'versions')) {
    const name = readString(version, 'name') ?? '';
    const served = readList(theirs, 'spec', 'versions').find(
      (one) => readString(one, 'name') === name && readBoolean(one, 'served') === true,
    );
    if (served === undefined) {
      walk.losses.push({ kind: 'version', field: '', version: name });
      continue;
    }
    if (readField(version, 'subresources', 'status') !== undefined && readField(served, 'subresources', 'status') === undefined)
      walk.losses.push({ kind: 'subresource', field: 'status' });
    if (prunes) compareSchemas(schemaOf(version), schemaOf(served), '', walk);
  }
  return walk.losses;
}

/** True when what happens to a field is told by the loss of another: itself, one above, or one below. */
export function concerns({ field }: DroppedField, asked: string): boolean {
  return asked === '' || field === '' || isWithin(field, asked) || isWithin(asked, field);
}

const isWithin = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[]`);
const schemaOf = (version: unknown) => readFields(version, 'schema', 'openAPIV3Schema');
const isOpen = (schema: Fields) => schema['x-kubernetes-preserve-unknown-fields'] === true || schema.additionalProperties !== undefined;
/** What every object has, and no definition can take away. */
const OF_EVERY_OBJECT: readonly string[] = ['apiVersion', 'kind', 'metadata'];

function compareSchemas(ours: Fields, theirs: Fields, at: string, walk: Walk): void {
  if (!takesType(ours, theirs)) {
    walk.losses.push({ kind: 'type', field: at });
    return;
  }
  const properties = readFields(ours, 'properties');
  const isWhole = isOpen(ours) && (Object.keys(properties).length === 0 || walk.moreThanListed.includes(at));
  if (isWhole && !isOpen(theirs)) walk.losses.push({ kind: 'closed', field: at });
  const values = refusedValues(ours, theirs);
  if (values.length > 0) walk.losses.push({ kind: 'values', field: at, values });
  for (const [name, property] of Object.entries(properties)) {
    if (at !== '' || !OF_EVERY_OBJECT.includes(name)) compareProperty(property, theirs, { at, name }, walk);
  }
  if (isFields(ours.items) && isFields(theirs.items)) compareSchemas(ours.items, theirs.items, `${at}[]`, walk);
}

function compareProperty(ours: unknown, parent: Fields, { at, name }: { readonly at: string; readonly name: string }, walk: Walk): void {
  const field = at === '' ? name : `${at}.${name}`;
  if (walk.ofOthers.includes(field)) return;
  const theirs = readFields(parent, 'properties')[name] ?? parent.additionalProperties;
  if (isFields(ours) && isFields(theirs)) compareSchemas(ours, theirs, field, walk);
  else if (!isOpen(parent)) walk.losses.push({ kind: 'field', field });
}

function takesType(ours: Fields, theirs: Fields): boolean {
  const wanted = kindOfValue(ours);
  const taken = kindOfValue(theirs);
  // Where either says nothing any value goes, or what is kept of it is compared by itself.
  if (wanted === undefined || taken === undefined || wanted === taken) return true;
  return wanted === 'integer' && (taken === 'number' || taken === 'int-or-string');
}

function kindOfValue(schema: Fields): string | undefined {
  return schema['x-kubernetes-int-or-string'] === true ? 'int-or-string' : readString(schema, 'type');
}

function refusedValues(ours: Fields, theirs: Fields): readonly string[] {
  const taken = readList(theirs, 'enum');
  return taken.length === 0
    ? []
    : readList(ours, 'enum').filter((value): value is string => typeof value === 'string' && !taken.includes(value));
}
