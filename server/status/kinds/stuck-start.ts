import { readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';

/**
 * Reasons why a container waits that mostly no waiting mends: its image, or what it is made from. A registry may be away for a moment and a
 * Secret may follow, so the rule of pods gives them a grace.
 */
export const STUCK_REASONS = [
  'ErrImagePull',
  'ImagePullBackOff',
  'ImageInspectError',
  'ErrImageNeverPull',
  'InvalidImageName',
  'RegistryUnavailable',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
] as const;

/** The reason why a pod does not get started, whether its grace is over or not; undefined for one that starts. */
export function stuckReasonOf(pod: KubeObject): string | undefined {
  const containers = [...readList(pod, 'status', 'initContainerStatuses'), ...readList(pod, 'status', 'containerStatuses')];
  const reasons = containers.flatMap((container) => readString(container, 'state', 'waiting', 'reason') ?? []);
  return reasons.find((reason) => (STUCK_REASONS as readonly string[]).includes(reason));
}
