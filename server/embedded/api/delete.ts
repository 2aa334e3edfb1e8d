import { readNumber, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { toInstant, toKubeTime } from '@/lib/std/instant';
import type { DeleteOptions } from '@/server/kube';
import { toServed } from '../kinds/convert';
import type { Resource } from '../kinds/resource';
import { toKey } from '../kinds/resource';
import type { ApiContext, Target } from './context';
import { toObservedRequest } from './context';
import { conflict, invalidOptions, notSupported } from './failures';
import type { ListFlags } from './read';
import { listObjects, readStored } from './read';
import { isFinished, store } from './write';

export type DeleteFlags = Omit<DeleteOptions, 'signal'>;

const FINALIZERS = { Foreground: 'foregroundDeletion', Orphan: 'orphan' } as const;
// Kinds of the first days leave their pods behind unless told otherwise.
const ORPHANS_BY_DEFAULT = new Set(['jobs.batch', 'replicationcontrollers']);
const ANSWERS_OBJECT = new Set([
  'pods',
  'services',
  'serviceaccounts',
  'persistentvolumes',
  'persistentvolumeclaims',
  'podtemplates',
  'resourcequotas',
  'namespaces',
]); // prettier-ignore

/** Deletes an object, or marks it to go; answers the object while something holds it, else a Status. */
export function deleteObject(context: ApiContext, target: Target, flags: DeleteFlags): KubeObject {
  const { resource, name = '' } = target;
  const policy = flags.propagationPolicy;
  if (policy !== undefined && !['Foreground', 'Background', 'Orphan'].includes(policy)) {
    throw invalidOptions('DeleteOptions', [notSupported('propagationPolicy', policy, ['Foreground', 'Background', 'Orphan', 'nil'])]);
  }
  const previous = readStored(context, target);
  checkPreconditions(resource, previous, flags);
  const marked = mark(context, resource, previous, flags);
  const dryRun = flags.dryRun === true;
  if (isFinished(resource, marked)) {
    if (!dryRun) {
      context.interference?.at('before-commit', toObservedRequest('delete', target));
      context.store.remove(resource.storage, toKey(resource, target.namespace, name));
      context.interference?.at('after-commit', toObservedRequest('delete', target));
    }
    return ANSWERS_OBJECT.has(resource.storage) ? toServed(resource, marked) : success(resource, previous);
  }
  return store(context, { target, verb: 'delete', previous, flags: { dryRun } }, marked);
}

function checkPreconditions(resource: Resource, { metadata }: KubeObject, { preconditions }: DeleteFlags): void {
  const named = { group: '', plural: resource.kind, kind: resource.kind };
  const { uid, resourceVersion } = preconditions ?? {};
  if (uid !== undefined && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid ?? ''}). The object might have been deleted and then recreated`;
    throw conflict({ ...named, ...kindDetails(resource) }, metadata.name ?? '', why);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion ?? ''}). The object might have been modified`;
    throw conflict({ ...named, ...kindDetails(resource) }, metadata.name ?? '', why);
  }
}

// Here the API server names the kind where it names the resource elsewhere.
const kindDetails = ({ group, kind }: Resource) => ({ group, plural: kind });

/** The object with the marks of its deletion. */
function mark(context: ApiContext, resource: Resource, previous: KubeObject, flags: DeleteFlags): KubeObject {
  const finalizers = finalizersAfter(resource, previous, flags);
  const grace = resource.storage === 'pods' ? graceOf(previous, flags) : 0;
  const held = previous.metadata;
  const isFresh = held.deletionTimestamp === undefined;
  const isShorter = !isFresh && grace < (held.deletionGracePeriodSeconds ?? 0);
  const at = isFresh ? context.clock.now() : Date.parse(held.deletionTimestamp ?? '') - (held.deletionGracePeriodSeconds ?? 0) * 1000;
  const { finalizers: _before, ...rest } = held;
  const metadata = {
    ...rest,
    ...(finalizers.length > 0 ? { finalizers } : {}),
    ...(isFresh || isShorter ? { deletionTimestamp: toKubeTime(toInstant(at + grace * 1000)), deletionGracePeriodSeconds: grace } : {}),
    ...(isFresh && held.generation !== undefined ? { generation: held.generation + 1 } : {}),
  };
  const marked = { ...previous, metadata };
  return resource.storage === 'namespaces' ? { ...marked, status: { ...(previous.status as object), phase: 'Terminating' } } : marked;
}

function finalizersAfter({ storage }: Resource, { metadata }: KubeObject, flags: DeleteFlags): readonly string[] {
  const held = metadata.finalizers ?? [];
  const policy = flags.propagationPolicy;
  if (policy === undefined) {
    const isTold = held.includes(FINALIZERS.Foreground) || held.includes(FINALIZERS.Orphan);
    return ORPHANS_BY_DEFAULT.has(storage) && !isTold ? [...held, FINALIZERS.Orphan] : held;
  }
  const others = held.filter((finalizer) => finalizer !== FINALIZERS.Foreground && finalizer !== FINALIZERS.Orphan);
  return policy === 'Background' ? others : [...others, FINALIZERS[policy]];
}

function graceOf(pod: KubeObject, { gracePeriodSeconds }: DeleteFlags): number {
  const phase = readString(pod, 'status', 'phase');
  if (readString(pod, 'spec', 'nodeName') === undefined || phase === 'Succeeded' || phase === 'Failed') return 0;
  const wanted = gracePeriodSeconds ?? readNumber(pod, 'spec', 'terminationGracePeriodSeconds') ?? 30;
  return wanted < 0 ? 1 : wanted;
}

/** The answer to a deletion that is done. */
function success(resource: Resource, { metadata }: KubeObject): KubeObject {
  const details = {
    name: metadata.name ?? '',
    ...(resource.group === '' ? {} : { group: resource.group }),
    kind: resource.plural,
    ...(metadata.uid ? { uid: metadata.uid } : {}),
  };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}

/** Deletes all that the selectors choose, each where it is admitted; gives what was chosen. */
export function deleteCollection(
  context: ApiContext,
  target: Target,
  flags: DeleteFlags & ListFlags,
  admit: (one: Target) => void,
): readonly KubeObject[] {
  const { items } = listObjects(context, target, { labelSelector: flags.labelSelector, fieldSelector: flags.fieldSelector });
  for (const { metadata } of items) {
    const one = { resource: target.resource, name: metadata.name ?? '', ...(metadata.namespace ? { namespace: metadata.namespace } : {}) };
    admit(one);
    deleteObject(context, one, flags);
  }
  return items;
}
