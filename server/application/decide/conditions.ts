import type { Condition } from '@/lib/kube/condition';
import { getCondition, readConditions } from '@/lib/kube/condition';
import { readNumber } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toKubeTime } from '@/lib/std/instant';

/** What a pass comes to, one after the other; each has a condition. */
const STEPS = ['Parsed', 'Applied', 'RolledOut', 'Collected'] as const;
export type Step = (typeof STEPS)[number];

/** The conditions of an Application, in the order they are reached. `Reconciled` is there only while a pass fails for another reason than those of a step. */
export const CONDITION_TYPES = ['Reconciled', ...STEPS, 'Ready', 'Labelled', 'Confidential'] as const;
export type ApplicationCondition = (typeof CONDITION_TYPES)[number];

export interface ConditionValue {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

export type ConditionValues = Partial<Readonly<Record<ApplicationCondition, ConditionValue>>>;

/** Whether labels and annotations reach the objects; told from the first time on that some did not. */
export function labelledCondition(object: KubeObject, withheld: string | undefined): ConditionValues {
  if (withheld !== undefined) return { Labelled: isFalse('NotPermitted', withheld) };
  return getCondition(object, 'Labelled') === undefined ? {} : { Labelled: isTrue('Labelled') };
}

/** Why labels and annotations of an application do not reach its objects, whoever changed them. */
export const formatWithheld = (withheld: readonly { readonly message: string }[]): string =>
  withheld.map(({ message }) => message).join('; ');

/** What the application says of its labels: that these were withheld, and since when all reached its objects where they did. */
export function labelledBefore(object: KubeObject): { readonly withheld: string | undefined; readonly allSince: string | undefined } {
  const { status, message, lastTransitionTime } = getCondition(object, 'Labelled') ?? {};
  return { withheld: status === 'False' ? message : undefined, allSince: status === 'True' ? lastTransitionTime : undefined };
}

/** Whether values stand in the application as they are; told from the first time on that some did. */
export function confidentialCondition(object: KubeObject, sentence: string | undefined): ConditionValues {
  if (sentence !== undefined) return { Confidential: isFalse('InlineValues', sentence) };
  return getCondition(object, 'Confidential') === undefined ? {} : { Confidential: isTrue('Confidential') };
}

/** The conditions with new values laid over the stored ones; a transition time only moves when the status does. */
export function mergeConditions(object: KubeObject, values: ConditionValues, now: Instant): readonly Condition[] {
  const stored = readConditions(object);
  const ours = CONDITION_TYPES.flatMap((type) => {
    const value = values[type];
    const before = stored.find((condition) => condition.type === type);
    if (value === undefined) return type === 'Reconciled' ? [] : (before ?? []);
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

/**
 * The conditions of a pass that ended at a step: those before it are told beside, and of those after it nothing is known any more, whatever an
 * earlier pass said of them.
 */
export function endedAt(object: KubeObject, step: Step, value: ConditionValue, before: ConditionValues = {}): ConditionValues {
  const unknown = isUnknown(value.reason, value.message);
  const isUnapplied = step === 'Parsed' || step === 'Applied';
  return {
    ...Object.fromEntries(STEPS.slice(STEPS.indexOf(step) + 1).map((later) => [later, unknown])),
    // Labels reach objects when they are applied.
    ...(isUnapplied && getCondition(object, 'Labelled') !== undefined ? { Labelled: unknown } : {}),
    ...before,
    [step]: value,
    Ready: isFalse(value.reason, value.message),
  };
}

/**
 * The conditions after a pass that failed before it came to a step. What an earlier pass parsed and applied of this very spec is so still; whether
 * it is rolled out and collected each pass finds out anew.
 */
export function failedBefore(object: KubeObject, { reason, message }: ConditionFailure): ConditionValues {
  const isSameSpec = readNumber(object, 'status', 'observedGeneration') === object.metadata.generation;
  const unknown = isUnknown(reason, message);
  const lost = isSameSpec ? STEPS.slice(STEPS.indexOf('RolledOut')) : STEPS;
  return {
    ...Object.fromEntries(lost.map((step) => [step, unknown])),
    Reconciled: isFalse(reason, message),
    Ready: isFalse(reason, message),
  };
}

/** What went wrong, as a condition of the application says it. */
export interface ConditionFailure {
  readonly reason: string;
  readonly message: string;
}

/** What a person does for an application that waits for one: approves deletions that a rule holds, changes it anew where the plan moved, or grants its namespace. */
const WAITS = {
  'Collected/Held': 'approve',
  'Applied/PlanMoved': 'change',
  'Applied/NotGranted': 'grant',
  'Collected/NotGranted': 'grant',
} as const;

/** Why an application waits for a person. */
export interface AwaitedDecision {
  /** What they do for it. */
  readonly verb: (typeof WAITS)[keyof typeof WAITS];
  readonly why: string;
}

/** For what the application itself waits for a person; undefined while it does not. */
export function awaitedDecision(application: KubeObject): AwaitedDecision | undefined {
  for (const { type, status, reason = '', message = reason } of readConditions(application)) {
    const verb = new Map<string, AwaitedDecision['verb']>(Object.entries(WAITS)).get(`${type}/${reason}`);
    if (status === 'False' && verb !== undefined) return { verb, why: message };
  }
  return undefined;
}

/** Reasons of `Ready` with which the application only waits for its rollout, or was sent back by it: how the rollout stands says more. */
const BY_ROLLOUT: readonly string[] = ['RollingOut', 'Rejected'];

/** True while the application is not ready because of where its rollout stands, and for no other reason. */
export function isUnreadyByRollout(application: KubeObject): boolean {
  const ready = getCondition(application, 'Ready');
  return ready?.status === 'False' && BY_ROLLOUT.includes(ready.reason ?? '');
}

/** Why nothing of the application is applied at present, and whether that is because the last try failed; undefined while it is applied. */
export function notAppliedReason(application: KubeObject): (ConditionFailure & { readonly isRetried: boolean }) | undefined {
  const found = ['Reconciled', 'Parsed', 'Applied']
    .map((type) => getCondition(application, type))
    .find((condition) => condition?.status === 'False');
  return found && { ...toSetback(found), isRetried: found.type === 'Reconciled' || found.reason === 'DispatchFailed' };
}

function toSetback({ type, reason = type, message = reason }: Condition): ConditionFailure {
  return { reason, message };
}
