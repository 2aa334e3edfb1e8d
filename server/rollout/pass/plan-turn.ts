import { deepEqual } from '@/lib/std/deep-equal';
import type { Instant } from '@/lib/std/instant';
import { parseInstant, toInstant, toIso, toKubeTime } from '@/lib/std/instant';
import { withConditions, withSpec } from '../control/course';
import { emptyControl } from '../control/state';
import type { RolloutView } from '../control/view';
import { courseSpec, scalesOfView, standingOf } from '../control/view';
import { getStageFault } from '../fault';
import type { Revisions } from '../model';
import type { Scales } from '../planning/gauge';
import { nextStage } from '../planning/next-stage';
import { judgeOverdue } from '../planning/overdue';
import { planRollout } from '../planning/plan-rollout';
import { isUnknown, rolloutMarks } from '../stage/conditions';
import { strategyOf } from '../stage/steps';
import type { Pass } from './pass';
import { configOf, holdOf, isPaused } from './pass';

/** The planner's turn: the next stage at an open boundary, moved traffic in an overdue stage, else nothing. */
export function plan(view: RolloutView, pass: Pass): RolloutView {
  const standing = standingOf(view);
  try {
    if (standing === 'between') return planNext(view, pass);
    if (standing === 'running' && !isUnknown(view.ro.rollout.status.conditions, 'StageReady')) return launch(view, pass.now);
    return standing === 'running' && !isPaused(view) && !view.control.abort ? shiftOverdue(view, pass) : view;
  } catch (error) {
    pass.fault = getStageFault(error);
    if (pass.fault === undefined) throw error;
    return view;
  }
}

function planNext(view: RolloutView, pass: Pass): RolloutView {
  const { now } = pass;
  const hold = holdOf(view, now);
  const counted = { ...view, control: { ...view.control, stageCount: countStages(view) } };
  if (hold !== undefined) {
    if (hold.until !== undefined) pass.wakeAt.push(hold.until);
    return counted;
  }
  const { rollout } = view.ro;
  const spec = courseSpec(view);
  const next = nextStage({ spec, status: rollout.status }, configOf(view), planningScales(view));
  // The target alone serves already, only with other bounds: a stage of it alone brings the rollout to its end.
  const stage = next.stageTargetRevisions ?? spec.targetRevisions ?? [];
  const finish = next.finish === 'keep' ? rollout.spec.targetFinishTime : toKubeTime(toInstant(now + next.finish.inMinutes * 60_000));
  const stuck = deepEqual(stage, rollout.spec.stageTargetRevisions ?? []);
  return stuck ? counted : launch(withSpec(counted, { stageTargetRevisions: stage, targetFinishTime: finish }), now);
}

/** Puts a stage under way. The same is done after a crash between writing the stage and noting it. */
function launch(view: RolloutView, now: Instant): RolloutView {
  const launched = withConditions(view, rolloutMarks(now).launchNewStage(view.ro.rollout.status.conditions));
  const { control } = view;
  return {
    ...launched,
    control: {
      ...control,
      currentStageIndex: control.completedStages + 1,
      stageStartedAt: toIso(now),
      stageReadyAt: undefined,
      progress: undefined,
      health: emptyControl().health,
    },
  };
}

function countStages(view: RolloutView): number {
  const spec = courseSpec(view);
  const { control, ro } = view;
  const initial = control.completedStages > 0 ? ro.rollout.status.stageRevisionStatus : spec.initialRevisions;
  try {
    const left = planRollout({ config: configOf(view), initialRevisions: initial, targetRevisions: spec.targetRevisions ?? [], scales: planningScales(view) });
    return control.completedStages + left.length;
  } catch (error) {
    if (getStageFault(error) === undefined) throw error;
    return control.stageCount; // nobody reports scales yet: what was planned before is the best estimate
  }
}

function sharesOf(stage: Revisions): number {
  return stage.reduce((sum, { percent = 0 }) => sum + percent, 0);
}

/**
 * Scales to plan with. A revision that should carry its share of the floor counts as having it: planning on fewer, after pods
 * died or a retarget cut a stage short, would ask for a lowering that availability can never grant.
 */
function planningScales(view: RolloutView): Scales {
  const scales = scalesOfView(view);
  const spec = courseSpec(view);
  if (strategyOf(spec.rolloutStrategy) !== 'availability') return scales;
  const start = (spec.stageTargetRevisions === undefined ? spec.initialRevisions : view.ro.rollout.status.stageRevisionStatus) ?? [];
  const actual = new Map(scales.actual);
  for (const { revisionName, percent = 0 } of start) {
    const held = actual.get(revisionName);
    if (held !== undefined) actual.set(revisionName, Math.max(held, Math.floor((view.control.floor * percent) / 100)));
  }
  return { ...scales, actual };
}

function shiftOverdue(view: RolloutView, pass: Pass): RolloutView {
  const { rollout, config } = view.ro;
  const finish = parseInstant(rollout.spec.targetFinishTime);
  const offset = finish === undefined ? undefined : (finish - pass.now) / 1000;
  const workloads = [...view.workloads.values()];
  const input = { ro: { spec: courseSpec(view), status: rollout.status }, config: configOf(view), scales: scalesOfView(view), workloads };
  try {
    const due = judgeOverdue({ ...input, finishOffsetSeconds: offset });
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
