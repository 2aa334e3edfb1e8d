import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DecisionVerb } from '@/lib/contract/stage-decision';
import type { StageDescription } from '@/server/rollout';
import type { Simulation } from './simulation';
import { anEntry, aSimulation } from './simulation';

// What is said of a decision before it is made, against what the engine then does: at any moment of a stage, not only where it stands still.

const MOVES = ['abort', 'promote-full', 'approve', 'advance', 'resume'] as const satisfies readonly DecisionVerb[];

const scene = fc.record({
  replicas: fc.integer({ min: 1, max: 10 }),
  next: fc.integer({ min: 1, max: 10 }),
  ratio: fc.integer({ min: 5, max: 100 }),
  strategy: fc.constantFrom('availability', 'resourceutil'),
  gates: fc.constantFrom('none', 'every-stage'),
  /** Whether the pods of each revision come and go after each pass. */
  passes: fc.array(fc.record({ stable: fc.boolean(), target: fc.boolean() }), { maxLength: 25 }),
  verb: fc.constantFrom(...MOVES),
});
type Scene = typeof scene extends fc.Arbitrary<infer Value> ? Value : never;

/** A rollout somewhere on its way. */
function inMidStage({ replicas, next, ratio, strategy, gates, passes }: Scene): Simulation {
  const simulation = aSimulation(replicas, {
    targetRevisions: [anEntry('web-v2', next)],
    overConsumptionRatio: ratio,
    rolloutStrategy: strategy,
    control: { gates },
  });
  simulation.pass();
  for (const { stable, target } of passes) {
    simulation.settlePods([...(stable ? [] : ['web-v1']), ...(target ? [] : ['web-v2'])]);
    simulation.pass();
    if (simulation.told.activity === 'waiting' && target) simulation.decide({ verb: 'approve' });
  }
  return simulation;
}

const replicasOf = (simulation: Simulation) =>
  Object.fromEntries([...simulation.deployments].map(([name, { replicas }]) => [name, replicas]));
const railOf = (simulation: Simulation) => simulation.told.attempt?.stages ?? [];
const plannedOf = ({ way, index, percent, revisions }: StageDescription) =>
  `${way} ${index} ${percent}%: ${revisions.map(({ revision, planned }) => `${revision} ${planned.replicas}`).join(', ')}`;

/** Goes on to the end, past every gate. */
function toTheEnd(simulation: Simulation): void {
  for (let step = 0; step < 200; step++) {
    simulation.settle();
    const { activity, position } = simulation.told;
    if (position === 'complete' || activity === 'aborted') return;
    expect(activity).toBe('waiting');
    simulation.decide({ verb: 'approve' });
  }
  throw new Error('the rollout did not end');
}

describe('a decision in the middle of a stage', () => {
  it('[issue 9.3] goes through the stages that were said, with the replicas that were said, to the end that was said', () => {
    fc.assert(
      fc.property(scene, (given) => {
        const simulation = inMidStage(given);
        const { verb } = given;
        if (verb === 'resume') simulation.decide({ verb: 'pause' });
        const { allowed, consequences } = simulation.told.acts[verb];
        fc.pre(allowed && consequences !== null);
        const behind = railOf(simulation).filter(({ outcome }) => outcome === 'done').length;
        expect(simulation.decide({ verb }).phase).toBe('Accepted');
        toTheEnd(simulation);
        const gone = railOf(simulation).filter(({ outcome }) => outcome === 'done');
        const said = JSON.stringify([verb, given]);
        expect(gone.slice(behind).map(plannedOf), said).toEqual((consequences?.stages ?? []).map(plannedOf));
        const ends = Object.fromEntries((consequences?.replicas ?? []).map(({ revision, end }) => [revision, end]));
        expect(replicasOf(simulation), said).toEqual({ ...replicasOf(simulation), ...ends });
        // What the rail keeps of each stage as planned is what was there at its end.
        const kept = gone.slice(behind).flatMap(({ revisions }) => revisions);
        expect(
          kept.map(({ planned }) => planned.replicas),
          said,
        ).toEqual(kept.map(({ observed }) => observed?.replicas));
      }),
      { numRuns: 40 },
    );
  });

  it('[issue 9.3] that pauses leaves replicas as they are, however long it lasts and whatever pods do, and changes nothing of the way', () => {
    fc.assert(
      fc.property(scene, (given) => {
        const simulation = inMidStage(given);
        fc.pre(simulation.told.acts.pause.allowed);
        const [before, way] = [replicasOf(simulation), railOf(simulation).map(plannedOf)];
        simulation.decide({ verb: 'pause' });
        for (let hour = 0; hour < 3; hour++) {
          simulation.settle();
          simulation.advance(3600);
        }
        const said = JSON.stringify(given);
        expect(replicasOf(simulation), said).toEqual(before);
        simulation.decide({ verb: 'resume' });
        expect(railOf(simulation).map(plannedOf), said).toEqual(way);
      }),
      { numRuns: 40 },
    );
  });

  it('[issue 9.3] that tries again after an abort, also while that is on its way, goes to the end that was said', () => {
    fc.assert(
      fc.property(scene, fc.boolean(), (given, isBack) => {
        const simulation = inMidStage(given);
        fc.pre(simulation.told.acts.abort.allowed);
        simulation.decide({ verb: 'abort' });
        if (isBack) simulation.settle();
        const { allowed, consequences } = simulation.told.acts.retry;
        const said = JSON.stringify([isBack, given]);
        expect([allowed, consequences === null], said).toEqual([true, false]);
        expect(simulation.decide({ verb: 'retry' }).phase, said).toBe('Accepted');
        toTheEnd(simulation);
        expect(railOf(simulation).map(plannedOf), said).toEqual((consequences?.stages ?? []).map(plannedOf));
        expect(replicasOf(simulation), said).toEqual({ 'web-v1': 0, 'web-v2': given.next });
      }),
      { numRuns: 40 },
    );
  });
});
