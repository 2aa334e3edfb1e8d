import type { Instant } from '@/lib/std/instant';
import { parseInstant, toInstant, toKubeTime } from '@/lib/std/instant';
import type { WaitMessage } from '@/lib/words/rollout-message';
import type { ControlPolicy } from '../policy/control-policy';
import type { ControlState, HoldReason } from './state';

/** Why a rollout is held between stages. Without an end it waits for a person. Messages name moments, not what is left, so that they hold still. */
export interface Hold {
  readonly reason: HoldReason;
  readonly message: WaitMessage;
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
  return { reason: 'UserPaused', message: { id: 'wait.paused', by: control.paused ? 'person' : 'policy' } };
}

/** The end of a stage that is not the last: its number, and the percent of the target before and after it. Number 0 is the start. */
export interface StageEnd {
  readonly stage: number;
  readonly before: number;
  readonly percent: number;
}

/** The gate rule: whether a policy puts a gate at the end of a stage. */
export function gatesAt(policy: ControlPolicy, { stage, before, percent }: StageEnd): boolean {
  if (stage === 0) return !policy.autoPromotionEnabled;
  if (policy.gates === 'every-stage') return true;
  if (policy.gates === 'none') return false;
  return policy.gates.some(({ atPercent }) => before < atPercent && atPercent <= percent);
}

/** True when the rollout will be held at the end of a stage: nobody skips its gates, and there is a side to stay with. */
export function isGated({ policy, control }: Pick<BoundaryInput, 'policy' | 'control'>, end: StageEnd): boolean {
  if (control.promoteFull || control.abort || (control.stable ?? []).length === 0) return false;
  return gatesAt(policy, end);
}

/** True when the policy puts a gate at the boundary that the rollout is at. */
function hasGate({ policy, control }: Pick<BoundaryInput, 'policy' | 'control'>): boolean {
  return isGated({ policy, control }, { stage: control.completedStages, before: control.previousPercent, percent: control.reachedPercent });
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
  const { required, groups } = policy.approvals;
  const opensAt = until === undefined ? null : toKubeTime(until);
  const message: WaitMessage = { id: 'wait.gate', stage: control.completedStages, required, given: approversOf(control), groups, opensAt };
  return { reason: 'StageGate', message, until };
}

function judgeSoak(input: BoundaryInput): Hold | undefined {
  const { control, policy, now } = input;
  if (policy.requiredSoakTime === 0 || control.completedStages === 0 || control.promoteFull || isOpened(input)) return undefined;
  const until = toInstant(boundarySince(input) + policy.requiredSoakTime);
  if (now >= until) return undefined;
  const message: WaitMessage = { id: 'wait.soak', stage: control.completedStages, ms: policy.requiredSoakTime, until: toKubeTime(until) };
  return { reason: 'SoakTime', message, until };
}

function judgeHealth({ health }: ControlState, { autoAbort }: ControlPolicy): Hold | undefined {
  if (autoAbort.failureLimit === undefined || health.consecutiveErrors <= autoAbort.consecutiveErrorLimit) return undefined;
  return {
    reason: 'HealthUnknown',
    message: { id: 'wait.health-unknown', errors: health.consecutiveErrors, allowed: autoAbort.consecutiveErrorLimit },
  };
}
