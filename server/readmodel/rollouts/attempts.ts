import type { AttemptView, StageView } from '@/lib/contract/rollout-rows';
import type { AttemptDescription, RolloutDescription, StageDescription } from '@/server/rollout';

/** The attempts of a rollout as its page shows them, the present one first. */
export function toAttempts({ attempt, past }: RolloutDescription): AttemptView[] {
  return [...(attempt === null ? [] : [attempt]), ...past].map(toAttempt);
}

function toAttempt({ id, kind, from, to, outcome, firstGate, stages, startedAt, endedAt }: AttemptDescription): AttemptView {
  return { key: id, kind, from: [...from], to, outcome, firstGate, stages: stages.map(toStage), startedAt, endedAt };
}

function toStage({ index, way, outcome, gate, percent, revisions, startedAt, endedAt }: StageDescription): StageView {
  const entries = revisions.map(({ revision, direction, planned, observed }) => ({ revision, direction, ...planned, observed }));
  return { index, way, state: outcome, gate, percent, entries, startedAt, finishedAt: endedAt };
}
