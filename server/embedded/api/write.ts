import { readList } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import { KubeApiError } from '@/server/kube';
import { EMPTY as NONE } from '../fields/field-set';
import type { ManagedField } from '../fields/managers';
import { isSameManagers } from '../fields/managers';
import type { FieldWrite } from '../fields/ownership';
import { ownersAfterUpdate } from '../fields/ownership';
import { toServed, toStored } from '../kinds/convert';
import type { Draft } from '../kinds/draft';
import { checkMetadataUpdate } from '../kinds/metadata';
import type { Resource } from '../kinds/resource';
import { findSubresource, toKey } from '../kinds/resource';
import { rulesOf } from '../kinds/rules/table';
import { admitWrite } from './admission';
import type { ApiContext, Call, Target, WriteFlags } from './context';
import { toObservedRequest } from './context';
import { decodeBody, metadataOf } from './decode-body';
import type { FieldError } from './failures';
import { badRequest, conflict, invalid, invalidValue } from './failures';
import { readStored } from './read';

const MAX_BYTES = 1.5 * 1024 * 1024;
export const OTHER_NAMESPACE = 'the namespace of the provided object does not match the namespace sent on the request';

/** True for a kind whose generation counts changes of the spec. */
export const countsGeneration = (resource: Resource) =>
  resource.custom !== undefined || rulesOf(resource.storage).countsGeneration === true;
/** True when the status is written through its subresource only. */
export const hasStatus = (resource: Resource) =>
  resource.custom ? resource.custom.hasStatus : findSubresource(resource, 'status') !== undefined;

/** What a request writes, where, and how it wants it. */
export interface Writing<Body> {
  readonly target: Target;
  readonly body: Body;
  readonly flags: WriteFlags;
}

/** Replaces an object, or its status. */
export function updateObject(context: ApiContext, call: Call, { target, body, flags }: Writing<unknown>): KubeObject {
  const { resource } = target;
  const previous = toServed(resource, readStored(context, target));
  const next = decodeBody(resource, body, call, flags);
  const { uid, resourceVersion } = metadataOf(next);
  const name = previous.metadata.name ?? '';
  if (uid !== undefined && uid !== previous.metadata.uid) {
    const key = `/registry/${resource.custom ? `${resource.group}/` : ''}${resource.plural}/${toKey(resource, target.namespace, name)}`;
    const found = `Precondition failed: UID in precondition: ${String(uid)}, UID in object meta: ${previous.metadata.uid ?? ''}`;
    throw conflict(resource, name, `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${found}`);
  }
  if (resourceVersion === undefined && (resource.custom || rulesOf(resource.storage).needsVersion)) {
    const wrong = { ...invalidValue('metadata.resourceVersion', 0, ''), message: 'Invalid value: 0: must be specified for an update' };
    throw invalid({ ...resource, kind: resource.plural }, name, [wrong]); // named as the original names it here
  }
  admitWrite(context, target, next, previous, call);
  return changeObject(context, {
    target,
    verb: 'update',
    previous,
    next,
    flags,
    ownersOf: ownersByUpdate(context, call, { target, flags }),
  });
}

/** Who owns which field after a write; `said` is what the request says of that. */
export type OwnersOf = (previous: KubeObject | undefined, next: Draft, said: unknown) => readonly ManagedField[] | undefined;

/** A write as ownership looks at it. */
export function toFieldWrite({ registry, clock }: ApiContext, call: Call, { target, flags }: Omit<Writing<never>, 'body'>): FieldWrite {
  const { resource, subresource } = target;
  const { fieldManager } = flags;
  return { resource, registry, subresource, manager: fieldManager || call.agent, now: clock.now(), untouched: NONE };
}

/** The owners after a write that replaces: whoever writes has what differs. */
export function ownersByUpdate(context: ApiContext, call: Call, where: Omit<Writing<never>, 'body'>): OwnersOf {
  const write = toFieldWrite(context, call, where);
  return (previous, next, said) => ownersAfterUpdate(write, previous, next, said);
}

interface Changing {
  readonly target: Target;
  readonly verb: 'update' | 'patch';
  readonly previous: KubeObject;
  readonly next: Draft;
  readonly flags: WriteFlags;
  readonly ownersOf: OwnersOf;
}

/** Puts a decoded object in the place of the one there is, if it may be. */
export function changeObject(context: ApiContext, { target, verb, previous, next, flags, ownersOf }: Changing): KubeObject {
  const { resource, subresource } = target;
  const metadata = metadataOf(next);
  const name = previous.metadata.name ?? '';
  checkIdentity(target, previous, metadata);
  if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== previous.metadata.resourceVersion) {
    throw conflict(resource, name, 'the object has been modified; please apply your changes to the latest version and try again');
  }
  const said = metadata.managedFields;
  carryOver(metadata, previous);
  const changed = subresource === 'status' ? statusOf(resource, previous, next) : withOldStatus(resource, previous, next);
  const owners = ownersOf(previous, changed, said);
  const rules = rulesOf(resource.storage);
  if (subresource === undefined) rules.prepare?.(changed, previous, context);
  const wrongMeta = checkMetadataUpdate(metadataOf(changed), previous.metadata);
  const errors = [...wrongMeta, ...validate(resource, changed, previous, subresource)];
  // Metadata is looked at twice, and said twice.
  if (errors.length > 0) throw invalid(resource, name, [...wrongMeta, ...errors]);
  if (subresource !== 'status' && countsGeneration(resource) && growsGeneration(resource, changed, previous))
    metadataOf(changed).generation = (previous.metadata.generation ?? 0) + 1;
  setOwners(metadataOf(changed), owners);
  return store(context, { target, verb, previous, flags }, toStored(resource, changed));
} // prettier-ignore

/** Writes who owns the fields into the metadata of a draft. */
export function setOwners(metadata: Draft, owners: readonly ManagedField[] | undefined): void {
  if (owners === undefined) delete metadata.managedFields;
  else metadata.managedFields = owners;
}

function checkIdentity({ resource, namespace }: Target, previous: KubeObject, metadata: Draft): void {
  const name = previous.metadata.name ?? '';
  if (metadata.name === undefined || metadata.name === '')
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (metadata.name !== name)
    throw badRequest(`the name of the object (${String(metadata.name)}) does not match the name on the URL (${name})`);
  if (resource.namespaced && metadata.namespace !== undefined && metadata.namespace !== namespace) throw badRequest(OTHER_NAMESPACE);
} // prettier-ignore

// What only the server says about an object.
function carryOver(metadata: Draft, previous: KubeObject): void {
  const held = previous.metadata;
  for (const member of [
    'name',
    'namespace',
    'uid',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
    'generateName',
  ]) {
    if (metadata[member] === undefined && held[member] !== undefined) metadata[member] = held[member];
  }
  for (const member of ['managedFields', 'selfLink', 'generation']) {
    if (held[member] === undefined) delete metadata[member];
    else metadata[member] = held[member];
  }
  metadata.resourceVersion = held.resourceVersion;
}

function statusOf(resource: Resource, previous: KubeObject, next: Draft): Draft {
  const kept = resource.custom ? 'metadata' : rulesOf(resource.storage).statusKeeps;
  const metadata: Draft = { ...(kept === 'metadata' ? previous.metadata : metadataOf(next)) };
  if (kept === 'labels') {
    if (previous.metadata.labels) metadata.labels = previous.metadata.labels;
    else delete metadata.labels;
  }
  const { status: _old, ...rest } = previous;
  return { ...rest, metadata, ...(next.status === undefined ? {} : { status: next.status }) };
}

function withOldStatus(resource: Resource, previous: KubeObject, next: Draft): Draft {
  if (!hasStatus(resource)) return next;
  const { status: _said, ...rest } = next;
  return previous.status === undefined ? rest : { ...rest, status: previous.status };
}

/** What is wrong with an object, by the rules of its kind. */
export function validate(resource: Resource, object: Draft, previous: KubeObject | undefined, subresource?: string): readonly FieldError[] {
  const { custom } = resource;
  if (custom) return subresource === 'status' ? custom.validateStatus(object, previous) : custom.validate(object, previous);
  return rulesOf(resource.storage).validate?.(object, previous) ?? [];
}

function growsGeneration(resource: Resource, next: Draft, previous: KubeObject): boolean {
  const isFresh =
    next.metadata !== undefined && metadataOf(next).deletionTimestamp !== undefined && previous.metadata.deletionTimestamp === undefined;
  if (isFresh) return true;
  if (!resource.custom && resource.storage !== 'endpointslices.discovery.k8s.io') {
    const annotated =
      rulesOf(resource.storage).countsAnnotations === true &&
      !deepEqual(metadataOf(next).annotations ?? {}, previous.metadata.annotations ?? {});
    return annotated || !deepEqual(next.spec, previous.spec);
  }
  const { metadata: _a, status: statusNext, ...restNext } = next;
  const { metadata: _b, status: statusBefore, ...restBefore } = previous;
  return !deepEqual(restNext, restBefore) || (resource.custom?.hasStatus === false && !deepEqual(statusNext, statusBefore));
}

interface Storing {
  readonly target: Target;
  readonly verb: 'update' | 'patch' | 'delete';
  readonly previous: KubeObject;
  readonly flags: Pick<WriteFlags, 'dryRun'>;
}

/** Stores a changed object, or takes it away when it was only waiting for this. */
export function store(context: ApiContext, { target, verb, previous, flags }: Storing, stored: KubeObject): KubeObject {
  const { resource } = target;
  const name = previous.metadata.name ?? '';
  const key = toKey(resource, previous.metadata.namespace, name);
  const held = context.store.get(resource.storage, key);
  if (held !== undefined && isSame(stored, held)) return toServed(resource, held);
  if (flags.dryRun) return toServed(resource, stored);
  if (!isFinished(resource, stored)) return toServed(resource, commit(context, { verb, target: { ...target, name }, key }, stored));
  context.interference?.at('before-commit', toObservedRequest(verb, target));
  context.store.remove(resource.storage, key);
  context.interference?.at('after-commit', toObservedRequest(verb, target));
  return toServed(resource, stored);
}

// A write that changes nothing but the times of its entries is none.
function isSame(stored: KubeObject, held: KubeObject): boolean {
  const { managedFields, ...metadata } = stored.metadata;
  const { managedFields: before, ...metadataBefore } = held.metadata;
  if (!isSameManagers(managedFields as readonly ManagedField[] | undefined, before as readonly ManagedField[] | undefined)) return false; // written by us
  return deepEqual(metadata, metadataBefore) && deepEqual({ ...stored, metadata: 0 }, { ...held, metadata: 0 });
}

/** True when an object that is to go has nothing left to wait for. */
export function isFinished(resource: Resource, object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined || finalizers.length > 0) return false;
  if (resource.storage === 'namespaces') return readList(object, 'spec', 'finalizers').length === 0;
  return (deletionGracePeriodSeconds ?? 0) === 0;
}

interface Committing {
  readonly verb: string;
  readonly target: Target;
  readonly key: string;
}

/** Stores an object whose every condition is met. */
export function commit(context: ApiContext, { verb, target, key }: Committing, object: KubeObject): KubeObject {
  if (JSON.stringify(object).length > MAX_BYTES) throw withoutReason('etcdserver: request is too large');
  context.interference?.at('before-commit', toObservedRequest(verb, target));
  const after = context.store.put(target.resource.storage, key, object);
  context.interference?.at('after-commit', toObservedRequest(verb, target));
  return after;
}

/** A failure inside the server, which the original tells as it comes. */
export function withoutReason(message: string): KubeApiError {
  return new KubeApiError({ code: 500, reason: '', message });
}
