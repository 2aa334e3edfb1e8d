import type { KubeObject } from '@/lib/kube/object';
import { isFinished, isTerminating } from '../pod-view';

export const REVISION_LABEL = 'controller-revision-hash';

/** A StatefulSet as its plan sees it. */
export interface ObservedStatefulSet {
  readonly start: number;
  readonly replicas: number;
  readonly pods: ReadonlyMap<number, KubeObject>;
  readonly inOrder: boolean;
  /** False when pods change revision only by being deleted. */
  readonly rolls: boolean;
  readonly partition: number;
  readonly maxUnavailable: number;
  readonly updateRevision: string;
  readonly isAvailable: (pod: KubeObject) => boolean;
}

export type Step = { readonly kind: 'create'; readonly ordinal: number } | { readonly kind: 'delete'; readonly pod: KubeObject };

/** Number of a pod in its set, by its name; undefined for a pod that the set did not name. */
export function ordinalOf(set: KubeObject, pod: KubeObject): number | undefined {
  const prefix = `${set.metadata.name}-`;
  const { name = '' } = pod.metadata;
  const digits = name.startsWith(prefix) ? name.slice(prefix.length) : '';
  return /^(0|[1-9]\d*)$/.test(digits) ? Number(digits) : undefined;
}

/**
 * The next steps of a set.
 *
 * 1. Pods are made from the lowest ordinal up; in order, each waits until its predecessors are available.
 * 2. Pods beyond the size go from the highest down, one at a time in order, and only when all that stay are available.
 * 3. Only then does an update proceed, from the highest ordinal down to the partition, keeping to maxUnavailable.
 */
export function planOrdinals(seen: ObservedStatefulSet): readonly Step[] {
  const growth = planGrowth(seen);
  if (growth.length > 0 || isWaiting(seen)) return growth;
  const shrink = planShrink(seen);
  if (shrink !== undefined) return shrink;
  return seen.rolls ? planUpdate(seen) : [];
}

function ordinals({ start, replicas }: ObservedStatefulSet): readonly number[] {
  return Array.from({ length: replicas }, (_, at) => start + at);
}

function planGrowth(seen: ObservedStatefulSet): readonly Step[] {
  const steps: Step[] = [];
  for (const ordinal of ordinals(seen)) {
    const pod = seen.pods.get(ordinal);
    if (!pod) steps.push({ kind: 'create', ordinal });
    else if (isFinished(pod) && !isTerminating(pod)) steps.push({ kind: 'delete', pod });
    if (seen.inOrder && (steps.length > 0 || (pod && !isSettled(seen, pod)))) break;
  }
  return steps;
}

function isWaiting(seen: ObservedStatefulSet): boolean {
  if (!seen.inOrder) return false;
  return ordinals(seen).some((ordinal) => {
    const pod = seen.pods.get(ordinal);
    return !pod || !isSettled(seen, pod);
  });
}

function isSettled(seen: ObservedStatefulSet, pod: KubeObject): boolean {
  return !isTerminating(pod) && seen.isAvailable(pod);
}

/** Undefined when no pod is beyond the size. */
function planShrink(seen: ObservedStatefulSet): readonly Step[] | undefined {
  const { start, replicas, pods } = seen;
  const condemned = [...pods].filter(([ordinal]) => ordinal < start || ordinal >= start + replicas).sort(([a], [b]) => b - a);
  if (condemned.length === 0) return undefined;
  const steps = condemned.flatMap(([, pod]): Step[] => (isTerminating(pod) ? [] : [{ kind: 'delete', pod }]));
  if (!seen.inOrder) return steps.length > 0 ? steps : undefined;
  if (condemned.some(([, pod]) => isTerminating(pod))) return [];
  const unhealthy = condemned.map(([, pod]) => pod).findLast((pod) => !seen.isAvailable(pod));
  const [first] = condemned;
  return first && (seen.isAvailable(first[1]) || first[1] === unhealthy) ? steps.slice(0, 1) : [];
}

function planUpdate(seen: ObservedStatefulSet): readonly Step[] {
  const inSet = ordinals(seen).flatMap((ordinal) => {
    const pod = seen.pods.get(ordinal);
    return pod ? [{ index: ordinal - seen.start, pod }] : [];
  });
  const budget = seen.maxUnavailable - inSet.filter(({ pod }) => !isSettled(seen, pod)).length;
  const outdated = inSet.filter(
    ({ index, pod }) => index >= seen.partition && !isTerminating(pod) && pod.metadata.labels?.[REVISION_LABEL] !== seen.updateRevision,
  );
  return outdated
    .reverse()
    .slice(0, Math.max(0, budget))
    .map(({ pod }) => ({ kind: 'delete', pod }));
}
