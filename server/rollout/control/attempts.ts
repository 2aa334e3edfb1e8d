import type { Instant } from '@/lib/std/instant';
import { toIso } from '@/lib/std/instant';
import { abortOf, attemptOf } from './control-facts';
import type { Attempt, AttemptRecord, ControlState, PassedGate, PlannedRevision, StageRecord, StateOf, Vote } from './state';

/** Kept beside the present one. Older ones are on record. */
const MAX_PAST = 2;
const MAX_STAGES = 50;

/** Notes that a stage began. */
export function withStageStarted(
  attempt: Attempt,
  {
    index,
    way,
    stage,
    at,
  }: { readonly index: number; readonly way: StageRecord['way']; readonly stage: readonly PlannedRevision[]; readonly at: Instant },
): Attempt {
  const record: StageRecord = { index, way, startedAt: toIso(at), revisions: stage };
  const others = attempt.stages.filter((one) => one.index !== index || one.way !== way);
  return { ...attempt, stages: [...others, record].slice(-MAX_STAGES) };
}

/** Who voted for going past gates in this way, at the stage where the rollout is. */
export function votersFor(verb: Vote['verb'], { votes }: Pick<StateOf<'boundary'>, 'votes'>): PassedGate['by'] {
  return votes.filter((vote) => vote.verb === verb).map(({ actor, at }) => ({ actor, verb, at }));
}

/** Notes who went past the gate at which the rollout stood. */
export function withGatePassed(state: StateOf<'boundary'>, at: Instant): Attempt {
  const { attempt, approvals, advanced, stage } = state;
  const approvers = approvals.map((approval) => ({ ...approval, verb: 'approve' as const }));
  const by = attempt.full ? (attempt.promotedBy ?? []) : advanced ? votersFor('advance', state) : approvers;
  const others = (attempt.gates ?? []).filter((gate) => gate.stage !== stage);
  return { ...attempt, gates: [...others, { stage, at: toIso(at), by }].slice(-MAX_STAGES) };
}

/** Notes that the stage under way is over: reached, with what was ready then, or given up. */
export function withStageEnded(
  attempt: Attempt,
  { failed, ready, at }: { readonly failed: boolean; readonly ready: ReadonlyMap<string, number>; readonly at: Instant },
): Attempt {
  const last = attempt.stages.at(-1);
  if (last === undefined || last.endedAt !== undefined) return attempt;
  const revisions = last.revisions.map((one) => ({ ...one, ready: ready.get(one.revision) ?? 0 }));
  const ended: StageRecord = { ...last, endedAt: toIso(at), revisions, ...(failed ? { failed } : {}) };
  return { ...attempt, stages: [...attempt.stages.slice(0, -1), ended] };
}

/** The attempts that are over once the present one is left for another. */
export function pastAfter(control: ControlState, now: Instant): readonly AttemptRecord[] {
  const attempt = attemptOf(control);
  if (attempt === undefined) return control.past;
  const outcome = abortOf(control) !== undefined ? 'aborted' : control.state === 'done' ? 'completed' : 'superseded';
  const { id, kind, stable, target, startedAt, stages, gates } = attempt;
  const over: AttemptRecord = {
    id: `${id}/${startedAt}`,
    kind,
    from: stable.map(({ revisionName }) => revisionName),
    to: target[0]?.revisionName ?? '',
    startedAt,
    endedAt: stages.at(-1)?.endedAt ?? toIso(now),
    outcome,
    stages,
    ...(gates === undefined ? {} : { gates }),
  };
  return [...control.past, over].slice(-MAX_PAST);
}
