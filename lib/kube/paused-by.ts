import type { KubeObject } from './object';

/** Annotations that pause an object for every controller that knows them. */
const PAUSE_ANNOTATIONS: Readonly<Record<string, string>> = {
  'operatorkit.giantswarm.io/paused': 'true',
  'cluster.x-k8s.io/paused': 'true',
};

/** The annotation that pauses an object: one that is present with exactly its value. Further pairs add to those that always do. */
export function pausedBy(object: Pick<KubeObject, 'metadata'>, further: Readonly<Record<string, string>> = {}): string | undefined {
  const annotations = object.metadata?.annotations;
  if (!annotations) return undefined;
  const isSet = ([name, value]: readonly [string, string]) => Object.hasOwn(annotations, name) && annotations[name] === value;
  return Object.entries({ ...further, ...PAUSE_ANNOTATIONS }).find(isSet)?.[0];
}
