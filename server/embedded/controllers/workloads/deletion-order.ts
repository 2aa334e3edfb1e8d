import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { parseInstant } from '@/lib/std/instant';
import { isActive, isReady, mostRestarts, nodeOf, phaseOf, readySince } from '../pod-view';

const PHASE_ORDER = { Pending: 0, Unknown: 1, Running: 2, Succeeded: 2, Failed: 2 } as const;
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

/** Picks the pods that a workload gives up first: those whose loss costs least. `related` are the pods of all its siblings. */
export function choosePodsToDelete(
  pods: readonly KubeObject[],
  related: readonly KubeObject[],
  count: number,
  now: Instant,
): readonly KubeObject[] {
  if (count >= pods.length) return pods;
  const perNode = new Map<string, number>();
  for (const pod of related) if (isActive(pod)) perNode.set(nodeOf(pod), (perNode.get(nodeOf(pod)) ?? 0) + 1);
  const rank = (pod: KubeObject) => perNode.get(nodeOf(pod)) ?? 0;
  return [...pods].sort((a, b) => comparePods(a, b, rank, now)).slice(0, count);
}

// Each line is one reason to go first, the strongest first; the order is the original's.
function comparePods(a: KubeObject, b: KubeObject, rank: (pod: KubeObject) => number, now: Instant): number {
  return (
    Number(nodeOf(a) !== '') - Number(nodeOf(b) !== '') ||
    PHASE_ORDER[phaseOf(a)] - PHASE_ORDER[phaseOf(b)] ||
    Number(isReady(a)) - Number(isReady(b)) ||
    deletionCost(a) - deletionCost(b) ||
    rank(b) - rank(a) ||
    compareAges(readySince(a), readySince(b), now) ||
    mostRestarts(b) - mostRestarts(a) ||
    compareAges(createdAt(a), createdAt(b), now) ||
    compareText(a.metadata.uid ?? '', b.metadata.uid ?? '')
  );
}

// Ages count on a scale of powers of two, so that pods of about one age go at random (by uid) and no node empties first.
function compareAges(a: Instant | undefined, b: Instant | undefined, now: Instant): number {
  if (a === undefined || b === undefined || a === b) return 0;
  return magnitude(now - a) - magnitude(now - b);
}

function magnitude(ageMs: number): number {
  return ageMs <= 0 ? -1 : Math.floor(Math.log2(ageMs * 1e6));
}

function createdAt(pod: KubeObject): Instant | undefined {
  return parseInstant(pod.metadata.creationTimestamp);
}

function deletionCost(pod: KubeObject): number {
  const cost = Number(pod.metadata.annotations?.[DELETION_COST] ?? 0);
  return Number.isInteger(cost) ? cost : 0;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
