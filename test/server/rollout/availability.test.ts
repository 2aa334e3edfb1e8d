import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Simulation } from './simulation';
import { anEntry, aSimulation } from './simulation';

type Event =
  | { readonly kind: 'pass' }
  | { readonly kind: 'ready'; readonly revision: number; readonly pods: number }
  | { readonly kind: 'dies'; readonly revision: number }
  | { readonly kind: 'time'; readonly seconds: number }
  | { readonly kind: 'target'; readonly revision: number }
  | { readonly kind: 'verb'; readonly verb: 'pause' | 'resume' | 'abort' | 'retry' | 'promote-full' };

const REVISIONS = ['web-v1', 'web-v2', 'web-v3'];

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('pass' as const) }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('ready' as const), revision: fc.nat(2), pods: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('dies' as const), revision: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('time' as const), seconds: fc.integer({ min: 1, max: 200 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('target' as const), revision: fc.integer({ min: 0, max: 2 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('verb' as const),
      verb: fc.constantFrom('pause', 'resume', 'abort', 'retry', 'promote-full'),
    }),
  },
);

function happen(simulation: Simulation, happening: Event, replicas: number): void {
  switch (happening.kind) {
    case 'pass':
      simulation.pass();
      return;
    case 'ready': {
      const deployment = simulation.deployments.get(REVISIONS[happening.revision] ?? '');
      if (deployment) deployment.ready = Math.min(deployment.replicas, deployment.ready + happening.pods);
      return;
    }
    case 'dies': {
      const deployment = simulation.deployments.get(REVISIONS[happening.revision] ?? '');
      if (deployment) deployment.ready = Math.max(0, deployment.ready - 1);
      return;
    }
    case 'time':
      simulation.advance(happening.seconds);
      return;
    case 'target':
      simulation.change({ targetRevisions: [anEntry(REVISIONS[happening.revision] ?? '', replicas)] });
      return;
    case 'verb':
      simulation.pass([simulation.decision({ verb: happening.verb })]);
  }
}

it('[design 3] no write with availability leaves fewer ready pods than the stable side had at least, whatever happens in between', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 120 }),
      fc.array(event, { minLength: 20, maxLength: 80 }),
      (replicas, ratio, events) => {
        const simulation = aSimulation(replicas, { overConsumptionRatio: ratio, control: { progressDeadlineSeconds: 100 } });
        simulation.deploy('web-v3', 0);
        simulation.onScale = (revision, from, to) => {
          if (to >= from) return;
          const ready = [...simulation.deployments].map(([name, { ready: count }]) => (name === revision ? Math.min(count, to) : count));
          const lost = (simulation.deployments.get(revision)?.ready ?? 0) > to;
          const left = ready.reduce((sum, count) => sum + count, 0);
          if (lost)
            expect(left, `${revision} ${from} to ${to}: ${JSON.stringify([...simulation.deployments])}`).toBeGreaterThanOrEqual(replicas);
        };
        simulation.pass();
        for (const happening of events) happen(simulation, happening, replicas);
      },
    ),
    { numRuns: 80 },
  );
});

it('[design 3] keeps the guaranteed replicas of all revisions together at the stable minimum or above', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 120 }), (replicas, ratio) => {
      const simulation = aSimulation(replicas, { overConsumptionRatio: ratio });
      simulation.onScale = (revision, _from, to) => {
        const wanted = [...simulation.deployments].reduce(
          (sum, [name, deployment]) => sum + (name === revision ? to : deployment.replicas),
          0,
        );
        expect(wanted).toBeGreaterThanOrEqual(replicas);
      };
      simulation.settle(800);
      expect(simulation.deployments.get('web-v2')?.replicas).toBe(replicas);
      expect(simulation.deployments.get('web-v1')?.replicas).toBe(0);
    }),
    { numRuns: 40 },
  );
});

it('[rollout 14.5] comes to its end from wherever it was left, once nobody holds it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), fc.array(event, { minLength: 5, maxLength: 60 }), (replicas, events) => {
      const simulation = aSimulation(replicas, { overConsumptionRatio: 30 });
      simulation.deploy('web-v3', 0);
      simulation.pass();
      for (const happening of events) happen(simulation, happening, replicas);
      simulation.pass([simulation.decision({ verb: 'resume' })]);
      simulation.settlePods();
      simulation.advance(31);
      simulation.settle();
      if (simulation.control.abort) simulation.pass([simulation.decision({ verb: 'retry' })]);
      simulation.settle();
      const target = simulation.control.rollout?.target[0]?.revisionName ?? '';
      expect(simulation.control.phase, JSON.stringify(simulation.control)).toBe('Healthy');
      expect(Object.fromEntries([...simulation.deployments].map(([name, deployment]) => [name, deployment.replicas]))).toEqual(
        Object.fromEntries(REVISIONS.map((name) => [name, name === target ? replicas : 0])),
      );
    }),
    { numRuns: 80 },
  );
});
