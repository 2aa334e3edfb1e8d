import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attemptOf } from '@/server/rollout/control/control-facts';
import type { ScaleRange } from '@/server/rollout/horizontal-autoscaler';
import type { TargetRevision } from '@/server/rollout/model';
import { Simulation } from './simulation';

const REVISIONS = ['web-v1', 'web-v2', 'web-v3'];
const entry = (revisionName: string, { min, max }: ScaleRange): TargetRevision => ({
  revisionName,
  percent: 100,
  minScale: min,
  maxScale: max,
  latestRevision: true,
});

interface Scene {
  readonly from: ScaleRange;
  readonly to: ScaleRange;
  /** Replicas of web-v1 when it begins. */
  readonly running: number;
  readonly more?: Readonly<Record<string, unknown>>;
}

/** A rollout from web-v1 to web-v2, all scaled by HPAs. */
function anAutoscaledSimulation({ from, to, running, more = {} }: Scene): Simulation {
  const spec = {
    initialRevisions: [entry('web-v1', from)],
    targetRevisions: [entry('web-v2', to)],
    rolloutStrategy: 'availability',
    ...more,
  };
  const simulation = new Simulation(spec);
  for (const [at, name] of REVISIONS.entries()) {
    simulation.deploy(name, at === 0 ? running : 0);
    const own = at === 0 ? from : to;
    simulation.autoscale(name, own.min, own.max);
  }
  return simulation;
}

const readyOf = (simulation: Simulation) => [...simulation.deployments.values()].reduce((sum, { ready }) => sum + ready, 0);

type Event =
  | { readonly kind: 'pass' }
  | { readonly kind: 'ready'; readonly revision: number; readonly pods: number }
  | { readonly kind: 'dies'; readonly revision: number }
  | { readonly kind: 'hpa'; readonly revision: number; readonly load: number }
  | { readonly kind: 'time'; readonly seconds: number }
  | { readonly kind: 'target'; readonly revision: number }
  | { readonly kind: 'verb'; readonly verb: 'pause' | 'resume' | 'abort' | 'retry' | 'promote-full' };

const VERBS = ['pause', 'resume', 'abort', 'retry', 'promote-full'] as const;
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('pass' as const) }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('ready' as const), revision: fc.nat(2), pods: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('hpa' as const), revision: fc.nat(2), load: fc.constantFrom(0, 0, 0.3, 0.7, 1) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('time' as const), seconds: fc.integer({ min: 1, max: 200 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('target' as const), revision: fc.integer({ min: 0, max: 2 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('verb' as const), verb: fc.constantFrom(...VERBS) }) },
);

function happen(simulation: Simulation, happening: Event, own: ScaleRange): void {
  const name = 'revision' in happening ? (REVISIONS[happening.revision] ?? '') : '';
  const deployment = simulation.deployments.get(name);
  switch (happening.kind) {
    case 'pass':
      simulation.pass();
      return;
    case 'ready':
      if (deployment) deployment.ready = Math.min(deployment.replicas, deployment.ready + happening.pods);
      return;
    case 'dies':
      if (deployment) deployment.ready = Math.max(0, deployment.ready - 1);
      return;
    case 'hpa':
      simulation.lookOfHpa(name, happening.load);
      return;
    case 'time':
      simulation.advance(happening.seconds);
      return;
    case 'target':
      simulation.change({ targetRevisions: [entry(name, own)] });
      return;
    case 'verb':
      simulation.pass([simulation.decision({ verb: happening.verb })]);
  }
}

/** Ready pods that are left when every HPA goes to its minimum now: what is certain. */
function readyAtWorst(simulation: Simulation): number {
  return [...simulation.deployments].reduce(
    (sum, [name, { replicas, ready }]) => sum + Math.min(ready, replicas, simulation.range(name)?.min ?? replicas),
    0,
  );
}

const range = fc
  .record({ min: fc.integer({ min: 1, max: 8 }), room: fc.integer({ min: 0, max: 8 }) })
  .map(({ min, room }) => ({ min, max: min + room }));

/** Looks of all HPAs and ready pods between passes, until nothing changes any more. */
function settle(simulation: Simulation, loads: readonly number[]): void {
  for (let turn = 0; turn < 600; turn++) {
    const before = JSON.stringify([simulation.ro, [...simulation.bounds], [...simulation.deployments]]);
    simulation.pass();
    for (const [at, name] of REVISIONS.entries()) simulation.lookOfHpa(name, loads[at] ?? 0);
    simulation.settlePods();
    if (JSON.stringify([simulation.ro, [...simulation.bounds], [...simulation.deployments]]) === before) return;
  }
  throw new Error(`the rollout did not settle: ${JSON.stringify([simulation.control, [...simulation.deployments]])}`);
}

describe('with HPAs', () => {
  it('[design 3] availability keeps the stable minimum ready at every moment, wherever the HPAs go within the bounds they are given', () => {
    const scene = fc.record({ from: range, own: range, load: fc.constantFrom(0, 0.5, 1), ratio: fc.integer({ min: 1, max: 120 }) });
    fc.assert(
      fc.property(scene, fc.array(event, { minLength: 30, maxLength: 120 }), ({ from, own, load, ratio }, events) => {
        const running = from.min + Math.round(load * (from.max - from.min));
        const simulation = anAutoscaledSimulation({ from, to: own, running, more: { overConsumptionRatio: ratio } });
        simulation.pass();
        for (const happening of events) {
          happen(simulation, happening, own);
          expect(readyOf(simulation), JSON.stringify([happening, [...simulation.deployments]])).toBeGreaterThanOrEqual(
            Math.min(from.min, own.min),
          );
        }
      }),
      { numRuns: 150 },
    );
  });

  it('[design 3] no write of a pass takes what is certain below the floor, and where pods died nothing more is taken', () => {
    const dies: fc.Arbitrary<Event> = fc.record({ kind: fc.constant('dies' as const), revision: fc.nat(2) });
    const scene = fc.record({ from: range, own: range, ratio: fc.integer({ min: 1, max: 120 }) });
    const happenings = fc.array(fc.oneof({ weight: 9, arbitrary: event }, { weight: 1, arbitrary: dies }), {
      minLength: 30,
      maxLength: 120,
    });
    fc.assert(
      fc.property(scene, happenings, ({ from, own, ratio }, events) => {
        const simulation = anAutoscaledSimulation({ from, to: own, running: from.max, more: { overConsumptionRatio: ratio } });
        simulation.pass();
        for (const happening of events) {
          const before = readyAtWorst(simulation);
          happen(simulation, happening, own);
          if (happening.kind !== 'pass' && happening.kind !== 'verb') continue;
          const least = Math.min(before, attemptOf(simulation.stored)?.floor ?? 0);
          expect(readyAtWorst(simulation), JSON.stringify([happening, [...simulation.deployments]])).toBeGreaterThanOrEqual(least);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('[rollout 13.2] comes to its end under any load: the target within its own bounds, the old one parked', () => {
    const scene = fc.record({
      from: range,
      to: range,
      loads: fc.array(fc.constantFrom(0, 0.4, 1), { minLength: 3, maxLength: 3 }),
      ratio: fc.integer({ min: 1, max: 120 }),
    });
    fc.assert(
      fc.property(scene, ({ from, to, loads, ratio }) => {
        const running = from.min + Math.round((loads[0] ?? 0) * (from.max - from.min));
        const simulation = anAutoscaledSimulation({ from, to, running, more: { overConsumptionRatio: ratio } });
        settle(simulation, loads);
        expect(simulation.control.phase, JSON.stringify(simulation.control)).toBe('Healthy');
        expect(simulation.range('web-v2')).toEqual(to);
        expect(simulation.deployments.get('web-v1')?.replicas).toBe(0);
        expect(simulation.deployments.get('web-v2')?.ready).toBeGreaterThanOrEqual(to.min);
      }),
      { numRuns: 150 },
    );
  });

  it('[rollout 13.2] moves ranges by stages, wakes a sleeping HPA by a count of its minimum, and parks by a count of 0', () => {
    const own = { min: 4, max: 8 };
    const simulation = anAutoscaledSimulation({ from: own, to: own, running: 4, more: { overConsumptionRatio: 50 } });
    const counts: string[] = [];
    simulation.onScale = (revision, from, to) => counts.push(`${revision} ${from} to ${to}`);
    const ranges = new Set<string>();
    for (let turn = 0; turn < 40; turn++) {
      simulation.pass();
      ranges.add(['web-v1', 'web-v2'].map((name) => `${simulation.range(name)?.min}..${simulation.range(name)?.max}`).join(' '));
      for (const name of REVISIONS) simulation.lookOfHpa(name, 0);
      simulation.settlePods();
    }
    expect([...ranges]).toEqual(['4..8 2..8', '2..2 2..8', '2..2 4..8']);
    expect(counts).toEqual(['web-v2 0 to 2', 'web-v1 2 to 0']);
  });

  it('[rollout 13.2] goes by the count asked for while an HPA reads no metrics, and by its opinion while it has one', () => {
    const own = { min: 2, max: 8 };
    const simulation = anAutoscaledSimulation({ from: own, to: own, running: 2, more: { overConsumptionRatio: 50 } });
    const opinion = (active: string, desiredReplicas: number) => {
      const v2 = simulation.deployments.get('web-v2');
      if (v2?.hpa) v2.hpa = { ...v2.hpa, status: { desiredReplicas, conditions: [{ type: 'ScalingActive', status: active }] } };
    };
    const stagesAfter = (turns: number, active: string, desired: number) => {
      for (let turn = 0; turn < turns; turn++) {
        simulation.pass();
        for (const name of REVISIONS) simulation.lookOfHpa(name, 0);
        simulation.settlePods();
        opinion(active, desired);
      }
      return simulation.control.completedStages;
    };
    expect(stagesAfter(10, 'True', 0)).toBe(0);
    expect(simulation.sentence).toBe('stage 1: web-v2 has 1 of 1 ready replica');
    // Metrics are lost: the figure in the status is an old one, whatever it says.
    expect(stagesAfter(10, 'False', 0)).toBe(2);
  });

  it('[design 1] tells before a decision the bounds that a stage moves, since within them the load counts', () => {
    const own = { min: 4, max: 8 };
    const simulation = anAutoscaledSimulation({
      from: own,
      to: own,
      running: 6,
      more: { overConsumptionRatio: 50, control: { gates: 'every-stage' } },
    });
    settle(simulation, [0.5, 0.5, 0.5]);
    expect(simulation.saysOf('approve')).toEqual([
      'Stage 2 begins.',
      'web-v1 goes from 3 to 0 replicas and from 33.3% to 0% of the traffic, by pod ratio.',
      'web-v2 goes from 6 to at least 4 replicas and from 66.7% to 100% of the traffic, by pod ratio.',
    ]);
  });

  it('[rollout 13.2] reads bounds that nobody else says off the HPA, and remembers them beside it', () => {
    const simulation = anAutoscaledSimulation({ from: { min: 2, max: 8 }, to: { min: 3, max: 9 }, running: 2 });
    simulation.change({
      initialRevisions: [{ revisionName: 'web-v1', percent: 100 }],
      targetRevisions: [{ revisionName: 'web-v2', percent: 100 }],
    });
    settle(simulation, [0, 0, 0]);
    expect(simulation.range('web-v2')).toEqual({ min: 3, max: 9 });
    const hpa = simulation.deployments.get('web-v1')?.hpa;
    expect(hpa?.spec).toMatchObject({ minReplicas: 1, maxReplicas: 1 });
    expect(hpa?.metadata.annotations).toEqual({ 'autoscaling.knative.dev/min-scale': '2', 'autoscaling.knative.dev/max-scale': '8' });
  });
});
