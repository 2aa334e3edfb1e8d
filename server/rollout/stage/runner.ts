import type { Instant } from '@/lib/std/instant';
import { getStageFault, StageFault } from '../fault';
import type { Rollout, RolloutStatus } from '../model';
import { DRAINED } from './bounds';
import { completedStage, lastStage, overlapsNext, splitRevisions } from './completion';
import type { Conditions } from './conditions';
import { isTrue, isUnknown, manageRolloutConditions, READY } from './conditions';
import type { StepLimit } from './steps';
import { reconcileSteps, STRATEGY_STEPS, strategyOf } from './steps';
import type { StageAction, StageTransaction } from './transaction';

export interface RunOptions {
  readonly now: Instant;
  /** Names of the revisions that still exist; without them nothing is collected. */
  readonly revisions?: ReadonlySet<string> | undefined;
  readonly limit?: StepLimit;
  /** False while the rollout is held between stages, so that a finished stage stays finished. */
  readonly relaunch?: boolean;
  /** True when a stage may begin while pods of the one before terminate; the last stage waits for all of them. False when absent. */
  readonly overlap?: boolean;
}

/** What one pass over a stage came to. The actions hold even when it ended in a fault. */
export interface RunResult {
  readonly status: RolloutStatus;
  readonly actions: readonly StageAction[];
  readonly requeueAfterSeconds: readonly number[];
  readonly fault?: StageFault | undefined;
}

type StageOutcome = Pick<RolloutStatus, 'conditions' | 'stageRevisionStatus'>;

/** One pass of the stage runner: conditions brought up to date, the stage run, autoscalers of vanished revisions collected. */
export function runStage(ro: Rollout, transaction: StageTransaction, options: RunOptions): RunResult {
  const marks = manageRolloutConditions(options.now);
  const initialised = marks.initialise(ro.status.conditions);
  const conditions = ro.status.observedGeneration === ro.generation ? initialised : marks.newGeneration(initialised);
  const progress = new Progress({ conditions, stageRevisionStatus: ro.status.stageRevisionStatus });
  const fault = attempt(() => runBody(ro, transaction, progress, options));
  collectOrphans(transaction, options.revisions);
  return {
    status: { ...progress.outcome, observedGeneration: ro.generation },
    actions: transaction.actions,
    requeueAfterSeconds: transaction.requeueAfterSeconds,
    ...(fault ? { fault } : {}),
  };
}

// Holds what was reached so far, so that a fault half-way does not lose it.
class Progress {
  outcome: StageOutcome;
  constructor(outcome: StageOutcome) {
    this.outcome = outcome;
  }
  set(conditions: Conditions): void {
    this.outcome = { ...this.outcome, conditions };
  }
}

function attempt(body: () => void): StageFault | undefined {
  try {
    body();
    return undefined;
  } catch (error) {
    const fault = getStageFault(error);
    if (fault === undefined) throw error;
    return fault;
  }
}

function runBody(
  ro: Rollout,
  transaction: StageTransaction,
  progress: Progress,
  { now, limit = 'all', relaunch = true, overlap = false }: RunOptions,
): void {
  const { stageTargetRevisions: stage = [], targetRevisions: target = [] } = ro.spec;
  if (stage.length === 0) return;
  const { up, down } = splitRevisions(stage);
  if (up.size === 0) throw new StageFault('NoScaleUpRevision', `the stage of rollout ${ro.name} has no revision that scales up`);
  drainObsolete(ro, transaction);
  const steps = STRATEGY_STEPS[strategyOf(ro.spec.rolloutStrategy)];
  const { ready, conditions, fault } = reconcileSteps(
    steps,
    { ro, up, down, transaction, overlaps: overlapsNext(ro.spec, overlap) },
    progress.outcome.conditions,
    {
      now,
      limit,
    },
  );
  progress.set(conditions);
  if (fault) throw fault;
  if (!ready) return;
  const marks = manageRolloutConditions(now);
  if (isUnknown(conditions, 'StageReady')) {
    const stageRevisionStatus = completedStage(stage, target);
    const reached = marks.stageReady(conditions);
    const last = lastStage(stageRevisionStatus, target);
    progress.outcome = { stageRevisionStatus, conditions: last ? marks.lastStageComplete(reached) : marks.lastStageIncomplete(reached) };
    return;
  }
  const finished = lastStage(progress.outcome.stageRevisionStatus, target);
  if (isTrue(conditions, 'StageReady') && isUnknown(conditions, READY) && !finished) {
    if (relaunch) progress.set(marks.launchNewStage(conditions));
    return;
  }
  progress.set(marks.lastStageComplete(marks.stageReady(marks.scaleDownReady(marks.scaleUpReady(conditions)))));
}

function drainObsolete(ro: Rollout, transaction: StageTransaction): void {
  const named = new Set(
    [...(ro.spec.stageTargetRevisions ?? []), ...(ro.spec.initialRevisions ?? [])].map(({ revisionName }) => revisionName),
  );
  for (const autoscaler of transaction.list()) {
    if (!named.has(autoscaler.name) && autoscaler.figures.desiredScale !== 0) transaction.update(autoscaler, DRAINED);
  }
}

function collectOrphans(transaction: StageTransaction, revisions: ReadonlySet<string> | undefined): void {
  if (revisions === undefined) return;
  for (const { name } of transaction.list()) if (!revisions.has(name)) transaction.delete(name);
}
