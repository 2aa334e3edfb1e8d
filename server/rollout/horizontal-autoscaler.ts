import { getCondition } from '@/lib/kube/condition';
import { readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { groupOf } from '@/lib/kube/object';
import { parseWholeNumber } from './planning/config';
import { MAX_SCALE_ANNOTATION, MIN_SCALE_ANNOTATION } from './planning/targets';

/** How few and how many replicas an autoscaler may come to. */
export interface ScaleRange {
  readonly min: number;
  readonly max: number;
}

/**
 * A HorizontalPodAutoscaler as the rollout of its workload sees it.
 *
 * 1. `range` is what it may come to now: within it the cluster scales by load, and at any moment.
 * 2. `own` is what it was made with, remembered beside it since a rollout changes the range.
 * 3. `desired` is its opinion, and undefined while it has none: without metrics, or dormant at zero, its status keeps an old figure.
 */
export interface HorizontalAutoscaler {
  readonly object: KubeObject;
  readonly name: string;
  readonly range: ScaleRange;
  readonly own: ScaleRange;
  readonly desired: number | undefined;
}

/** Reads a HorizontalPodAutoscaler. */
export function readHorizontalAutoscaler(object: KubeObject): HorizontalAutoscaler {
  const { name = '', annotations } = object.metadata;
  const min = readNumber(object, 'spec', 'minReplicas') ?? 1;
  const range = { min, max: readNumber(object, 'spec', 'maxReplicas') ?? min };
  const isScaling = getCondition(object, 'ScalingActive')?.status === 'True';
  return {
    object,
    name,
    range,
    own: {
      min: parseWholeNumber(annotations?.[MIN_SCALE_ANNOTATION]) ?? range.min,
      max: parseWholeNumber(annotations?.[MAX_SCALE_ANNOTATION]) || range.max,
    },
    desired: isScaling ? readNumber(object, 'status', 'desiredReplicas') : undefined,
  };
}

/** The name of the Deployment that a HorizontalPodAutoscaler scales; undefined when it scales something else. */
export function scaledDeployment(autoscaler: KubeObject): string | undefined {
  const target = (member: string) => readString(autoscaler, 'spec', 'scaleTargetRef', member) ?? '';
  const { kind, apiVersion } = KINDS.deployment;
  return target('kind') === kind && groupOf(target('apiVersion')) === groupOf(apiVersion) ? target('name') : undefined;
}

/** The one that counts where several scale the same workload: its namesake, else the first by name. */
export function chooseAutoscaler(autoscalers: readonly KubeObject[], workload: string): KubeObject | undefined {
  const named = autoscalers.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const sorted = named.sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
  return sorted.find(({ metadata }) => metadata.name === workload) ?? sorted[0];
}

/** The autoscaler within another range, with the range it was made with beside it. */
export function withRange({ object, own }: HorizontalAutoscaler, { min, max }: ScaleRange): KubeObject {
  const remembered = { [MIN_SCALE_ANNOTATION]: String(own.min), [MAX_SCALE_ANNOTATION]: String(own.max) };
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...remembered } },
    spec: { ...(object.spec as object), minReplicas: min, maxReplicas: max },
  };
}
