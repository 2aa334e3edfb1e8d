import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress, ObjectKey } from '@/lib/kube/object';
import { toObjectId } from '@/lib/kube/object';
import { isUnreadyByRollout } from '@/server/application';
import { revisionNumberOf } from '@/server/dispatch';
import type { Release } from '@/server/platform';
import type { RolloutDescription } from '@/server/rollout';
import type { ClusterView } from '../cluster-view';
import type { DescribedRollout, DescribeRollout } from '../rollouts/describe';
import { isUnderWay } from '../rollouts/describe';
import type { TrackedObjects } from './tracked';

/** What the trackers of an application list, as far as it counts for its status. */
export interface ApplicationLedger {
  /** The same array again while nothing joined or left. */
  objects(): readonly ObjectAddress[];
  /** How its rollout stands, where the application's own sentence is about that. */
  sentence(): string | undefined;
  /** Hears that the application changed in any way. */
  onChange(listener: () => void): Release;
}

interface LedgerDeps {
  readonly view: ClusterView;
  readonly tracked: TrackedObjects;
  readonly seeRollout: DescribeRollout;
  /** Hears the key of each application whose rows may have changed. */
  readonly onTouch: (listener: (application: ObjectKey) => void) => Release;
}

/** The ledger of one application; empty while there is none of that key. */
export function openLedger(key: ObjectKey, { view, tracked, seeRollout, onTouch }: LedgerDeps): ApplicationLedger {
  let version = '';
  let held: readonly ObjectAddress[] = [];
  return {
    sentence() {
      const application = view.get(KINDS.application, key);
      return application && isUnreadyByRollout(application) ? sentenceOfRollout(application, seeRollout(key)) : undefined;
    },
    onChange: (listener) => onTouch((application) => application === key && listener()),
    objects() {
      const trackers = tracked.trackersOf(key);
      const listed = trackers.map((tracker) => tracked.revisionOf(tracker));
      const counts = countedRevisions(view.get(KINDS.application, key), seeRollout(key)?.told, listed);
      const now = `${counts.join(' ')} ${trackers.map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`).join(' ')}`;
      if (now === version) return held;
      version = now;
      const counted = trackers.filter((_, at) => isCounted(listed[at], counts)).flatMap((tracker) => addressesOf(tracker, tracked));
      const unique = [...new Map(counted.map((one) => [toObjectId(one), one])).values()];
      if (unique.length !== held.length || unique.some((one, index) => toObjectId(one) !== toObjectId(held[index] ?? one))) held = unique;
      return held;
    },
  };
}

/**
 * Numbers of the revisions whose objects make up the status of an application: a failing old object that is about to go does not count.
 * `listed` are the revisions that its trackers were made for. Each revision has one, so where that of a new one is not in our copy yet, what
 * was recorded last counts on.
 */
export function countedRevisions(
  application: KubeObject | undefined,
  rollout: Pick<RolloutDescription, 'to' | 'abort'> | undefined,
  listed: readonly (string | undefined)[],
): readonly (number | undefined)[] {
  const named = namedRevisions(application, rollout);
  const recorded = listed.flatMap((revision) => (revision === undefined ? [] : (revisionNumberOf(revision) ?? [])));
  return named.length === 0 || recorded.length === 0 || recorded.some((number) => named.includes(number)) ? named : [Math.max(...recorded)];
}

function namedRevisions(
  application: KubeObject | undefined,
  rollout: Pick<RolloutDescription, 'to' | 'abort'> | undefined,
): readonly (number | undefined)[] {
  // A workload is named after its component, a revision after its application: their numbers agree.
  const back = rollout?.abort;
  // What was sent back counts no more: the application is what it went back to.
  const named = [readString(application, 'status', 'latestRevision', 'name'), rollout?.to, ...(back?.stable ?? [])];
  const numbers = named.flatMap((name) => (name ? [revisionNumberOf(name)] : []));
  return back && back.stable.length > 0 ? numbers.filter((number) => number !== revisionNumberOf(back.rejected)) : numbers;
}

/** How the rollout of an application stands, while that is what the application is not ready for; the page says so as the API does. */
export function sentenceOfRollout(application: KubeObject, rollout: DescribedRollout | undefined): string | undefined {
  return isUnderWay(rollout) && isUnreadyByRollout(application) ? rollout.sentence : undefined;
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
