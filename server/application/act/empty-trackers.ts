import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { parseObjectKey, toAddress } from '@/lib/kube/object';
import { LABEL, readTracker } from '@/server/dispatch';
import { isConflict, isNotFound } from '@/server/kube';
import { BY_APPLICATION } from '../observe/observe';
import type { ActContext } from './context';
import { record } from './context';

/**
 * Removes trackers of ours that list nothing and whose application is gone. A replica that was told late may make one while another lets the
 * application go; it ends before anything is listed, and by then nobody else looks after the tracker.
 */
export async function dropEmptyTrackers(context: ActContext, key: ObjectKey): Promise<void> {
  const empty = context.stores.trackers.byIndex(BY_APPLICATION, key).filter(isEmpty);
  if (empty.length === 0 || (await isThere(context, key))) return;
  for (const tracker of empty) await drop(context, tracker, key);
}

function isEmpty(tracker: KubeObject): boolean {
  if (tracker.metadata.labels?.[LABEL.appUid] === undefined || tracker.metadata.deletionTimestamp !== undefined) return false;
  try {
    const { form, entries, intact } = readTracker(tracker);
    return form === 'managed' && entries.length === 0 && intact;
  } catch {
    return false; // what cannot be read may list anything
  }
}

/** Asks the server: the copy may not have heard of the application yet. */
async function isThere({ deps, signal }: ActContext, key: ObjectKey): Promise<boolean> {
  const { namespace, name } = parseObjectKey(key);
  try {
    await deps.cluster.get({ ...KINDS.application, ...(namespace === undefined ? {} : { namespace }), name }, { signal });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

async function drop(context: ActContext, tracker: KubeObject, key: ObjectKey): Promise<void> {
  const { uid = '', resourceVersion = '' } = tracker.metadata;
  try {
    const options = { preconditions: { uid, resourceVersion }, propagationPolicy: 'Orphan', signal: context.signal } as const;
    await context.deps.cluster.delete(toAddress(tracker), options);
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error; // it is another's by now, or gone
    return;
  }
  await record(context, {
    id: `tracker.dropped:${uid}`,
    action: 'tracker.dropped',
    about: toAddress(tracker),
    message: `it listed nothing, and there is no application ${key}`,
  });
}
