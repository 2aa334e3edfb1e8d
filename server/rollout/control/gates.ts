import type { Instant } from '@/lib/std/instant';
import { parseInstant, toInstant, toKubeTime } from '@/lib/std/instant';
import type { WaitMessage } from '@/lib/words/rollout-message';
import type { StaleKind } from '../model';
import type { ControlPolicy } from '../policy/control-policy';
import { abortOf, attemptOf, isPausedByPerson, pausedBecauseOf, stableOf } from './control-facts';
import { votersOf } from './quorum';
import type { ControlState, StateOf } from './state';

export type HoldReason = 'UserPaused' | 'StageGate' | 'SoakTime' | 'HealthUnknown' | 'NotGranted';

/** Why a rollout is held between stages. Without an end it waits for a person. Messages name moments, not what is left, so that they hold still. */
export interface Hold {
  readonly reason: HoldReason;
  readonly message: WaitMessage;
  readonly until?: Instant | undefined;
}

export interface GateInput {
  readonly policy: ControlPolicy;
  readonly control: ControlState;
  readonly pausedBySpec: boolean;
  readonly staleKind?: StaleKind | undefined;
  readonly ungranted?: string | undefined;
  readonly now: Instant;
}

/** The one place where gates, soak and health of a boundary are judged. Undefined: the next stage may be planned. */
export function evaluateGates(input: GateInput): Hold | undefined {
  const { control } = input;
  if (abortOf(control) !== undefined) return undefined;
  if (control.state !== 'boundary') return evaluatePause(input) ?? evaluateAccess(input);
  const at = { ...input, control };
  return evaluatePause(input) ?? evaluateApprovalGate(at) ?? evaluateAccess(input) ?? evaluateSoak(at) ?? evaluateHealth(at);
}

/** The hold of a user's pause, at a boundary or in mid-stage. */
export function evaluatePause({ control, pausedBySpec }: Pick<GateInput, 'control' | 'pausedBySpec'>): Hold | undefined {
  const byPerson = isPausedByPerson(control);
  if (abortOf(control) !== undefined || (!byPerson && !pausedBySpec)) return undefined;
  const because = pausedBecauseOf(control);
  return {
    reason: 'UserPaused',
    message: because === undefined ? { id: 'wait.paused', by: byPerson ? 'person' : 'policy' } : { id: 'wait.held', because },
  };
}

/** The hold of what may not be moved, or cannot be seen: nothing is passed, and nothing aborted, by a copy of some time ago. */
export function evaluateAccess({ staleKind, ungranted }: Pick<GateInput, 'staleKind' | 'ungranted'>): Hold | undefined {
  if (ungranted !== undefined) return { reason: 'NotGranted', message: { id: 'wait.ungranted', why: ungranted } };
  if (staleKind === undefined) return undefined;
  const { of, kind, since, reason } = staleKind;
  return { reason: 'HealthUnknown', message: { id: 'wait.blind', of, since: toKubeTime(since), reason, forbidden: kind === 'forbidden' } };
}

/** The end of a stage that is not the last: its number, and the percent of the target before and after it. Number 0 is the start. */
export interface StageEnd {
  readonly stage: number;
  readonly before: number;
  readonly percent: number;
}

/** The gate rule: whether a policy puts a gate at the end of a stage. */
export function hasGateAt(policy: ControlPolicy, { stage, before, percent }: StageEnd): boolean {
  if (stage === 0) return !policy.autoPromotionEnabled;
  if (policy.gates === 'every-stage') return true;
  if (policy.gates === 'none') return false;
  return policy.gates.some(({ atPercent }) => before < atPercent && atPercent <= percent);
}

/** True when the rollout will be held at the end of a stage: nobody skips its gates, and there is a side to stay with. */
export function isGated({ policy, control }: Pick<GateInput, 'policy' | 'control'>, end: StageEnd): boolean {
  if (attemptOf(control)?.full === true || abortOf(control) !== undefined || stableOf(control).length === 0) return false;
  return hasGateAt(policy, end);
}

interface AtBoundary extends GateInput {
  readonly control: StateOf<'boundary'>;
}

function isOpened({ policy, control }: AtBoundary): boolean {
  return control.advanced || votersOf('approve', control).length >= policy.approvals.required;
}

function evaluateApprovalGate(input: AtBoundary): Hold | undefined {
  const { control, policy, now } = input;
  if (!isGated(input, control) || isOpened(input)) return undefined;
  const { duration } = policy.pause;
  const until = duration === undefined ? undefined : toInstant((parseInstant(control.since) ?? now) + duration);
  if (until !== undefined && now >= until) return undefined;
  const { required, groups } = policy.approvals;
  const opensAt = until === undefined ? null : toKubeTime(until);
  const message: WaitMessage = { id: 'wait.gate', stage: control.stage, required, given: votersOf('approve', control), groups, opensAt };
  return { reason: 'StageGate', message, until };
}

function evaluateSoak(input: AtBoundary): Hold | undefined {
  const { control, policy, now } = input;
  if (policy.requiredSoakTime === 0 || control.stage === 0 || control.attempt.full || isOpened(input)) return undefined;
  const until = toInstant((parseInstant(control.since) ?? now) + policy.requiredSoakTime);
  if (now >= until) return undefined;
  const message: WaitMessage = { id: 'wait.soak', stage: control.stage, ms: policy.requiredSoakTime, until: toKubeTime(until) };
  return { reason: 'SoakTime', message, until };
}

function evaluateHealth({ control: { health }, policy: { autoAbort } }: AtBoundary): Hold | undefined {
  if (autoAbort.failureLimit === undefined || health.consecutiveErrors <= autoAbort.consecutiveErrorLimit) return undefined;
  return {
    reason: 'HealthUnknown',
    message: { id: 'wait.health-unknown', errors: health.consecutiveErrors, allowed: autoAbort.consecutiveErrorLimit },
  };
}
