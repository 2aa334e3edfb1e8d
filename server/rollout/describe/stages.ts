import { abortOf, attemptOf, stableOf } from '../control/control-facts';
import { hasGateAt } from '../control/gates';
import type { PassedGate, StageRecord } from '../control/state';
import type { RolloutView } from '../control/view';
import { entryOf, readyOf, targetNameOf } from '../control/view';
import { readDirection } from '../model';
import type { PlannedStage } from '../pass/remaining-stages';
import { countOf } from '../pass/remaining-stages';
import { shareOf } from './changes';
import type { GatePassed, GateState, StageDescription, StageRevision } from './description';

/** A stage to come. */
export function describePlanned(view: RolloutView, stage: PlannedStage): StageDescription {
  const way = abortOf(view.control) === undefined ? 'forward' : 'back';
  return {
    index: stage.index,
    way,
    outcome: 'planned',
    gate: stage.isGated ? 'closed' : 'none',
    gatePassed: null,
    // Of the target, on the way back too, where the planner goes to another one.
    percent: entryOf(stage.revisions, targetNameOf(view))?.percent ?? 0,
    revisions: stage.revisions.map((revision): StageRevision => {
      const { revisionName, percent } = revision;
      const { replicas, exact } = countOf(stage, revisionName);
      return {
        revision: revisionName,
        direction: readDirection(revision),
        planned: { percent: percent ?? 0, replicas, exact },
        observed: null,
      };
    }),
    startedAt: null,
    endedAt: null,
  };
}

/** The stages of the present attempt: those behind, the one under way, and those to come as the engine will go through them. */
export function describeStages(
  view: RolloutView,
  ahead: readonly PlannedStage[],
  planned: readonly StageDescription[],
): readonly StageDescription[] {
  const { control } = view;
  const way = abortOf(control) === undefined ? 'forward' : 'back';
  const held = new Map<string, StageDescription>();
  for (const record of attemptOf(control)?.stages ?? []) held.set(`${record.way}/${record.index}`, describeRecord(view, record));
  for (const [at, stage] of planned.entries()) {
    const key = `${way}/${stage.index}`;
    held.set(key, ahead[at]?.isCurrent ? current(view, stage, held.get(key)) : stage);
  }
  return [...held.values()];
}

function current(view: RolloutView, planned: StageDescription, noted: StageDescription | undefined): StageDescription {
  const ready = readyOf(view);
  const revisions = planned.revisions.map((one) => ({
    ...one,
    observed: { replicas: ready.get(one.revision) ?? 0, percent: shareOf(ready, one.revision) },
  }));
  return { ...planned, outcome: 'current', revisions, startedAt: noted?.startedAt ?? null };
}

/** A stage that is over, or that was given up when the attempt was. */
export function describeRecord(
  view: RolloutView,
  record: StageRecord,
  { target, gates }: { readonly target: string; readonly gates: readonly PassedGate[] | undefined } = {
    target: targetNameOf(view),
    gates: attemptOf(view.control)?.gates,
  },
): StageDescription {
  const percent = percentOf(record, target);
  const ready = new Map(record.revisions.flatMap(({ revision, ready: count }) => (count === undefined ? [] : [[revision, count]])));
  const isOver = record.endedAt !== undefined;
  return {
    index: record.index,
    way: record.way,
    outcome: record.failed ? 'failed' : isOver ? 'done' : 'skipped',
    gate: gateOf(view, record, percent),
    gatePassed: record.way === 'forward' ? passedAt(gates, record.index) : null,
    percent,
    revisions: record.revisions.map(
      ({ revision, direction, percent: planned, replicas, exact }): StageRevision => ({
        revision,
        direction,
        planned: { percent: planned ?? 0, replicas: replicas ?? null, exact: exact ?? 'exactly' },
        observed: isOver ? observedOf(ready, revision) : null,
      }),
    ),
    startedAt: record.startedAt ?? null,
    endedAt: record.endedAt ?? null,
  };
}

/** What ran of a revision when its stage ended; nothing is known of it where an earlier release kept the percent alone. */
function observedOf(ready: ReadonlyMap<string, number>, revision: string): StageRevision['observed'] {
  const replicas = ready.get(revision);
  return replicas === undefined ? null : { replicas, percent: shareOf(ready, revision) };
}

/** Who went past the gate of a stage, and when. */
export function passedAt(gates: readonly PassedGate[] | undefined, stage: number): GatePassed | null {
  const gate = gates?.find((one) => one.stage === stage);
  return gate === undefined ? null : { at: gate.at, by: gate.by };
}

function percentOf(record: StageRecord, target: string): number {
  return record.revisions.find(({ revision }) => revision === target)?.percent ?? 0;
}

/** The gate after a stage that is over: closed while the rollout stands at it, and for good where it was aborted there. */
function gateOf(view: RolloutView, record: StageRecord, percent: number): GateState {
  const { control, ro } = view;
  const isLast = percent >= 100 || (control.state === 'done' && control.stage === record.index);
  if (record.way === 'back' || record.failed || isLast || stableOf(control).length === 0) return 'none';
  const forward = attemptOf(control)?.stages.filter(({ way }) => way === 'forward') ?? [];
  const earlier = forward.find(({ index }) => index === record.index - 1);
  const before = earlier === undefined ? 0 : percentOf(earlier, targetNameOf(view));
  if (!hasGateAt(ro.policy, { stage: record.index, before, percent })) return 'none';
  const standsHere = control.state === 'boundary' && control.stage === record.index;
  const endedHere = abortOf(control) !== undefined && !forward.some(({ index }) => index > record.index);
  return standsHere || endedHere ? 'closed' : 'open';
}
