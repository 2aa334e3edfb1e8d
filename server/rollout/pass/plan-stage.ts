import type { Instant } from '@/lib/std/instant';
import { parseInstant, toInstant, toKubeTime } from '@/lib/std/instant';
import { applyEvent } from '../control/apply-event';
import { abortOf, stableOf } from '../control/control-facts';
import { hasGateAt } from '../control/gates';
import type { PlannedRevision } from '../control/state';
import { withConditions, withSpec } from '../control/transitions';
import type { RolloutView } from '../control/view';
import { activeTargets, isStageOpen, scalesOfView, stagePositionOf } from '../control/view';
import { getStageFault } from '../fault';
import type { Revisions, TargetRevision } from '../model';
import { readDirection } from '../model';
import { evaluateOverdue } from '../planning/overdue';
import { manageRolloutConditions } from '../stage/conditions';
import type { Pass } from './pass';
import { holdOf, isHalted } from './pass';
import type { PlannedStage } from './remaining-stages';
import { configOf, countOf, remainingStages } from './remaining-stages';

/** The planner's turn: the next stage at an open boundary, moved traffic in an overdue stage, else nothing. */
export function planStage(view: RolloutView, pass: Pass): RolloutView {
  const position = stagePositionOf(view);
  try {
    if (position === 'between') return planNext(view, pass);
    if (position === 'running' && !isStageOpen(view)) return resume(view, pass.now);
    return position === 'running' && !isHalted(view) && abortOf(view.control) === undefined ? shiftOverdue(view, pass) : view;
  } catch (error) {
    pass.fault = getStageFault(error);
    if (pass.fault === undefined) throw error;
    return view;
  }
}

function planNext(view: RolloutView, { now }: Pass): RolloutView {
  if (holdOf(view, now) !== undefined) return view;
  const [next] = remainingStages(view);
  if (next === undefined) return view;
  const finish =
    next.finish === 'keep' ? view.ro.rollout.spec.targetFinishTime : toKubeTime(toInstant(now + next.finish.inMinutes * 60_000));
  return launch(withSpec(view, { stageTargetRevisions: next.revisions, targetFinishTime: finish }), next, now);
}

/** A crash came between writing the stage and noting it. */
function resume(view: RolloutView, now: Instant): RolloutView {
  const [current] = remainingStages(view);
  return current === undefined ? view : launch(view, current, now);
}

/** Puts a stage under way, and notes what it is to make of each revision: what its bounds do, and not only what it moves traffic for. */
function launch(view: RolloutView, planned: PlannedStage, now: Instant): RolloutView {
  const launched = withConditions(view, manageRolloutConditions(now).launchNewStage(view.ro.rollout.status.conditions));
  const { control, ro } = view;
  const isPastGate = control.state === 'boundary' && stableOf(control).length > 0 && hasGateAt(ro.policy, control);
  return applyEvent(launched, {
    type: 'stageStarted',
    at: now,
    stage: planned.revisions.map((revision) => toPlanned(planned, revision)),
    isPastGate,
  });
}

function toPlanned(stage: PlannedStage, revision: TargetRevision): PlannedRevision {
  const { replicas, exact } = countOf(stage, revision.revisionName);
  const planned = { revision: revision.revisionName, direction: readDirection(revision), percent: revision.percent, replicas };
  return exact === 'exactly' ? planned : { ...planned, exact };
}

function sharesOf(stage: Revisions): number {
  return stage.reduce((sum, { percent = 0 }) => sum + percent, 0);
}

function shiftOverdue(view: RolloutView, pass: Pass): RolloutView {
  const { rollout, config } = view.ro;
  const finish = parseInstant(rollout.spec.targetFinishTime);
  const offset = finish === undefined ? undefined : (finish - pass.now) / 1000;
  const workloads = [...view.workloads.values()];
  const input = {
    ro: { spec: activeTargets(view), status: rollout.status },
    config: configOf(view),
    scales: scalesOfView(view),
    workloads,
  };
  try {
    const due = evaluateOverdue({ ...input, finishOffsetSeconds: offset });
    if (due.action === 'wait') pass.wakeAt.push(toInstant(pass.now + due.remainingSeconds * 1000 + 1));
    // An old side that has no traffic left has none to give; what it still has is pods.
    if (due.action !== 'shift' || sharesOf(due.stageTargetRevisions) > 100) return view;
    pass.wakeAt.push(toInstant(pass.now + due.requeueAfterSeconds * 1000));
    const targetFinishTime = toKubeTime(toInstant(pass.now + due.finishInMinutes * 60_000));
    return withSpec(view, { stageTargetRevisions: due.stageTargetRevisions, targetFinishTime });
  } catch (error) {
    // An overdue stage whose pods are missing is not shifted; it is looked at again after another period.
    if (getStageFault(error) === undefined) throw error;
    pass.wakeAt.push(toInstant(pass.now + config.stageRolloutTimeoutMinutes * 60_000));
    return view;
  }
}
