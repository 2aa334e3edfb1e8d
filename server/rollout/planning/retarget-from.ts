import { readNumber } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { RolloutSpec } from '../model';
import { readWorkload } from '../objects';
import type { RetargetInput } from './retarget';
import { retarget } from './retarget';

/** The spec of a rollout whose target changed, from the workloads that run. */
export function retargetFrom(objects: readonly KubeObject[], input: Pick<RetargetInput, 'ro' | 'ultimateRevisions'>): RolloutSpec {
  // A count that is not written is not reported: whether its pods are all there cannot be told.
  const workloads = objects.map((object) => ({ ...readWorkload(object), replicas: readNumber(object, 'spec', 'replicas') }));
  return retarget({ ...input, hasTraffic: workloads.some(({ availableReplicas }) => availableReplicas > 0), workloads });
}
