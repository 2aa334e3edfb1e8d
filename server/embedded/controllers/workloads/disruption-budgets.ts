import { readFields, readList, readNumber, readString } from '@/lib/kube/fields';
import { isEmptySelector, labelsOf, matchesSelector } from '@/lib/kube/label-selector';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { controllerOf } from '@/lib/kube/object';
import { toKubeTime } from '@/lib/std/instant';
import type { ControllerHost } from '../../host';
import { POD, POD_DISRUPTION_BUDGET } from '../kinds';
import type { Loop, SeenChange } from '../loop';
import { keyOf, startLoop } from '../loop';
import { isFinished, isReady, isTerminating } from '../pod-view';
import { updateStatus } from '../writes';
import { scaledValue } from './deployment/model';

/** Says of each PodDisruptionBudget how many of its pods may be evicted now. */
export function startDisruptionBudgets(host: ControllerHost): Loop {
  return startLoop(host, {
    name: 'disruption',
    watches: [{ type: POD_DISRUPTION_BUDGET }, { type: POD, keysOf: (change) => budgetsOf(host, change) }],
    reconcile: async (key) => {
      const budget = host.get(POD_DISRUPTION_BUDGET, key);
      if (budget && !isTerminating(budget)) await sync(host, budget);
      return undefined;
    },
  });
}

async function sync(host: ControllerHost, budget: KubeObject): Promise<void> {
  const selector = readFields(budget, 'spec', 'selector');
  const pods = host.list(POD, budget.metadata.namespace).filter((pod) => !isFinished(pod) && selects(selector, pod));
  const healthy = pods.filter((pod) => isReady(pod) && !isTerminating(pod)).length;
  const { expectedPods, desiredHealthy } = demand(host, budget, pods);
  const disruptionsAllowed = Math.max(0, healthy - desiredHealthy);
  const status = disruptionsAllowed > 0 ? 'True' : 'False';
  const reason = disruptionsAllowed > 0 ? 'SufficientPods' : 'InsufficientPods';
  const { generation } = budget.metadata;
  const before = readList(budget, 'status', 'conditions').find((condition) => readString(condition, 'type') === 'DisruptionAllowed');
  const lastTransitionTime = readString(before, 'status') === status ? readString(before, 'lastTransitionTime') : toKubeTime(host.clock.now());
  const condition = { type: 'DisruptionAllowed', status, observedGeneration: generation, lastTransitionTime, reason, message: '' };
  const counts = { currentHealthy: healthy, desiredHealthy, disruptionsAllowed, expectedPods, observedGeneration: generation };
  await updateStatus(host, budget, { ...counts, conditions: [condition] });
}

/** A plain number asks for healthy pods; a percentage and maxUnavailable ask for a part of what the controllers want to have. */
function demand(host: ControllerHost, budget: KubeObject, pods: readonly KubeObject[]): { expectedPods: number; desiredHealthy: number } {
  const { minAvailable, maxUnavailable } = readFields(budget, 'spec');
  if (typeof minAvailable === 'number') return { expectedPods: pods.length, desiredHealthy: minAvailable };
  const expectedPods = wantedReplicas(host, pods);
  if (maxUnavailable !== undefined) return { expectedPods, desiredHealthy: Math.max(0, expectedPods - scaledValue(maxUnavailable, expectedPods, 'up')) };
  return { expectedPods, desiredHealthy: scaledValue(minAvailable, expectedPods, 'up') };
}

function wantedReplicas(host: ControllerHost, pods: readonly KubeObject[]): number {
  const owners = new Map<string, number>();
  for (const pod of pods) {
    const set = host.byUid(controllerOf(pod)?.uid ?? '');
    const owner = (set && host.byUid(controllerOf(set)?.uid ?? '')) ?? set;
    if (owner) owners.set(owner.metadata.uid ?? '', readNumber(owner, 'spec', 'replicas') ?? 1);
  }
  return [...owners.values()].reduce((total, replicas) => total + replicas, 0);
}

function budgetsOf(host: ControllerHost, { before, after }: SeenChange): readonly ObjectKey[] {
  if (before && after && isReady(before) === isReady(after) && isTerminating(before) === isTerminating(after) && isFinished(before) === isFinished(after))
    return [];
  const pod = after ?? before;
  if (!pod) return [];
  return host
    .list(POD_DISRUPTION_BUDGET, pod.metadata.namespace)
    .filter((budget) => selects(readFields(budget, 'spec', 'selector'), pod))
    .map(keyOf);
}

// In this kind, unlike in workloads, an empty selector selects every pod of the namespace.
function selects(selector: unknown, pod: KubeObject): boolean {
  return isEmptySelector(selector) || matchesSelector(selector, labelsOf(pod));
}
