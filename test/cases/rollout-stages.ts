import type { Rollout } from '@/server/rollout/model';
import { targetRevision } from '@/server/rollout/model';
import {
  createBaseStagePodAutoscaler,
  isStageScaleDownReady,
  isStageScaleUpReady,
  updateSPAForRevDown,
  updateSPAForRevUp,
} from '@/server/rollout/stage/bounds';
import type { StageContext, StageStep } from '@/server/rollout/stage/steps';
import { createOrUpdateSPARev, reconcileSteps, ScaleDownStep, ScaleUpStep, STRATEGY_STEPS, strategyOf } from '@/server/rollout/stage/steps';
import { FailingTransaction } from './failing-transaction';
import {
  fromAction,
  fromConditions,
  NOW,
  reasonsOf,
  revisions,
  toAutoscaler,
  toCluster,
  toConditions,
  toRollout,
} from './rollout-fixtures';

/** Runs a case into the record that is compared; what was found before a fault stays in it. */
export type RunCase = (given: Record<string, unknown>, found: Record<string, unknown>) => void;

function inContext(
  given: Record<string, unknown>,
  found: Record<string, unknown>,
  run: (context: StageContext, ro: Rollout) => void,
): void {
  const ro = toRollout(given.ro);
  const { snapshot, unreadable } = toCluster(given.cluster);
  const transaction = new FailingTransaction(snapshot, unreadable);
  const side = (name: 'up' | 'down') => new Map(revisions.parse(given[name] ?? []).map((revision) => [revision.revisionName, revision]));
  try {
    run({ ro, transaction, up: side('up'), down: side('down') }, ro);
  } finally {
    found.actions = transaction.actions.map(fromAction);
    found.requeueAfterSeconds = transaction.requeueAfterSeconds;
  }
}

function ofStep(step: StageStep): Record<string, RunCase> {
  return {
    [`${step.name}.Execute`]: (given, found) => inContext(given, found, (context) => step.execute(context)),
    [`${step.name}.Verify`]: (given, found) => {
      found.ready = false;
      inContext(given, found, (context) => {
        found.ready = step.verify(context);
      });
    },
    [`${step.name}.ModifyStatus`]: (given, found) => {
      const conditions = step.modifyStatus(toConditions(given.conditions), given.ready === true, NOW);
      found.conditions = fromConditions(conditions);
      found.reasons = reasonsOf(conditions);
    },
  };
}

/** The functions of the strategies, by the name that cases give them. */
export const stageFunctions: Readonly<Record<string, RunCase>> = {
  CreateBaseStagePodAutoscaler(given, found) {
    found.spa = createBaseStagePodAutoscaler(toRollout(given.ro), targetRevision.parse(given.revision));
  },
  UpdateSPAForRevUp(given, found) {
    found.spec = updateSPAForRevUp(toAutoscaler(given.spa).bounds, targetRevision.parse(given.revision), given.scaleUpReady === true);
  },
  UpdateSPAForRevDown(given, found) {
    found.spec = updateSPAForRevDown(toAutoscaler(given.spa).bounds, targetRevision.parse(given.revision), given.scaleUpReady === true);
  },
  IsStageScaleUpReady(given, found) {
    found.result = isStageScaleUpReady(toAutoscaler(given.spa).figures, targetRevision.parse(given.revision));
  },
  IsStageScaleDownReady(given, found) {
    found.result = isStageScaleDownReady(toAutoscaler(given.spa).figures, targetRevision.parse(given.revision));
  },
  CreateOrUpdateSPARev(given, found) {
    const updater = given.updater === 'up' ? updateSPAForRevUp : updateSPAForRevDown;
    inContext(given, found, (context) =>
      createOrUpdateSPARev(context, targetRevision.parse(given.revision), updater, given.scaleUpReady === true),
    );
  },
  ...ofStep(ScaleUpStep),
  ...ofStep(ScaleDownStep),
  'Rollout.Reconcile'(given, found) {
    found.ready = false;
    inContext(given, found, (context, ro) => {
      found.conditions = fromConditions(ro.status.conditions);
      const steps = STRATEGY_STEPS[strategyOf(String(given.strategy ?? ''))];
      const { ready, conditions, fault } = reconcileSteps(steps, context, ro.status.conditions, { now: NOW });
      found.ready = ready;
      found.error = fault?.code;
      found.conditions = fromConditions(conditions);
      found.reasons = reasonsOf(conditions);
    });
  },
};
