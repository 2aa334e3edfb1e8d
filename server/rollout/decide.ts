import type { DecisionVerb } from '@/lib/contract/stage-decision';
import type { Instant } from '@/lib/std/instant';
import { parseInstant, toInstant, toKubeTime } from '@/lib/std/instant';
import { formatRollout } from '@/lib/words/format-rollout';
import { applyEvent } from './control/apply-event';
import { completedOf, pausedAtOf } from './control/control-facts';
import type { PendingDecision, Verdict } from './control/decisions';
import { evaluateDecision } from './control/decisions';
import { evaluateHealth, evaluateProgress } from './control/health';
import type { ControlState } from './control/state';
import { followTerms } from './control/terms';
import { ENGINE_ACTOR, followTarget, startAbort, withSpec } from './control/transitions';
import type { RolloutView } from './control/view';
import { stagePositionOf } from './control/view';
import type { Blocked } from './describe/blocked-decisions';
import { blockedBy, toRefusal } from './describe/blocked-decisions';
import type { StageFault } from './fault';
import type { ManualScaling, Revisions, RolloutStatus } from './model';
import { conclude } from './pass/conclude';
import type { Pass } from './pass/pass';
import { isHalted, isPaused } from './pass/pass';
import { planStage } from './pass/plan-stage';
import { recordManualScaling } from './pass/record-manual-scaling';
import { runPass } from './pass/run-pass';
import { UNGRANTED_MS, withGrant } from './pass/ungranted';
import type { ScalePlan } from './scale';
import { planScales, toScaleInput } from './scale';
import { withTimesOf } from './stage/conditions';
import type { StageAction } from './stage/transaction';

/** How soon it is looked whether what could not be seen can be. */
const RECHECK_MS = 5000;
const NO_SCALES: ScalePlan = { ranges: [], writes: [], waits: [] };

/** Everything one pass looks at. */
export interface Observation {
  readonly view: RolloutView;
  readonly decisions: readonly PendingDecision[];
  /** Verbs that nobody may decide now, and why. */
  readonly decisionsBlockedReason?: ReadonlyMap<DecisionVerb, string> | undefined;
  /** True where the API server ties the names on objects to people. */
  readonly isTied?: boolean;
  /** What somebody else scaled since the last pass. */
  readonly scaledByHand?: readonly ManualScaling[];
  /** When a figure of it changes by time alone, for instance because a pod has been ready long enough. */
  readonly changesAt?: Instant | undefined;
}

export interface EvaluatedDecision extends Pick<Verdict, 'phase' | 'message'> {
  readonly decision: PendingDecision;
}

/** What one pass wants: the parts of the spec that are ours, the status, and writes in order. */
export interface RolloutDecision {
  readonly spec: { readonly stageTargetRevisions: Revisions | undefined; readonly targetFinishTime: string | undefined };
  /** Of status and control, undefined leaves what is stored. */
  readonly status: RolloutStatus | undefined;
  readonly control: ControlState | undefined;
  readonly actions: readonly StageAction[];
  readonly scales: ScalePlan;
  readonly verdicts: readonly EvaluatedDecision[];
  readonly requeueAfterMs: number | undefined;
  readonly fault: StageFault | undefined;
}

/** One pass over one rollout: decisions of people, then the boundary, then the stage. Pure; running it twice on the same changes nothing more. */
export function decide(observation: Observation, now: Instant): RolloutDecision {
  const stuck = blockedBy(observation.view);
  return stuck === undefined ? decideAble(observation, now) : refuse(observation, stuck);
}

/** A rollout that cannot be read, or whose revision another scales, stays as it is: its status says why, and whoever decides is told. */
function refuse({ view, decisions }: Observation, stuck: Blocked): RolloutDecision {
  const { rollout, fault } = view.ro;
  const message = formatRollout(stuck);
  const said = formatRollout(toRefusal(stuck));
  const { stageTargetRevisions, targetFinishTime } = rollout.spec;
  return {
    spec: { stageTargetRevisions, targetFinishTime },
    status: undefined,
    // State that cannot be read is not written over.
    control: fault?.field.startsWith('status.') ? undefined : { ...view.control, phase: 'Degraded', message },
    actions: [],
    scales: NO_SCALES,
    verdicts: decisions.map((decision) => ({ decision, phase: 'Rejected' as const, message: said })),
    // Nothing of this rollout changes when the other lets go.
    requeueAfterMs: fault === undefined ? RECHECK_MS : undefined,
    fault: undefined,
  };
}

function decideAble(
  { view: seen, decisions, changesAt, decisionsBlockedReason, isTied, scaledByHand = [] }: Observation,
  now: Instant,
): RolloutDecision {
  const pass: Pass = { now, wakeAt: changesAt === undefined ? [] : [changesAt] };
  const { view: told, verdicts } = evaluateAll(decisions, followTerms(followTarget(seen, now), now, isTied), {
    now,
    decisionsBlockedReason,
  });
  if (seen.staleKind !== undefined) pass.wakeAt.push(toInstant(now + RECHECK_MS));
  if (seen.ungranted !== undefined) pass.wakeAt.push(toInstant(now + UNGRANTED_MS));
  const evaluated = evaluateHealthOf(settlePause(told, now), pass);
  const planned = planStage(evaluated, pass);
  const run = runPass(planned, pass);
  const after = conclude(planned, run, pass);
  const { spec, status } = after.ro.rollout;
  const scales = seen.ungranted === undefined ? planScales(toScaleInput(after, scaledByHand)) : NO_SCALES;
  const conditions = withGrant(withTimesOf(seen.ro.rollout.status.conditions, status.conditions), seen.ungranted, now);
  return {
    spec: { stageTargetRevisions: spec.stageTargetRevisions, targetFinishTime: spec.targetFinishTime },
    status: { ...status, conditions },
    control: recordManualScaling(after, scaledByHand, scales, now).control,
    actions: seen.ungranted === undefined ? run.actions : run.actions.filter(({ kind }) => kind !== 'Pod'),
    scales,
    verdicts,
    requeueAfterMs: pass.wakeAt.length === 0 ? undefined : Math.max(1, Math.min(...pass.wakeAt) - now),
    fault: pass.fault ?? run.fault,
  };
}

function evaluateAll(
  decisions: readonly PendingDecision[],
  view: RolloutView,
  { now, decisionsBlockedReason }: { readonly now: Instant; readonly decisionsBlockedReason: Observation['decisionsBlockedReason'] },
): { readonly view: RolloutView; readonly verdicts: readonly EvaluatedDecision[] } {
  const inOrder = [...decisions].sort((a, b) =>
    a.createdAt === b.createdAt ? (a.name < b.name ? -1 : 1) : a.createdAt < b.createdAt ? -1 : 1,
  );
  let current = view;
  const verdicts = inOrder.map((decision): EvaluatedDecision => {
    const why = decisionsBlockedReason?.get(decision.spec.verb);
    if (why !== undefined) return { decision, phase: 'Rejected', message: why };
    const { phase, message, view: next } = evaluateDecision(decision, current, now);
    current = next;
    return { decision, phase, message };
  });
  return { view: current, verdicts };
}

/** Notes when a pause began, or that it cannot be seen; when it ended, the time it took counts for no deadline. */
function settlePause(view: RolloutView, now: Instant): RolloutView {
  if (isHalted(view)) return applyEvent(view, { type: 'pauseBegan', at: now });
  const since = parseInstant(pausedAtOf(view.control));
  if (since === undefined) return view;
  const resumed = applyEvent(view, { type: 'pauseEnded', at: now });
  const finish = parseInstant(view.ro.rollout.spec.targetFinishTime);
  return finish === undefined ? resumed : withSpec(resumed, { targetFinishTime: toKubeTime(toInstant(finish + (now - since))) });
}

function evaluateHealthOf(view: RolloutView, pass: Pass): RolloutView {
  const position = stagePositionOf(view);
  if (isPaused(view) || (position !== 'running' && position !== 'between')) return view;
  const { view: sampled, abortBecause, nextSampleAt } = evaluateHealth(view, pass.now);
  if (nextSampleAt !== undefined) pass.wakeAt.push(nextSampleAt);
  if (abortBecause !== undefined) return startAbort(sampled, { actor: ENGINE_ACTOR, reason: abortBecause, now: pass.now });
  return position === 'running' && sampled.staleKind === undefined && sampled.ungranted === undefined
    ? evaluateProgressOf(sampled, pass)
    : sampled;
}

function evaluateProgressOf(view: RolloutView, pass: Pass): RolloutView {
  const { policy } = view.ro;
  const evaluated = evaluateProgress(view, policy, pass.now);
  if (evaluated === undefined) return view;
  const { score, stalled, deadlineAt } = evaluated;
  if (!stalled) pass.wakeAt.push(deadlineAt);
  const next = score === undefined ? view : applyEvent(view, { type: 'progressed', at: pass.now, score });
  if (!stalled || !policy.progressDeadlineAbort) return next;
  const reason = formatRollout({
    id: 'wait.stalled',
    stage: completedOf(view.control) + 1,
    seconds: policy.progressDeadlineSeconds,
    because: null,
  });
  return startAbort(next, { actor: ENGINE_ACTOR, reason, now: pass.now });
}
