import type { z } from 'zod';
import { readField, readFields, readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toStableJson } from '@/lib/std/stable-json';
import { OVERLAP_ANNOTATION, POLICY_ANNOTATION } from './objects';
import type { rolloutPolicy } from './policy/rollout-policy';

/** Why the cluster's definition would not keep a field of a kind; null when it would. */
export type DroppedReason = (kind: string, field: string) => string | null;

const { kind: KIND } = KINDS.rolloutOrchestrator;
const CONTROL = 'spec.control';
/** In the annotations of a status: the generation that was written while the definition dropped part of the policy. */
const LOST_ANNOTATION = 'slipway.dev/policy-lost';

/** Fields of ours that annotations hold where a definition does not. */
export const FIELDS_WITH_ANNOTATIONS = {
  [KIND]: ['spec.control', 'spec.overConsumptionRatio', 'spec.stageTimeoutMinutes', 'spec.overlap', 'status.control'],
} as const;

/** How a rollout goes, as the policy of its application says it. */
export type RolloutSettings = Omit<z.infer<typeof rolloutPolicy>, 'component'>;

/** Settings as a cluster keeps them. What is undefined is not to be there, so that no older form speaks beside this one. */
export interface StoredSettings {
  readonly spec: Readonly<Record<'rolloutStrategy' | 'overConsumptionRatio' | 'stageTimeoutMinutes' | 'overlap' | 'control', unknown>>;
  readonly annotations: Readonly<Record<string, string | undefined>>;
}

/** Settings as fields, or as annotations where the cluster's definition of a rollout would drop the field or any part of it. */
export function toStoredSettings(
  { strategy, ratio, stageTimeoutMinutes, overlap, control }: RolloutSettings,
  dropped: DroppedReason,
): StoredSettings {
  const isLost = {
    control: dropped(KIND, CONTROL),
    ratio: dropped(KIND, 'spec.overConsumptionRatio'),
    timeout: dropped(KIND, 'spec.stageTimeoutMinutes'),
    overlap: dropped(KIND, 'spec.overlap'),
  };
  return {
    spec: {
      rolloutStrategy: strategy,
      overConsumptionRatio: isLost.ratio === null ? ratio : undefined,
      stageTimeoutMinutes: isLost.timeout === null ? stageTimeoutMinutes : undefined,
      // What holds without a word is not written, so that rollouts made before it was known stay as they are.
      overlap: overlap || isLost.overlap !== null ? undefined : false,
      control: isLost.control === null ? control : undefined,
    },
    annotations: {
      // Written also where there is nothing to say: it tells that there is no more to it than this.
      [POLICY_ANNOTATION]: isLost.control === null ? undefined : toStableJson(control),
      'rollout.knative.dev/over-consumption-ratio': isLost.ratio === null ? undefined : String(ratio),
      'rollout.knative.dev/stage-rollout-timeout-minutes': isLost.timeout === null ? undefined : String(stageTimeoutMinutes),
      [OVERLAP_ANNOTATION]: overlap || isLost.overlap === null ? undefined : 'false',
    },
  };
}

/**
 * Why nobody can tell how a rollout is to go: the cluster's definition drops parts of the policy, and no annotation holds it whole in
 * place of the field, which is read first. Whether it had gates cannot be known then, so it must not move. That stays so when the definition
 * is mended, until somebody writes the rollout again: what was dropped does not come back. Null when it can be told.
 */
export function lostPolicyReason(object: KubeObject, dropped: DroppedReason): string | null {
  const { annotations } = object.metadata;
  if (annotations?.[POLICY_ANNOTATION] !== undefined && readField(object, 'spec', 'control') === undefined) return null;
  const why = dropped(KIND, CONTROL);
  if (why !== null)
    return `${GATES_UNKNOWN}: ${why}, and so does the policy as JSON in the annotation ${POLICY_ANNOTATION} instead of spec.control`;
  return isNotedLost(object)
    ? `${GATES_UNKNOWN}: it was written while the cluster’s definition dropped part of its policy; apply it again with its gates, or with spec.control.gates: none`
    : null;
}

const GATES_UNKNOWN = 'it is unknown whether this rollout has gates';

function isNotedLost(object: KubeObject): boolean {
  return readString(object, 'status', 'annotations', LOST_ANNOTATION) === String(object.metadata.generation);
}

/**
 * The status by which a rollout remembers that its policy was dropped as it was written. Undefined where it does so already, and where nothing
 * was written since a pass went by it.
 */
export function statusOfLostPolicy(object: KubeObject, dropped: DroppedReason): object | undefined {
  const { generation } = object.metadata;
  if (dropped(KIND, CONTROL) === null || isNotedLost(object) || readNumber(object, 'status', 'observedGeneration') === generation)
    return undefined;
  const status = readFields(object, 'status');
  return { ...status, annotations: { ...readFields(status, 'annotations'), [LOST_ANNOTATION]: String(generation) } };
}
