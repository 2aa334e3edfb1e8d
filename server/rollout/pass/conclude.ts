import type { Instant } from '@/lib/std/instant';
import { toIso } from '@/lib/std/instant';
import { formatList, formatPercent } from '@/lib/words/figures';
import { formatRollout } from '@/lib/words/format-rollout';
import { applyEvent } from '../control/apply-event';
import { abortOf, attemptOf, completedOf, stableOf } from '../control/control-facts';
import { evaluateRollout } from '../control/evaluation';
import { withHistory } from '../control/state';
import { ENGINE_ACTOR, withConditions } from '../control/transitions';
import type { RolloutView } from '../control/view';
import { activeTargets, entryOf, isStageReached, readyOf, stagePositionOf, targetNameOf } from '../control/view';
import { completeMessage, stateMessage } from '../describe/waits';
import { lastStage } from '../stage/completion';
import { isTrue, isUnknown, manageRolloutConditions } from '../stage/conditions';
import type { RunResult } from '../stage/runner';
import type { StageAction } from '../stage/transaction';
import type { Pass } from './pass';

/** What the pass leaves behind: a completed stage noted, the phase and its sentence. */
export function conclude(view: RolloutView, run: RunResult, pass: Pass): RolloutView {
  const { now } = pass;
  const wasRunning = isUnknown(view.ro.rollout.status.conditions, 'StageReady') && stagePositionOf(view) === 'running';
  const ran: RolloutView = {
    ...view,
    ro: { ...view.ro, rollout: { ...view.ro.rollout, status: run.status } },
    autoscalers: withActions(view, run.actions),
  };
  const completed = wasRunning && isTrue(run.status.conditions, 'StageReady') && isStageReached(ran);
  const noted = completed ? noteCompleted(ran, now) : ran;
  const evaluation = evaluateRollout(noted, now);
  const { hold, phase } = evaluation;
  if (hold?.until !== undefined) pass.wakeAt.push(hold.until);
  return { ...noted, control: { ...noted.control, phase, message: formatRollout(stateMessage(noted, evaluation)) } };
}

function noteCompleted(view: RolloutView, now: Instant): RolloutView {
  const { control, ro } = view;
  const { targetRevisions } = activeTargets(view);
  const { stageRevisionStatus, conditions } = ro.rollout.status;
  const name = targetNameOf(view);
  const isLast = lastStage(stageRevisionStatus, targetRevisions);
  const percent = entryOf(stageRevisionStatus, targetRevisions?.[0]?.revisionName ?? '')?.percent ?? 0;
  const stage = completedOf(control) + 1;
  const reached = applyEvent(view, { type: 'stageReached', at: now, percent, isLast, ready: readyOf(view) });
  const attempt = attemptOf(control);
  const abort = abortOf(control);
  const id = `${attempt?.id ?? name}${abort ? '/back' : ''}/${attempt?.startedAt ?? ''}/stage/${stage}`;
  const note = (action: string, message: string): RolloutView => ({
    ...reached,
    control: withHistory(reached.control, { id, at: toIso(now), actor: ENGINE_ACTOR, action, message }),
  });
  if (!isLast) return note('stage.completed', `stage ${stage} reached: ${name} at ${formatPercent(percent)}`);
  if (abort === undefined) return note('rollout.completed', formatRollout(completeMessage(reached)));
  const stable = stableOf(control).map(({ revisionName }) => revisionName);
  const back = note('rollout.reverted', `${name} is rejected, all traffic goes to ${formatList(stable)} again`);
  return withConditions(back, manageRolloutConditions(now).stageFailed(conditions, `aborted: ${abort.reason}`));
}

function withActions({ autoscalers }: RolloutView, actions: readonly StageAction[]): RolloutView['autoscalers'] {
  const next = new Map(autoscalers.map((autoscaler) => [autoscaler.name, autoscaler]));
  for (const action of actions) {
    if (action.kind === 'Pod') continue;
    if (action.verb === 'delete') next.delete(action.name);
    else {
      const bounds = action.verb === 'create' ? action.object.spec : action.bounds;
      next.set(action.name, { name: action.name, figures: {}, ready: false, ...next.get(action.name), bounds });
    }
  }
  return [...next.values()];
}
