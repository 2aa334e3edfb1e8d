import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import type { GarbageItem, LiveState } from '@/server/dispatch';
import { evaluateCollection, predictApproval } from '../decide/collection';
import { collectionOfDeletion } from '../decide/deletion';
import type { Observation } from '../observe/observe';
import type { PredictedApproval } from '../permission/approvals';
import type { PlanReader } from './plan-change';

/** An object of an application that goes, and what of it was found. */
export interface DeletionItem {
  readonly item: GarbageItem;
  readonly live: KubeObject | undefined;
}

/** What deleting an application comes to: one value that is shown, travels by its digest, and is carried out. */
export interface DeletionPlan {
  readonly items: readonly DeletionItem[];
  readonly digest: string;
  /** Why nothing could be told: a record of the application cannot be relied on. */
  readonly fault: string | undefined;
  /** Why nothing would be deleted as it stands. */
  readonly held: string | undefined;
  readonly approval: PredictedApproval;
  readonly revisions: number;
  /** The rollout that goes with it. */
  readonly rollout: { readonly name: string; readonly isUnderWay: boolean } | undefined;
  /** What the server may not delete yet, until somebody grants it. */
  readonly ungranted?: string | undefined;
}

/** Works out the end of an application as the engine will, by what the reader gives. */
export async function planDeletion(seen: Observation, now: Instant, reader: PlanReader): Promise<DeletionPlan> {
  const request = collectionOfDeletion(seen, seen.trackers);
  const live = await reader.states(request.olds.flatMap(({ entries }) => entries));
  const input = { ...request, live, rollout: seen.rollout, decisions: [], now };
  const collection = evaluateCollection(input);
  const { items, digest } = collection.plan;
  const { rollout } = seen;
  return {
    items: items.map((item) => ({ item, live: foundAs(live(item.entry)) })),
    digest,
    fault: seen.trackerFaults[0],
    held: collection.held,
    approval: predictApproval(input, collection),
    revisions: seen.revisions.length,
    rollout: rollout && { name: rollout.object.metadata.name ?? '', isUnderWay: rollout.isUnderWay },
  };
}

const foundAs = (state: LiveState) => (state.kind === 'present' ? state.object : undefined);
