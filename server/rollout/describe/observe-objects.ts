import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import type { Observation } from '../decide';
import { chooseAutoscaler, scaledDeployment } from '../horizontal-autoscaler';
import { readAutoscaler, readRollout } from '../objects';
import { assemble, podsAmong, toPending } from '../observe';

/** A rollout and everything that belongs to it, as a cluster has them. More of a kind than belongs to it does no harm. */
export interface RolloutObjects {
  readonly rollout: KubeObject;
  /** StagePodAutoscalers of the rollout. */
  readonly autoscalers: readonly KubeObject[];
  /** Deployments of its revisions. */
  readonly workloads: readonly KubeObject[];
  /** HorizontalPodAutoscalers of the namespace. */
  readonly scalers?: readonly KubeObject[];
  /** Pods of its revisions, by label or by the selector of an adopted workload. Absent: what the autoscalers mirror of them stands in. */
  readonly pods?: readonly KubeObject[];
  readonly decisions?: readonly KubeObject[];
}

/** The same picture that the engine takes from its stores, from objects that somebody else holds. */
export function observeObjects(
  { rollout, autoscalers, workloads, scalers = [], pods, decisions = [] }: RolloutObjects,
  now: Instant,
): Observation {
  const scaled = new Map<string, KubeObject[]>();
  for (const scaler of scalers) {
    const name = scaledDeployment(scaler);
    if (name !== undefined) scaled.set(name, [...(scaled.get(name) ?? []), scaler]);
  }
  return assemble(
    {
      ro: readRollout(rollout),
      autoscalers: autoscalers.map(readAutoscaler),
      deployments: workloads,
      scalers: new Map(
        [...scaled]
          .flatMap(([name, among]) => chooseAutoscaler(among, name) ?? [])
          .map((scaler) => [scaledDeployment(scaler) ?? '', scaler]),
      ),
      pods: pods && podsAmong(pods, workloads),
      decisions: decisions.flatMap((decision) => toPending(decision) ?? []),
    },
    now,
  );
}
