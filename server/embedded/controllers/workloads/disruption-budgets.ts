import type { Fields } from '@/lib/kube/fields';
import { readFields, readList, readNumber, readString } from '@/lib/kube/fields';
import { isEmptySelector, labelsOf, matchesSelector } from '@/lib/kube/label-selector';
import type { KubeObject, ObjectKey, OwnerReference } from '@/lib/kube/object';
import { controllerOf, groupOf } from '@/lib/kube/object';
import { toKubeTime } from '@/lib/std/instant';
import type { ControllerHost } from '../../host';
import { POD, POD_DISRUPTION_BUDGET } from '../kinds';
import type { Loop, ObservedChange } from '../loop';
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
  const wanted = await demand(host, budget, pods);
  if (typeof wanted === 'string') return failSync(host, budget, wanted);
  const { expectedPods, desiredHealthy } = wanted;
  const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, healthy - desiredHealthy);
  const told = disruptionsAllowed > 0 ? { status: 'True', reason: 'SufficientPods' } : { status: 'False', reason: 'InsufficientPods' };
  const counts = {
    currentHealthy: healthy,
    desiredHealthy,
    disruptionsAllowed,
    expectedPods,
    observedGeneration: budget.metadata.generation,
  };
  await updateStatus(host, budget, { ...counts, conditions: [allowed(host, budget, { ...told, message: '' })] });
}

/** What cannot be counted lets nothing be evicted; the other counts stay as they were told last. */
async function failSync(host: ControllerHost, budget: KubeObject, message: string): Promise<void> {
  const condition = allowed(host, budget, { status: 'False', reason: 'SyncFailed', message });
  await updateStatus(host, budget, { ...readFields(budget, 'status'), disruptionsAllowed: 0, conditions: [condition] });
}

function allowed(
  { clock }: ControllerHost,
  budget: KubeObject,
  told: { readonly status: string; readonly reason: string; readonly message: string },
): Fields {
  const before = readList(budget, 'status', 'conditions').find((condition) => readString(condition, 'type') === 'DisruptionAllowed');
  const lastTransitionTime =
    readString(before, 'status') === told.status ? readString(before, 'lastTransitionTime') : toKubeTime(clock.now());
  return { type: 'DisruptionAllowed', observedGeneration: budget.metadata.generation, lastTransitionTime, ...told };
}

interface Demand {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
}

/** A plain number asks for healthy pods; a percentage and maxUnavailable ask for a part of what the controllers want to have, or tell why that is unknown. */
async function demand(host: ControllerHost, budget: KubeObject, pods: readonly KubeObject[]): Promise<Demand | string> {
  const { minAvailable, maxUnavailable } = readFields(budget, 'spec');
  if (typeof minAvailable === 'number') return { expectedPods: pods.length, desiredHealthy: minAvailable };
  const expectedPods = await wantedReplicas(host, pods);
  if (typeof expectedPods === 'string') return expectedPods;
  if (maxUnavailable !== undefined)
    return { expectedPods, desiredHealthy: Math.max(0, expectedPods - scaledValue(maxUnavailable, expectedPods, 'up')) };
  return { expectedPods, desiredHealthy: scaledValue(minAvailable, expectedPods, 'up') };
}

/** Pods without a controller count for nothing; one whose controller has no replicas to scale leaves the count unknown. */
async function wantedReplicas(host: ControllerHost, pods: readonly KubeObject[]): Promise<number | string> {
  const owners = new Map<string, number>();
  for (const pod of pods) {
    const controller = controllerOf(pod);
    if (controller === undefined) continue;
    const set = host.byUid(controller.uid);
    const scaled = [set && host.byUid(controllerOf(set)?.uid ?? ''), set].find((one) => readNumber(one, 'spec', 'replicas') !== undefined);
    if (scaled === undefined)
      return set === undefined ? `found no controllers for pod "${pod.metadata.name}"` : unscaledReason(host, controller);
    owners.set(scaled.metadata.uid ?? '', readNumber(scaled, 'spec', 'replicas') ?? 0);
  }
  return [...owners.values()].reduce((total, replicas) => total + replicas, 0);
}

async function unscaledReason({ cluster }: ControllerHost, { apiVersion, kind }: OwnerReference): Promise<string> {
  const { plural } = await cluster.discovery.resolve({ apiVersion, kind });
  return `${[plural, groupOf(apiVersion)].filter(Boolean).join('.')} does not implement the scale subresource`;
}

function budgetsOf(host: ControllerHost, { before, after }: ObservedChange): readonly ObjectKey[] {
  if (
    before &&
    after &&
    isReady(before) === isReady(after) &&
    isTerminating(before) === isTerminating(after) &&
    isFinished(before) === isFinished(after)
  )
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
