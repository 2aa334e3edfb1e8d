import { readList } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import { toKubeTime } from '@/lib/std/instant';
import { KubeApiError } from '@/server/kube';
import { toServed, toStored } from '../kinds/convert';
import type { Draft } from '../kinds/draft';
import { checkMetadata, checkMetadataUpdate } from '../kinds/metadata';
import { subdomainName } from '../kinds/names';
import type { Resource } from '../kinds/resource';
import { findSubresource, toKey } from '../kinds/resource';
import { rulesOf } from '../kinds/rules/table';
import { admitDecision, admitNamespace } from './admission';
import type { ApiContext, Call, Target, WriteFlags } from './context';
import { toFaulted } from './context';
import { decodeBody, metadataOf } from './decode-body';
import type { FieldError } from './failures';
import { alreadyExists, badRequest, conflict, invalid, invalidValue } from './failures';

const MOST_BYTES = 1.5 * 1024 * 1024;
const SUFFIX = 5;
const LONGEST_PREFIX = 63 - SUFFIX;
const OTHER_NAMESPACE = 'the namespace of the provided object does not match the namespace sent on the request';

/** Creates an object. */
export function createObject(context: ApiContext, call: Call, target: Target, body: unknown, flags: WriteFlags): KubeObject {
  const { resource } = target;
  const object = decodeBody(resource, body, call, flags);
  const metadata = metadataOf(object);
  const namespace = settleNamespace(resource, metadata, target.namespace);
  const { resourceVersion } = metadata;
  if (typeof resourceVersion === 'string' && resourceVersion !== '' && resourceVersion !== '0')
    throw withoutReason('resourceVersion should not be set on objects to be created');
  if (namespace !== undefined) admitNamespace(context, resource, namespace, String(metadata.name ?? ''));
  beginLife(context, resource, metadata);
  if (hasStatus(resource)) beginStatus(resource, object);
  const rules = rulesOf(resource.storage);
  rules.prepare?.(object, undefined, context);
  admitDecision(context, resource, object, call);
  const name = String(metadata.name ?? '');
  const errors = [...checkMetadata(metadata, rules.names ?? subdomainName), ...validate(resource, object, undefined)];
  if (errors.length > 0) throw invalid(resource, name, errors);
  const key = toKey(resource, namespace, name);
  if (context.store.get(resource.storage, key)) throw alreadyExists(resource, name);
  const stored = toStored(resource, object);
  return toServed(resource, flags.dryRun ? stored : commit(context, 'create', { ...target, name }, key, stored));
} // prettier-ignore

function settleNamespace(resource: Resource, metadata: Draft, asked: string | undefined): string | undefined {
  const said = typeof metadata.namespace === 'string' ? metadata.namespace : undefined;
  if (!resource.namespaced) {
    if (said !== undefined) throw badRequest(OTHER_NAMESPACE);
    return undefined;
  }
  if (said !== undefined && asked !== undefined && said !== asked) throw badRequest(OTHER_NAMESPACE);
  const namespace = asked ?? said;
  if (namespace === undefined || namespace === '') throw badRequest('an empty namespace may not be set during creation');
  metadata.namespace = namespace;
  return namespace;
}

function beginLife(context: ApiContext, resource: Resource, metadata: Draft): void {
  for (const member of ['resourceVersion', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink', 'managedFields']) delete metadata[member];
  const { name, generateName } = metadata;
  if (typeof generateName === 'string' && generateName !== '' && !name) metadata.name = freeName(context, resource, metadata, generateName);
  metadata.uid = context.ids.uuid();
  metadata.creationTimestamp = toKubeTime(context.clock.now());
  if (countsGeneration(resource)) metadata.generation = 1;
}

function freeName(context: ApiContext, resource: Resource, metadata: Draft, prefix: string): string {
  for (;;) {
    const name = prefix.slice(0, LONGEST_PREFIX) + context.ids.suffix(SUFFIX);
    if (!context.store.get(resource.storage, toKey(resource, String(metadata.namespace ?? ''), name))) return name;
  }
}

const countsGeneration = (resource: Resource) => resource.custom !== undefined || rulesOf(resource.storage).countsGeneration === true;
const hasStatus = (resource: Resource) => (resource.custom ? resource.custom.hasStatus : findSubresource(resource, 'status') !== undefined);

function beginStatus(resource: Resource, object: Draft): void {
  const { newStatus } = rulesOf(resource.storage);
  if (newStatus === 'kept') return;
  if (newStatus) object.status = newStatus(object);
  else delete object.status;
}

/** Replaces an object, or its status. */
export function updateObject(context: ApiContext, call: Call, target: Target, previous: KubeObject, body: unknown, flags: WriteFlags): KubeObject {
  const { resource } = target;
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
    throw invalid(resource, name, [wrong]);
  }
  return changeObject(context, target, 'update', previous, next, flags);
}

/** Puts a decoded object in the place of the one there is, if it may be. */
export function changeObject(context: ApiContext, target: Target, verb: 'update' | 'patch', previous: KubeObject, next: Draft, flags: WriteFlags): KubeObject {
  const { resource, subresource } = target;
  const metadata = metadataOf(next);
  const name = previous.metadata.name ?? '';
  checkIdentity(target, previous, metadata);
  if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== previous.metadata.resourceVersion) {
    throw conflict(resource, name, 'the object has been modified; please apply your changes to the latest version and try again');
  }
  carryOver(metadata, previous);
  const changed = subresource === 'status' ? statusOf(resource, previous, next) : withOldStatus(resource, previous, next);
  const rules = rulesOf(resource.storage);
  if (subresource === undefined) rules.prepare?.(changed, previous, context);
  const wrongMeta = checkMetadataUpdate(metadataOf(changed), previous.metadata);
  const errors = [...wrongMeta, ...validate(resource, changed, previous, subresource)];
  // Metadata is looked at twice, and said twice.
  if (errors.length > 0) throw invalid(resource, name, [...wrongMeta, ...errors]);
  if (countsGeneration(resource) && growsGeneration(resource, changed, previous)) metadataOf(changed).generation = (previous.metadata.generation ?? 0) + 1;
  return store(context, { target, verb, previous, flags }, toStored(resource, changed));
} // prettier-ignore

function checkIdentity({ resource, namespace }: Target, previous: KubeObject, metadata: Draft): void {
  const name = previous.metadata.name ?? '';
  if (metadata.name !== undefined && metadata.name !== name)
    throw badRequest(`the name of the object (${String(metadata.name)}) does not match the name on the URL (${name})`);
  if (resource.namespaced && metadata.namespace !== undefined && metadata.namespace !== namespace) throw badRequest(OTHER_NAMESPACE);
} // prettier-ignore

// What only the server says about an object.
function carryOver(metadata: Draft, previous: KubeObject): void {
  const held = previous.metadata;
  for (const member of ['name', 'namespace', 'uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'generateName']) {
    if (metadata[member] === undefined && held[member] !== undefined) metadata[member] = held[member];
  }
  for (const member of ['managedFields', 'selfLink', 'generation']) delete metadata[member];
  if (held.generation !== undefined) metadata.generation = held.generation;
  metadata.resourceVersion = held.resourceVersion;
}

function statusOf(resource: Resource, previous: KubeObject, next: Draft): Draft {
  const metadata = resource.custom || rulesOf(resource.storage).statusMetadata !== 'all' ? previous.metadata : next.metadata;
  const { status: _old, ...rest } = previous;
  return { ...rest, metadata: { ...(metadata as Draft) }, ...(next.status === undefined ? {} : { status: next.status }) };
}

function withOldStatus(resource: Resource, previous: KubeObject, next: Draft): Draft {
  if (!hasStatus(resource)) return next;
  const { status: _said, ...rest } = next;
  return previous.status === undefined ? rest : { ...rest, status: previous.status };
}

function validate(resource: Resource, object: Draft, previous: KubeObject | undefined, subresource?: string): readonly FieldError[] {
  const { custom } = resource;
  if (custom) return subresource === 'status' ? custom.validateStatus(object, previous) : custom.validate(object, previous);
  return rulesOf(resource.storage).validate?.(object, previous) ?? [];
}

function growsGeneration(resource: Resource, next: Draft, previous: KubeObject): boolean {
  const isFresh = next.metadata !== undefined && metadataOf(next).deletionTimestamp !== undefined && previous.metadata.deletionTimestamp === undefined;
  if (isFresh) return true;
  if (!resource.custom && resource.storage !== 'endpointslices.discovery.k8s.io') return !deepEqual(next.spec, previous.spec);
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
  if (held !== undefined && deepEqual(stored, held)) return toServed(resource, held);
  if (flags.dryRun) return toServed(resource, stored);
  if (!isFinished(resource, stored)) return toServed(resource, commit(context, verb, { ...target, name }, key, stored));
  context.faults.at('before-commit', toFaulted(verb, target));
  context.store.remove(resource.storage, key);
  context.faults.at('after-commit', toFaulted(verb, target));
  return toServed(resource, stored);
}

/** True when an object that is to go has nothing left to wait for. */
export function isFinished(resource: Resource, object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined || finalizers.length > 0) return false;
  if (resource.storage === 'namespaces') return readList(object, 'spec', 'finalizers').length === 0;
  return (deletionGracePeriodSeconds ?? 0) === 0;
}

/** Stores an object whose every condition is met. */
export function commit(context: ApiContext, verb: string, target: Target, key: string, object: KubeObject): KubeObject {
  if (JSON.stringify(object).length > MOST_BYTES) throw withoutReason('etcdserver: request is too large');
  context.faults.at('before-commit', toFaulted(verb, target));
  const after = context.store.put(target.resource.storage, key, object);
  context.faults.at('after-commit', toFaulted(verb, target));
  return after;
}

function withoutReason(message: string): KubeApiError {
  return new KubeApiError({ code: 500, reason: '', message });
}
