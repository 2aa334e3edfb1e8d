import { describe, expect, it } from 'vitest';
import { isFields } from '@/lib/kube/fields';
import type { Instant } from '@/lib/std/instant';
import { toInstant } from '@/lib/std/instant';
import type { RolloutView } from '@/server/rollout/control/view';
import type { RolloutDecision } from '@/server/rollout/decide';
import { decide } from '@/server/rollout/decide';
import type { Workload } from '@/server/rollout/objects';
import { planStage } from '@/server/rollout/pass/plan-stage';
import { countOf, listRemainingStages } from '@/server/rollout/pass/remaining-stages';
import type { Simulation } from './simulation';
import { anEntry, aSimulation } from './simulation';

const GATED = { overConsumptionRatio: 25, control: { gates: 'every-stage', abortScaleDownDelaySeconds: 3600 } };

/** What a pass would come to, without carrying it out. */
const decided = (simulation: Simulation): RolloutDecision => decide(simulation.observe(), simulation.now);
const sharesOf = ({ spec }: Pick<RolloutDecision, 'spec'>) =>
  (spec.stageTargetRevisions ?? []).map(({ revisionName, percent = 0 }) => `${revisionName} ${percent}%`);

/** In its first of two stages, with everything available and the old side still there. */
function inStage(): Simulation {
  const simulation = aSimulation(4, { overConsumptionRatio: 50 });
  simulation.pass();
  simulation.settlePods();
  simulation.pass();
  simulation.deployments.set('web-v1', { replicas: 4, ready: 4 });
  return simulation;
}

/** A rollout that went to another target half-way and was aborted there: its way back has more than one stage, and its pods are kept. */
function onALongWayBack(): Simulation {
  const simulation = aSimulation(4, GATED);
  simulation.settle();
  simulation.decide({ verb: 'approve' });
  simulation.settle();
  simulation.deploy('web-v3', 0);
  simulation.change({ targetRevisions: [anEntry('web-v3', 4)] });
  simulation.pass();
  simulation.settlePods();
  simulation.decide({ verb: 'abort' });
  for (let turn = 0; turn < 4; turn++) {
    simulation.settlePods();
    simulation.pass();
  }
  return simulation;
}

describe('a stage that is overdue', () => {
  it('[rollout 12.3] is looked at right after its deadline, and moves traffic then, not before', () => {
    const simulation = inStage();
    const { requeueAfterMs = 0 } = decided(simulation);
    expect(sharesOf(decided(simulation))).toEqual(['web-v1 50%', 'web-v2 50%']);
    simulation.advance((requeueAfterMs - 2) / 1000);
    expect(sharesOf(decided(simulation))).toEqual(['web-v1 50%', 'web-v2 50%']);
    simulation.advance(2 / 1000);
    const { spec, requeueAfterMs: next } = decided(simulation);
    expect(sharesOf({ spec })).toEqual(['web-v1 25%', 'web-v2 75%']);
    expect([spec.targetFinishTime, next]).toEqual(['2026-01-01T09:04:00Z', 120_000]);
  });

  it('[rollout 12.3] moves nothing while it is paused, nor while its pods are missing: that is looked at again a period later', () => {
    const simulation = inStage();
    simulation.advance(130);
    simulation.deployments.set('web-v2', { replicas: 2, ready: 1 });
    expect(sharesOf(decided(simulation))).toEqual(['web-v1 50%', 'web-v2 50%']);
    expect(decided(simulation).requeueAfterMs).toBe(120_000);
    expect(decided(simulation).fault).toBeUndefined();
    simulation.deployments.set('web-v2', { replicas: 2, ready: 2 });
    simulation.change({ paused: true });
    expect(sharesOf(decided(simulation))).toEqual(['web-v1 50%', 'web-v2 50%']);
  });

  it('[rollout 14.6] moves nothing on the way back, however long that takes', () => {
    const simulation = onALongWayBack();
    expect(simulation.sentence).toMatch(/^web-v3 still serves/);
    const before = simulation.spec.stageTargetRevisions;
    // Nor is it looked at for its deadline: the next thing to come is that pods are kept no longer.
    expect(decided(simulation).requeueAfterMs).toBe(3_600_000);
    simulation.advance(600);
    expect(simulation.now).toBeGreaterThan(Date.parse(String(simulation.spec.targetFinishTime)));
    expect(decided(simulation).spec.stageTargetRevisions).toEqual(before);
  });
});

describe('a rollout at a gate whose conditions were lost', () => {
  it.each([[[{ atPercent: 50 }]], ['every-stage']])(
    '[issue 9.3] stands there still, and begins no stage that nobody opened: %j',
    (gates) => {
      const simulation = aSimulation(4, { overConsumptionRatio: 50, control: { gates } });
      simulation.settle();
      const { sentence, told } = simulation;
      expect(sentence).toBe('waiting for 1 approval after stage 1');
      const { status } = simulation.ro;
      simulation.ro = { ...simulation.ro, status: { ...(isFields(status) ? status : {}), conditions: [] } };
      expect([simulation.sentence, simulation.told.position]).toEqual([sentence, 'between']);
      simulation.settle();
      expect([simulation.sentence, simulation.told.attempt]).toEqual([sentence, told.attempt]);
      expect(simulation.stored.history.map(({ action }) => action)).toEqual(['rollout.started', 'stage.completed']);
      simulation.decide({ verb: 'approve' });
      simulation.settle();
      expect(simulation.told.attempt?.stages.map(({ index, outcome, gate }) => [index, outcome, gate])).toEqual([
        [1, 'done', 'open'],
        [2, 'done', 'none'],
      ]);
    },
  );
});

describe('planning in a pass', () => {
  const planned = (view: RolloutView, now: Instant) => {
    const pass = { now, wakeAt: [] as Instant[], fault: undefined };
    return { after: planStage(view, pass), pass };
  };
  const failing = (view: RolloutView, field: keyof Workload): RolloutView => {
    const broken = Object.defineProperty({ ...[...view.workloads.values()][0] }, field, {
      get: () => {
        throw new Error('broken');
      },
    }) as Workload;
    return { ...view, workloads: new Map([...view.workloads, [broken.revision, broken]]) };
  };

  it('[design 13 J] hides no error that is not about a stage, neither between two nor in an overdue one', () => {
    const simulation = aSimulation(4);
    const broken = failing(simulation.observe().view, 'readyReplicas');
    expect(() => planned(broken, simulation.now)).toThrow('broken');
    expect(() => listRemainingStages(broken)).toThrow('broken');
    const late = inStage();
    late.advance(130);
    expect(() => planned(failing(late.observe().view, 'availableReplicas'), late.now)).toThrow('broken');
  });

  it('[design 13 J] tells what keeps the next stage from being planned, and leaves the rollout as it is', () => {
    const simulation = aSimulation(4);
    simulation.deployments.delete('web-v1');
    const { view } = simulation.observe();
    const { after, pass } = planned(view, simulation.now);
    expect(after).toBe(view);
    expect(pass.fault).toMatchObject({ message: expect.stringContaining('web-v1 is unknown') });
    expect(decided(simulation).fault?.message).toContain('web-v1 is unknown');
  });

  it('[rollout 8.4] leaves a rollout that is through and says nothing of its last stage to find its end by itself', () => {
    const simulation = aSimulation(4);
    simulation.settle();
    const { status } = simulation.ro;
    const conditions = simulation.observe().view.ro.rollout.status.conditions.filter(({ type }) => type !== 'LastStageReady');
    simulation.ro = { ...simulation.ro, status: { ...(isFields(status) ? status : {}), conditions } };
    expect(simulation.told.position).toBe('between');
    const { view } = simulation.observe();
    expect(planned(view, simulation.now).after).toBe(view);
    simulation.settle();
    expect([simulation.told.position, simulation.told.phase]).toEqual(['complete', 'Healthy']);
  });

  it('[design 13 J] goes on with a stage that was written and not noted, as if nothing had come between', () => {
    const [broken, whole] = [aSimulation(4), aSimulation(4)];
    broken.pass([], 'spec');
    expect(broken.ro.status).toEqual({});
    expect(broken.told.attempt?.stages[0]).toMatchObject({ outcome: 'current', startedAt: null });
    const rail = () => [broken, whole].map(({ told }) => told.attempt?.stages.map(({ outcome, startedAt }) => [outcome, startedAt]));
    broken.pass();
    whole.pass();
    expect(rail()[0]).toEqual(rail()[1]);
    expect([broken.condition('StageReady'), broken.stored.state]).toEqual(['Unknown', 'stage']);
    broken.settle();
    whole.settle();
    expect(rail()[0]).toEqual(rail()[1]);
  });

  it('[rollout 14.6] plans a way back on the replicas that are asked for, and on none of a revision that is gone', () => {
    const simulation = onALongWayBack();
    const way = (of: Simulation) =>
      of.told.attempt?.stages.flatMap(({ way: direction, revisions }) =>
        direction === 'back' ? [revisions.map(({ revision, planned: { replicas } }) => `${revision} ${replicas}`).join(', ')] : [],
      );
    const before = way(simulation);
    expect(before).toEqual(['web-v1 4, web-v2 2, web-v3 0', 'web-v1 4, web-v2 0']);
    simulation.advance(4000);
    simulation.deployments.delete('web-v3');
    expect(way(simulation)).toEqual(before);
    // Pods that a Deployment still counts though they are gone make no stage larger.
    const counting = aSimulation(4, { overConsumptionRatio: 25 });
    const stages = counting.told.attempt?.stages;
    counting.deployments.set('web-v1', { replicas: 4, ready: 9 });
    expect(counting.told.attempt?.stages).toEqual(stages);
  });

  const plannedIn = ({ told }: Simulation) =>
    told.attempt?.stages.map(({ revisions }) =>
      revisions.map(({ revision, planned: { replicas } }) => `${revision} ${replicas}`).join(', '),
    );

  it('[issue 10.7] plans on the replicas that the new side has already, and drains nothing that is itself the target', () => {
    const ahead = aSimulation(8, { overConsumptionRatio: 25 });
    ahead.pass();
    ahead.deployments.set('web-v2', { replicas: 6, ready: 6 });
    expect(plannedIn(ahead)?.[0]).toBe('web-v1 6, web-v2 6');
    const wider = aSimulation(4, { initialRevisions: [anEntry('web-v1', 4)], targetRevisions: [anEntry('web-v1', 6)] });
    expect(plannedIn(wider)).toEqual(['web-v1 6']);
  });

  it('[issue 10.7] plans on the replicas that are ready, and on those that it keeps ready only where its strategy keeps any', () => {
    const atGate = (rolloutStrategy: string) => {
      const simulation = aSimulation(8, { rolloutStrategy, overConsumptionRatio: 25, control: { gates: 'every-stage' } });
      simulation.settle();
      simulation.deployments.set('web-v1', { replicas: 6, ready: 3 });
      simulation.deployments.set('web-v2', { replicas: 2, ready: 1 });
      return plannedIn(simulation)?.slice(1);
    };
    expect(atGate('availability')).toEqual(['web-v1 4, web-v2 4', 'web-v1 2, web-v2 6', 'web-v1 0, web-v2 8']);
    expect(atGate('resourceUtil')).toEqual(['web-v1 2, web-v2 2', 'web-v1 1, web-v2 3', 'web-v1 0, web-v2 8']);
  });

  it('[issue 10.7] tells of what an autoscaler counts the bound that a stage moves, of anything else its count', () => {
    const range = { min: 2, max: 5 };
    const outcomes = { get: (revision: string) => (revision === 'gone' ? undefined : { replicas: 3, range }) };
    const revisions = [
      { revisionName: 'up', direction: 'up', percent: 50 },
      { revisionName: 'down', direction: 'down', percent: 50 },
    ];
    const counted = (revision: string) => countOf({ revisions, outcomes } as never, revision);
    expect(['up', 'down', 'other', 'gone'].map(counted)).toEqual([
      { replicas: 2, exact: 'atLeast' },
      { replicas: 5, exact: 'atMost' },
      { replicas: 5, exact: 'atMost' },
      { replicas: 0, exact: 'exactly' },
    ]);
  });

  it('[design 14] notes of a stage that it puts under way whether a revision is to have a count or a bound', () => {
    const simulation = aSimulation(4, GATED);
    simulation.autoscale('web-v2', 2, 8);
    simulation.pass();
    expect(simulation.observe().view.control).toMatchObject({
      attempt: {
        stages: [
          {
            revisions: [
              { revision: 'web-v1', direction: 'down', percent: 75, replicas: 3 },
              { revision: 'web-v2', direction: 'up', percent: 25, replicas: 1, exact: 'atLeast' },
            ],
          },
        ],
      },
    });
  });

  it('[rollout 5] plans nothing on a workload that its controller has not looked at since it changed', () => {
    const simulation = aSimulation(4);
    const { view } = simulation.observe();
    const workloads = new Map([...view.workloads].map(([name, workload]) => [name, { ...workload, observed: name !== 'web-v1' }]));
    const { after, pass } = planned({ ...view, workloads }, toInstant(simulation.now));
    expect(after.ro.rollout.spec.stageTargetRevisions).toBeUndefined();
    expect(pass.fault).toMatchObject({ message: expect.stringContaining('web-v1 is unknown') });
  });
});
