import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { Store } from '@/server/kube';
import { chooseAutoscaler, scaledDeployment } from './horizontal-autoscaler';

const BY_TARGET = 'rollout-scale-target';

/** What workloads are scaled by. */
interface ScalerStores {
  readonly horizontalAutoscalers: Store;
}

/** Declares the index by which HorizontalPodAutoscalers are found by what they scale. */
export function indexScalers(horizontalAutoscalers: Store): void {
  horizontalAutoscalers.addIndex(BY_TARGET, scaledBy);
}

/** Key of the workload that a HorizontalPodAutoscaler scales. */
export function scaledBy(autoscaler: KubeObject): readonly ObjectKey[] {
  const name = scaledDeployment(autoscaler);
  return name === undefined ? [] : [toObjectKey({ namespace: autoscaler.metadata.namespace, name })];
}

/** What scales a workload by load; undefined when only its rollout does. */
export function scalerOf({ horizontalAutoscalers }: ScalerStores, workload: KubeObject): KubeObject | undefined {
  return chooseAutoscaler(horizontalAutoscalers.byIndex(BY_TARGET, toObjectKey(workload.metadata)), workload.metadata.name ?? '');
}

/** What scales workloads by load, by the name of the workload. */
export function scalersOf(stores: ScalerStores, workloads: readonly KubeObject[]): ReadonlyMap<string, KubeObject> {
  const scalers = new Map<string, KubeObject>();
  for (const workload of workloads) {
    const scaler = scalerOf(stores, workload);
    if (scaler !== undefined) scalers.set(workload.metadata.name ?? '', scaler);
  }
  return scalers;
}
