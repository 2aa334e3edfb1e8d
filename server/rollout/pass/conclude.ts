import type { Instant } from '@/lib/std/instant';
import { toIso } from '@/lib/std/instant';
import { sayRollout } from '@/lib/words/say-rollout';
import { withStageEnded } from '../control/attempts';
import { ENGINE_ACTOR, withConditions } from '../control/course';
import { judgeRollout } from '../control/judgement';
import type { ControlState } from '../control/state';
import { withHistory } from '../control/state';
import type { RolloutView } from '../control/view';
import { courseSpec, entryOf, isStageReached, targetNameOf } from '../control/view';
import { stateMessage } from '../describe/waits';
import { lastStage } from '../stage/completion';
import { isTrue, isUnknown, rolloutMarks } from '../stage/conditions';
import type { StageAction } from '../stage/ledger';
import type { RunResult } from '../stage/runner';
import type { Pass } from './pass';

/** What the pass leaves behind: a completed stage noted, the phase and its sentence. */
export function conclude(view: RolloutView, run: RunResult, pass: Pass): RolloutView {
  const { now } = pass;
  const wasRunning = isUnknown(view.ro.rollout.status.conditions, 'StageReady');
  const ran: RolloutView = { ...view, ro: { ...view.ro, rollout: { ...view.ro.rollout, status: run.status } }, autoscalers: withActions(view, run.actions) };
  const completed = wasRunning && isTrue(run.status.conditions, 'StageReady') && isStageReached(ran);
  const noted = completed ? noteCompleted(ran, now) : ran;
  const judgement = judgeRollout(noted, now);
  const { hold, phase } = judgement;
  if (hold?.until !== undefined) pass.wakeAt.push(hold.until);
  const startTime = noted.control.pauseConditions.find(({ reason }) => reason === hold?.reason)?.startTime ?? toIso(now);
  const pauseConditions = hold === undefined ? [] : [{ reason: hold.reason, startTime }];
  return { ...noted, control: { ...noted.control, phase, message: sayRollout(stateMessage(noted, judgement)), pauseConditions } };
}

function noteCompleted(view: RolloutView, now: Instant): RolloutView {
  const { control, ro } = view;
  const { targetRevisions } = courseSpec(view);
  const name = targetNameOf(view);
  const completedStages = control.completedStages + 1;
  const last = lastStage(ro.rollout.status.stageRevisionStatus, targetRevisions);
  const id = `${control.rollout?.id ?? name}${control.abort ? '/back' : ''}/${control.rollout?.startedAt ?? ''}/stage/${completedStages}`;
  const percent = entryOf(ro.rollout.status.stageRevisionStatus, targetRevisions?.[0]?.revisionName ?? '')?.percent ?? 0;
  const counted: ControlState = {
    ...withStageEnded(control, { failed: false, workloads: view.workloads, now }),
    completedStages,
    currentStageIndex: completedStages,
    stageCount: last ? completedStages : Math.max(control.stageCount, completedStages + 1),
    stageReadyAt: toIso(now),
    progress: undefined,
    previousPercent: control.reachedPercent,
    reachedPercent: percent,
  };
  const entry = { id, at: toIso(now), actor: ENGINE_ACTOR };
  if (!last)
    return {
      ...view,
      control: withHistory(counted, { ...entry, action: 'stage.completed', message: `stage ${completedStages} reached: ${name} at ${percent} %` }),
    };
  if (!control.abort) return { ...view, control: withHistory(counted, { ...entry, action: 'rollout.completed', message: `${name} carries everything` }) };
  const message = `${name} is rejected, ${(control.stable ?? []).map(({ revisionName }) => revisionName).join(', ')} carries everything again`;
  const back = { ...view, control: withHistory({ ...counted, abortDone: true }, { ...entry, action: 'rollout.reverted', message }) };
  return withConditions(back, rolloutMarks(now).stageFailed(ro.rollout.status.conditions, `aborted: ${control.abortReason ?? ''}`));
}

function withActions({ autoscalers }: RolloutView, actions: readonly StageAction[]): RolloutView['autoscalers'] {
  const next = new Map(autoscalers.map((autoscaler) => [autoscaler.name, autoscaler]));
  for (const action of actions) {
    if (action.kind === 'Pod') continue;
    const held = next.get(action.name);
    if (action.verb === 'create') next.set(action.name, { name: action.name, bounds: action.object.spec, figures: {}, ready: false });
    else if (action.verb === 'update' && held) next.set(action.name, { ...held, bounds: action.bounds });
    else if (action.verb === 'delete') next.delete(action.name);
  }
  return [...next.values()];
}
