import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress, ObjectKey } from '@/lib/kube/object';
import { toObjectId } from '@/lib/kube/object';
import { revisionNumberOf } from '@/server/dispatch';
import type { Release } from '@/server/platform';
import type { ClusterView } from '../cluster-view';
import { readRolloutState } from '../rollouts/rollout-state';
import type { TrackedObjects } from './tracked';

/** What the trackers of an application list, as far as it counts for its status. */
export interface ApplicationLedger {
  /** The same array again while nothing joined or left. */
  objects(): readonly ObjectAddress[];
  /** Hears that the application changed in any way. */
  onChange(listener: () => void): Release;
}

interface LedgerDeps {
  readonly view: ClusterView;
  readonly tracked: TrackedObjects;
  /** Hears the key of each application whose rows may have changed. */
  readonly onTouch: (listener: (application: ObjectKey) => void) => Release;
}

/** The ledger of one application; empty while there is none of that key. */
export function openLedger(key: ObjectKey, { view, tracked, onTouch }: LedgerDeps): ApplicationLedger {
  let version = '';
  let held: readonly ObjectAddress[] = [];
  return {
    onChange: (listener) => onTouch((application) => application === key && listener()),
    objects() {
      const trackers = tracked.trackersOf(key);
      const rollout = view.get(KINDS.rolloutOrchestrator, key);
      const counts = countedRevisions(view.get(KINDS.application, key), rollout && readRolloutState(rollout));
      const now = `${counts.join(' ')} ${trackers.map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`).join(' ')}`;
      if (now === version) return held;
      version = now;
      const listed = trackers.filter((tracker) => isCounted(tracked.revisionOf(tracker), counts)).flatMap((tracker) => addressesOf(tracker, tracked));
      const unique = [...new Map(listed.map((one) => [toObjectId(one), one])).values()];
      if (unique.length !== held.length || unique.some((one, index) => toObjectId(one) !== toObjectId(held[index] ?? one))) held = unique;
      return held;
    },
  };
}

/** Numbers of the revisions whose objects make up the status of an application: a failing old object that is about to go does not count. */
export function countedRevisions(application: KubeObject | undefined, rollout: { readonly to: string } | undefined): readonly (number | undefined)[] {
  // A workload is named after its component, a revision after its application: their numbers agree.
  return [readString(application, 'status', 'latestRevision', 'name'), rollout?.to].flatMap((name) => (name ? [revisionNumberOf(name)] : []));
}

/** Whether what a tracker of this revision lists counts. One of no revision does, and while none was reached yet every one does. */
export function isCounted(revision: string | undefined, counted: readonly (number | undefined)[]): boolean {
  return revision === undefined || counted.length === 0 || counted.includes(revisionNumberOf(revision));
}

function addressesOf(tracker: KubeObject, tracked: TrackedObjects): readonly ObjectAddress[] {
  return tracked
    .entriesOf(tracker.metadata.name ?? '')
    .map(({ apiVersion, kind, namespace, name }) => ({ apiVersion, kind, ...(namespace ? { namespace } : {}), name }));
}
