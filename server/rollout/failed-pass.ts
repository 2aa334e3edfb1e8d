import { messageOf } from '@/lib/contract/app-error';
import type { Condition } from '@/lib/kube/condition';
import { getCondition, readConditions } from '@/lib/kube/condition';
import { readFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Instant } from '@/lib/std/instant';
import { toKubeTime } from '@/lib/std/instant';
import { formatFailure } from '@/lib/words/failures';
import { isTerminal, isTransient } from '@/server/framework';
import type { Cluster } from '@/server/kube';
import type { ActDeps } from './act';
import { FIELD_MANAGER } from './act';
import type { RolloutDecision } from './decide';
import type { RolloutObject } from './objects';

/** There only while passes over a rollout fail, for whatever reason: the next one that does not takes it away. */
const RECONCILED = 'Reconciled';

/** Why the last pass over a rollout failed; undefined where it did not. */
export function passFailureOf(rollout: KubeObject): string | undefined {
  const condition = getCondition(rollout, RECONCILED);
  return condition?.status === 'False' ? (condition.message ?? '') : undefined;
}

interface FailedPass {
  readonly object: KubeObject;
  readonly error: unknown;
  readonly now: Instant;
}

/** Says on a rollout that the pass over it failed. What a person has to mend is told otherwise. */
export async function reportFailedPass({ object, error, now }: FailedPass, cluster: Cluster, signal: AbortSignal): Promise<void> {
  if (signal.aborted || isTransient(error) || isTerminal(error)) return;
  const held = getCondition(object, RECONCILED);
  const message = formatFailure(messageOf(error), held?.message);
  const lastTransitionTime = held?.lastTransitionTime ?? toKubeTime(now);
  const failed: Condition = { type: RECONCILED, status: 'False', severity: 'Info', reason: 'ReconcileFailed', message, lastTransitionTime };
  const conditions = [...others(readConditions(object)), failed];
  if (deepEqual(readConditions(object), conditions)) return;
  await cluster.update(
    { ...object, status: { ...readFields(object, 'status'), conditions } },
    { subresource: 'status', fieldManager: FIELD_MANAGER, signal },
  );
}

/**
 * Takes away that a pass failed, once one has not. Only then: a pass that wrote it away before it failed again would be woken by its own two writes.
 */
export async function clearPassFailure(
  { object, rollout }: RolloutObject,
  { status }: Pick<RolloutDecision, 'status'>,
  { cluster, signal }: Pick<ActDeps, 'cluster' | 'signal'>,
): Promise<void> {
  if (passFailureOf(object) === undefined) return;
  const body = { status: { conditions: others((status ?? rollout.status).conditions) } };
  const options = { subresource: 'status', fieldManager: FIELD_MANAGER, signal } as const;
  await cluster.patch(toAddress(object), { type: 'merge', body }, options);
}

const others = (conditions: readonly Condition[]) => conditions.filter(({ type }) => type !== RECONCILED);
