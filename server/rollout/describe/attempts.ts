import { abortOf, attemptOf, completedOf, stableOf } from '../control/control-facts';
import type { Evaluation } from '../control/evaluation';
import { hasGateAt } from '../control/gates';
import type { AttemptRecord } from '../control/state';
import type { RolloutView } from '../control/view';
import { activeTargets, targetNameOf } from '../control/view';
import type { AttemptDescription, AttemptOutcome, GatePassed, GateState, StageDescription } from './description';
import { describeRecord, passedAt } from './stages';

/** Names of the revisions that the present attempt started from. */
export function previousRevisionNames(view: RolloutView): readonly string[] {
  const target = targetNameOf(view);
  const { control, ro } = view;
  const before = stableOf(control);
  const given = before.length > 0 ? before : (ro.rollout.spec.initialRevisions ?? []);
  return given.map(({ revisionName }) => revisionName).filter((name) => name !== target);
}

/** The present attempt; null before the first target. */
export function describeAttempt(view: RolloutView, evaluation: Evaluation, stages: readonly StageDescription[]): AttemptDescription | null {
  const attempt = attemptOf(view.control);
  if (attempt === undefined) return null;
  const outcome = outcomeOf(evaluation);
  return {
    id: `${attempt.id}/${attempt.startedAt}`,
    kind: attempt.kind,
    from: previousRevisionNames(view),
    to: targetNameOf(view),
    startedAt: attempt.startedAt,
    endedAt: outcome === 'under-way' ? null : (attempt.stages.at(-1)?.endedAt ?? (abortOf(view.control)?.since || null)),
    outcome,
    firstGate: firstGate(view),
    firstGatePassed: passedAt(attempt.gates, 0),
    stages,
  };
}

function outcomeOf({ position }: Evaluation): AttemptOutcome {
  if (position === 'complete') return 'completed';
  return position === 'aborted' ? 'aborted' : 'under-way';
}

function firstGate(view: RolloutView): GateState {
  const { control, ro } = view;
  if (stableOf(control).length === 0 || !hasGateAt(ro.policy, { stage: 0, before: 0, percent: 0 })) return 'none';
  const isBefore = completedOf(control) === 0 && activeTargets(view).stageTargetRevisions === undefined;
  // Nobody opened it where the rollout was aborted there; on the way back from a stage it is behind.
  return isBefore && control.state !== 'returning' ? 'closed' : 'open';
}

/** An attempt that is over. */
export function describePast(
  view: RolloutView,
  { id, kind, from, to, startedAt, endedAt, outcome, stages, gates }: AttemptRecord,
): AttemptDescription {
  // Its policy is not kept: what tells of a gate is that somebody, or time, went past it.
  const gateOf = (passed: GatePassed | null): GateState => (passed === null ? 'none' : 'open');
  const told = stages.map((stage) => {
    const record = describeRecord(view, stage, { target: to, gates });
    return { ...record, gate: gateOf(record.gatePassed) };
  });
  const firstGatePassed = passedAt(gates, 0);
  return { id, kind, from, to, startedAt, endedAt, outcome, firstGate: gateOf(firstGatePassed), firstGatePassed, stages: told };
}
