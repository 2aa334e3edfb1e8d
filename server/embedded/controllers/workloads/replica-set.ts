import { messageOf } from '@/lib/contract/app-error';
import type { Fields } from '@/lib/kube/fields';
import { readFields, readList, readNumber } from '@/lib/kube/fields';
import { labelsOf, matchesSelector, matchesSet } from '@/lib/kube/label-selector';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { controllerOf } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import type { ControllerHost } from '../../host';
import { claimObjects, ownedOf } from '../claim';
import type { EventWriter } from '../events';
import type { RequeueAfterMs } from '../key-queue';
import { POD, REPLICA_SET } from '../kinds';
import type { Loop, ObservedChange } from '../loop';
import { controllersOf, keyOf, startLoop } from '../loop';
import { followOrphans } from '../orphans';
import { availableInMs, countsTheSame, isActive, isFinished, isReady, isTerminating } from '../pod-view';
import type { WrittenCondition } from '../writes';
import { omitEmpty, setCondition, updateStatus } from '../writes';
import { choosePodsToDelete } from './deletion-order';
import type { PodControl } from './pod-control';
import { createPodControl, templateOf } from './pod-control';

// At most so many pods are made or removed in one pass, as in the original.
const BURST = 500;

/** Keeps as many pods as each ReplicaSet asks for. */
export function startReplicaSets(host: ControllerHost, events: EventWriter): Loop {
  const orphans = followOrphans(host, POD);
  const control = createPodControl(host, events.recorder('replicaset-controller'));
  const owners = controllersOf(REPLICA_SET);
  const keysOf = (change: ObservedChange) => {
    if (change.before && change.after && countsTheSame(change.before, change.after)) return [];
    const keys = owners(change);
    return keys.length > 0 || !change.after ? keys : matching(host, change.after);
  };
  return startLoop(host, {
    name: 'replicaset',
    watches: [{ type: REPLICA_SET }, { type: POD, keysOf }],
    workers: 4,
    reconcile: async (key) => {
      const set = host.get(REPLICA_SET, key);
      return set
        ? reconcile(host, control, { set, pods: await claimObjects(host, { owner: set, type: POD, selector: selectorOf(set), orphans }) })
        : undefined;
    },
    onStop: orphans.release,
  });
}

async function reconcile(
  host: ControllerHost,
  control: PodControl,
  { set, pods }: { set: KubeObject; pods: readonly KubeObject[] },
): Promise<RequeueAfterMs> {
  const active = pods.filter(isActive);
  let failure: unknown;
  if (!isTerminating(set)) {
    try {
      await manage(host, control, set, active);
    } catch (error) {
      failure = error;
    }
  }
  const now = host.clock.now();
  const latest = host.get(REPLICA_SET, keyOf(set));
  if (!latest) return undefined;
  const terminating = pods.filter((pod) => isTerminating(pod) && !isFinished(pod)).length;
  await updateStatus(host, latest, toStatus({ set: latest, active, terminating, failure, now, seen: set }));
  if (failure !== undefined) throw failure;
  const waits = active.flatMap((pod) => availableInMs(pod, minReadySeconds(set), now) ?? []).filter((ms) => ms > 0);
  return waits.length > 0 ? Math.min(...waits) : undefined;
}

async function manage(host: ControllerHost, control: PodControl, set: KubeObject, active: readonly KubeObject[]): Promise<void> {
  const surplus = active.length - replicasOf(set);
  if (surplus < 0) {
    for (let made = 0; made < Math.min(-surplus, BURST); made++) {
      if ((await control.create(set, templateOf(set))) === undefined) return;
    }
    return;
  }
  if (surplus === 0) return;
  for (const pod of choosePodsToDelete(active, relatedPods(host, set), Math.min(surplus, BURST), host.clock.now()))
    await control.remove(set, pod);
}

/** Pods of every ReplicaSet with the same controller. */
function relatedPods(host: ControllerHost, set: KubeObject): readonly KubeObject[] {
  const owner = controllerOf(set)?.uid;
  const siblings = owner ? ownedOf(host, owner, REPLICA_SET) : [set];
  return siblings.flatMap((sibling) => ownedOf(host, sibling.metadata.uid ?? '', POD));
}

interface Counted {
  readonly set: KubeObject;
  readonly seen: KubeObject;
  readonly active: readonly KubeObject[];
  readonly terminating: number;
  readonly failure: unknown;
  readonly now: Instant;
}

function toStatus({ set, seen, active, terminating, failure, now }: Counted): Fields {
  const before = readList(set, 'status', 'conditions') as readonly WrittenCondition[];
  const ready = active.filter(isReady);
  const wanted = readFields(templateOf(seen), 'metadata', 'labels');
  return {
    replicas: active.length,
    ...omitEmpty({
      fullyLabeledReplicas: active.filter((pod) => matchesSet(wanted, labelsOf(pod))).length,
      readyReplicas: ready.length,
      availableReplicas: ready.filter((pod) => availableInMs(pod, minReadySeconds(seen), now) === 0).length,
      observedGeneration: seen.metadata.generation,
      conditions: withFailure(before, { failure, short: active.length < replicasOf(seen), now }),
    }),
    terminatingReplicas: terminating,
  };
}

function withFailure(
  conditions: readonly WrittenCondition[],
  at: { failure: unknown; short: boolean; now: Instant },
): readonly WrittenCondition[] {
  const others = conditions.filter((condition) => condition.type !== 'ReplicaFailure');
  if (at.failure === undefined) return others;
  if (others.length < conditions.length) return conditions;
  const reason = at.short ? 'FailedCreate' : 'FailedDelete';
  return setCondition(conditions, { type: 'ReplicaFailure', status: 'True', reason, message: messageOf(at.failure) }, at.now);
}

function matching(host: ControllerHost, orphan: KubeObject): readonly ObjectKey[] {
  return host
    .list(REPLICA_SET, orphan.metadata.namespace)
    .filter((set) => matchesSelector(selectorOf(set), labelsOf(orphan)))
    .map(keyOf);
}

function selectorOf(set: KubeObject): unknown {
  return readFields(set, 'spec', 'selector');
}

function replicasOf(set: KubeObject): number {
  return readNumber(set, 'spec', 'replicas') ?? 1;
}

function minReadySeconds(set: KubeObject): number {
  return readNumber(set, 'spec', 'minReadySeconds') ?? 0;
}
