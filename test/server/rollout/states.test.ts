import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toInstant } from '@/lib/std/instant';
import { attemptOf } from '@/server/rollout/control/control-facts';
import type { ControlEvent } from '@/server/rollout/control/reduce';
import { reduce } from '@/server/rollout/control/reduce';
import type { Attempt, ControlState } from '@/server/rollout/control/state';
import { controlState, emptyControl } from '@/server/rollout/control/state';
import type { StageBounds } from '@/server/rollout/model';
import { anEntry, aSimulation, Simulation } from './simulation';

interface Dump {
  readonly now: Instant;
  readonly ro: KubeObject;
  readonly bounds: readonly (readonly [string, StageBounds])[];
  readonly deployments: readonly (readonly [string, { replicas: number; ready: number }])[];
}

// Written by the release before the states: one flat record with flags.
const FLAT = JSON.parse(readFileSync(new URL('./flat-states.json', import.meta.url), 'utf8')) as Readonly<Record<string, Dump>>;

function restored(name: string): Simulation {
  const dump = FLAT[name];
  if (dump === undefined) throw new Error(`no state ${name}`);
  const simulation = new Simulation({});
  simulation.now = dump.now;
  simulation.ro = dump.ro;
  simulation.decided = 100;
  for (const [revision, bounds] of dump.bounds) simulation.bounds.set(revision, bounds);
  for (const [revision, deployment] of dump.deployments) simulation.deployments.set(revision, { ...deployment });
  return simulation;
}

const replicasOf = (simulation: Simulation) =>
  Object.fromEntries([...simulation.deployments].map(([name, { replicas }]) => [name, replicas]));
const storedKeys = ({ ro }: Simulation) => Object.keys((ro.status as { control: object }).control);

describe('a rollout of the release before', () => {
  it('[issue 9.3] that stopped at a gate keeps its approval, its stages and its gate, in the new form after a pass', () => {
    const simulation = restored('gate');
    expect(simulation.told).toMatchObject({ phase: 'Paused', activity: 'waiting', completedStages: 1, stageCount: 4, percent: 25 });
    expect(simulation.told.approvals.given).toMatchObject([{ actor: 'ann' }]);
    expect(simulation.told.attempt?.stages.map(({ outcome, percent, gate }) => [outcome, percent, gate])).toEqual([
      ['done', 25, 'closed'],
      ['planned', 50, 'closed'],
      ['planned', 75, 'closed'],
      ['planned', 100, 'none'],
    ]);
    // It kept the percent of a stage that is over, and not how many replicas there were.
    const over = simulation.told.attempt?.stages[0]?.revisions.map(({ revision, planned, observed }) => ({ revision, planned, observed }));
    expect(over).toEqual([{ revision: 'web-v2', planned: { percent: 25, replicas: null, exact: 'exactly' }, observed: null }]);
    simulation.pass();
    expect(storedKeys(simulation)).not.toContain('completedStages');
    expect(simulation.stored.state).toBe('boundary');
    expect(simulation.decide({ verb: 'approve' }, 'ann')).toMatchObject({
      phase: 'Rejected',
      message: 'ann has already approved the gate after stage 1; that approval counts (1 of 2)',
    });
    expect(simulation.decide({ verb: 'approve' }, 'ben')).toMatchObject({
      phase: 'Accepted',
      message: 'approval 2 of 2 for stage 1: because',
    });
    simulation.settle();
    expect(simulation.told).toMatchObject({ completedStages: 2, activity: 'waiting' });
  });

  it('[issue 9.3] that was aborting keeps the rejected pods for the time it promised, and comes back', () => {
    const simulation = restored('aborting');
    expect(simulation.told).toMatchObject({ activity: 'aborting', abort: { rejected: 'web-v2', stable: ['web-v1'], reason: 'errors' } });
    simulation.settle();
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 4, 'web-v2': 2 });
    simulation.advance(30);
    simulation.settle();
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 4, 'web-v2': 0 });
    expect(simulation.stored.state).toBe('aborted');
  });

  it('[issue 9.3] that was retried stands at the gate of its retry and goes on to the end', () => {
    const simulation = restored('retried');
    expect(simulation.told).toMatchObject({ activity: 'waiting', completedStages: 1, approvals: { required: 2, given: [] }, abort: null });
    for (const person of ['ann', 'ben']) simulation.decide({ verb: 'promote-full' }, person);
    simulation.settle();
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 0, 'web-v2': 4 });
    expect(simulation.stored.state).toBe('done');
  });

  it('[issue 9.3] that was paused in mid-stage stays so, and its deadline is as much later as the pause took', () => {
    const simulation = restored('paused');
    expect(simulation.told).toMatchObject({ phase: 'Paused', activity: 'paused', stageIndex: 2 });
    const before = replicasOf(simulation);
    const finish = simulation.spec.targetFinishTime;
    simulation.settle();
    expect([simulation.stored.state, replicasOf(simulation)]).toEqual(['stage', before]);
    simulation.advance(60);
    simulation.decide({ verb: 'resume' });
    expect(Date.parse(String(simulation.spec.targetFinishTime)) - Date.parse(String(finish))).toBe(120_000);
    simulation.settle();
    expect(simulation.told.phase).toBe('Healthy');
  });

  it('[issue 9.3] that had come back from an abort waits for a retry', () => {
    const simulation = restored('aborted');
    simulation.settle();
    expect(simulation.told).toMatchObject({ phase: 'Degraded', activity: 'aborted', waitsFor: { whom: 'person' } });
    expect(simulation.decide({ verb: 'retry' }).phase).toBe('Accepted');
  });
});

const at = fc.integer({ min: 0, max: 100_000 }).map((seconds) => toInstant(Date.UTC(2026, 0, 1) + seconds * 1000));
const ready = fc.constant(new Map([['web-v1', 3]]));
const garbage = fc.constantFrom(undefined, 'plan-1');
const course = { initialRevisions: [anEntry('web-v1', 4)], targetRevisions: [anEntry('web-v1', 4)] };
const attempt = fc.constantFrom('web-v2', 'web-v3').map(
  (name): Attempt => ({
    id: `ro/${name}`,
    kind: 'rollout',
    target: [anEntry(name, 4)],
    startedAt: '2026-01-01T00:00:00.000Z',
    stable: [anEntry('web-v1', 4)],
    floor: 4,
    full: false,
    stages: [],
  }),
);
const event: fc.Arbitrary<ControlEvent> = fc.oneof(
  fc.record({ type: fc.constant('targetChanged' as const), at, attempt, past: fc.constant([]), isMidway: fc.boolean() }),
  fc.record({
    type: fc.constant('stageStarted' as const),
    isPastGate: fc.boolean(),
    at,
    stage: fc.constant([{ revision: 'web-v2', direction: 'up' as const, replicas: 4 }]),
  }),
  fc.record({ type: fc.constant('stageReached' as const), at, percent: fc.nat(100), isLast: fc.boolean(), ready }),
  fc.record({ type: fc.constant('approved' as const), at, actor: fc.constantFrom('ann', 'ben'), garbage }),
  fc.record({
    type: fc.constant('voted' as const),
    at,
    verb: fc.constantFrom('advance' as const, 'promote-full' as const),
    actor: fc.constantFrom('ann', 'ben'),
  }),
  fc.record({ type: fc.constantFrom('advanced' as const, 'promoted' as const), garbage }),
  fc.record({ type: fc.constantFrom('pauseAsked' as const, 'resumeAsked' as const) }),
  fc.record({ type: fc.constantFrom('pauseBegan' as const, 'pauseEnded' as const), at }),
  fc.record({
    type: fc.constant('healthSampled' as const),
    at,
    sample: fc.constantFrom('healthy' as const, 'failing' as const, 'unreadable' as const),
  }),
  fc.record({ type: fc.constant('progressed' as const), at, score: fc.integer({ min: -10, max: 10 }) }),
  fc.record({
    type: fc.constant('abortAsked' as const),
    at,
    rejected: fc.constant('web-v2'),
    reason: fc.constant('errors'),
    ready,
    targets: fc.constantFrom(undefined, course),
  }),
  fc.record({ type: fc.constant('retryAsked' as const), at, past: fc.constant([]), targets: fc.constant(course) }),
);

/** What holds in every state, whatever happened before. */
function check(before: ControlState, happened: ControlEvent, state: ControlState): void {
  const said = JSON.stringify([before.state, happened, state]);
  expect(controlState.parse(JSON.parse(JSON.stringify(state))), said).toEqual(JSON.parse(JSON.stringify(state)));
  expect(attemptOf(state)?.stages.length ?? 0, said).toBeLessThanOrEqual(50);
  // [design 13 B] Only a retry or another target leads out of an abort.
  if (before.state === 'aborted' && state.state !== 'aborted') expect(['targetChanged', 'retryAsked'], said).toContain(happened.type);
  if (before.state === 'returning' && state.state !== 'returning' && state.state !== 'aborted')
    expect(['targetChanged', 'retryAsked'], said).toContain(happened.type);
  // [14.5] An approval is for the boundary at which it was given, and for no other.
  if (state.state === 'boundary' && (before.state !== 'boundary' || before.stage !== state.stage))
    expect([state.approvals, state.advanced], said).toEqual([[], false]);
  // [14.6] An abort always finds its way: never into a stage that goes forward.
  if (happened.type === 'abortAsked') expect(['idle', 'returning', 'aborted', 'done'], said).toContain(state.state);
  // [14.5] Pausing undoes nothing.
  if (happened.type === 'pauseAsked') expect({ ...state, paused: 0 }, said).toEqual({ ...before, paused: 0 });
}

describe('the states of a rollout', () => {
  it('[rollout 14] keep what holds after any list of events, and every event in every state has an outcome', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        let state = emptyControl();
        for (const happened of events) {
          const next = reduce(state, happened);
          check(state, happened, next);
          state = next;
        }
      }),
      { numRuns: 400 },
    );
  });

  type Happening =
    | { readonly kind: 'pass' }
    | { readonly kind: 'ready' }
    | { readonly kind: 'dies'; readonly revision: string }
    | { readonly kind: 'time'; readonly seconds: number }
    | { readonly kind: 'target'; readonly revision: string }
    | { readonly kind: 'verb'; readonly verb: 'approve' | 'advance' | 'pause' | 'resume' | 'abort' | 'retry' | 'promote-full' };
  const revision = fc.constantFrom('web-v1', 'web-v2', 'web-v3');
  const happening: fc.Arbitrary<Happening> = fc.oneof(
    { weight: 6, arbitrary: fc.constant({ kind: 'pass' as const }) },
    { weight: 6, arbitrary: fc.constant({ kind: 'ready' as const }) },
    fc.record({ kind: fc.constant('dies' as const), revision }),
    fc.record({ kind: fc.constant('time' as const), seconds: fc.integer({ min: 1, max: 900 }) }),
    fc.record({ kind: fc.constant('target' as const), revision }),
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('verb' as const),
        verb: fc.constantFrom('approve', 'advance', 'pause', 'resume', 'abort', 'retry', 'promote-full'),
      }),
    },
  );

  function happen(simulation: Simulation, one: Happening): void {
    if (one.kind === 'pass') simulation.pass();
    else if (one.kind === 'ready') simulation.settlePods();
    else if (one.kind === 'time') simulation.advance(one.seconds);
    else if (one.kind === 'target') simulation.change({ targetRevisions: [anEntry(one.revision, 4)] });
    else if (one.kind === 'verb') simulation.pass([simulation.decision({ verb: one.verb })]);
    else {
      const deployment = simulation.deployments.get(one.revision);
      if (deployment) deployment.ready = Math.max(0, deployment.ready - 1);
    }
  }

  it('[rollout 14] are described wherever it was left, with a next step or somebody to wait for', () => {
    const policy = fc.constantFrom(
      {},
      { gates: 'every-stage' },
      { requiredSoakTime: '5m' },
      { autoPromotionEnabled: false },
      { abortScaleDownDelaySeconds: 30 },
    );
    fc.assert(
      fc.property(policy, fc.array(happening, { maxLength: 40 }), (control, happenings) => {
        const simulation = aSimulation(4, { overConsumptionRatio: 30, control });
        simulation.deploy('web-v3', 0);
        simulation.pass();
        for (const one of happenings) {
          happen(simulation, one);
          const { waitsFor, position } = simulation.told;
          const said = JSON.stringify([position, simulation.sentence]);
          if (waitsFor.whom === 'time') expect(waitsFor.until, said).not.toBeNull();
          if (waitsFor.whom !== 'nobody') continue;
          // Nobody is waited for: it is at rest, or the next pass moves it.
          const before = JSON.stringify([simulation.ro, [...simulation.bounds], [...simulation.deployments]]);
          simulation.pass();
          simulation.pass();
          const moved = JSON.stringify([simulation.ro, [...simulation.bounds], [...simulation.deployments]]) !== before;
          expect(moved || ['complete', 'idle'].includes(simulation.told.position) || simulation.told.waitsFor.whom !== 'nobody', said).toBe(
            true,
          );
        }
        simulation.settle();
        const { waitsFor, acts } = simulation.told;
        if (waitsFor.whom === 'person') expect(Object.values(acts).some(({ allowed, verb }) => allowed && verb !== 'rollback')).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});
