import type { KubeObject, OwnerReference } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { DeleteOptions } from '@/server/kube';
import { ignoreNotFound, isNoMatch } from '@/server/kube';
import type { ControllerHost, HostChange } from '../../host';
import { KeyQueue } from '../key-queue';
import { isSameKind } from '../loop';
import { isTerminating } from '../pod-view';

const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';

/** What the owners of an object are worth: there, gone, or waiting for their dependents to go first. */
interface Owners {
  readonly solid: readonly OwnerReference[];
  readonly absent: readonly OwnerReference[];
  readonly waiting: readonly OwnerReference[];
}

/**
 * Deletes what its owners left behind. Keys are uids.
 *
 * 1. An object goes when none of its owners is there; while one is, only its references to absent ones go.
 * 2. An owner is there when an object has its uid and is what the reference says: kind, name, and the same namespace or none.
 * 3. An owner that is deleted in the foreground goes after all dependents that block it; an orphaning one lets them go free first.
 */
export function startGarbageCollector(host: ControllerHost): AsyncDisposable {
  const queue = new KeyQueue({
    name: 'garbage-collector',
    clock: host.clock,
    log: host.log,
    workers: 8,
    async work(uid) {
      const object = host.byUid(uid);
      if (object) await collect(host, object, (next) => queue.add(next));
      return undefined;
    },
  });
  const release = host.onChange((change) => {
    for (const uid of concerned(host, change)) queue.add(uid);
  });
  for (const type of host.types()) {
    for (const object of host.list(type)) {
      for (const uid of concerned(host, { before: undefined, after: object })) queue.add(uid);
    }
  }
  return {
    async [Symbol.asyncDispose]() {
      release();
      await queue[Symbol.asyncDispose]();
    },
  };
}

/** Uids that a change concerns. Most changes concern none: the common case is decided here, without a pass. */
function concerned(host: ControllerHost, { before, after }: Pick<HostChange, 'before' | 'after'>): readonly string[] {
  const uid = (after ?? before)?.metadata.uid ?? '';
  if (!after) {
    const owners = (before?.metadata.ownerReferences ?? [])
      .map((owner) => owner.uid)
      .filter((owner) => isDeletedInForeground(host.byUid(owner)));
    return [...host.ownedBy(uid).flatMap((object) => object.metadata.uid ?? []), ...owners];
  }
  if (isTerminating(after)) {
    const changed = !before || !isTerminating(before) || !deepEqual(before.metadata.finalizers, after.metadata.finalizers);
    return changed && hasOwnFinalizer(after) ? [uid] : [];
  }
  const { ownerReferences = [] } = after.metadata;
  if (ownerReferences.length === 0 || (before && deepEqual(before.metadata.ownerReferences, ownerReferences))) return [];
  const freed = (before?.metadata.ownerReferences ?? [])
    .map((owner) => owner.uid)
    .filter((owner) => isDeletedInForeground(host.byUid(owner)));
  const settled = ownerReferences.every((owner) => isPresent(host, after, owner) && !isDeletedInForeground(host.byUid(owner.uid)));
  return settled ? freed : [...freed, uid];
}

async function collect(host: ControllerHost, object: KubeObject, enqueue: (uid: string) => void): Promise<void> {
  if (isTerminating(object)) {
    const finalizers = object.metadata.finalizers ?? [];
    if (finalizers.includes(ORPHAN)) await orphanDependents(host, object);
    else if (finalizers.includes(FOREGROUND)) await deleteDependentsFirst(host, object, enqueue);
    return;
  }
  const owners = await evaluateOwners(host, object);
  if (owners.solid.length > 0) {
    const useless = [...owners.absent, ...owners.waiting];
    if (useless.length > 0) await dropReferences(host, object, useless);
    return;
  }
  if (owners.absent.length + owners.waiting.length === 0) return;
  const dependents = owners.waiting.length > 0 ? host.ownedBy(object.metadata.uid ?? '') : [];
  // Two that own each other would wait for each other for ever: the one that goes second stops blocking.
  const next = dependents.some(isDeletedInForeground) ? await unblock(host, object) : object;
  await remove(host, next, dependents.length > 0 ? 'Foreground' : 'Background');
}

async function evaluateOwners(host: ControllerHost, object: KubeObject): Promise<Owners> {
  const solid: OwnerReference[] = [];
  const absent: OwnerReference[] = [];
  const waiting: OwnerReference[] = [];
  for (const reference of object.metadata.ownerReferences ?? []) {
    const owner = isPresent(host, object, reference) ? host.byUid(reference.uid) : undefined;
    if (isDeletedInForeground(owner)) waiting.push(reference);
    else if (owner || (await isUnresolvable(host, object, reference))) solid.push(reference);
    else absent.push(reference);
  }
  return { solid, absent, waiting };
}

function isPresent(host: ControllerHost, object: KubeObject, reference: OwnerReference): boolean {
  const owner = host.byUid(reference.uid);
  if (!owner || !isSameKind(owner, reference) || owner.metadata.name !== reference.name) return false;
  return owner.metadata.namespace === undefined || owner.metadata.namespace === object.metadata.namespace;
}

// Nobody can tell whether such an owner is gone, so nothing is deleted for its sake: a kind that is not served,
// or a namespaced owner of an object without namespace.
async function isUnresolvable(host: ControllerHost, object: KubeObject, reference: OwnerReference): Promise<boolean> {
  try {
    const { namespaced } = await host.cluster.discovery.resolve(reference);
    return namespaced && object.metadata.namespace === undefined;
  } catch (error) {
    if (isNoMatch(error)) return true;
    throw error;
  }
}

async function orphanDependents(host: ControllerHost, owner: KubeObject): Promise<void> {
  const uid = owner.metadata.uid ?? '';
  for (const dependent of host.ownedBy(uid)) {
    const references = (dependent.metadata.ownerReferences ?? []).filter((reference) => reference.uid === uid);
    await dropReferences(host, dependent, references);
  }
  await dropFinalizer(host, owner, ORPHAN);
}

async function deleteDependentsFirst(host: ControllerHost, owner: KubeObject, enqueue: (uid: string) => void): Promise<void> {
  const { uid = '' } = owner.metadata;
  const dependents = host
    .ownedBy(uid)
    .filter((dependent) => dependent.metadata.ownerReferences?.some((entry) => entry.uid === uid && isPresent(host, dependent, entry)));
  const blocking = dependents.filter((dependent) =>
    dependent.metadata.ownerReferences?.some((entry) => entry.uid === uid && entry.blockOwnerDeletion),
  );
  if (blocking.length === 0) await dropFinalizer(host, owner, FOREGROUND);
  for (const dependent of dependents) if (!isTerminating(dependent)) enqueue(dependent.metadata.uid ?? '');
}

async function dropReferences(host: ControllerHost, object: KubeObject, useless: readonly OwnerReference[]): Promise<void> {
  const gone = new Set(useless.map((reference) => reference.uid));
  const ownerReferences = (object.metadata.ownerReferences ?? []).filter((reference) => !gone.has(reference.uid));
  await host.cluster.update({ ...object, metadata: { ...object.metadata, ownerReferences } });
}

function unblock(host: ControllerHost, object: KubeObject): Promise<KubeObject> {
  const ownerReferences = (object.metadata.ownerReferences ?? []).map((reference) => ({ ...reference, blockOwnerDeletion: false }));
  return host.cluster.update({ ...object, metadata: { ...object.metadata, ownerReferences } });
}

async function dropFinalizer(host: ControllerHost, object: KubeObject, finalizer: string): Promise<void> {
  const finalizers = (object.metadata.finalizers ?? []).filter((entry) => entry !== finalizer);
  await host.cluster.update({ ...object, metadata: { ...object.metadata, finalizers } });
}

async function remove(host: ControllerHost, object: KubeObject, wanted: 'Foreground' | 'Background'): Promise<void> {
  const { uid = '', resourceVersion = '', finalizers = [] } = object.metadata;
  const propagationPolicy: DeleteOptions['propagationPolicy'] = finalizers.includes(ORPHAN)
    ? 'Orphan'
    : finalizers.includes(FOREGROUND)
      ? 'Foreground'
      : wanted;
  await ignoreNotFound(host.cluster.delete(toAddress(object), { propagationPolicy, preconditions: { uid, resourceVersion } }));
}

function isDeletedInForeground(object: KubeObject | undefined): boolean {
  return object !== undefined && isTerminating(object) && object.metadata.finalizers?.includes(FOREGROUND) === true;
}

function hasOwnFinalizer(object: KubeObject): boolean {
  return object.metadata.finalizers?.some((finalizer) => finalizer === FOREGROUND || finalizer === ORPHAN) === true;
}
