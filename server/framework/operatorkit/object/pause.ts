import type { KubeObject } from '@/lib/kube/object';
import { pausedBy } from '@/lib/kube/paused-by';

/** True when an annotation pauses the object. Further pairs add to the defaults. */
export function isPaused(object: Pick<KubeObject, 'metadata'>, further: Readonly<Record<string, string>> = {}): boolean {
  return pausedBy(object, further) !== undefined;
}
