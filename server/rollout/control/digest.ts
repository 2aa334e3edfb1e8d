import { createHash } from 'node:crypto';
import { readField } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { toStableJson } from '@/lib/std/stable-json';
import type { RolloutObject } from '../objects';
import { POLICY_ANNOTATION, readRollout } from '../objects';
import { attemptOf, completedOf } from './control-facts';

/**
 * Digest of what a person decides about: which rollout, to which target, in which attempt, at which completed stage, in which phase, under
 * which policy. A decision counts only while this is what they saw: one that is made again from a file counts for no later attempt.
 */
export function rolloutDigest(ro: KubeObject): string {
  return digestOf(readRollout(ro));
}

/** The digest of a rollout that has been read. */
export function digestOf({ object, rollout, config, pausedBySpec, control, loosening, terms, asked }: RolloutObject): string {
  const attempt = control && attemptOf(control);
  const seen = {
    uid: rollout.uid,
    target: (rollout.spec.targetRevisions ?? []).map(({ revisionName, percent }) => [revisionName, percent ?? null]),
    // A retry keeps the name of its attempt.
    attempt: attempt === undefined ? null : [attempt.id, attempt.startedAt],
    stage: control === undefined ? 0 : completedOf(control),
    phase: control?.phase ?? null,
    policy: [
      readField(object, 'spec', 'control') ?? object.metadata.annotations?.[POLICY_ANNOTATION] ?? null,
      pausedBySpec,
      config.overConsumptionRatio,
      config.progressiveRolloutStrategy.toLowerCase(),
      ...(asked.overlap ? [] : ['no overlap']),
    ],
    // What binds is told by the policy alone, but where a looser one waits.
    ...(loosening === undefined ? {} : { terms }),
  };
  return createHash('sha256').update(toStableJson(seen)).digest('hex').slice(0, 32);
}
