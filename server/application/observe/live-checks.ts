import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { parseObjectKey, toAddress } from '@/lib/kube/object';
import { pausedBy } from '@/lib/kube/paused-by';
import type { ResourceTracker } from '@/server/dispatch';
import { LABEL } from '@/server/dispatch';
import { ignoreNotFound } from '@/server/kube';
import type { ActContext } from '../act/context';
import type { Observation } from './observe';

/** Says that what a pass was decided by is no longer so. Nothing failed: what holds now is looked at next. */
export class StaleObservationError extends Error {}

/** True for that error, however deep a dispatch wrapped it. */
export function isStaleObservation(error: unknown): boolean {
  return error instanceof StaleObservationError || (error instanceof Error && error.cause !== undefined && isStaleObservation(error.cause));
}

/**
 * True once the server has another application than the one that was judged, or somebody suspended it meanwhile: what an outdated copy says is no
 * wish, and what it lacks no garbage.
 */
export async function hasMoved({ deps, signal }: ActContext, seen: KubeObject): Promise<boolean> {
  const live = await ignoreNotFound(deps.cluster.get(toAddress(seen), { signal }));
  if (live === undefined) return true;
  const { uid, generation, deletionTimestamp } = live.metadata;
  const evaluated = seen.metadata;
  if (uid !== evaluated.uid || generation !== evaluated.generation || pausedBy(live) !== undefined) return true;
  return (deletionTimestamp === undefined) !== (evaluated.deletionTimestamp === undefined);
}

/** Asked before a revision is made, since a copy that lags would have it made again and again: why not now; undefined when it may be made. */
export async function explainStaleObservation(context: ActContext, seen: Observation): Promise<string | undefined> {
  // Neither waits for the other.
  const [isMoved, unseen] = await Promise.all([hasMoved(context, seen.object), findUnseenRevision(context, seen)]);
  if (isMoved) return 'the application changed while it was being reconciled; reconciling it again';
  return unseen && `the watch of ApplicationRevisions lags behind: it has not delivered ${unseen} yet`;
}

/** A revision of the application that the server has and the copies do not. */
async function findUnseenRevision({ deps, signal }: ActContext, seen: Observation): Promise<string | undefined> {
  const { name = '', namespace = '', uid } = seen.object.metadata;
  const known = new Set(seen.revisions.map((revision) => revision.name));
  const labelSelector = `${LABEL.appName}=${name}`;
  for await (const { items } of deps.cluster.list({ ...KINDS.applicationRevision, namespace }, { labelSelector, signal })) {
    const unseen = items.find(
      ({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid) && !known.has(metadata.name ?? ''),
    );
    if (unseen !== undefined) return unseen.metadata.name;
  }
  return undefined;
}

/** Asks the server: the copy may not have heard of the application yet. */
export async function isApplicationThere({ deps, signal }: ActContext, key: ObjectKey): Promise<boolean> {
  const { namespace, name } = parseObjectKey(key);
  const at = { ...KINDS.application, ...(namespace === undefined ? {} : { namespace }), name };
  return (await ignoreNotFound(deps.cluster.get(at, { signal }))) !== undefined;
}

/** Asks the server, since nothing looks after what a tracker lists once its application is gone, and a watched copy may lag. */
export async function hasTrackers(
  { deps, signal }: ActContext,
  application: { readonly name: string; readonly namespace: string },
  collected: readonly ResourceTracker[],
) {
  const done = new Set(collected.map(({ uid }) => uid));
  const labelSelector = `${LABEL.appName}=${application.name}`;
  for await (const { items } of deps.cluster.list(KINDS.resourceTracker, { labelSelector, signal })) {
    for (const { metadata } of items) {
      if (metadata.labels?.[LABEL.appNamespace] === application.namespace && !done.has(metadata.uid ?? '')) return true;
    }
  }
  return false;
}
