import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { formatRollout } from '@/lib/words/format-rollout';
import type { ResourceTracker } from '@/server/dispatch';
import { FINALIZER, LABEL, readTracker } from '@/server/dispatch';
import type { DeletedApplication, Observation, ObservedDecision } from '../observe/observe';
import { keepsObjects, readPreviewedDeletion } from '../plan/previewed-deletion';
import type { CollectionOutcome, CollectionRequest } from './collection';
import { isFalse } from './conditions';
import type { Obstacle } from './obstacle';
import { passOutcomeOf, RECHECK_MS } from './obstacle';
import type { StatusChange } from './status';

const OURS: ReadonlySet<string> = new Set([FINALIZER.legacyTracker, FINALIZER.tracker, FINALIZER.revisions, FINALIZER.orphan]);

/** True for a finalizer by which an application waits for its engine. */
export const isFinalizerOfOurs = (finalizer: string) => OURS.has(finalizer);

/** What the collection of an application that is being deleted is about: all that its trackers have. */
export function collectionOfDeletion(
  { object, application, trackerNamed }: Observation,
  olds: readonly ResourceTracker[],
): CollectionRequest {
  const { finalizers = [], name = '', namespace = '', uid = '' } = object.metadata;
  const legacy = finalizers.includes(FINALIZER.legacyTracker) ? trackerNamed(`${namespace}-${name}`) : undefined;
  const parsed = 'fault' in application ? undefined : application;
  return {
    application: { name, namespace, uid, rollout: parsed?.rollout, policies: parsed?.policies },
    olds: legacy === undefined || olds.some((old) => old.name === legacy.name) ? olds : [legacy, ...olds],
    next: undefined,
    components: [],
    seenGarbage: undefined,
    seenEnd: readPreviewedDeletion(object),
    accepted: undefined,
    target: undefined,
    release: keepsObjects(object),
  };
}

/** What keeps an application that is being deleted. */
export type HeldDeletion = Extract<Obstacle, { kind: 'ungranted' | 'unread' }> | Exclude<CollectionOutcome, { kind: 'done' }>;

/** What is said of an application that is being deleted and cannot go yet, and when that is looked at again. */
export function heldDeletionOf(held: HeldDeletion): { readonly change: StatusChange | undefined; readonly againMs: number } {
  if (held.kind === 'ungranted' || held.kind === 'unread') {
    const { value, againMs } = passOutcomeOf(held, false);
    const values = value && (held.kind === 'ungranted' ? { Collected: value, Ready: value } : { Ready: isFalse('Waiting', value.message) });
    return { change: values && { phase: 'deleting', values }, againMs };
  }
  const why = held.kind === 'held' ? held.why : 'checking what to delete';
  const values = { Collected: isFalse('Held', why), Ready: isFalse('Deleting', why) };
  return { change: { phase: 'deleting', values, outcome: held }, againMs: RECHECK_MS };
}

/** What is done about what an application left: decisions to reject, each with the sentence, and trackers to remove once the server has no such application either. */
export interface GoneDecision {
  readonly rejected: readonly { readonly decision: ObservedDecision; readonly sentence: string }[];
  readonly removed: readonly KubeObject[];
}

/**
 * Rejects decisions about an application that does not exist, and such as would change it. Of its trackers those go that list nothing: a replica
 * that was told late may make one while another lets the application go; it ends before anything is listed, and by then nobody else looks after it.
 */
export function decideGone({ decisions, trackers }: DeletedApplication, key: ObjectKey): GoneDecision {
  const rejected = decisions.flatMap((decision) => {
    const sentence = decision.phase === 'Pending' ? rejectedReason(decision, key) : undefined;
    return sentence === undefined ? [] : { decision, sentence };
  });
  return { rejected, removed: trackers.filter(isEmpty) };
}

function rejectedReason({ spec }: ObservedDecision, key: ObjectKey): string | undefined {
  if (spec.applicationRef !== undefined) return `there is no application ${key}`;
  return spec.verb === 'rollback' ? formatRollout({ id: 'refused.no-application' }) : undefined;
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
