import { getCondition } from '@/lib/kube/condition';
import { readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { ResourceTracker } from '@/server/dispatch';
import { constructResourceTrackerName, listsAll } from '@/server/dispatch';
import { isAppliedOnce } from '../spec/policies';
import type { RunPlan } from './model';

/** What the condition Applied says once a revision is applied and on record. */
export const appliedSentence = ({ name }: Pick<RunPlan['revision'], 'name'>) => `${name} is applied`;

/** True once the application says that the revision is applied. */
export function isApplied({ object }: RunPlan['application'], revision: RunPlan['revision']): boolean {
  return getCondition(object, 'Applied')?.message === appliedSentence(revision);
}

/**
 * True once the revision of a plan was applied whole: a pass over it looks after what is there, also after one that failed, and brings nothing new.
 */
export function isStateKeep({ application, revision, isUnrecorded }: Pick<RunPlan, 'application' | 'revision' | 'isUnrecorded'>): boolean {
  return !isUnrecorded || isApplied(application, revision);
}

/** True once a revision was applied whole; what is not there before that did not drift. */
export function wasApplied(application: KubeObject, revision: string): boolean {
  const applied = getCondition(application, 'Applied');
  if (applied?.message === appliedSentence({ name: revision }) || applied?.reason === 'Rejected') return true;
  return readString(application, 'status', 'latestRevision', 'name') === revision;
}

/** True once the application says that it is held for this reason. */
export function isHeldFor(application: KubeObject, reason: string, why: string): boolean {
  return heldSentence(application, reason) === why;
}

/** What the application says once it is held for this reason. */
export function heldSentence(application: KubeObject, reason: string): string | undefined {
  const applied = getCondition(application, 'Applied');
  return applied?.reason === reason ? applied.message : undefined;
}

/** What the application says of a revision that is not applied yet. */
export function notAppliedMessage(application: KubeObject, revision: string): string {
  return getCondition(application, 'Applied')?.message ?? `${revision} is not applied yet`;
}

/** The tracker of the plan's revision, once there is one. */
export function currentTracker({ revision, application }: RunPlan, trackers: readonly ResourceTracker[]): ResourceTracker | undefined {
  const name = constructResourceTrackerName(revision.name, application.namespace);
  return trackers.find((tracker) => tracker.name === name);
}

/** True where what was applied once is left from then on, as a whole. */
export function isLeftAlone(plan: RunPlan, current: ResourceTracker | undefined): boolean {
  const once = isAppliedOnce(plan.application.policies) && isStateKeep(plan);
  return once && current !== undefined && listsAll(current, plan.rendered.manifests);
}

/**
 * True where what older trackers have goes although the revision could not be applied whole: where its policy says so. Only a record that lists all of
 * the revision is relied on.
 */
export function mayCollectAfterFailure(
  { application, collect, rendered }: RunPlan,
  next: ResourceTracker | undefined,
): next is ResourceTracker {
  return (
    application.policies.garbage.continueOnFailure && collect.kind === 'now' && next !== undefined && listsAll(next, rendered.manifests)
  );
}
