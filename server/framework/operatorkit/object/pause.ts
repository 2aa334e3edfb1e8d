import type { KubeObject } from '@/lib/kube/object';

/** Annotations that pause an object for everybody. */
const DEFAULT_PAUSE_ANNOTATIONS: Readonly<Record<string, string>> = {
  'operatorkit.giantswarm.io/paused': 'true',
  'cluster.x-k8s.io/paused': 'true',
};

/** True when an annotation that pauses is present with exactly its value. Further pairs add to the defaults. */
export function isPaused(object: Pick<KubeObject, 'metadata'>, further: Readonly<Record<string, string>> = {}): boolean {
  const annotations = object.metadata?.annotations ?? {};
  return Object.entries({ ...further, ...DEFAULT_PAUSE_ANNOTATIONS }).some(([name, value]) => Object.hasOwn(annotations, name) && annotations[name] === value);
}
