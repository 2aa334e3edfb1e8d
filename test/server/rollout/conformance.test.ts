import { describe, expect, it } from 'vitest';
import { toInstant } from '@/lib/std/instant';
import type { Revisions, Rollout } from '@/server/rollout/model';
import { DEFAULT_STAGE_CONFIG, readStageConfig } from '@/server/rollout/planning/config';
import { nextStage } from '@/server/rollout/planning/next-stage';
import { shiftTraffic } from '@/server/rollout/planning/overdue';
import { finalTargets } from '@/server/rollout/planning/targets';
import { pruneStage } from '@/server/rollout/stage/completion';
import { manageRolloutConditions, statusOf } from '@/server/rollout/stage/conditions';
import { runStage } from '@/server/rollout/stage/runner';
import { ScaleDownStep } from '@/server/rollout/stage/steps';
import { stageTraffic } from '@/server/rollout/surface/traffic';
import { FailingTransaction } from '@/test/cases/failing-transaction';
import { anEntry, Simulation } from './simulation';

const now = toInstant(Date.UTC(2026, 0, 1));
const old = { revisionName: 'web-v1', percent: 75, targetReplicas: 3, direction: 'down', minScale: 4, maxScale: 4 };
const fresh = { revisionName: 'web-v2', percent: 25, targetReplicas: 1, direction: 'up', minScale: 4, maxScale: 4 };
const rollout: Rollout = {
  name: 'web',
  namespace: 'shop',
  uid: 'uid',
  generation: 1,
  spec: {
    rolloutStrategy: 'availability',
    targetRevisions: [{ revisionName: 'web-v2', percent: 100, minScale: 4, maxScale: 4 }],
    stageTargetRevisions: [old, fresh],
  },
  status: { observedGeneration: 1, conditions: manageRolloutConditions(now).launchNewStage([]) },
};
const autoscaler = (name: string, scale: number, replicasTerminating = 0) => ({
  name,
  bounds: {},
  figures: { desiredScale: scale, actualScale: scale, replicasTerminating },
  ready: true,
});

describe('a pass that fails half-way', () => {
  it('[rollout 8.6] keeps what the first step has reached when the second one cannot be done', () => {
    const transaction = new FailingTransaction({ autoscalers: [autoscaler('web-v2', 1)] }, 'web-v1');
    const { status, fault } = runStage(rollout, transaction, { now });
    expect(fault?.code).toBe('ReadFailed');
    expect(statusOf(status.conditions, 'StageScaleUpReady')).toBe('True');
    expect(statusOf(status.conditions, 'StageReady')).toBe('Unknown');
  });

  it('[rollout 8.8] leaves stuck pods alone, without failing, while the new side cannot be read', () => {
    const pods = [{ name: 'web-v1-a', revision: 'web-v1', deletionInMs: -1 }];
    const transaction = new FailingTransaction({ autoscalers: [autoscaler('web-v1', 3, 1)], pods }, 'web-v2');
    expect(ScaleDownStep.verify({ ro: rollout, transaction, up: new Map([['web-v2', fresh]]), down: new Map([['web-v1', old]]) })).toBe(
      false,
    );
    expect(transaction.actions.map(({ kind }) => kind)).toEqual(['StagePodAutoscaler']);
  });
});

describe('why a rollout is not ready', () => {
  it('[rollout 4 3] is what changed last, also within one instant', () => {
    const { launchNewStage, scaleUpReady, stageReady, initialise } = manageRolloutConditions(now);
    const reasonOf = (conditions: ReturnType<typeof initialise>) => conditions.find(({ type }) => type === 'Ready')?.reason;
    const launched = launchNewStage(initialise([]));
    expect(reasonOf(scaleUpReady(launched))).toBe('RevisionRollingInProgress');
    expect(reasonOf(scaleUpReady(launchNewStage(stageReady(launched))))).toBe('StageRevisionStart');
  });

  it('[rollout 4 3] is the stage as a whole when both changed in the same second of an earlier pass', () => {
    const launched = manageRolloutConditions(now).launchNewStage([]);
    const ready = manageRolloutConditions(toInstant(now + 5000))
      .scaleUpReady(launched)
      .find(({ type }) => type === 'Ready');
    expect(ready?.reason).toBe('RevisionRollingInProgress');
  });
});

describe('what is read', () => {
  it('[rollout 5] takes a number or a truth of the config map only without spaces, a text with them', () => {
    for (const configMap of [
      { 'over-consumption-ratio': ' 25' },
      { 'stage-rollout-timeout-minutes': '5\n' },
      { 'progressive-rollout-enabled': 'true ' },
    ]) {
      expect(() => readStageConfig({ configMap })).toThrow('cannot be read');
    }
    expect(readStageConfig({ configMap: { 'progressive-rollout-strategy': ' resourceutil ' } }).progressiveRolloutStrategy).toBe(
      'resourceutil',
    );
  });

  it('[rollout 6.1] takes a scale that no replica count can hold as absent', () => {
    const templateAnnotations = { 'autoscaling.knative.dev/min-scale': '2147483647', 'autoscaling.knative.dev/max-scale': '2147483648' };
    const [target] = finalTargets({ service: { name: 'web', templateAnnotations }, configurationGeneration: 1, records: {} });
    expect([target?.minScale, target?.maxScale]).toEqual([2_147_483_647, undefined]);
  });
});

describe('traffic', () => {
  it('[rollout 10.2] goes by the minimum of the target, whatever the entry of the stage says', () => {
    const reached: Revisions = [{ revisionName: 'web-v1', percent: 100 }];
    const ro = {
      spec: { ...rollout.spec, stageTargetRevisions: [old, { ...fresh, minScale: undefined }] },
      status: { ...rollout.status, stageRevisionStatus: reached },
    };
    const percentsAt = (actualScale: number) =>
      stageTraffic({ service: { name: 'web' }, ro, config: DEFAULT_STAGE_CONFIG, figuresOf: () => ({ actualScale }) }).map(
        ({ percent }) => percent,
      );
    expect(percentsAt(0)).toEqual([100, 0]);
    expect(percentsAt(1)).toEqual([75, 25]);
  });

  it('[rollout 11.3] moves by the whole ratio where the gauge has no pods but the old side has too many', () => {
    const stage = [
      { revisionName: 'web-v1', percent: 40, direction: 'up' },
      { revisionName: 'web-v2', percent: 60, targetReplicas: 1, direction: 'down' },
    ];
    const actual = new Map([
      ['web-v1', 0],
      ['web-v2', 4],
    ]);
    expect(shiftTraffic(stage, 10, { actual, staged: new Set(['web-v1']) }).map(({ percent }) => percent)).toEqual([50, 50]);
  });
});

it('[rollout 7.4] lets the last revision drain next that stays by that very word, as the planner writes it', () => {
  const staying = (revisionName: string, direction: string) => ({ revisionName, percent: 25, direction });
  const pruned = pruneStage([staying('a', 'stay'), staying('b', ' Stay'), { revisionName: 'c', direction: 'down' }]);
  expect(pruned.map(({ direction }) => direction)).toEqual(['down', ' Stay']);
});

describe('a target that serves alone already', () => {
  const alone = { ...anEntry('web-v1', 4), direction: 'up', targetReplicas: 4 };
  const scales = { actual: new Map([['web-v1', 4]]), staged: new Set(['web-v1']) };

  it('[rollout 6.6 B] keeps the current stage, since there is nothing to shrink', () => {
    const current = [{ ...alone, percent: 90 }];
    const spec = { initialRevisions: [alone], targetRevisions: [anEntry('web-v1', 4)] };
    const status = { conditions: [{ type: 'StageReady', status: 'True' as const }], stageRevisionStatus: [alone] };
    expect(
      nextStage({ spec: { ...spec, stageTargetRevisions: current }, status }, DEFAULT_STAGE_CONFIG, scales).stageTargetRevisions,
    ).toEqual(current);
    expect(nextStage({ spec, status }, DEFAULT_STAGE_CONFIG, scales).stageTargetRevisions).toBeUndefined();
  });

  it('[rollout 6.6 B] does not stand still for want of a stage', () => {
    const simulation = new Simulation({
      initialRevisions: [alone],
      targetRevisions: [anEntry('web-v1', 4)],
      rolloutStrategy: 'availability',
    });
    simulation.deploy('web-v1', 4);
    simulation.settle();
    expect(simulation.condition('Ready')).toBe('True');
  });
});
