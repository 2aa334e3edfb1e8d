import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { toAddress, toObjectKey } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Instant } from '@/lib/std/instant';
import type { EngineDeps, Reconciler } from '@/server/framework';
import { clusterOfPass, PROGRESSING_PACE, requeueAfter, SETTLED_PACE, StatusWriteThrottle, settled } from '@/server/framework';
import { ignoreNotFound } from '@/server/kube';
import { FIELD_MANAGER } from './act';
import type { RolloutObject } from './objects';
import { readRollout, readSpaStatus, readWorkload, scalesOf } from './objects';
import type { RolloutStores } from './observe';
import { podsOf, rolloutOfAutoscaler } from './observe';
import { evaluateFreshness } from './pass/freshness';
import { settledWorkload } from './pass/pod-figures';
import { scalerOf } from './scalers';
import type { SpaStatus } from './stage/spa-status';
import { computeSpaStatus } from './stage/spa-status';

/**
 * Mirrors the scale of one revision's workload into its StagePodAutoscaler. The mirror is for readers of that kind: the runner goes by the
 * workload itself. So what is known of it is written once it stands still, and at once only that nothing is.
 */
export function createSpaReconciler(
  deps: Pick<EngineDeps, 'cluster' | 'clusterFor' | 'clock'>,
  stores: RolloutStores,
): Reconciler<ObjectKey> {
  const [resting, onItsWay] = [new StatusWriteThrottle(SETTLED_PACE), new StatusWriteThrottle(PROGRESSING_PACE)];
  const rest = (key: ObjectKey) => {
    resting.rest(key);
    onItsWay.rest(key);
  };
  /** How long a status that only counts has to wait; one of a rollout on its way is looked at again sooner, since that may be over by then. */
  function waitMsOf(key: ObjectKey, object: KubeObject, counts: unknown, now: Instant): number {
    const [mine, other] = isOnItsWay(stores, object) ? [onItsWay, resting] : [resting, onItsWay];
    other.rest(key);
    return Math.min(mine.waitMs(key, counts, now), SETTLED_PACE.stillMs);
  }
  return async (key, context) => {
    const { signal } = context;
    const cluster = clusterOfPass(deps, context);
    const object = stores.autoscalers.get(key);
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) {
      rest(key);
      return settled();
    }
    const now = deps.clock.now();
    const { isSeen, status, changesAt } = mirror(stores, object, now);
    const next = { ...(object.status as object | undefined), ...status };
    const atRest = changesAt === undefined ? settled() : requeueAfter(Math.max(1, changesAt - now));
    const isStored = deepEqual(object.status, next);
    const waitMs = !isStored && isSeen ? waitMsOf(key, object, withoutTimes(status), now) : 0;
    if (waitMs > 0) return requeueAfter(waitMs);
    if (isStored) {
      rest(key);
      return atRest;
    }
    // Nobody else writes it, and whoever writes the bounds meanwhile is not in the way.
    const options = { subresource: 'status', fieldManager: FIELD_MANAGER, signal } as const;
    await ignoreNotFound(cluster.patch(toAddress(object), { type: 'merge', body: { status } }, options));
    // Only now: a write that failed has waited already, and waiting anew would pass for a success.
    rest(key);
    return atRest;
  };
}

/** The status as it is to be, beside the one that is stored, and when it changes by time alone. */
function mirror(stores: RolloutStores, object: KubeObject, now: Instant) {
  const key = toObjectKey(object.metadata);
  const pods = podsOf(stores, key);
  const deployment = stores.deployments.get(key);
  const { staleKind } = evaluateFreshness(stores, [key], object.metadata.namespace ?? '', now);
  const settling = { minReadySeconds: minReadySecondsOf(stores, object), now };
  const own = deployment && settledWorkload(readWorkload(deployment, scalerOf(stores, deployment)), pods, settling);
  const counted = pods.map(({ phase, deletionAt }) => ({ phase, deleting: deletionAt !== undefined }));
  const missing =
    staleKind !== undefined
      ? `${staleKind.of} objects cannot be read: ${staleKind.reason}`
      : own === undefined
        ? `Deployment ${object.metadata.name ?? ''} does not exist`
        : 'its controller has not observed the newest spec yet';
  // What cannot be seen is not mirrored: the figures stay those of then, and the condition says so.
  const scales = staleKind !== undefined ? undefined : own && (scalesOf(own.workload) ?? {});
  const held = readSpaStatus(object);
  const status = { ...computeSpaStatus(held, { scales, pods: counted, missing }, now), observedGeneration: object.metadata.generation };
  return { isSeen: staleKind === undefined && own !== undefined, status, changesAt: own?.changesAt };
}

/** What is to stand still: a condition that is not stored yet is of now in every pass. */
function withoutTimes({ conditions, ...figures }: SpaStatus) {
  return { ...figures, conditions: conditions.map((condition) => ({ ...condition, lastTransitionTime: undefined })) };
}

function rolloutOf({ rollouts }: RolloutStores, autoscaler: KubeObject): RolloutObject | undefined {
  const [key] = rolloutOfAutoscaler(autoscaler);
  const rollout = key === undefined ? undefined : rollouts.get(key);
  return rollout && readRollout(rollout);
}

function minReadySecondsOf(stores: RolloutStores, autoscaler: KubeObject): number {
  return rolloutOf(stores, autoscaler)?.policy.minReadySeconds ?? 0;
}

/** True while stages of the rollout follow one another, or are taken back, once there are figures of before. */
function isOnItsWay(stores: RolloutStores, autoscaler: KubeObject): boolean {
  if (readSpaStatus(autoscaler).actualScale === undefined) return false;
  const state = rolloutOf(stores, autoscaler)?.control?.state;
  return state === 'stage' || state === 'boundary' || state === 'returning';
}
