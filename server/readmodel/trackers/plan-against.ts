import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { garbageContextOf } from '@/server/application';
import type { GarbageContext, GarbagePlan, ResourceTracker } from '@/server/dispatch';
import { planGarbage, readTracker, revisionNumberOf } from '@/server/dispatch';
import type { FactsDeps } from '../applications/application-facts';
import { toLiveState } from '../live-state';

export type PlanDeps = Pick<FactsDeps, 'view' | 'tracked'>;

interface Numbered {
  readonly tracker: ResourceTracker;
  /** Of its revision; undefined when neither label nor name tells one. */
  readonly number: number | undefined;
}

/** Plans what collecting every other tracker of an application against that of its n-th revision does; undefined when either is missing. */
export function planAgainst(application: ObjectKey, number: number | undefined, deps: PlanDeps): GarbagePlan | undefined {
  const trackers = number === undefined ? [] : readTrackers(application, deps);
  const next = trackers.find((one) => one.number === number);
  const olds = trackers.filter((one) => one !== next && one.tracker.deletionTimestamp === undefined);
  if (next === undefined || olds.length === 0) return undefined;
  return planGarbage(
    olds.map(({ tracker }) => tracker),
    next.tracker,
    contextOf(application, deps),
  );
}

/** Plans what the end of an application collects, those trackers included whose own end has begun; undefined when there is no tracker. */
export function planGarbageOfDeletion(application: ObjectKey, deps: PlanDeps): GarbagePlan | undefined {
  const trackers = readTrackers(application, deps).map(({ tracker }) => tracker);
  return trackers.length === 0 ? undefined : planGarbage(trackers, undefined, contextOf(application, deps));
}

function contextOf(application: ObjectKey, { view }: PlanDeps): GarbageContext {
  const object = view.get(KINDS.application, application);
  return { ...(object && garbageContextOf(object)), live: (entry) => toLiveState(view, entry) };
}

function readTrackers(application: ObjectKey, { tracked }: PlanDeps): readonly Numbered[] {
  const read = (object: KubeObject): readonly Numbered[] => {
    try {
      return [{ tracker: readTracker(object), number: revisionNumberOf(tracked.revisionOf(object) ?? '') }];
    } catch {
      return []; // shown as unreadable on its own page; the engine refuses to collect while it is
    }
  };
  return tracked.trackersOf(application).flatMap(read);
}
