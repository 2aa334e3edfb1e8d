import { describe, expect, it } from 'vitest';
import { SUSPENDED } from '@/lib/kube/paused-by';
import type { StageDescription } from '@/server/rollout';
import { attemptOf, GATED, inThirdStage, MIDWAY, railOf, START } from './rails';
import type { Simulation } from './simulation';
import { anEntry, aSimulation } from './simulation';

// What an operator reads of the way: its stages and gates, how far it is, since when and until when.

const stageOf = ({ told }: Simulation, way: 'forward' | 'back', index: number): StageDescription => {
  const found = told.attempt?.stages.find((stage) => stage.way === way && stage.index === index);
  if (found === undefined) throw new Error(`no stage ${way} ${index}`);
  return found;
};
const farOf = ({ told }: Simulation) => [told.stageIndex, told.stageCount, told.completedStages, told.percent, told.isCountEstimated];

describe('the rail', () => {
  it('[design 9] tells stages that are behind, the one under way and those to come, each with its gate', () => {
    const simulation = aSimulation(4, MIDWAY);
    expect(railOf(simulation.told.attempt?.stages)).toEqual([
      'forward 1 25% none planned',
      'forward 2 50% closed planned',
      'forward 3 75% none planned',
      'forward 4 100% none planned',
    ]);
    const { told } = inThirdStage();
    expect(railOf(told.attempt?.stages)).toEqual([
      'forward 1 25% none done',
      'forward 2 50% open done',
      'forward 3 75% none current',
      'forward 4 100% none planned',
    ]);
  });

  it('[design 9] tells of a stage that is behind what was planned, what was ready at its end, and when that was', () => {
    const simulation = aSimulation(4, MIDWAY);
    simulation.pass();
    simulation.advance(90);
    simulation.settle();
    expect(stageOf(simulation, 'forward', 1)).toEqual({
      index: 1,
      way: 'forward',
      outcome: 'done',
      gate: 'none',
      gatePassed: null,
      percent: 25,
      revisions: [
        {
          revision: 'web-v1',
          direction: 'down',
          planned: { percent: 75, replicas: 3, exact: 'exactly' },
          observed: { replicas: 3, percent: 75 },
        },
        {
          revision: 'web-v2',
          direction: 'up',
          planned: { percent: 25, replicas: 1, exact: 'exactly' },
          observed: { replicas: 1, percent: 25 },
        },
      ],
      startedAt: START,
      endedAt: '2026-01-01T09:01:30.000Z',
    });
  });

  it('[design 9] tells of the stage under way since when it is, and what is ready now; of one to come what is planned', () => {
    const simulation = inThirdStage();
    const current = stageOf(simulation, 'forward', 3);
    expect([current.startedAt, current.endedAt, current.gatePassed]).toEqual(['2026-01-01T09:01:00.000Z', null, null]);
    expect(current.revisions.map(({ revision, planned, observed }) => [revision, planned.replicas, observed])).toEqual([
      ['web-v1', 1, { replicas: 2, percent: 40 }],
      ['web-v2', 3, { replicas: 3, percent: 60 }],
    ]);
    expect(stageOf(simulation, 'forward', 4)).toMatchObject({
      startedAt: null,
      endedAt: null,
      gatePassed: null,
      revisions: [
        { revision: 'web-v1', direction: 'down', planned: { percent: 0, replicas: 0 }, observed: null },
        { revision: 'web-v2', direction: 'up', planned: { percent: 100, replicas: 4 }, observed: null },
      ],
    });
  });

  it('[rollout 14.6] of an abort tells where it was given up, the way back by what the target has on it, and no gates there', () => {
    const simulation = inThirdStage();
    simulation.decide({ verb: 'abort' });
    expect(railOf(simulation.told.attempt?.stages)).toEqual([
      'forward 1 25% none done',
      'forward 2 50% open done',
      'forward 3 75% none failed',
      'back 1 0% none current',
    ]);
    expect(stageOf(simulation, 'back', 1).gatePassed).toBeNull();
    simulation.advance(30);
    simulation.settle();
    expect(stageOf(simulation, 'back', 1)).toMatchObject({ outcome: 'done', gate: 'none', gatePassed: null, percent: 0 });
    expect(stageOf(simulation, 'back', 1).endedAt).toBe('2026-01-01T09:01:30.000Z');
  });

  it('[rollout 14.6] of an abort at a gate leaves that gate closed for good, and those before it open', () => {
    const simulation = aSimulation(4, { ...MIDWAY, control: { gates: [{ atPercent: 25 }, { atPercent: 50 }] } });
    simulation.settle();
    simulation.decide({ verb: 'approve' });
    simulation.settle();
    const gates = () => simulation.told.attempt?.stages.flatMap(({ way, gate }) => (way === 'forward' ? gate : []));
    expect(gates()).toEqual(['open', 'closed', 'none', 'none']);
    simulation.decide({ verb: 'abort' });
    expect(gates()).toEqual(['open', 'closed']);
    simulation.settle();
    expect(gates()).toEqual(['open', 'closed']);
    expect(stageOf(simulation, 'back', 1).gate).toBe('none');
  });

  it('[rollout 14.6] has no gate at a stage that was given up, on the way back, or after a stage that no gate lies in', () => {
    const simulation = aSimulation(4, { ...GATED, overConsumptionRatio: 25 });
    simulation.settle();
    simulation.decide({ verb: 'approve' });
    simulation.pass();
    simulation.decide({ verb: 'abort' });
    simulation.settle();
    expect(simulation.told.attempt?.stages.map(({ way, index, gate, gatePassed }) => [way, index, gate, gatePassed !== null])).toEqual([
      ['forward', 1, 'open', true],
      ['forward', 2, 'none', false],
      ['back', 1, 'none', false],
    ]);
    const through = inThirdStage();
    through.settle();
    expect(through.told.attempt?.stages.map(({ gate }) => gate)).toEqual(['none', 'open', 'none', 'none']);
  });

  it('[rollout 14.6] on a way back of several stages leaves the gate closed at which it was aborted', () => {
    const simulation = aSimulation(4, { ...GATED, overConsumptionRatio: 25 });
    simulation.settle();
    simulation.decide({ verb: 'approve' });
    simulation.settle();
    simulation.deploy('web-v3', 0);
    simulation.change({ targetRevisions: [anEntry('web-v3', 4)] });
    simulation.settle();
    simulation.decide({ verb: 'abort' });
    expect([simulation.told.position, simulation.told.deadline]).toEqual(['running', null]);
    simulation.settle();
    expect(railOf(simulation.told.attempt?.stages)).toEqual(['forward 1 25% closed done', 'back 1 0% none done', 'back 2 0% none done']);
  });

  it('[rollout 14.6] tells the share of the target on the way back, where the stable side has it as well', () => {
    const stable = [
      { ...anEntry('web-v1', 3), percent: 60 },
      { ...anEntry('web-v2', 2), percent: 40 },
    ];
    const simulation = aSimulation(3, { ...GATED, initialRevisions: stable });
    simulation.deploy('web-v2', 2);
    expect(simulation.told.from).toEqual(['web-v1']);
    simulation.settle();
    expect(simulation.told.acts.abort.consequences?.stages.map(({ way, percent }) => [way, percent])).toEqual([['back', 40]]);
    simulation.decide({ verb: 'abort' });
    simulation.settle();
    expect(stageOf(simulation, 'back', 1).percent).toBe(40);
  });

  it('[rollout 14.2] puts a gate where the target passes its percent, and none at the end or where there is nowhere to stay', () => {
    const simulation = aSimulation(4, { overConsumptionRatio: 50, control: { gates: [{ atPercent: 30 }, { atPercent: 100 }] } });
    simulation.settle();
    simulation.decide({ verb: 'approve' });
    simulation.settle();
    expect(railOf(simulation.told.attempt?.stages).map((line) => line.split(' ').slice(2).join(' '))).toEqual([
      '50% open done',
      '100% none done',
    ]);
    const first = aSimulation(4, { initialRevisions: undefined, control: { gates: 'every-stage', autoPromotionEnabled: false } });
    first.deployments.delete('web-v1');
    first.settle();
    expect(attemptOf(first)).toMatchObject({ firstGate: 'none', stages: [{ gate: 'none', outcome: 'done' }] });
    const halves = ['web-v1', 'web-v2'].map((revisionName) => ({ ...anEntry(revisionName, 2), percent: 50 }));
    const split = aSimulation(2, { initialRevisions: undefined, targetRevisions: halves, control: { gates: 'every-stage' } });
    split.settle();
    expect(railOf(split.told.attempt?.stages)).toEqual(['forward 1 50% none done']);
    const where = 'traffic goes to web-v1 (50%) and web-v2 (50%)';
    expect([split.stored.message, split.stored.history.at(-1)?.message]).toEqual([where, where]);
  });
});

describe('how far it is', () => {
  it('[design 9] counts stages and percent, before the first, in one, at a gate, and at the end', () => {
    const simulation = aSimulation(4, MIDWAY);
    expect(farOf(simulation)).toEqual([0, 4, 0, 0, true]);
    simulation.pass();
    expect(farOf(simulation)).toEqual([1, 4, 0, 25, true]);
    simulation.settle();
    expect(farOf(simulation)).toEqual([2, 4, 2, 50, true]);
    simulation.decide({ verb: 'approve' });
    simulation.settle();
    expect(farOf(simulation)).toEqual([4, 4, 4, 100, false]);
  });

  it('[rollout 14.6] counts the way back by itself, and after it the way that was given up', () => {
    const simulation = inThirdStage();
    simulation.decide({ verb: 'abort' });
    expect(farOf(simulation)).toEqual([1, 1, 0, 50, true]);
    simulation.settle();
    expect(farOf(simulation)).toEqual([3, 3, 0, 0, false]);
  });

  it('[design 9] says what it is doing', () => {
    const simulation = aSimulation(4, GATED);
    expect(simulation.told.activity).toBe('rolling-out');
    simulation.settle();
    expect([simulation.told.activity, simulation.told.phase]).toEqual(['waiting', 'Paused']);
    simulation.decide({ verb: 'pause' });
    expect(simulation.told.activity).toBe('paused');
    simulation.decide({ verb: 'abort' });
    expect(simulation.told.activity).toBe('aborting');
    simulation.settle();
    expect(simulation.told.activity).toBe('aborted');
    simulation.decide({ verb: 'retry' });
    simulation.decide({ verb: 'promote-full' });
    simulation.settle();
    expect([simulation.told.activity, simulation.told.phase]).toEqual(['idle', 'Healthy']);
    const soaking = aSimulation(4, { overConsumptionRatio: 50, control: { requiredSoakTime: '1h' } });
    soaking.settle();
    expect(soaking.told).toMatchObject({ activity: 'held', until: '2026-01-01T10:00:00Z' });
    soaking.ro = { ...soaking.ro, metadata: { ...soaking.ro.metadata, annotations: { [SUSPENDED]: 'true' } } };
    expect(soaking.told).toMatchObject({ activity: 'held', waitsFor: { whom: 'person', message: { id: 'wait.annotated' } } });
  });

  it('[rollout 14.4] has a deadline in a stage, none in the last one, between two, and on the way back', () => {
    const simulation = aSimulation(4, GATED);
    expect(simulation.told.deadline).toBeNull();
    simulation.pass();
    expect(simulation.told.deadline).toBe('2026-01-01T09:02:00Z');
    simulation.settle();
    expect([simulation.told.deadline, inThirdStage().told.deadline]).toEqual([null, '2026-01-01T09:03:00Z']);
    const between = aSimulation(4, MIDWAY);
    between.settle();
    expect([between.told.position, between.told.deadline]).toEqual(['between', null]);
    simulation.decide({ verb: 'approve' });
    expect([simulation.told.position, simulation.told.deadline]).toEqual(['running', null]);
    simulation.decide({ verb: 'abort' });
    expect([simulation.told.position, simulation.told.deadline]).toEqual(['running', null]);
    expect(simulation.spec.targetFinishTime).toBeDefined();
  });

  it('[design 9] is done since everything was ready, and not done on the way or after an abort', () => {
    const simulation = aSimulation(4, GATED);
    simulation.settle();
    expect([simulation.told.completedAt, simulation.told.startedAt]).toEqual([null, START]);
    simulation.advance(60);
    simulation.decide({ verb: 'approve' });
    simulation.settle();
    expect(simulation.told.completedAt).toBe('2026-01-01T09:01:00Z');
  });

  it('[rollout 14.6] tells of an abort who was rejected, why, since when, and until when it still serves', () => {
    const simulation = aSimulation(4, { ...GATED, control: { gates: 'every-stage', abortScaleDownDelaySeconds: 30 } });
    simulation.settle();
    expect(simulation.told.abort).toBeNull();
    simulation.decide({ verb: 'abort', reason: 'too slow' });
    const abort = { rejected: 'web-v2', stable: ['web-v1'], reason: 'too slow', at: START };
    expect(simulation.told.abort).toEqual({ ...abort, isReturned: false, keptUntil: '2026-01-01T09:00:30Z' });
    simulation.advance(31);
    simulation.settle();
    expect(simulation.told.abort).toEqual({ ...abort, isReturned: true, keptUntil: null });
    const prompt = aSimulation(4, GATED);
    prompt.settle();
    prompt.decide({ verb: 'abort' });
    expect(prompt.told.abort?.keptUntil).toBeNull();
  });
});
