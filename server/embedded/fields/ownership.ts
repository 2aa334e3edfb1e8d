import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toKubeTime } from '@/lib/std/instant';
import { toServed, toStored } from '../kinds/convert';
import type { Draft } from '../kinds/draft';
import type { Registry } from '../kinds/registry';
import type { Resource } from '../kinds/resource';
import { apiVersionOf } from '../kinds/resource';
import type { Comparison } from './compare';
import { compareFields } from './compare';
import type { FieldSet } from './field-set';
import { difference, EMPTY, intersection, isEmpty, LEAF, union, without } from './field-set';
import type { ManagedField, Managers } from './managers';
import { capManagers, decodeManagers, encodeManagers, idOf, toEntry } from './managers';
import { emptyOf, shapeOfResource } from './shape';

/** A write as far as ownership looks at it. */
export interface FieldWrite {
  readonly resource: Resource;
  readonly registry: Pick<Registry, 'byType'>;
  readonly manager: string;
  readonly subresource?: string | undefined;
  readonly now: Instant;
  /** Fields that a write of this resource, or below it, leaves as they are, whatever it says of them. */
  readonly untouched: FieldSet;
}

// What the server says of every object belongs to nobody.
const NOBODYS: FieldSet = {
  'f:apiVersion': LEAF,
  'f:kind': LEAF,
  'f:metadata': {
    '.': LEAF,
    ...Object.fromEntries(
      ['name', 'namespace', 'creationTimestamp', 'selfLink', 'uid', 'clusterName', 'generation', 'managedFields', 'resourceVersion'].map(
        (key) => [`f:${key}`, LEAF],
      ),
    ),
  },
}; // prettier-ignore

/** The set without what belongs to nobody. */
export const withoutUnowned = (set: FieldSet) => difference(set, NOBODYS);

/** Who owns which field once an object is created, updated or patched; `said` is what the request itself says of that. */
export function ownersAfterUpdate(
  write: FieldWrite,
  previous: KubeObject | undefined,
  next: Draft,
  said: unknown,
): readonly ManagedField[] | undefined {
  const held = previous?.metadata.managedFields;
  const managers = managersToStartFrom(write, held, said);
  // Whoever did away with all entries wants none to be kept.
  if (managers.size === 0 && previous !== undefined) return undefined;
  return encodeManagers(takeChanged(write, previous ?? emptyOf(write.resource), next, managers));
}

function managersToStartFrom({ subresource }: FieldWrite, held: unknown, said: unknown): Managers {
  const live = () => decodeManagers(held) ?? new Map<string, ManagedField>();
  if (subresource !== undefined || said === held) return live();
  if (isReset(said)) return new Map();
  const own = decodeManagers(said);
  return own === undefined || own.size === 0 ? live() : own;
}

function isReset(said: unknown): boolean {
  if (!Array.isArray(said)) return false;
  return said.length === 0 || (said.length === 1 && Object.keys(said[0] ?? {}).length === 0);
}

/** Owners after a manager changed an object. */
export function takeChanged(write: FieldWrite, before: object, after: object, managers: Managers): Managers {
  const { resource, manager, subresource, now } = write;
  const comparison = compareTouched(write, before, after);
  const { settled } = settle(write, { before, after, comparison }, managers);
  const owned = new Map(settled);
  const taken = withoutUnowned(union(comparison.modified, comparison.added));
  if (!isEmpty(taken)) {
    const identity = {
      manager: manager === '' ? 'unknown' : manager,
      operation: 'Update',
      apiVersion: apiVersionOf(resource),
      ...(subresource ? { subresource } : {}),
    } as const;
    const id = idOf(identity);
    owned.set(id, toEntry(identity, union(taken, owned.get(id)?.fieldsV1 ?? EMPTY), toKubeTime(now)));
  }
  return capManagers(owned);
} // prettier-ignore

/** What became of the fields that the write may touch. */
export function compareTouched({ resource, untouched }: FieldWrite, before: object, after: object): Comparison {
  const comparison = compareFields(before, after, shapeOfResource(resource));
  if (untouched === EMPTY) return comparison;
  const { added, removed, modified } = comparison;
  return { added: without(added, untouched), removed: without(removed, untouched), modified: without(modified, untouched) };
}

/** An object before and after, and what became of its fields in the version of the write. */
export interface Change {
  readonly before: object;
  readonly after: object;
  readonly comparison: Comparison;
}

/** The fields that each other manager has and a change touches, and the owners once those have lost what was changed or removed. */
export function settle(
  write: FieldWrite,
  change: Change,
  managers: Managers,
  self?: string,
): { readonly conflicts: ReadonlyMap<string, FieldSet>; readonly settled: Managers } {
  const conflicts = new Map<string, FieldSet>();
  const settled = new Map<string, ManagedField>();
  const versions = new Map<string, Comparison | undefined>([[apiVersionOf(write.resource), change.comparison]]);
  for (const [id, entry] of managers) {
    if (id === self) {
      if (!isEmpty(entry.fieldsV1)) settled.set(id, entry);
      continue;
    }
    const { apiVersion, fieldsV1 } = entry;
    if (!versions.has(apiVersion)) versions.set(apiVersion, compareIn(write, apiVersion, change));
    const comparison = versions.get(apiVersion);
    if (comparison === undefined) continue; // a version that is served no longer
    const conflict = intersection(fieldsV1, union(comparison.modified, comparison.added));
    if (!isEmpty(conflict)) conflicts.set(id, conflict);
    const left = difference(difference(fieldsV1, conflict), comparison.removed);
    if (left === fieldsV1) settled.set(id, entry);
    else if (!isEmpty(left)) settled.set(id, toEntry(entry, left, entry.time));
  }
  return { conflicts, settled };
} // prettier-ignore

function compareIn(write: FieldWrite, apiVersion: string, { before, after }: Change): Comparison | undefined {
  const other = write.registry.byType({ apiVersion, kind: write.resource.kind });
  if (other === undefined) return undefined;
  return compareTouched({ ...write, resource: other }, convertTo(other, write.resource, before), convertTo(other, write.resource, after));
}

/** An object of one version in another. */
export function convertTo(to: Resource, from: Resource, object: object): KubeObject {
  return toServed(to, toStored(from, object as Draft)); // plain JSON, as every object here
}
