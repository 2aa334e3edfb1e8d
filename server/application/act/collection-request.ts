import type { ResourceTracker } from '@/server/dispatch';
import type { CollectionRequest } from '../decide/collection';
import { collectionOf } from '../decide/collection';
import type { RunPlan } from '../decide/model';
import type { Observation } from '../observe/observe';
import type { PlanVerification } from '../observe/verify-plan';
import { requesterOf } from '../permission/audit-entries';
import type { ActContext } from './context';

interface Asked {
  readonly plan: RunPlan;
  readonly agreement: PlanVerification;
  /** The tracker of the plan's revision, once it is there. */
  readonly next: ResourceTracker | undefined;
}

/** What the collection of a plan is about. Who requested the change of an application in another one is whoever changed the outer one. */
export async function collectionRequest(
  context: ActContext,
  { plan, agreement, next }: Asked,
  seen: Observation,
): Promise<CollectionRequest> {
  const accepted = agreement.kind === 'same' ? agreement.deletions : undefined;
  // Whose change an inner application follows takes a look at all trackers, and counts only where something is to go or to be decided.
  const isNeeded = plan.olds.length > 0 || seen.decisions.length > 0;
  const requester = isNeeded ? await requesterOf(context, seen.object) : undefined;
  return collectionOf(plan, seen, { next, accepted, requester });
}
