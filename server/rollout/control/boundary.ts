import { formatDuration } from '@/lib/std/duration';
import type { Instant } from '@/lib/std/instant';
import { parseInstant, toInstant, toKubeTime } from '@/lib/std/instant';
import type { ControlPolicy } from './policy';
import type { ControlState, HoldReason } from './state';

/** Why a rollout is held between stages. Without an end it waits for a person. Sentences name moments, not what is left, so that they hold still. */
export interface Hold {
  readonly reason: HoldReason;
  readonly sentence: string;
  readonly until?: Instant | undefined;
}

export interface BoundaryInput {
  readonly policy: ControlPolicy;
  readonly control: ControlState;
  readonly pausedBySpec: boolean;
  readonly now: Instant;
}

/** The one place where gates, soak and health of a boundary are judged. Undefined: the next stage may be planned. */
export function judgeBoundary(input: BoundaryInput): Hold | undefined {
  const { control, policy } = input;
  if (control.abort) return undefined;
  return judgePause(input) ?? judgeGate(input) ?? judgeSoak(input) ?? judgeHealth(control, policy);
}

/** The hold of a user's pause, at a boundary or in mid-stage. */
export function judgePause({ control, pausedBySpec }: Pick<BoundaryInput, 'control' | 'pausedBySpec'>): Hold | undefined {
  if (control.abort || (!control.paused && !pausedBySpec)) return undefined;
  const by = control.paused ? 'paused by a person' : 'paused by the policy of the rollout';
  return { reason: 'UserPaused', sentence: `${by}; nothing advances until it is resumed` };
}

/** True when the policy puts a gate after the last completed stage, or before the first. */
export function hasGate({ policy, control }: Pick<BoundaryInput, 'policy' | 'control'>): boolean {
  if (control.promoteFull || control.abort || (control.stable ?? []).length === 0) return false;
  if (control.completedStages === 0) return !policy.autoPromotionEnabled;
  if (policy.gates === 'every-stage') return true;
  if (policy.gates === 'none') return false;
  return policy.gates.some(({ atPercent }) => control.previousPercent < atPercent && atPercent <= control.reachedPercent);
}

/** Who approved the boundary that the rollout is at. */
export function approversOf({ completedStages, approvals }: Pick<ControlState, 'completedStages' | 'approvals'>): readonly string[] {
  return [...new Set(approvals.filter(({ stage }) => stage === completedStages).map(({ actor }) => actor))];
}

function isOpened({ policy, control }: BoundaryInput): boolean {
  return control.advanced === control.completedStages || approversOf(control).length >= policy.approvals.required;
}

function boundarySince({ control, now }: BoundaryInput): Instant {
  return parseInstant(control.completedStages > 0 ? control.stageReadyAt : control.rollout?.startedAt) ?? now;
}

function judgeGate(input: BoundaryInput): Hold | undefined {
  if (!hasGate(input) || isOpened(input)) return undefined;
  const { control, policy, now } = input;
  const { duration } = policy.pause;
  const until = duration === undefined ? undefined : toInstant(boundarySince(input) + duration);
  if (until !== undefined && now >= until) return undefined;
  const given = approversOf(control);
  const { required } = policy.approvals;
  const place = control.completedStages === 0 ? 'the gate before stage 1' : `the gate after stage ${control.completedStages}`;
  const has = given.length === 0 ? 'none' : `${given.length} (${given.join(', ')})`;
  const opens = until === undefined ? '' : `; it opens by itself at ${toKubeTime(until)}`;
  return { reason: 'StageGate', sentence: `${place} wants ${required} ${required === 1 ? 'approval' : 'approvals'}, has ${has}${opens}`, until };
}

function judgeSoak(input: BoundaryInput): Hold | undefined {
  const { control, policy, now } = input;
  if (policy.requiredSoakTime === 0 || control.completedStages === 0 || control.promoteFull || isOpened(input)) return undefined;
  const until = toInstant(boundarySince(input) + policy.requiredSoakTime);
  if (now >= until) return undefined;
  const sentence = `stage ${control.completedStages} must stay healthy for ${formatDuration(policy.requiredSoakTime)}, until ${toKubeTime(until)}`;
  return { reason: 'SoakTime', sentence, until };
}

function judgeHealth({ health }: ControlState, { autoAbort }: ControlPolicy): Hold | undefined {
  if (autoAbort.failureLimit === undefined || health.consecutiveErrors <= autoAbort.consecutiveErrorLimit) return undefined;
  return {
    reason: 'HealthUnknown',
    sentence: `health could not be read ${health.consecutiveErrors} times in a row, ${autoAbort.consecutiveErrorLimit} are allowed`,
  };
}
