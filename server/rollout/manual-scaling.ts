import { ownerOf, readOwnedFields } from '@/lib/kube/field-owners';
import type { ObjectKey } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import { ignoreNotFound } from '@/server/kube';
import { FIELD_MANAGER } from './act';
import type { RolloutView } from './control/view';
import type { Observation, RolloutDecision } from './decide';
import type { ScaleRange } from './horizontal-autoscaler';
import type { ManualScaling } from './model';
import type { Workload } from './objects';

/** A count, or a range where an autoscaler counts: that is what a rollout owns then. */
type Scale = number | ScaleRange;

const idOf = ({ object }: Workload) => object.metadata.uid ?? object.metadata.name ?? '';
const scaleOf = ({ replicas, autoscaler }: Workload): Scale => autoscaler?.range ?? replicas;
const say = (scale: Scale) => (typeof scale === 'number' ? String(scale) : `${scale.min} to ${scale.max}`);

/**
 * Remembers how passes left what they scale, so that a count that somebody else wrote is told from one that a stage moved. The memory is
 * this process's: after a restart nobody is named for what was scaled before.
 */
export class ManualScalings {
  readonly #left = new Map<ObjectKey, ReadonlyMap<string, Scale>>();

  /** What was scaled by somebody else since the last pass; who it was is asked of the cluster, only then. */
  async find(
    key: ObjectKey,
    { workloads }: RolloutView,
    cluster: Pick<Cluster, 'get'>,
    signal: AbortSignal,
  ): Promise<readonly ManualScaling[]> {
    const found: ManualScaling[] = [];
    for (const workload of workloads.values()) {
      const before = this.#left.get(key)?.get(idOf(workload));
      const now = scaleOf(workload);
      if (before === undefined || typeof before !== typeof now || say(before) === say(now)) continue;
      const by = await writerOf(workload, cluster, signal);
      if (by === FIELD_MANAGER) continue;
      const left = typeof before === 'number' ? { left: before } : {};
      const { uid, generation } = (workload.autoscaler?.object ?? workload.object).metadata;
      found.push({
        id: `${uid}/scaled/${generation}/${say(now)}`,
        revision: workload.revision,
        from: say(before),
        to: say(now),
        ...left,
        by: by ?? 'an unknown person',
      });
    }
    return found;
  }

  /** Notes what a pass left. What it could not put back yet is still as somebody else wrote it. */
  leave(key: ObjectKey, { view: { workloads }, scaledByHand = [] }: Observation, { scales }: Pick<RolloutDecision, 'scales'>): void {
    const left = new Map<string, Scale>();
    for (const workload of workloads.values()) {
      const { revision } = workload;
      const written = [...scales.writes, ...scales.ranges].find((write) => write.revision === revision);
      const isForeign = written === undefined && scaledByHand.some((one) => one.revision === revision);
      const before = this.#left.get(key)?.get(idOf(workload));
      // A count that parks or wakes what has an autoscaler leaves its range as it is.
      const isOfItsKind = written !== undefined && typeof written.to === typeof scaleOf(workload);
      left.set(idOf(workload), isForeign && before !== undefined ? before : isOfItsKind ? written.to : scaleOf(workload));
    }
    this.#left.set(key, left);
  }

  /** Of a rollout that is gone. */
  forget(key: ObjectKey): void {
    this.#left.delete(key);
  }
}

async function writerOf({ object, autoscaler }: Workload, cluster: Pick<Cluster, 'get'>, signal: AbortSignal): Promise<string | undefined> {
  const live = await ignoreNotFound(cluster.get(toAddress(autoscaler?.object ?? object), { signal }));
  return live && ownerOf(readOwnedFields(live) ?? [], ['spec', autoscaler === undefined ? 'replicas' : 'maxReplicas'])?.manager;
}
