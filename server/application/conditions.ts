import type { Condition } from '@/lib/kube/condition';
import { readConditions } from '@/lib/kube/condition';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toKubeTime } from '@/lib/std/instant';

/** The conditions of an Application, in the order they are reached. */
export const CONDITION_TYPES = ['Parsed', 'Applied', 'RolledOut', 'Collected', 'Ready'] as const;
export type ApplicationCondition = (typeof CONDITION_TYPES)[number];

export interface ConditionValue {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

export type ConditionValues = Partial<Readonly<Record<ApplicationCondition, ConditionValue>>>;

/** The conditions with new values laid over the stored ones; a transition time only moves when the status does. */
export function mergeConditions(object: KubeObject, values: ConditionValues, now: Instant): readonly Condition[] {
  const stored = readConditions(object);
  const ours = CONDITION_TYPES.flatMap((type) => {
    const value = values[type];
    const before = stored.find((condition) => condition.type === type);
    if (value === undefined) return before ?? [];
    const lastTransitionTime = before?.status === value.status ? (before.lastTransitionTime ?? toKubeTime(now)) : toKubeTime(now);
    return { type, ...value, lastTransitionTime };
  });
  return [...ours, ...stored.filter(({ type }) => !(CONDITION_TYPES as readonly string[]).includes(type))];
}

/** A condition that holds. */
export const isTrue = (reason: string, message = ''): ConditionValue => ({ status: 'True', reason, message });
/** A condition that does not hold, and why. */
export const isFalse = (reason: string, message: string): ConditionValue => ({ status: 'False', reason, message });
/** A condition of which nothing can be said yet, and why. */
export const isUnknown = (reason: string, message: string): ConditionValue => ({ status: 'Unknown', reason, message });
