import type { Instant } from '@/lib/std/instant';
import type { StageFault } from '../fault';
import { getStageFault } from '../fault';
import type { Revisions, Rollout, StageAutoscaler, TargetRevision } from '../model';
import type { BoundsUpdater } from './bounds';
import {
  createBaseStagePodAutoscaler,
  isStageScaleDownReady,
  isStageScaleUpReady,
  scaleDownLimit,
  updateSPAForRevDown,
  updateSPAForRevUp,
  WAITING,
} from './bounds';
import type { Conditions } from './conditions';
import { isUnknown, manageRolloutConditions } from './conditions';
import type { StageTransaction } from './transaction';

/** What a step works on: the rollout, the two sides of its stage, and the transaction of this pass. */
export interface StageContext {
  readonly ro: Rollout;
  readonly up: ReadonlyMap<string, TargetRevision>;
  readonly down: ReadonlyMap<string, TargetRevision>;
  readonly transaction: StageTransaction;
  /** True when pods that are being deleted are not waited for. */
  readonly overlaps?: boolean;
}

/** One half of a stage. Execute asserts bounds, verify looks whether they are reached, modifyStatus says so. */
export interface StageStep {
  readonly name: 'ScaleUpStep' | 'ScaleDownStep';
  execute(context: StageContext): void;
  verify(context: StageContext): boolean;
  modifyStatus(conditions: Conditions, ready: boolean, now: Instant): Conditions;
}

/** Asserts the bounds of one revision: creates its StagePodAutoscaler or rewrites the bounds of the one there is. */
export function createOrUpdateSPARev(
  { ro, transaction }: Pick<StageContext, 'ro' | 'transaction'>,
  revision: TargetRevision,
  updater: BoundsUpdater,
  scaleUpReady: boolean,
): void {
  const held = transaction.get(revision.revisionName);
  if (held !== undefined) {
    transaction.update(held, updater(held.bounds, revision, scaleUpReady));
    return;
  }
  const base = createBaseStagePodAutoscaler(ro, revision);
  transaction.create({ ...base, spec: updater(base.spec, revision, scaleUpReady) });
}

/** Grows the new side; holds the old one until it has. */
export const ScaleUpStep: StageStep = {
  name: 'ScaleUpStep',
  execute(context) {
    for (const revision of context.up.values()) createOrUpdateSPARev(context, revision, updateSPAForRevUp, true);
  },
  verify(context) {
    const { up, down, transaction } = context;
    for (const revision of up.values()) {
      const autoscaler = transaction.require(revision.revisionName);
      if (autoscaler.ready && isStageScaleUpReady(autoscaler.figures, revision)) continue;
      for (const old of down.values()) createOrUpdateSPARev(context, old, updateSPAForRevDown, false);
      return false;
    }
    return true;
  },
  modifyStatus(conditions, ready, now) {
    const marks = manageRolloutConditions(now);
    if (ready) return marks.scaleUpReady(conditions);
    return marks.lastStageIncomplete(marks.stageInProgress(marks.scaleUpInProgress(conditions)));
  },
};

/** Shrinks the old side and waits until its pods are gone. */
export const ScaleDownStep: StageStep = {
  name: 'ScaleDownStep',
  execute(context) {
    const { ro, up, down, transaction } = context;
    for (const revision of up.values()) {
      if (transaction.get(revision.revisionName) === undefined)
        transaction.create({ ...createBaseStagePodAutoscaler(ro, revision), spec: WAITING });
    }
    const shrinking = down.size > 0 ? [...down.values()] : drainedThrough(ro.spec.initialRevisions ?? [], up);
    for (const revision of shrinking) createOrUpdateSPARev(context, revision, updateSPAForRevDown, true);
  },
  verify(context) {
    for (const revision of context.down.values()) {
      createOrUpdateSPARev(context, revision, updateSPAForRevDown, true);
      const autoscaler = context.transaction.require(revision.revisionName);
      if (isStageScaleDownReady(autoscaler.figures, revision) && isMadeRoom(context, autoscaler, revision)) continue;
      removeStuckPods(context, revision.revisionName);
      return false;
    }
    return true;
  },
  modifyStatus(conditions, ready, now) {
    const marks = manageRolloutConditions(now);
    if (ready) return marks.scaleDownReady(conditions);
    return marks.lastStageIncomplete(marks.stageInProgress(marks.scaleDownInProgress(conditions)));
  },
};

/** No more old pods are left than may stay, so that new ones never come on top of those to go; unless stages overlap, those are gone too. */
function isMadeRoom({ overlaps }: StageContext, { figures, livePods }: StageAutoscaler, revision: TargetRevision): boolean {
  if (livePods !== undefined && livePods > scaleDownLimit(revision)) return false;
  if (overlaps === true && livePods !== undefined) return true;
  return figures.replicasTerminating !== undefined && figures.replicasTerminating <= 0;
}

// A stage without a shrinking entry still drains where the rollout came from: a switch in one go ends there.
function drainedThrough(initial: Revisions, up: ReadonlyMap<string, TargetRevision>): Revisions {
  return initial.filter(({ revisionName }) => !up.has(revisionName)).map((revision) => ({ ...revision, percent: undefined }));
}

function removeStuckPods({ ro, up, transaction }: StageContext, revision: string): void {
  const [growing] = up.values();
  const autoscaler = growing && transaction.peek(growing.revisionName);
  if (autoscaler === undefined) return;
  const { stageMinScale, stageMaxScale } = autoscaler.bounds;
  const makesRoom = ro.spec.rolloutStrategy === 'resourceutil' && stageMinScale === 0 && stageMaxScale === 0;
  for (const pod of transaction.pods) {
    if (pod.revision !== revision || pod.deletionInMs === undefined) continue;
    if (pod.deletionInMs < 0 || makesRoom) transaction.killPod(pod.name);
    else if (pod.gracePeriodSeconds !== undefined) transaction.requeue(pod.gracePeriodSeconds);
  }
}

export const STRATEGIES = ['availability', 'resourceutil'] as const;
export type StrategyName = (typeof STRATEGIES)[number];

/** The steps of each strategy, in order. */
export const STRATEGY_STEPS: Readonly<Record<StrategyName, readonly StageStep[]>> = {
  availability: [ScaleUpStep, ScaleDownStep],
  resourceutil: [ScaleDownStep, ScaleUpStep],
};

/** The strategy a name stands for, whatever its case. Unknown names run as availability, as the original does; our edge refuses them. */
export function strategyOf(name: string | undefined): StrategyName {
  const lower = (name ?? '').toLowerCase();
  return STRATEGIES.find((strategy) => strategy === lower) ?? 'availability';
}

/** How far a pass may go: all steps, or none beyond the first because somebody holds the rollout. */
export type StepLimit = 'all' | 'first';

/** What running the steps came to. Conditions of the steps that got through hold even when a later one failed. */
export interface StepsResult {
  readonly ready: boolean;
  readonly conditions: Conditions;
  readonly fault?: StageFault | undefined;
}

/** Runs the steps of a stage in order; ready when all of them are through. Steps beyond the first run only while the stage is under way. */
export function reconcileSteps(
  steps: readonly StageStep[],
  context: StageContext,
  conditions: Conditions,
  { now, limit = 'all' }: { readonly now: Instant; readonly limit?: StepLimit },
): StepsResult {
  let current = conditions;
  try {
    for (const [at, step] of steps.entries()) {
      const running = isUnknown(current, 'StageReady');
      if (at > 0 && running && limit === 'first') return { ready: false, conditions: current };
      if (running || at === 0) step.execute(context);
      if (!running) continue;
      const ready = step.verify(context);
      current = step.modifyStatus(current, ready, now);
      if (!ready) return { ready: false, conditions: current };
    }
  } catch (error) {
    const fault = getStageFault(error);
    if (fault === undefined) throw error;
    return { ready: false, conditions: current, fault };
  }
  return { ready: true, conditions: current };
}
