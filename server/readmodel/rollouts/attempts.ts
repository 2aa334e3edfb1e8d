import type { AttemptView, GatePassedView, StageView } from '@/lib/contract/rollout-rows';
import type { AttemptDescription, GatePassed, RolloutDescription, StageDescription } from '@/server/rollout';

/** The attempts of a rollout as its page shows them, the present one first. */
export function toAttempts({ attempt, past }: RolloutDescription): AttemptView[] {
  return [...(attempt === null ? [] : [attempt]), ...past].map(toAttempt);
}

function toAttempt({
  id,
  kind,
  from,
  to,
  outcome,
  firstGate,
  firstGatePassed,
  stages,
  startedAt,
  endedAt,
}: AttemptDescription): AttemptView {
  return {
    key: id,
    kind,
    from: [...from],
    to,
    outcome,
    firstGate,
    firstGatePassed: toPassed(firstGatePassed),
    stages: stages.map(toStage),
    startedAt,
    endedAt,
  };
}

function toStage(stage: StageDescription): StageView {
  const { index, way, outcome, gate, gatePassed, percent, revisions, startedAt, endedAt } = stage;
  const entries = revisions.map(({ revision, direction, planned, observed }) => ({ revision, direction, ...planned, observed }));
  return { index, way, state: outcome, gate, gatePassed: toPassed(gatePassed), percent, entries, startedAt, finishedAt: endedAt };
}

function toPassed(passed: GatePassed | null): GatePassedView | null {
  return passed && { at: passed.at, by: passed.by.map(({ actor, verb, at }) => ({ user: actor, verb, at })) };
}
