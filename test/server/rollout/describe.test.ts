import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AttemptDescription } from '@/server/rollout';
import { describeRollout, observeObjects } from '@/server/rollout';
import type { Simulation } from './simulation';
import { anEntry, aSimulation } from './simulation';

const railOf = (simulation: Simulation) =>
  simulation.told.attempt?.stages.map(({ index, way, percent, gate, outcome }) => [index, way, percent, gate, outcome]);
const replicasOf = (simulation: Simulation) =>
  Object.fromEntries([...simulation.deployments].map(([name, { replicas }]) => [name, replicas]));

describe('the rail', () => {
  it('[rollout 14.2] shows the one gate that the engine holds: 10 replicas, ratio 45, gate at 38 percent', () => {
    const simulation = aSimulation(10, { overConsumptionRatio: 45, control: { gates: [{ atPercent: 38 }] } });
    expect(railOf(simulation)?.map(([, , percent, gate]) => [percent, gate])).toEqual([
      [40, 'closed'],
      [80, 'none'],
      [100, 'none'],
    ]);
    simulation.settle();
    expect(simulation.told).toMatchObject({ activity: 'waiting', percent: 40, stageIndex: 1, stageCount: 3 });
    simulation.decide({ verb: 'approve' });
    simulation.settle();
    expect(simulation.told.phase).toBe('Healthy');
  });

  it('[rollout 5] plans with the annotations of a rollout that kubectl made, and without initial revisions of its own', () => {
    const simulation = aSimulation(10);
    simulation.ro = {
      ...simulation.ro,
      metadata: { ...simulation.ro.metadata, annotations: { 'rollout.knative.dev/over-consumption-ratio': '50' } },
    };
    expect(railOf(simulation)?.map(([, , percent]) => percent)).toEqual([50, 100]);
    expect(simulation.told.ratio).toBe(50);
  });

  it('[rollout 14.6] keeps the stages that were reached after an abort, says where it was given up, and moves on the way back', () => {
    const simulation = aSimulation(4, { overConsumptionRatio: 25 });
    simulation.settleUntil('two stages are through', () => simulation.control.completedStages === 2);
    simulation.pass();
    simulation.decide({ verb: 'abort' });
    expect(simulation.told).toMatchObject({
      phase: 'Degraded',
      activity: 'aborting',
      abort: { rejected: 'web-v2', stable: ['web-v1'], isReturned: false },
    });
    simulation.settle();
    expect(railOf(simulation)).toEqual([
      [1, 'forward', 25, 'none', 'done'],
      [2, 'forward', 50, 'none', 'done'],
      [3, 'forward', 75, 'none', 'failed'],
      [1, 'back', 0, 'none', 'done'],
    ]);
    expect(simulation.told).toMatchObject({ activity: 'aborted', abort: { isReturned: true }, attempt: { outcome: 'aborted' } });
  });

  it('[issue 9.3] keeps the last three attempts, each with what happened in it', () => {
    const simulation = aSimulation(4, { overConsumptionRatio: 50, control: { gates: 'every-stage' } });
    for (let attempt = 0; attempt < 4; attempt++) {
      simulation.settle();
      simulation.decide({ verb: 'abort' });
      simulation.settle();
      simulation.advance(60);
      simulation.decide({ verb: 'retry' });
    }
    simulation.settle();
    const { attempt, past } = simulation.told;
    expect([attempt?.kind, attempt?.outcome, past.map(({ kind, outcome }) => [kind, outcome])]).toEqual([
      'retry',
      'under-way',
      [
        ['retry', 'aborted'],
        ['retry', 'aborted'],
      ],
    ]);
    const { startedAt = '', endedAt } = past[0] ?? {};
    expect(Date.parse(startedAt)).toBeLessThanOrEqual(Date.parse(endedAt ?? ''));
    expect(past[0]?.stages.map(({ way, outcome }) => [way, outcome])).toEqual([
      ['forward', 'done'],
      ['back', 'done'],
    ]);
  });
});

describe('gates that are behind', () => {
  const RATIO = { overConsumptionRatio: 25, control: { gates: 'every-stage', autoPromotionEnabled: false } } as const;

  it('[issue 9.3] are told with who went past each, how and when, also of earlier attempts and of the one before the first stage', () => {
    const simulation = aSimulation(4, RATIO);
    const decide = (verb: 'approve' | 'advance' | 'promote-full', user: string) => {
      simulation.settle();
      expect(simulation.decide({ verb, actor: { user } }).phase).toBe('Accepted');
    };
    decide('approve', 'ann');
    decide('advance', 'bob');
    simulation.settle();
    simulation.decide({ verb: 'abort' });
    simulation.settle();
    simulation.advance(60);
    simulation.decide({ verb: 'retry' });
    decide('promote-full', 'cid');
    simulation.settle();
    const told = ({ firstGatePassed, stages }: AttemptDescription) =>
      [firstGatePassed, ...stages.filter(({ way }) => way === 'forward').map(({ gatePassed }) => gatePassed)].map((passed) =>
        passed?.by.map(({ actor, verb }) => `${verb} ${actor}`),
      );
    const { attempt, past } = simulation.told;
    expect([attempt, ...past].map((one) => one && told(one))).toEqual([
      [['promote-full cid'], undefined],
      [['approve ann'], ['advance bob'], undefined],
    ]);
    expect([past[0]?.firstGate, past[0]?.stages.map(({ way, gate }) => [way, gate])]).toEqual([
      'open',
      [
        ['forward', 'open'],
        ['forward', 'none'],
        ['back', 'none'],
      ],
    ]);
  });

  it('[rollout 14.2] are nobody’s where they opened by themselves', () => {
    const simulation = aSimulation(4, { overConsumptionRatio: 50, control: { gates: 'every-stage', pause: { duration: '1m' } } });
    simulation.settle();
    simulation.advance(61);
    simulation.settle();
    expect(simulation.told.attempt?.stages[0]).toMatchObject({ gate: 'open', gatePassed: { by: [] } });
  });
});

describe('what nobody drives', () => {
  it('[issue 9.3] describes a rollout without an application and without any workload', () => {
    const simulation = aSimulation(4);
    simulation.deployments.clear();
    simulation.settle();
    expect(simulation.told).toMatchObject({ phase: 'Progressing', position: 'between', waitsFor: { whom: 'pods', isWaiting: true } });
    expect(simulation.sentence).toContain('web-v1 is unknown');
  });

  it('[issue 9.3] says that what a finished rollout sends traffic to is gone, and is well again once it is back', () => {
    const simulation = aSimulation(4);
    simulation.settle();
    expect(simulation.told).toMatchObject({ phase: 'Healthy', position: 'complete', activity: 'idle' });
    const target = simulation.deployments.get('web-v2');
    simulation.deployments.delete('web-v2');
    simulation.pass();
    expect(simulation.told).toMatchObject({ phase: 'Degraded', waitsFor: { whom: 'person', isWaiting: true } });
    expect(simulation.sentence).toBe('Deployment web-v2 is no longer in the cluster, and traffic still goes to it');
    if (target !== undefined) simulation.deployments.set('web-v2', target);
    simulation.pass();
    expect(simulation.told.phase).toBe('Healthy');
  });

  it('[issue 9.3] says which field of a rollout cannot be read, what was wanted and what was found', () => {
    const simulation = aSimulation(4);
    simulation.change({ control: { gates: [{ atPercent: 400 }] } });
    simulation.pass();
    expect(simulation.told.unreadable).toEqual({ field: 'spec.control.gates[0].atPercent', problem: 'must be at most 100, found 400' });
  });

  it('[issue 9.3] says which field of a rollout cannot be read, and keeps what is stored as it is', () => {
    const simulation = aSimulation(4, { overConsumptionRatio: 50, control: { gates: 'every-stage' } });
    simulation.settle();
    const before = replicasOf(simulation);
    const { control } = simulation;
    simulation.change({ control: { gates: 'sometimes' } });
    const abort = simulation.decision({ verb: 'abort' });
    simulation.pass([abort]);
    expect(simulation.verdicts.at(-1)?.phase).toBe('Rejected');
    expect(simulation.told).toMatchObject({ phase: 'Degraded', unreadable: { field: 'spec.control.gates' }, completedStages: 1 });
    expect(replicasOf(simulation)).toEqual(before);
    expect(simulation.control.rollout).toEqual(control.rollout);
    simulation.change({ control: { gates: 'every-stage' } });
    simulation.pass();
    expect(simulation.told).toMatchObject({ phase: 'Paused', activity: 'waiting' });
  });

  it('[issue 9.3] gives the same picture from objects as from the stores of the engine', () => {
    const simulation = aSimulation(4, { overConsumptionRatio: 50 });
    simulation.settleUntil('a stage is in progress', () => simulation.told.position === 'running');
    const { view } = simulation.observe();
    const objects = {
      rollout: simulation.ro,
      autoscalers: view.autoscalers.map(({ name, bounds, figures }) => ({
        apiVersion: 'serving.knative.dev/v1',
        kind: 'StagePodAutoscaler',
        metadata: { name, namespace: 'shop' },
        spec: bounds,
        status: figures,
      })),
      workloads: [...view.workloads.values()].map(({ object }) => object),
    };
    expect(describeRollout(observeObjects(objects, simulation.now), simulation.now)).toEqual(simulation.told);
  });
});

describe('a preview is a promise', () => {
  const scene = fc.record({
    replicas: fc.integer({ min: 1, max: 20 }),
    next: fc.integer({ min: 1, max: 20 }),
    ratio: fc.integer({ min: 1, max: 100 }),
    gates: fc.oneof(
      fc.constant('every-stage' as const),
      fc.array(fc.record({ atPercent: fc.integer({ min: 0, max: 100 }) }), { maxLength: 4 }),
    ),
    strategy: fc.constantFrom('availability', 'resourceutil'),
    abortAfter: fc.integer({ min: 1, max: 12 }),
  });

  it('[issue 9.3] announces the next stage, its gate and its replicas, and after an abort the replicas that come', () => {
    fc.assert(
      fc.property(scene, ({ replicas, next, ratio, gates, strategy, abortAfter }) => {
        const simulation = aSimulation(replicas, {
          targetRevisions: [anEntry('web-v2', next)],
          overConsumptionRatio: ratio,
          rolloutStrategy: strategy,
          control: { gates },
        });
        for (let step = 0; step < 60; step++) {
          simulation.settle();
          const { told } = simulation;
          if (told.position === 'complete') {
            expect(replicasOf(simulation)).toEqual({ 'web-v1': 0, 'web-v2': next });
            return;
          }
          expect(told.activity).toBe('waiting');
          if (step >= abortAfter) {
            const announced = told.acts.abort.consequences?.replicas ?? [];
            simulation.decide({ verb: 'abort' });
            simulation.settle();
            expect(replicasOf(simulation)).toEqual(Object.fromEntries(announced.map(({ revision, end }) => [revision, end])));
            return;
          }
          // Every stage up to the next closed gate is gone through, and there it stands.
          const ahead = told.acts.approve.consequences?.stages ?? [];
          const stops = ahead.find(({ gate }) => gate === 'closed') ?? ahead.at(-1);
          simulation.decide({ verb: 'approve' });
          simulation.settle();
          expect(simulation.told.percent, JSON.stringify([told.completedStages, ahead.map(({ percent, gate }) => [percent, gate])])).toBe(
            stops?.percent,
          );
          expect(simulation.told.completedStages).toBe(stops?.index);
          const planned = stops?.revisions.map(({ revision, planned: { replicas: count } }) => [revision, count]) ?? [];
          expect(replicasOf(simulation)).toEqual(Object.fromEntries(planned));
        }
        throw new Error('the rollout did not end');
      }),
      { numRuns: 60 },
    );
  });
});
