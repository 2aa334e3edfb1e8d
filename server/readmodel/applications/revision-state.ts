import type { RevisionRow } from '@/lib/contract/application-rows';
import { readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { notAppliedReason, wasApplied } from '@/server/application';
import { revisionNameOf, revisionNumberOf } from '@/server/dispatch';
import type { DescribedRollout } from '../rollouts/describe';
import { isUnderWay } from '../rollouts/describe';

/** What a revision is judged by. */
export interface RevisionContext {
  readonly application: KubeObject;
  readonly rollout: DescribedRollout | undefined;
  /** Name of the application's newest revision. */
  readonly newest: string | undefined;
  /** Whether a tracker records what it applied. */
  readonly hasTracker: boolean;
}

/** Name of the application's revision that a workload was made for: their numbers agree. Undefined for one whose name has none. */
export function revisionOfWorkload(application: string, workload: string): string | undefined {
  const number = revisionNumberOf(workload);
  return number === undefined ? undefined : revisionNameOf(application, number);
}

/**
 * What a revision is to its application now, told alike by the application, its trackers and their plans.
 *
 * The application names the revision that everything is on, and names the next one only when the objects of the former are collected. While they
 * are held the newer one is current all the same: it is applied, and it is what drift is compared with.
 */
export function stateOfRevision(name: string, context: RevisionContext): RevisionRow['state'] {
  const { application, rollout, newest, hasTracker } = context;
  const number = revisionNumberOf(name);
  const isOf = (workload: string | undefined) => workload !== undefined && revisionNumberOf(workload) === number;
  if (isOf(rollout?.told.abort?.rejected)) return 'rejected';
  if (isUnderWay(rollout) && isOf(rollout.told.to)) return 'target';
  const named = readString(application, 'status', 'latestRevision', 'name');
  const isNewer = name === newest && (named === undefined || (number ?? 0) > (revisionNumberOf(named) ?? 0));
  if (isNewer) return stateOfNewer(name, application);
  if (name !== named) return hasTracker ? 'previous' : 'superseded';
  const next = newest === undefined || newest === name ? undefined : stateOfRevision(newest, context);
  return next === 'current' ? 'previous' : 'current';
}

function stateOfNewer(name: string, application: KubeObject): RevisionRow['state'] {
  if (wasApplied(application, name)) return 'current';
  return notAppliedReason(application) === undefined ? 'target' : 'unapplied';
}
