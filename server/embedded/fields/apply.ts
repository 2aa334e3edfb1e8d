import { readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import { toKubeTime } from '@/lib/std/instant';
import type { Draft } from '../kinds/draft';
import type { Resource } from '../kinds/resource';
import { apiVersionOf } from '../kinds/resource';
import type { FieldSet } from './field-set';
import { difference, EMPTY, intersection, isEmpty, union, without } from './field-set';
import { allowedByLastApplied, withLastApplied } from './last-applied';
import type { ManagedField, Managers } from './managers';
import { decodeManagers, encodeManagers, idOf, toEntry } from './managers';
import type { FieldWrite } from './ownership';
import { compareTouched, convertTo, settle, takeChanged, withoutUnowned } from './ownership';
import type { Shape } from './shape';
import { emptyOf, shapeOfResource } from './shape';
import { mergeTyped, removeItems, toFieldSet, withNamedFields } from './typed';

/** A configuration to apply, checked against its shape already. */
export interface Configuration {
  readonly config: Draft;
  readonly force: boolean;
}

export type Applied =
  | { readonly kind: 'applied'; readonly object: Draft; readonly owners: readonly ManagedField[] | undefined }
  /** Others have set these fields to something else, by what tells their entries apart. */
  | { readonly kind: 'conflicts'; readonly conflicts: ReadonlyMap<string, FieldSet> };

const KUBECTL = 'kubectl';
const BEFORE_FIRST = 'before-first-apply';

/** Applies a configuration to an object, or to nothing yet: what it says is so, what it said last time and no longer says is gone. */
export function applyConfiguration(write: FieldWrite, live: KubeObject | undefined, { config, force }: Configuration): Applied {
  const managers = managersOf(write, live);
  const tried = tryApply(write, live, config, managers, force);
  if (write.manager !== KUBECTL) return tried;
  const settled = tried.kind === 'conflicts' && live ? retry(write, live, config, managers, tried.conflicts) : tried;
  return settled.kind === 'applied' ? { ...settled, object: withLastApplied(settled.object, config) } : settled;
}

// What was applied on the side of the client before may be taken over, as far as it is still so.
function retry(write: FieldWrite, live: KubeObject, config: Draft, managers: Managers, conflicts: ReadonlyMap<string, FieldSet>): Applied {
  const allowed = allowedByLastApplied(write.resource, live);
  if (allowed === undefined) return { kind: 'conflicts', conflicts };
  const left = [...conflicts].map(([id, set]) => [id, difference(set, allowed)] as const).filter(([, set]) => !isEmpty(set));
  return left.length > 0 ? { kind: 'conflicts', conflicts: new Map(left) } : tryApply(write, live, config, managers, true);
}

function managersOf(write: FieldWrite, live: KubeObject | undefined): Managers {
  if (live === undefined) return new Map();
  const held = decodeManagers(live.metadata.managedFields) ?? new Map<string, ManagedField>();
  return held.size > 0 ? held : takeChanged({ ...write, manager: BEFORE_FIRST }, emptyOf(write.resource), live, held);
}

function tryApply(write: FieldWrite, live: KubeObject | undefined, config: Draft, managers: Managers, force: boolean): Applied {
  const { resource, manager, subresource, untouched, now } = write;
  const shape = shapeOfResource(resource);
  const before = live ?? emptyOf(resource);
  const identity = { manager, operation: 'Apply', apiVersion: apiVersionOf(resource), ...(subresource ? { subresource } : {}) } as const;
  const id = idOf(identity);
  const last = managers.get(id);
  const own = toEntry(identity, without(toFieldSet(config, shape), untouched), last?.time);
  const claimed = new Map(managers).set(id, own);
  const merged = mergeTyped(before, config, shape) as Draft; // a configuration is an object, and so is what it makes
  const object = last === undefined ? merged : prune(write, merged, claimed, last);
  const comparison = compareTouched(write, before, object);
  const { conflicts, settled } = settle(write, { before, after: object, comparison }, claimed, id);
  if (!force && conflicts.size > 0) return { kind: 'conflicts', conflicts };
  const owners = new Map(settled);
  const set = withoutUnowned(own.fieldsV1);
  const isSame = deepEqual(before, object);
  if (isEmpty(set)) owners.delete(id);
  else owners.set(id, toEntry(identity, set, isSame ? last?.time : toKubeTime(now)));
  return { kind: 'applied', object, owners: encodeManagers(owners) };
}

/** Takes away what the manager applied last time, not this time, and nobody else claims. */
function prune(write: FieldWrite, merged: Draft, managers: Managers, last: ManagedField): Draft {
  if (isEmpty(last.fieldsV1)) return merged;
  const { resource, registry } = write;
  const to = last.apiVersion === apiVersionOf(resource) ? resource : registry.byType({ apiVersion: last.apiVersion, kind: resource.kind });
  if (to === undefined) return merged;
  const shape = shapeOfResource(to);
  const whole: object = to === resource ? merged : convertTo(to, resource, merged);
  const named = withNamedFields(last.fieldsV1, shape);
  const cut = removeItems(whole, named, shape) as object;
  const kept = addBackOwned(write, to, whole, cut, managers);
  const gone = difference(namedPaths(whole, shape), namedPaths(kept, shape));
  const pruned = removeItems(whole, intersection(gone, named), shape) as Draft;
  return to === resource ? pruned : (convertTo(resource, to, pruned) as Draft);
}

const namedPaths = (object: unknown, shape: Shape) => withNamedFields(toFieldSet(object, shape), shape);

/** Puts back what others own, version by version, beginning with the one that was pruned in. */
function addBackOwned({ resource, registry }: FieldWrite, pruned: Resource, whole: object, cut: object, managers: Managers): object {
  const owned = new Map<string, FieldSet>();
  for (const { apiVersion, fieldsV1 } of managers.values()) owned.set(apiVersion, union(owned.get(apiVersion) ?? EMPTY, fieldsV1));
  const first = apiVersionOf(pruned);
  let from = pruned;
  let kept = cut;
  for (const apiVersion of [first, ...[...owned.keys()].filter((other) => other !== first)]) {
    const to = apiVersion === first ? pruned : registry.byType({ apiVersion, kind: resource.kind });
    const set = owned.get(apiVersion);
    if (to === undefined || set === undefined) continue;
    const shape = shapeOfResource(to);
    const all = to === pruned ? whole : convertTo(to, pruned, whole);
    const rest = to === from ? kept : convertTo(to, from, kept);
    const gone = difference(namedPaths(all, shape), union(namedPaths(rest, shape), withNamedFields(set, shape)));
    kept = removeItems(all, gone, shape) as object;
    from = to;
  }
  return from === pruned ? kept : convertTo(pruned, from, kept);
}

/** Who stands in the way, in the words of the original. */
export function describeManager(id: string): string {
  const identity: unknown = JSON.parse(id); // written by idOf
  const name = JSON.stringify(readString(identity, 'manager') ?? '');
  const below = readString(identity, 'subresource');
  const who = below ? `${name} with subresource ${JSON.stringify(below)}` : name;
  return readString(identity, 'operation') === 'Update' ? `${who} using ${readString(identity, 'apiVersion')}` : who;
}
