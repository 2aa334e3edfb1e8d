import type { Instant } from '@/lib/std/instant';
import { toInstant } from '@/lib/std/instant';
import type { RevisionPod, Workload } from '../objects';

/**
 * Figures of a workload by its pods, where every pod that it counts is seen: what a pod says of itself is there before two controllers have
 * counted it. Otherwise its own figures stand. Of those that are ready only such count as have been so for long enough.
 */
export function settledWorkload(
  workload: Workload,
  pods: readonly RevisionPod[],
  { minReadySeconds, now }: { readonly minReadySeconds: number; readonly now: Instant },
): { readonly workload: Workload; readonly changesAt?: Instant } {
  const counted = countedWorkload(workload, pods);
  if (minReadySeconds === 0) return { workload: counted };
  const since = pods.flatMap((pod) =>
    isReady(pod) && pod.readySince !== undefined ? [toInstant(pod.readySince + minReadySeconds * 1000)] : [],
  );
  const young = since.filter((at) => at > now);
  const readyReplicas = Math.min(counted.readyReplicas, since.length - young.length);
  return { workload: { ...counted, readyReplicas }, ...(young.length > 0 ? { changesAt: toInstant(Math.min(...young)) } : {}) };
}

/** The same, however short a pod has been ready. */
export function countedWorkload(workload: Workload, pods: readonly RevisionPod[]): Workload {
  return { ...workload, readyReplicas: readyAmong(workload, pods) };
}

/** One that is ready counts before its workload says so, and one that goes no more; of the others it is the workload that knows. */
function readyAmong(workload: Workload, pods: readonly RevisionPod[]): number {
  if (!seesAll(workload, pods)) return workload.readyReplicas;
  const staying = replicasAmong(pods).filter(isLive);
  return Math.max(staying.filter(isReady).length, Math.min(workload.readyReplicas, staying.length));
}

/** Pods of a workload that stay. Where not all that it counts are seen, nobody knows of the others that they are gone. */
export function livePodsOf(workload: Workload, pods: readonly RevisionPod[]): number {
  const live = pods.filter(isLive).length;
  return seesAll(workload, pods) ? live : Math.max(workload.livePods, live);
}

/** True where as many pods are seen as the workload counts, those on their way out included, and it counts by what was asked of it last. */
function seesAll({ observed, livePods, readyReplicas }: Workload, pods: readonly RevisionPod[]): boolean {
  return observed && replicasAmong(pods).length >= Math.max(livePods, readyReplicas);
}

function replicasAmong(pods: readonly RevisionPod[]): readonly RevisionPod[] {
  return pods.filter((pod) => pod.isReplica && !isOver(pod));
}

const isOver = ({ phase }: RevisionPod) => phase === 'Succeeded' || phase === 'Failed';
const isLive = (pod: RevisionPod) => pod.deletionAt === undefined && !isOver(pod);
const isReady = ({ readySince, deletionAt }: RevisionPod) => readySince !== undefined && deletionAt === undefined;
