import { readField, readFields, readList } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { toInstant, toKubeTime } from '@/lib/std/instant';
import { toStored } from '../kinds/convert';
import { toKey } from '../kinds/resource';
import type { ApiContext, Target, WriteFlags } from './context';
import { deleteObject } from './delete';
import { badRequest, conflict, methodNotAllowed } from './failures';
import { readStored } from './read';
import { commit, store } from './write';

const TOKEN_SECONDS = 3600;
const MAX_TOKEN_SECONDS = 2 ** 32;

/** What is posted to a subresource: Binding, Eviction, TokenRequest. */
export function createSubresource(context: ApiContext, target: Target, body: KubeObject, flags: WriteFlags): KubeObject {
  switch (target.subresource) {
    case 'binding':
      return bind(context, target, body, flags);
    case 'eviction':
      return evict(context, target, body, flags);
    case 'token':
      return issueToken(context, target, body);
    default:
      throw methodNotAllowed(target.resource, 'create');
  }
}

function bind(context: ApiContext, target: Target, body: KubeObject, flags: WriteFlags): KubeObject {
  const { resource, name = '' } = target;
  const pod = readStored(context, target);
  const held = readField(pod, 'spec', 'nodeName');
  if (held !== undefined)
    throw conflict(
      { group: '', plural: 'pods/binding', kind: 'Binding' },
      name,
      `pod ${name} is already assigned to node "${String(held)}"`,
    );
  const nodeName = readField(body, 'target', 'name');
  const at = toKubeTime(context.clock.now());
  const conditions = readList(pod, 'status', 'conditions').filter((condition) => readField(condition, 'type') !== 'PodScheduled');
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: at };
  const bound = {
    ...pod,
    spec: { ...readFields(pod, 'spec'), nodeName },
    status: { ...readFields(pod, 'status'), conditions: [...conditions, scheduled] },
  };
  if (!flags.dryRun) commit(context, { verb: 'create', target, key: toKey(resource, target.namespace, name) }, bound);
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
} // prettier-ignore

function evict(context: ApiContext, target: Target, body: KubeObject, flags: WriteFlags): KubeObject {
  const { subresource: _below, ...pod } = target;
  const isDry = flags.dryRun || readList(body, 'deleteOptions', 'dryRun').includes('All');
  deleteObject(context, pod, { ...readFields(body, 'deleteOptions'), dryRun: isDry });
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
}

function issueToken(context: ApiContext, target: Target, body: KubeObject): KubeObject {
  const account = readStored(context, target);
  const seconds = readField(body, 'spec', 'expirationSeconds') ?? TOKEN_SECONDS;
  if (typeof seconds !== 'number' || !Number.isInteger(seconds) || Math.abs(seconds) > MAX_TOKEN_SECONDS) {
    throw badRequest(
      `spec.expirationSeconds of a TokenRequest must be a whole number up to ${MAX_TOKEN_SECONDS}, found ${JSON.stringify(seconds)}`,
    );
  }
  const expirationTimestamp = toKubeTime(toInstant(context.clock.now() + seconds * 1000));
  const spec = {
    audiences: ['https://kubernetes.default.svc.cluster.local'],
    expirationSeconds: seconds,
    boundObjectRef: null,
    ...readFields(body, 'spec'),
  };
  const metadata = {
    name: account.metadata.name,
    namespace: account.metadata.namespace,
    creationTimestamp: toKubeTime(context.clock.now()),
  };
  return {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: metadata as KubeObject['metadata'],
    spec,
    status: { token: context.tokens.issue(account), expirationTimestamp },
  };
}

/** Replaces the finalizers in the spec of a namespace, which only this subresource writes. */
export function finalizeNamespace(context: ApiContext, target: Target, body: KubeObject, flags: WriteFlags): KubeObject {
  const previous = readStored(context, target);
  const { resourceVersion } = body.metadata;
  if (resourceVersion !== undefined && resourceVersion !== '' && resourceVersion !== previous.metadata.resourceVersion) {
    throw conflict(
      target.resource,
      target.name ?? '',
      'the object has been modified; please apply your changes to the latest version and try again',
    );
  }
  const finalizers = readList(body, 'spec', 'finalizers');
  const { finalizers: _before, ...spec } = readFields(previous, 'spec');
  const next = toStored(target.resource, { ...previous, spec: { ...spec, ...(finalizers.length > 0 ? { finalizers } : {}) } });
  return store(context, { target, verb: 'update', previous, flags }, next);
}
