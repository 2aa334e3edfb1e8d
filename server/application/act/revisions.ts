import { toAddress } from '@/lib/kube/object';
import { extractAppRevisionName } from '@/server/dispatch';
import { isNotFound } from '@/server/kube';
import type { RunPlan } from '../decide/decide';
import type { Observation } from '../observe/observe';
import type { ActContext } from './context';

/** Revisions kept beside those in use, unless the application says how many. */
const KEPT = 10;

/** Deletes the oldest revisions beyond the limit. A revision that a tracker or the status names is in use and stays. */
export async function pruneRevisions({ deps, signal }: ActContext, { revision, application }: RunPlan, seen: Observation): Promise<void> {
  const inUse = new Set([revision.name, seen.latest, ...seen.trackers.map(({ name }) => extractAppRevisionName(name, application.namespace))]);
  const kept = application.policies.garbage.applicationRevisionLimit ?? KEPT;
  const idle = seen.revisions.filter(({ name }) => !inUse.has(name));
  for (const { object } of idle.slice(0, Math.max(0, idle.length - kept))) {
    const { uid } = object.metadata;
    try {
      await deps.cluster.delete(toAddress(object), { ...(uid ? { preconditions: { uid } } : {}), signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
