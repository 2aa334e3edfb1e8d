import type { Condition } from '@/lib/kube/condition';
import { getCondition } from '@/lib/kube/condition';
import { readList, readNumber, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Instant } from '@/lib/std/instant';
import { parseInstant } from '@/lib/std/instant';

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';

/** Phase of a pod; one without status is pending. */
export function phaseOf(pod: KubeObject): PodPhase {
  return (readString(pod, 'status', 'phase') ?? 'Pending') as PodPhase;
}

/** True when the pod's process has ended for good. */
export function isFinished(pod: KubeObject): boolean {
  const phase = phaseOf(pod);
  return phase === 'Succeeded' || phase === 'Failed';
}

/** True when the object is being deleted. */
export function isTerminating(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/** True when the pod counts towards the replicas of its controller. */
export function isActive(pod: KubeObject): boolean {
  return !isFinished(pod) && !isTerminating(pod);
}

// Objects never change once stored, and every count of a large workload asks each of its pods again.
const readyConditions = new WeakMap<KubeObject, Condition | null>();

function readyCondition(pod: KubeObject): Condition | null {
  const known = readyConditions.get(pod);
  if (known !== undefined) return known;
  const condition = getCondition(pod, 'Ready') ?? null;
  readyConditions.set(pod, condition);
  return condition;
}

/** True when the pod's Ready condition holds. */
export function isReady(pod: KubeObject): boolean {
  return readyCondition(pod)?.status === 'True';
}

/** True when nothing changed that the controller of a pod counts: what it is, whose it is, and whether it is ready. */
export function countsTheSame(before: KubeObject, after: KubeObject): boolean {
  return (
    isReady(before) === isReady(after) &&
    readySince(before) === readySince(after) &&
    phaseOf(before) === phaseOf(after) &&
    isTerminating(before) === isTerminating(after) &&
    deepEqual(before.metadata.labels, after.metadata.labels) &&
    deepEqual(before.metadata.ownerReferences, after.metadata.ownerReferences)
  );
}

/** When the pod became ready, if it is. */
export function readySince(pod: KubeObject): Instant | undefined {
  const condition = readyCondition(pod);
  return condition?.status === 'True' ? parseInstant(condition.lastTransitionTime) : undefined;
}

/** Milliseconds until the pod counts as available: 0 when it does, undefined when it is not ready. */
export function availableInMs(pod: KubeObject, minReadySeconds: number, now: Instant): number | undefined {
  if (!isReady(pod)) return undefined;
  if (minReadySeconds === 0) return 0;
  const since = readySince(pod);
  return since === undefined ? undefined : Math.max(0, since + minReadySeconds * 1000 - now);
}

/** Node that the pod was bound to; empty before. */
export function nodeOf(pod: KubeObject): string {
  return readString(pod, 'spec', 'nodeName') ?? '';
}

/** Most restarts of any container. */
export function mostRestarts(pod: KubeObject): number {
  return Math.max(0, ...readList(pod, 'status', 'containerStatuses').map((status) => readNumber(status, 'restartCount') ?? 0));
}
