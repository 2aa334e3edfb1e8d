import type { ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { EngineDeps, Reconciler } from '@/server/framework';
import { clusterOfPass, requeueAfter, settled } from '@/server/framework';
import { isConflict, isNotFound } from '@/server/kube';
import { FIELD_MANAGER } from './act';
import { readRollout, readSpaStatus, readWorkload, scalesOf } from './objects';
import type { RolloutStores } from './observe';
import { podsOf, rolloutOfAutoscaler, settledWorkload } from './observe';
import { scalerOf } from './scalers';
import { computeSpaStatus } from './stage/spa-status';

/** Mirrors the scale of one revision's workload into its StagePodAutoscaler. */
export function createSpaReconciler(deps: Pick<EngineDeps, 'cluster' | 'clusterFor' | 'clock'>, stores: RolloutStores): Reconciler<ObjectKey> {
  return async (key, context) => {
    const { signal } = context;
    const cluster = clusterOfPass(deps, context);
    const object = stores.autoscalers.get(key);
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return settled();
    const now = deps.clock.now();
    const pods = podsOf(stores, toObjectKey(object.metadata));
    const deployment = stores.deployments.get(key);
    const own = deployment && settledWorkload(readWorkload(deployment, scalerOf(stores, deployment)), pods, minReadySecondsOf(stores, object), now);
    const counted = pods.map(({ phase, deletionAt }) => ({ phase, deleting: deletionAt !== undefined }));
    const missing = own === undefined ? `Deployment ${object.metadata.name ?? ''} does not exist` : 'its controller has not looked at the newest spec yet';
    const scales = own && (scalesOf(own.workload) ?? {});
    const status = { ...computeSpaStatus(readSpaStatus(object), { scales, pods: counted, missing }, now), observedGeneration: object.metadata.generation };
    const next = { ...(object.status as object | undefined), ...status };
    try {
      if (!deepEqual(object.status, next)) await cluster.update({ ...object, status: next }, { subresource: 'status', fieldManager: FIELD_MANAGER, signal });
    } catch (error) {
      // Gone, or its bounds just changed: the event of that change is on its way and wakes us.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
    return own?.changesAt === undefined ? settled() : requeueAfter(Math.max(1, own.changesAt - now));
  };
}

function minReadySecondsOf({ rollouts }: RolloutStores, autoscaler: Parameters<typeof rolloutOfAutoscaler>[0]): number {
  const [key] = rolloutOfAutoscaler(autoscaler);
  const rollout = key === undefined ? undefined : rollouts.get(key);
  return rollout === undefined ? 0 : readRollout(rollout).policy.minReadySeconds;
}
