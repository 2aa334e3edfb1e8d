import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readField } from '@/lib/kube/fields';
import { attemptOf } from '@/server/rollout/control/control-facts';
import type { TargetRevision } from '@/server/rollout/model';
import { anEntry, aSimulation, Simulation } from './simulation';

const WAITS = { autoPromotionEnabled: false };
const part = (revisionName: string, percent: number, replicas: number): TargetRevision => ({ ...anEntry(revisionName, replicas), percent });

/** A rollout that waits before its first stage, with so many replicas of each revision. */
function waiting(counts: Readonly<Record<string, number>>, spec: object): Simulation {
  const simulation = new Simulation({ rolloutStrategy: 'availability', overConsumptionRatio: 25, control: WAITS, ...spec });
  for (const [revision, replicas] of Object.entries(counts)) simulation.deploy(revision, replicas);
  simulation.settle();
  expect(simulation.told.activity).toBe('waiting');
  return simulation;
}

const replicasOf = (simulation: Simulation) =>
  Object.fromEntries([...simulation.deployments].map(([name, { replicas }]) => [name, replicas]));
const announced = (simulation: Simulation) => simulation.told.acts.approve.consequences;
const endsOf = (simulation: Simulation) =>
  Object.fromEntries((announced(simulation)?.replicas ?? []).map(({ revision, end }) => [revision, end]));
const plannedOf = (simulation: Simulation) =>
  (announced(simulation)?.stages ?? []).map(({ percent, revisions }) => [
    percent,
    ...revisions.map(({ revision, planned: { replicas, exact } }) => `${revision} ${exact} ${replicas}`),
  ]);

describe('what an approval is said to lead to', () => {
  const from1 = { initialRevisions: [anEntry('web-v1', 4)] };
  it.each<[string, Readonly<Record<string, number>>, object]>([
    ['one revision takes over from another', { 'web-v1': 4, 'web-v2': 0 }, { ...from1, targetRevisions: [anEntry('web-v2', 4)] }],
    ['the target is to run more', { 'web-v1': 4, 'web-v2': 0 }, { ...from1, targetRevisions: [anEntry('web-v2', 7)] }],
    [
      'it starts from two',
      { 'web-v0': 2, 'web-v1': 2, 'web-v2': 0 },
      { initialRevisions: [part('web-v0', 50, 2), part('web-v1', 50, 2)], targetRevisions: [anEntry('web-v2', 4)] },
    ],
    [
      'it goes to two, all at once',
      { 'web-v1': 4, 'web-v2': 0, 'web-v3': 0 },
      { ...from1, targetRevisions: [part('web-v2', 50, 2), part('web-v3', 50, 3)] },
    ],
    [
      'a part of what it starts from stays',
      { 'web-v1': 4, 'web-v2': 0 },
      { ...from1, targetRevisions: [part('web-v1', 50, 2), part('web-v2', 50, 3)] },
    ],
  ])('[rollout 15] is what comes of it where %s', (_what, counts, spec) => {
    const simulation = waiting(counts, spec);
    const said = endsOf(simulation);
    simulation.decide({ verb: 'approve' });
    simulation.settle();
    expect(replicasOf(simulation)).toEqual(said);
    expect(simulation.told.position).toBe('complete');
  });

  it('[rollout 15] leaves a side that stays as it is, also where a rollout before brought it', () => {
    const halves = { initialRevisions: [part('web-v0', 50, 2), part('web-v1', 50, 2)], targetRevisions: [anEntry('web-v2', 4)] };
    const simulation = waiting({ 'web-v0': 2, 'web-v1': 2, 'web-v2': 0 }, halves);
    for (const revision of ['web-v0', 'web-v1']) simulation.bounds.set(revision, {});
    expect(plannedOf(simulation)[0]).toEqual([25, 'web-v0 exactly 2', 'web-v1 exactly 1', 'web-v2 exactly 1']);
  });

  it('[rollout 15] takes along what a rollout before left, which drains with the first stage', () => {
    const simulation = waiting({ 'web-v0': 2, 'web-v1': 4, 'web-v2': 0 }, { ...from1, targetRevisions: [anEntry('web-v2', 4)] });
    simulation.bounds.set('web-v0', {});
    expect(announced(simulation)?.replicas.find(({ revision }) => revision === 'web-v0')).toMatchObject({ now: 2, next: 0, end: 0 });
    const said = endsOf(simulation);
    simulation.decide({ verb: 'approve' });
    simulation.settle();
    expect(replicasOf(simulation)).toEqual(said);
  });

  it('[rollout 15] goes by what is asked for, and by no pods beyond that which are said to be ready', () => {
    const plain = waiting({ 'web-v1': 4, 'web-v2': 0 }, { ...from1, targetRevisions: [anEntry('web-v2', 4)] });
    const counted = waiting({ 'web-v1': 4, 'web-v2': 0 }, { ...from1, targetRevisions: [anEntry('web-v2', 4)] });
    counted.deploy('web-v1', 4, 9);
    expect(plannedOf(counted)).toEqual(plannedOf(plain));
    expect(plannedOf(plain)[0]).toEqual([25, 'web-v1 exactly 3', 'web-v2 exactly 1']);
  });

  it('[rollout 12.1] goes by no fewer than must stay ready where that is promised, and else by what is there', () => {
    const of = (rolloutStrategy: string) => {
      const simulation = waiting(
        { 'web-v1': 8, 'web-v2': 0 },
        { initialRevisions: [anEntry('web-v1', 8)], targetRevisions: [anEntry('web-v2', 8)], rolloutStrategy },
      );
      simulation.bounds.set('web-v1', {});
      simulation.deploy('web-v1', 8, 4);
      return plannedOf(simulation)[0];
    };
    expect([of('availability'), of('resourceutil')]).toEqual([
      [25, 'web-v1 exactly 6', 'web-v2 exactly 2'],
      [25, 'web-v1 exactly 3', 'web-v2 exactly 1'],
    ]);
  });

  it('[rollout 13.2] is a bound where an autoscaler counts: the least of what grows, and the most of anything else', () => {
    const simulation = new Simulation({
      rolloutStrategy: 'availability',
      overConsumptionRatio: 25,
      control: WAITS,
      initialRevisions: [part('web-v0', 50, 4), part('web-v1', 50, 4)],
      targetRevisions: [anEntry('web-v2', 4)],
    });
    for (const revision of ['web-v0', 'web-v1', 'web-v2']) {
      simulation.deploy(revision, revision === 'web-v2' ? 0 : 4);
      simulation.autoscale(revision, 2, 8);
    }
    simulation.settle();
    const plannedAt = plannedOf(simulation);
    expect(plannedAt).toEqual([
      [25, 'web-v0 atMost 8', 'web-v1 exactly 1', 'web-v2 atLeast 1'],
      [50, 'web-v0 atMost 8', 'web-v1 exactly 0', 'web-v2 atLeast 2'],
      [75, 'web-v0 exactly 1', 'web-v2 atLeast 3'],
      [100, 'web-v0 exactly 0', 'web-v2 exactly 4'],
    ]);
    simulation.decide({ verb: 'approve' });
    simulation.pass();
    const noted = attemptOf(simulation.stored)?.stages.at(-1)?.revisions;
    expect(noted?.map(({ revision, replicas, exact }) => `${revision} ${exact ?? 'exactly'} ${replicas}`)).toEqual(plannedAt[0]?.slice(1));
  });
});

describe('an availability rollout', () => {
  const counts = fc.integer({ min: 1, max: 8 });
  const approveAll = (simulation: Simulation) => {
    for (let step = 0; step < 150 && simulation.told.activity === 'waiting'; step++) {
      simulation.decide({ verb: 'approve' });
      simulation.settle();
    }
  };

  it('[rollout 12.1] never waits for a stage that would leave too few, however unlike the shares of what it starts from are to its replicas', () => {
    const scene = fc.record({
      starts: fc.array(fc.tuple(counts, fc.integer({ min: 1, max: 9 })), { minLength: 2, maxLength: 3 }),
      next: counts,
      ratio: fc.integer({ min: 1, max: 100 }),
    });
    fc.assert(
      fc.property(scene, ({ starts, next, ratio }) => {
        const whole = starts.reduce((sum, [, weight]) => sum + weight, 0);
        const shares = starts.map(([, weight]) => Math.floor((weight * 100) / whole));
        const rest = 100 - shares.reduce((sum, share) => sum + share, 0);
        const initialRevisions = starts.map(([replicas], at) => part(`web-s${at}`, (shares[at] ?? 0) + (at === 0 ? rest : 0), replicas));
        const running = Object.fromEntries(starts.map(([replicas], at) => [`web-s${at}`, replicas]));
        const simulation = waiting(
          { ...running, 'web-t': 0 },
          { initialRevisions, targetRevisions: [anEntry('web-t', next)], overConsumptionRatio: ratio },
        );
        const said = endsOf(simulation);
        simulation.decide({ verb: 'approve' });
        simulation.settle();
        expect([simulation.told.position, replicasOf(simulation)]).toEqual(['complete', said]);
      }),
      {
        numRuns: 40,
        examples: [
          [
            {
              starts: [
                [4, 1],
                [7, 1],
              ],
              next: 7,
              ratio: 4,
            },
          ],
          [
            {
              starts: [
                [1, 7],
                [7, 2],
              ],
              next: 5,
              ratio: 33,
            },
          ],
        ],
      },
    );
  });

  it('[rollout 12.1] comes to its end though its target changes twice within a stage', () => {
    const simulation = aSimulation(12, {
      targetRevisions: [anEntry('web-v2', 3)],
      overConsumptionRatio: 3,
      control: { gates: 'every-stage' },
    });
    simulation.settle();
    for (let stage = 0; stage < 5; stage++) {
      simulation.decide({ verb: 'approve' });
      simulation.settle();
    }
    simulation.decide({ verb: 'approve' });
    for (let pass = 0; pass < 3; pass++) simulation.pass();
    for (const [revision, replicas] of [
      ['web-v3', 8],
      ['web-v4', 12],
    ] as const) {
      simulation.deploy(revision, 0);
      const initialRevisions = readField(simulation.ro, 'status', 'stageRevisionStatus');
      simulation.change({
        initialRevisions,
        targetRevisions: [anEntry(revision, replicas)],
        stageTargetRevisions: undefined,
        targetFinishTime: undefined,
      });
      simulation.settle();
    }
    approveAll(simulation);
    expect([simulation.told.position, replicasOf(simulation)]).toEqual([
      'complete',
      { 'web-v1': 0, 'web-v2': 0, 'web-v3': 0, 'web-v4': 12 },
    ]);
  });
});
