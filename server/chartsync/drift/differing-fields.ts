import { markAppliedLists } from '@/lib/kube/applied-lists';
import type { KubeObject } from '@/lib/kube/object';
import type { DriftField } from '@/server/dispatch';
import { ENGINE_MERGE_OPTIONS, findDrift } from '@/server/dispatch';

/** By this name the API server notes what puts drift of a release back. */
export const FIELD_MANAGER = 'slipway.dev/chartsync';
/** Who writes what a release stores. */
const WRITERS = ['helm', FIELD_MANAGER];
/** Who scales workloads by load: the controller of HorizontalPodAutoscalers, and KEDA, which scales to zero by itself. */
const AUTOSCALERS = ['kube-controller-manager', 'keda'];

/**
 * Fields in which a live object differs from the stored manifest: only what the manifest says counts, so that neither defaults nor fields of other
 * controllers do. Nor do replicas that an autoscaler set, which is what it is there for; those that a person set do, also where an autoscaler is.
 */
export function differingFields(manifest: KubeObject, live: KubeObject): readonly DriftField[] {
  markAppliedLists(live, WRITERS);
  const fields = findDrift({ manifest, live, tracker: undefined, policy: {}, options: ENGINE_MERGE_OPTIONS });
  return fields.filter((field) => !isAutoscaled(field));
}

function isAutoscaled({ steps: [first, second, ...more], setBy }: DriftField): boolean {
  if (first !== 'spec' || second !== 'replicas' || more.length > 0) return false;
  return setBy?.subresource === 'scale' && AUTOSCALERS.includes(setBy.manager);
}
