import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { ANNOTATION, LABEL } from '@/server/dispatch';
import type { ComponentScale } from '../spec/model';

/** By what the objects of one revision under a rollout are found. */
export function stagedLabels({ application }: { readonly application: string }, stagedName: string): Readonly<Record<string, string>> {
  return { [LABEL.rolloutService]: application, [LABEL.rolloutRevision]: stagedName };
}

/** Bounds as annotations, where the objects themselves must not state them. */
export function toScaleAnnotations({ minScale, maxScale }: ComponentScale): Readonly<Record<string, string>> {
  return {
    ...(minScale === undefined ? {} : { [ANNOTATION.minScale]: String(minScale) }),
    ...(maxScale === undefined ? {} : { [ANNOTATION.maxScale]: String(maxScale) }),
  };
}

/**
 * What the first write of an object under a rollout has and no later one: a workload begins without replicas, its autoscaler within the
 * revision's own bounds. From then on both are the rollout's.
 */
export function withFirstScale(manifest: KubeObject): KubeObject {
  if (manifest.kind !== KINDS.horizontalPodAutoscaler.kind) return { ...manifest, spec: { ...(manifest.spec as object), replicas: 0 } };
  const bound = (annotation: string) => Number(readString(manifest, 'metadata', 'annotations', annotation) ?? 1);
  const range = { minReplicas: bound(ANNOTATION.minScale), maxReplicas: bound(ANNOTATION.maxScale) };
  return { ...manifest, spec: { ...(manifest.spec as object), ...range } };
}
