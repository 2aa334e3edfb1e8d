import { KINDS } from '@/lib/kube/kinds';
import { groupOf, toObjectId } from '@/lib/kube/object';
import type { TrackerEntry } from '@/server/dispatch';
import type { RolloutFacts } from '@/server/rollout';

/** A tracker as far as it tells what its revision has. */
interface Listing {
  readonly name: string;
  readonly entries: readonly TrackerEntry[];
}

/** A revision that a rollout serves beside the applied one, and what it alone has. */
export interface ServedRevision {
  readonly tracker: string;
  /** Its workload, of which the rollout sets the scale. */
  readonly workload: string;
  readonly ids: ReadonlySet<string>;
}

/** What stands beside what an application applies. */
interface Others {
  /** Of revisions that are not applied. */
  readonly trackers: readonly Listing[];
  /** Ids of what is applied. */
  readonly applied: ReadonlySet<string>;
  /** The workload that the rollout is to reach, and the one that it starts from where it has not begun. */
  readonly to: string | undefined;
  readonly from?: string | undefined;
}

/**
 * The revisions that a rollout serves beside the applied one until it is complete, each with the objects that nothing else decides about. What several of
 * them have and the applied one lacks is left out: nobody can tell whose it is. So is a rejected one that serves no more.
 */
export function servedRevisions(rollout: RolloutFacts | undefined, { trackers, applied, to, from }: Others): readonly ServedRevision[] {
  if (rollout !== undefined && rollout.target === to && isThrough(rollout)) return [];
  const named = new Set([...(rollout?.named ?? []), from]);
  const served = trackers.flatMap(({ name, entries }) => {
    const own = entries.filter(({ deleted, cluster }) => !deleted && cluster === 'local');
    const workload = own.find((entry) => isDeployment(entry) && named.has(entry.name))?.name;
    if (workload === undefined || (workload === rollout?.rejected && !rollout.isUnderWay)) return [];
    return [{ tracker: name, workload, ids: own.map(toObjectId).filter((id) => !applied.has(id)) }];
  });
  const times = new Map<string, number>();
  for (const id of served.flatMap(({ ids }) => ids)) times.set(id, (times.get(id) ?? 0) + 1);
  return served.map((one) => ({ ...one, ids: new Set(one.ids.filter((id) => times.get(id) === 1)) }));
}

/** An aborted rollout has carried everything back, to a revision that is not the applied one. */
const isThrough = ({ rejected, completeSince }: RolloutFacts) => rejected === undefined && completeSince !== undefined;

const isDeployment = ({ apiVersion, kind }: TrackerEntry) =>
  kind === KINDS.deployment.kind && groupOf(apiVersion) === groupOf(KINDS.deployment.apiVersion);
