import { deepEqual } from '@/lib/std/deep-equal';
import { isFields, readField, readFields, readList, readString } from './fields';
import type { KubeObject } from './object';

/** One step to a field: a member, an entry of a list under its key, a plain value of a set, or a place in a list. */
export type PathStep = string | number | { readonly key: string; readonly value: unknown } | { readonly item: unknown };

/** Who set a field, as the API server notes it. */
export interface FieldOwner {
  readonly manager: string;
  readonly operation: string;
  /** Set through a subresource such as `scale`. */
  readonly subresource: string | undefined;
  /** The last write of this manager that changed what it owns: the field was set then, or before. */
  readonly since: string | undefined;
}

/** What one manager owns. */
export interface OwnedFields {
  readonly owner: FieldOwner;
  /** The set of paths in the form of FieldsV1. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Reads `metadata.managedFields`, the newest write first; undefined where the server notes nobody. */
export function readOwnedFields(object: KubeObject): readonly OwnedFields[] | undefined {
  const entries = readList(object, 'metadata', 'managedFields').filter(
    (entry) => readString(entry, 'manager') !== undefined && isFields(readField(entry, 'fieldsV1')),
  );
  if (entries.length === 0) return undefined;
  const owned = entries.map((entry): OwnedFields => {
    const owner = {
      manager: readString(entry, 'manager') ?? '',
      operation: readString(entry, 'operation') ?? '',
      subresource: readString(entry, 'subresource') || undefined,
      since: readString(entry, 'time'),
    };
    return { owner, fields: readFields(entry, 'fieldsV1') };
  });
  return owned.sort((a, b) => ((a.owner.since ?? '') < (b.owner.since ?? '') ? 1 : -1));
}

/**
 * The manager that owns a field or a part of it; where nobody does, the whole it is a part of. Of several, the one that wrote last. The whole comes
 * after: whoever made a map whose members others have set since owns it as if it were one value.
 */
export function ownerOf(owned: readonly OwnedFields[], steps: readonly PathStep[]): FieldOwner | undefined {
  const found = owned.map(({ owner, fields }) => ({ owner, owns: ownedOf(fields, steps) }));
  return (found.find(({ owns }) => owns === 'itself') ?? found.find(({ owns }) => owns === 'whole'))?.owner;
}

function ownedOf(fields: Readonly<Record<string, unknown>>, steps: readonly PathStep[]): 'itself' | 'whole' | undefined {
  let at = fields;
  for (const [depth, step] of steps.entries()) {
    // A set without members is owned whole, with everything below it.
    if (depth > 0 && Object.keys(at).length === 0) return 'whole';
    const next = memberAt(at, step);
    if (next === undefined) return undefined;
    at = next;
  }
  return 'itself';
}

function memberAt(fields: Readonly<Record<string, unknown>>, step: PathStep): Readonly<Record<string, unknown>> | undefined {
  const name = Object.keys(fields).find((candidate) => isStep(candidate, step));
  return name === undefined ? undefined : readFields(fields[name]);
}

/** Whether a name of FieldsV1 (`f:member`, `k:{"name":"web"}`, `v:"value"`, `i:0`) is the step. */
function isStep(name: string, step: PathStep): boolean {
  if (typeof step === 'string') return name === `f:${step}`;
  if (typeof step === 'number') return name === `i:${step}`;
  // The server may tell entries apart by more than the key that merging goes by: a port by its number and its protocol.
  if ('key' in step) return name.startsWith('k:') && deepEqual(readField(parsed(name), step.key), step.value);
  return name.startsWith('v:') && deepEqual(parsed(name), step.item);
}

function parsed(name: string): unknown {
  try {
    return JSON.parse(name.slice(2));
  } catch {
    return undefined; // a name that nobody can read owns nothing that we ask about
  }
}

/** The paths that a set of FieldsV1 owns: its leaves, and members that are owned as such beside their own members. */
export function ownedPaths(
  fields: Readonly<Record<string, unknown>>,
  most: number,
): { readonly paths: readonly (readonly PathStep[])[]; readonly more: number } {
  const paths: (readonly PathStep[])[] = [];
  let more = 0;
  const walk = (at: Readonly<Record<string, unknown>>, above: readonly PathStep[]) => {
    for (const [name, below] of Object.entries(at)) {
      const step = toStep(name);
      if (step === undefined) continue;
      const members = readFields(below);
      const here = [...above, step];
      const isLeaf = Object.keys(members).every((member) => member === '.');
      if (!isLeaf) walk(members, here);
      else if (paths.length < most) paths.push(here);
      else more++;
    }
  };
  walk(fields, []);
  return { paths, more };
}

function toStep(name: string): PathStep | undefined {
  if (name.startsWith('f:')) return name.slice(2);
  if (name.startsWith('i:')) return Number(name.slice(2));
  const value = parsed(name);
  if (name.startsWith('v:')) return { item: value };
  if (!name.startsWith('k:') || !isFields(value)) return undefined; // the dot that stands for the member itself
  const [first] = Object.entries(value);
  return first && { key: first[0], value: first[1] };
}
