import type { Condition, ConditionStatus } from '@/lib/kube/condition';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Instant } from '@/lib/std/instant';
import { toKubeTime } from '@/lib/std/instant';

export const READY = 'Ready';
export const SPA_STAGE_READY = 'PodAutoscalerStageReady';

export const CONDITION_REASONS = [
  'StageRevisionStart',
  'RevisionRollingInProgress',
  'StageRevisionRolloutFailed',
  'RevisionRolloutFailed',
  'PodAutoscalerStageNotReady',
  'NewObservedGenFailure',
] as const;
export type ConditionReason = (typeof CONDITION_REASONS)[number];

export type Conditions = readonly Condition[];

/** The conditions that decide about Ready. Others are informational and never influence it. */
export interface LivingSet {
  readonly dependents: readonly string[];
}

export const ROLLOUT_SET: LivingSet = { dependents: ['StageReady', 'LastStageReady'] };
export const SPA_SET: LivingSet = { dependents: [SPA_STAGE_READY] };

/** Status of a condition; a missing one reads as Unknown. */
export function statusOf(conditions: Conditions, type: string): ConditionStatus {
  return find(conditions, type)?.status ?? 'Unknown';
}

export function isTrue(conditions: Conditions, type: string): boolean {
  return statusOf(conditions, type) === 'True';
}

export function isUnknown(conditions: Conditions, type: string): boolean {
  return statusOf(conditions, type) === 'Unknown';
}

function find(conditions: Conditions, type: string): Condition | undefined {
  return conditions.find((condition) => condition.type === type);
}

/** Conditions after a pass. One that says what it said before keeps since when: a pass may take it back and say it again. */
export function withTimesOf(before: Conditions, after: Conditions): Conditions {
  return after.map((condition) => {
    const held = find(before, condition.type);
    return held !== undefined && deepEqual({ ...condition, lastTransitionTime: held.lastTransitionTime }, held) ? held : condition;
  });
}

type Setting = Pick<Condition, 'status'> & { readonly reason?: string | undefined; readonly message?: string | undefined };

/** The transitions of one living set at one instant. Each takes conditions and returns new ones, the same when nothing changes. */
export function manageConditions(living: LivingSet, now: Instant) {
  const isDependent = (type: string) => living.dependents.includes(type);
  // Times have whole seconds; which of two changed later at this very instant is known only here.
  const changed: string[] = [];

  function set(conditions: Conditions, type: string, { status, reason, message }: Setting): Conditions {
    const held = find(conditions, type);
    const severity = type === READY || isDependent(type) ? undefined : 'Info';
    const same = (a: string | undefined, b: string | undefined) => (a ?? '') === (b ?? '');
    if (held && held.status === status && same(held.reason, reason) && same(held.message, message) && same(held.severity, severity))
      return conditions;
    const next: Condition = {
      type,
      status,
      ...(severity ? { severity } : {}),
      ...(reason ? { reason } : {}),
      ...(message ? { message } : {}),
      lastTransitionTime: toKubeTime(now),
    };
    changed.push(type);
    return [...conditions.filter((condition) => condition.type !== type), next].sort((a, b) => (a.type < b.type ? -1 : 1));
  }

  function isLater(one: Condition, other: Condition): boolean {
    const [time, otherTime] = [one.lastTransitionTime ?? '', other.lastTransitionTime ?? ''];
    return time === otherTime ? changed.lastIndexOf(one.type) >= changed.lastIndexOf(other.type) : time > otherTime;
  }

  function latest(conditions: readonly Condition[]): Condition | undefined {
    return conditions.reduce<Condition | undefined>((best, next) => (best === undefined || isLater(next, best) ? next : best), undefined);
  }

  function recompute(conditions: Conditions): Conditions {
    const present = living.dependents.flatMap((type) => find(conditions, type) ?? []);
    const unhappy =
      latest(present.filter(({ status }) => status === 'False')) ?? latest(present.filter(({ status }) => status === 'Unknown'));
    if (unhappy) return set(conditions, READY, unhappy);
    return set(conditions, READY, { status: present.length === living.dependents.length ? 'True' : 'Unknown' });
  }

  function markTrue(conditions: Conditions, type: string): Conditions {
    return recompute(set(conditions, type, { status: 'True' }));
  }

  function markUnknown(conditions: Conditions, type: string, reason: ConditionReason, message?: string): Conditions {
    const marked = set(conditions, type, { status: 'Unknown', reason, message });
    const isFailed = living.dependents.some((name) => statusOf(marked, name) === 'False');
    // The original gives the reason of this mark, and not that of what failed.
    if (isFailed) return statusOf(marked, READY) === 'False' ? marked : set(marked, READY, { status: 'False', reason, message });
    return isDependent(type) ? set(marked, READY, { status: 'Unknown', reason, message }) : marked;
  }

  function markFalse(conditions: Conditions, type: string, reason: ConditionReason, message?: string): Conditions {
    const marked = set(conditions, type, { status: 'False', reason, message });
    return isDependent(type) ? set(marked, READY, { status: 'False', reason, message }) : marked;
  }

  function initialise(conditions: Conditions): Conditions {
    const withReady = find(conditions, READY) ? conditions : set(conditions, READY, { status: 'Unknown' });
    const status = isTrue(withReady, READY) ? 'True' : 'Unknown';
    return living.dependents.reduce((held, type) => (find(held, type) ? held : set(held, type, { status })), withReady);
  }

  /** Ready becomes Unknown because a newer spec has not been looked at, or False where a dependent is; these keep what they say. */
  function newGeneration(conditions: Conditions): Conditions {
    return markUnknown(conditions, READY, 'NewObservedGenFailure', 'a newer spec has not been reconciled yet');
  }

  return { markTrue, markUnknown, markFalse, initialise, newGeneration };
}

/** The named transitions of a rollout. */
export function manageRolloutConditions(now: Instant) {
  const { markTrue, markUnknown, markFalse, initialise, newGeneration } = manageConditions(ROLLOUT_SET, now);
  type Step = (conditions: Conditions) => Conditions;
  const scaleUpReady: Step = (c) => markTrue(c, 'StageScaleUpReady');
  const scaleDownReady: Step = (c) => markTrue(c, 'StageScaleDownReady');
  const scaleUpInProgress: Step = (c) => markUnknown(c, 'StageScaleUpReady', 'StageRevisionStart');
  const scaleDownInProgress: Step = (c) => markUnknown(c, 'StageScaleDownReady', 'StageRevisionStart');
  const stageInProgress: Step = (c) => markUnknown(c, 'StageReady', 'StageRevisionStart');
  const stageReady: Step = (c) => markTrue(c, 'StageReady');
  const lastStageIncomplete: Step = (c) => markUnknown(c, 'LastStageReady', 'RevisionRollingInProgress');
  const lastStageComplete: Step = (c) => markTrue(c, 'LastStageReady');
  const launchNewStage: Step = (c) => lastStageIncomplete(stageInProgress(scaleDownInProgress(scaleUpInProgress(c))));
  const stageFailed = (c: Conditions, message?: string) =>
    markFalse(markFalse(c, 'StageReady', 'StageRevisionRolloutFailed', message), 'LastStageReady', 'RevisionRolloutFailed', message);
  return {
    initialise,
    newGeneration,
    scaleUpReady,
    scaleDownReady,
    scaleUpInProgress,
    scaleDownInProgress,
    stageInProgress,
    stageReady,
    lastStageIncomplete,
    lastStageComplete,
    launchNewStage,
    stageFailed,
  };
}
