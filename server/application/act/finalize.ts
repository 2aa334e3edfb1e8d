import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { toAddress, toObjectKey } from '@/lib/kube/object';
import { ignoreError, ignoreNotFound, isConflictOrGone } from '@/server/kube';
import type { GoneDecision, HeldDeletion } from '../decide/deletion';
import { collectionOfDeletion, heldDeletionOf, isFinalizerOfOurs } from '../decide/deletion';
import type { Decision } from '../decide/model';
import { RECHECK_MS } from '../decide/obstacle';
import { hasTrackers, isApplicationThere } from '../observe/live-checks';
import type { Observation } from '../observe/observe';
import { explainUngrantedDeletion } from '../observe/ungranted';
import { collect } from './collect';
import type { ActContext } from './context';
import { record, WRITER, warnOnce } from './context';
import { answer } from './decisions';
import type { RequeueAfter } from './status';
import { writeStatus } from './status';

/** Takes away what an application had, and lets it go once nothing is left. */
export async function finalize(
  context: ActContext,
  { olds }: Extract<Decision, { kind: 'finalize' }>,
  seen: Observation,
): Promise<RequeueAfter> {
  const { object } = seen;
  if (!(object.metadata.finalizers ?? []).some(isFinalizerOfOurs)) return undefined;
  const request = collectionOfDeletion(seen, olds);
  const needed = request.olds.flatMap(({ entries }) => entries);
  const ungranted = await explainUngrantedDeletion(context, object, needed);
  if (ungranted !== undefined) {
    await warnOnce(context, object, { reason: 'NotGranted', message: ungranted });
    return holdEnd(context, object, { kind: 'ungranted', why: ungranted });
  }
  const unknown = await context.objects.ensure(needed, toObjectKey(object.metadata), context.signal);
  if (unknown !== undefined) return holdEnd(context, object, { kind: 'unread', ...unknown });
  const outcome = await collect(context, { ...request, mayGo: true }, seen);
  if (outcome.kind !== 'done') return holdEnd(context, object, outcome);
  if (await hasTrackers(context, request.application, request.olds)) return RECHECK_MS;
  await letGo(context, object, request.release === true);
  return undefined;
}

async function holdEnd(context: ActContext, object: KubeObject, held: HeldDeletion): Promise<RequeueAfter> {
  const { change, againMs } = heldDeletionOf(held);
  if (change !== undefined) await writeStatus(context, object, change);
  return againMs;
}

/** On record before it happens: once it is gone nothing tells that it was there. */
async function letGo(context: ActContext, object: KubeObject, keepsObjects: boolean): Promise<void> {
  const { finalizers = [], name = '', uid = '', resourceVersion } = object.metadata;
  await record(context, {
    id: `application.deleted:${uid}`,
    action: 'application.deleted',
    about: toAddress(object),
    message: keepsObjects ? `application ${name} is deleted, and its objects stay` : `application ${name} and its objects are deleted`,
  });
  const body = { metadata: { finalizers: finalizers.filter((one) => !isFinalizerOfOurs(one)), resourceVersion } };
  // An earlier pass may have let it go already.
  await ignoreNotFound(context.deps.cluster.patch(toAddress(object), { type: 'merge', body }, { ...WRITER, signal: context.signal }));
}

/** Carries out what was decided about what is left of an application that does not exist. */
export async function actOnGone(context: ActContext, key: ObjectKey, { rejected, removed }: GoneDecision): Promise<void> {
  for (const { decision, sentence } of rejected) await answer(context, decision, 'Rejected', sentence);
  if (removed.length === 0 || (await isApplicationThere(context, key))) return;
  for (const tracker of removed) await drop(context, tracker, key);
}

async function drop(context: ActContext, tracker: KubeObject, key: ObjectKey): Promise<void> {
  const { uid = '', resourceVersion = '' } = tracker.metadata;
  const options = { preconditions: { uid, resourceVersion }, propagationPolicy: 'Orphan', signal: context.signal } as const;
  const isDropped = await ignoreError(
    isConflictOrGone,
    context.deps.cluster.delete(toAddress(tracker), options).then(() => true),
  );
  if (isDropped === undefined) return;
  await record(context, {
    id: `tracker.dropped:${uid}`,
    action: 'tracker.dropped',
    about: toAddress(tracker),
    message: `it listed nothing, and there is no application ${key}`,
  });
}
