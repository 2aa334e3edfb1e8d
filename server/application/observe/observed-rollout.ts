import type { KubeObject } from '@/lib/kube/object';
import { LABEL } from '@/server/dispatch';
import type { RolloutFacts } from '@/server/rollout';
import { readRolloutFacts } from '@/server/rollout';

/** A RolloutOrchestrator as its application looks at it. */
export interface ObservedRollout extends RolloutFacts {
  readonly object: KubeObject;
  readonly component: string | undefined;
}

/** Reads the parts of a rollout that decide what its application may do. */
export function readObservedRollout(object: KubeObject, workloads: readonly KubeObject[]): ObservedRollout {
  return { ...readRolloutFacts(object, workloads), object, component: object.metadata.labels?.[LABEL.component] };
}
