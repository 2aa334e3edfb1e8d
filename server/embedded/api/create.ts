import type { KubeObject } from '@/lib/kube/object';
import { toKubeTime } from '@/lib/std/instant';
import { toServed, toStored } from '../kinds/convert';
import type { Draft } from '../kinds/draft';
import { checkMetadata } from '../kinds/metadata';
import { subdomainName } from '../kinds/names';
import type { Resource } from '../kinds/resource';
import { toKey } from '../kinds/resource';
import { rulesOf } from '../kinds/rules/table';
import { admitDecision, admitNamespace, admitWrite } from './admission';
import type { ApiContext, Call, Target, WriteFlags } from './context';
import { decodeBody, metadataOf } from './decode-body';
import { alreadyExists, badRequest, invalid } from './failures';
import type { OwnersOf } from './write';
import { commit, countsGeneration, hasStatus, OTHER_NAMESPACE, ownersByUpdate, setOwners, validate, withoutReason } from './write';

const SUFFIX = 5;
const LONGEST_PREFIX = 63 - SUFFIX;

interface Creating {
  readonly target: Target;
  readonly body: unknown;
  readonly flags: WriteFlags;
  /** By default whoever creates has every field. */
  readonly ownersOf?: OwnersOf;
}

/** Creates an object. */
export function createObject(context: ApiContext, call: Call, { target, body, flags, ownersOf }: Creating): KubeObject {
  const { resource } = target;
  const object = decodeBody(resource, body, call, flags);
  const metadata = metadataOf(object);
  const namespace = settleNamespace(resource, metadata, target.namespace);
  const { resourceVersion } = metadata;
  if (typeof resourceVersion === 'string' && resourceVersion !== '' && resourceVersion !== '0')
    throw withoutReason('resourceVersion should not be set on objects to be created');
  if (namespace !== undefined) admitNamespace(context, resource, namespace, String(metadata.name ?? ''));
  const { status: _reset, ...unsaid } = object;
  const owners = (ownersOf ?? ownersByUpdate(context, call, { target, flags }))(
    undefined,
    hasStatus(resource) ? unsaid : object,
    metadata.managedFields,
  );
  beginLife(context, resource, metadata);
  if (hasStatus(resource)) beginStatus(resource, object);
  const rules = rulesOf(resource.storage);
  rules.prepare?.(object, undefined, context);
  admitDecision(context, resource, object, call);
  admitWrite(context, { resource }, object, undefined, call);
  const name = String(metadata.name ?? '');
  const errors = [...checkMetadata(metadata, rules.names ?? subdomainName), ...validate(resource, object, undefined)];
  if (errors.length > 0) throw invalid(resource, name, errors);
  const key = toKey(resource, namespace, name);
  if (context.store.get(resource.storage, key)) throw alreadyExists(resource, name);
  setOwners(metadata, owners);
  const stored = toStored(resource, object);
  return toServed(resource, flags.dryRun ? stored : commit(context, { verb: 'create', target: { ...target, name }, key }, stored));
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
  for (const member of ['resourceVersion', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink', 'managedFields'])
    delete metadata[member];
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

function beginStatus(resource: Resource, object: Draft): void {
  const { newStatus } = rulesOf(resource.storage);
  if (newStatus === 'kept') return;
  if (newStatus) object.status = newStatus(object);
  else delete object.status;
}
