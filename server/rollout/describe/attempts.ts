import { gatesAt } from '../control/boundary';
import type { Judgement } from '../control/judgement';
import type { AttemptRecord } from '../control/state';
import type { RolloutView } from '../control/view';
import { courseSpec, targetNameOf } from '../control/view';
import type { AttemptDescription, AttemptOutcome, GateState, StageDescription } from './description';
import { describeRecord } from './rail';

/** Names of the revisions that the present attempt started from. */
export function namesBefore(view: RolloutView): readonly string[] {
  const target = targetNameOf(view);
  const { control, ro } = view;
  const before = control.rollout === undefined ? (ro.rollout.spec.initialRevisions ?? []) : (control.stable ?? []);
  const given = before.length > 0 ? before : (ro.rollout.spec.initialRevisions ?? []);
  return given.map(({ revisionName }) => revisionName).filter((name) => name !== target);
}

/** The present attempt; null before the first target. */
export function describeAttempt(view: RolloutView, judgement: Judgement, stages: readonly StageDescription[]): AttemptDescription | null {
  const { rollout, stages: records } = view.control;
  if (rollout === undefined) return null;
  const outcome = outcomeOf(judgement);
  return {
    id: `${rollout.id}/${rollout.startedAt}`,
    kind: rollout.kind ?? 'rollout',
    from: namesBefore(view),
    to: targetNameOf(view),
    startedAt: rollout.startedAt,
    endedAt: outcome === 'under-way' ? null : (records.at(-1)?.endedAt ?? null),
    outcome,
    firstGate: firstGate(view),
    stages,
  };
}

function outcomeOf({ standing }: Judgement): AttemptOutcome {
  if (standing === 'complete') return 'completed';
  return standing === 'aborted' ? 'aborted' : 'under-way';
}

function firstGate(view: RolloutView): GateState {
  const { control, ro } = view;
  if ((control.stable ?? []).length === 0 || !gatesAt(ro.policy, { stage: 0, before: 0, percent: 0 })) return 'none';
  const isBefore = control.completedStages === 0 && courseSpec(view).stageTargetRevisions === undefined;
  return isBefore && !control.abort ? 'closed' : 'open';
}

/** An attempt that is over. */
export function describePast(view: RolloutView, { id, kind, from, to, startedAt, endedAt, outcome, stages }: AttemptRecord): AttemptDescription {
  const told = stages.map((stage) => ({ ...describeRecord(view, stage, to), gate: 'none' as const }));
  return { id, kind, from, to, startedAt, endedAt, outcome, firstGate: 'none', stages: told };
}
