import type { KubeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import { LABEL } from '@/server/dispatch';
import type { StoreChange } from '@/server/kube';

/** True where nothing but the replicas of a workload and its status became others, of which its rollout takes care. */
export function differsInScaleOnly({ before, after }: Pick<StoreChange, 'before' | 'after'>): boolean {
  if (before === undefined || after === undefined || after.metadata.labels?.[LABEL.rolloutService] === undefined) return false;
  return deepEqual(withoutScale(before), withoutScale(after));
}

function withoutScale({ metadata, spec }: KubeObject): object {
  return {
    metadata: { ...metadata, resourceVersion: undefined, generation: undefined },
    spec: { ...(spec as object | undefined), replicas: undefined },
  };
}
