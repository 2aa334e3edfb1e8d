import { getCondition } from '@/lib/kube/condition';
import type { ResourceTracker } from '@/server/dispatch';
import { constructResourceTrackerName, listsAll } from '@/server/dispatch';
import type { RunPlan } from './decide';
import { isAppliedOnce } from './policies';

/** What the condition Applied says once a revision is applied and on record. */
export const appliedSentence = ({ name }: Pick<RunPlan['revision'], 'name'>) => `${name} is applied`;

/** True once the application says that the revision is applied. */
export function isApplied({ object }: RunPlan['application'], revision: RunPlan['revision']): boolean {
  return getCondition(object, 'Applied')?.message === appliedSentence(revision);
}

/** The tracker of the plan's revision, once there is one. */
export function currentTracker({ revision, application }: RunPlan, trackers: readonly ResourceTracker[]): ResourceTracker | undefined {
  const name = constructResourceTrackerName(revision.name, application.namespace);
  return trackers.find((tracker) => tracker.name === name);
}

/** True where what was applied once is left from then on, as a whole. */
export function isLeftAlone(plan: RunPlan, current: ResourceTracker | undefined): boolean {
  const once = isAppliedOnce(plan.application.policies) && (!plan.isNews || isApplied(plan.application, plan.revision));
  return once && current !== undefined && listsAll(current, plan.rendered.manifests);
}
