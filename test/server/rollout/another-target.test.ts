import { describe, expect, it } from 'vitest';
import { readField } from '@/lib/kube/fields';
import { withStageStarted } from '@/server/rollout/control/attempts';
import { attemptOf, isPausedByPerson, stableOf } from '@/server/rollout/control/control-facts';
import { anEntry, aSimulation, Simulation } from './simulation';

const GATED = { overConsumptionRatio: 25, control: { gates: 'every-stage' } };
const namesOf = (revisions: readonly { readonly revisionName: string }[]) => revisions.map(({ revisionName }) => revisionName);

/** A rollout that waits at the gate after its first stage. */
function atGate(): Simulation {
  const simulation = aSimulation(4, GATED);
  simulation.settle();
  return simulation;
}

/** Asks for a third revision, as an application does, which clears the stage, or as whoever changes the target alone. */
const WAYS: readonly (readonly [string, (simulation: Simulation) => void])[] = [
  [
    'with a start',
    (simulation) => {
      simulation.deploy('web-v3', 0);
      simulation.change({
        initialRevisions: readField(simulation.ro, 'status', 'stageRevisionStatus') ?? simulation.spec.initialRevisions,
        targetRevisions: [anEntry('web-v3', 4)],
        stageTargetRevisions: undefined,
        targetFinishTime: undefined,
      });
    },
  ],
  [
    'alone',
    (simulation) => {
      simulation.deploy('web-v3', 0);
      simulation.change({ targetRevisions: [anEntry('web-v3', 4)] });
    },
  ],
];

describe('another target', () => {
  it.each(WAYS)('[design 13 M] %s does not end a pause, between two stages and in the middle of one', (_way, ask) => {
    const between = atGate();
    between.decide({ verb: 'pause' });
    const within = atGate();
    within.decide({ verb: 'approve' });
    within.pass();
    expect(within.stored.state).toBe('stage');
    within.decide({ verb: 'pause' });
    for (const simulation of [between, within]) {
      ask(simulation);
      simulation.settle();
      expect([simulation.told.to, isPausedByPerson(simulation.stored), simulation.deployments.get('web-v3')?.replicas]).toEqual([
        'web-v3',
        true,
        0,
      ]);
      simulation.decide({ verb: 'resume' });
      simulation.settle();
      expect(simulation.deployments.get('web-v3')?.replicas).toBeGreaterThan(0);
    }
  });

  it.each(WAYS)('[design 13 M] %s after an abort may be aborted as well, to what carried everything before both', (_way, ask) => {
    const simulation = atGate();
    simulation.decide({ verb: 'abort' });
    simulation.settle();
    expect(simulation.stored.state).toBe('aborted');
    ask(simulation);
    simulation.settle();
    expect(namesOf(stableOf(simulation.stored))).toEqual(['web-v1']);
    simulation.decide({ verb: 'abort' });
    simulation.settle();
    expect([simulation.stored.state, simulation.deployments.get('web-v1')?.replicas]).toEqual(['aborted', 4]);
  });

  it('[design 13 M] after the abort of a second one goes back to the first, whatever the spec says of where it started', () => {
    const simulation = atGate();
    simulation.decide({ verb: 'approve' });
    simulation.settle();
    WAYS[0]?.[1](simulation);
    simulation.settle();
    simulation.decide({ verb: 'abort' });
    simulation.settle();
    expect(simulation.stored.state).toBe('aborted');
    simulation.deploy('web-v4', 0);
    simulation.change({ targetRevisions: [anEntry('web-v4', 4)] });
    simulation.settle();
    expect(namesOf(stableOf(simulation.stored))).toEqual(['web-v1']);
  });

  it('[rollout 14.6] comes back to what carried traffic, and not to a revision that was about to end', () => {
    const simulation = aSimulation(4, GATED);
    simulation.change({ initialRevisions: [{ ...anEntry('web-v0', 4), percent: undefined }, anEntry('web-v1', 4)] });
    simulation.settle();
    expect(namesOf(stableOf(simulation.stored))).toEqual(['web-v1']);
  });

  it('[design 13 K] is none where the status alone was lost in mid-rollout: it remembers a floor and a way back again', () => {
    const simulation = atGate();
    simulation.ro = { ...simulation.ro, status: {} };
    simulation.settle();
    expect(namesOf(stableOf(simulation.stored))).toEqual(['web-v1']);
    expect(attemptOf(simulation.stored)?.floor).toBe(4);
    simulation.decide({ verb: 'abort' });
    simulation.settle();
    expect(simulation.deployments.get('web-v1')?.replicas).toBe(4);
    expect(simulation.deployments.get('web-v2')?.replicas).toBe(0);
  });

  it('[design 13 B] is none while nothing is asked for', () => {
    const simulation = new Simulation({ targetRevisions: [] });
    simulation.settle();
    expect([simulation.stored.state, simulation.told.position, simulation.stored.history]).toEqual(['idle', 'idle', []]);
  });

  it('[design 13 M] is on record with where it goes from, and as a rollback where one made it', () => {
    const startOf = (simulation: Simulation) => simulation.stored.history.find(({ action }) => action === 'rollout.started')?.message;
    const simulation = atGate();
    expect([startOf(simulation), attemptOf(simulation.stored)?.kind]).toEqual(['rollout from web-v1 to web-v2', 'rollout']);
    const first = new Simulation({ targetRevisions: [anEntry('web-v1', 3)] });
    first.deploy('web-v1', 0);
    first.settle();
    expect(startOf(first)).toBe('first deployment of web-v1');
    const back = aSimulation(4, GATED);
    back.ro = { ...back.ro, metadata: { ...back.ro.metadata, annotations: { 'slipway.dev/rolled-back': 'web-v2' } } };
    back.settle();
    expect(attemptOf(back.stored)?.kind).toBe('rollback');
  });

  it('[design 13 M] leaves the former attempt with how it ended', () => {
    const outcomes = ({ stored }: Simulation) => stored.past.map(({ to, outcome, from }) => [from.join(), to, outcome]);
    const [, alone] = WAYS[1] ?? [];
    const superseded = atGate();
    alone?.(superseded);
    superseded.settle();
    expect(outcomes(superseded)).toEqual([['web-v1', 'web-v2', 'superseded']]);
    const aborted = atGate();
    aborted.decide({ verb: 'abort' });
    aborted.settle();
    alone?.(aborted);
    aborted.settle();
    expect(outcomes(aborted)).toEqual([['web-v1', 'web-v2', 'aborted']]);
    const completed = aSimulation(4);
    completed.settle();
    alone?.(completed);
    completed.settle();
    expect(outcomes(completed)).toEqual([['web-v1', 'web-v2', 'completed']]);
  });
});

describe('the floor', () => {
  it.each([
    [4, [4], 4],
    [4, [2], 2],
    [2, [6], 2],
    [4, [1, 2], 3],
  ] as const)('[rollout 12.1] of %d replicas that go to %j is %d: never more than the target is certain to run', (from, to, floor) => {
    const simulation = new Simulation({
      initialRevisions: [anEntry('web-v1', from)],
      targetRevisions: to.map((replicas, at) => ({ ...anEntry(`web-v${at + 2}`, replicas), percent: 100 / to.length })),
      rolloutStrategy: 'availability',
    });
    simulation.deploy('web-v1', from);
    for (const [at] of to.entries()) simulation.deploy(`web-v${at + 2}`, 0);
    simulation.pass();
    expect(simulation.control.floor).toBe(floor);
  });
});

describe('an abort', () => {
  it('[rollout 14.6] of a first deployment is through at once: there is no way back, and its stage stays as it is', () => {
    const simulation = new Simulation({ targetRevisions: [anEntry('web-v1', 3)] });
    simulation.deploy('web-v1', 0);
    simulation.pass();
    const stage = simulation.stage;
    expect(stage).not.toEqual([]);
    simulation.decide({ verb: 'abort' });
    expect([simulation.stored.state, simulation.stage]).toEqual(['aborted', stage]);
  });

  it('[rollout 14.6] before anything has moved is through at once', () => {
    const simulation = aSimulation(4, { control: { autoPromotionEnabled: false } });
    simulation.settle();
    simulation.decide({ verb: 'abort' });
    expect([simulation.stored.state, attemptOf(simulation.stored)?.stages]).toEqual(['aborted', []]);
  });

  it('[rollout 14.6] after the first stage has a way back, at its gate and in the next stage', () => {
    const gate = atGate();
    gate.decide({ verb: 'abort' });
    expect(gate.stored.state).toBe('returning');
    const first = aSimulation(4, GATED);
    first.pass();
    first.pass();
    expect(first.stored).toMatchObject({ state: 'stage', stage: 1 });
    first.decide({ verb: 'abort' });
    expect(first.stored.state).toBe('returning');
  });

  it('[design 13 J] by a person is on record once, as their decision, and one by the engine as its own', () => {
    const simulation = atGate();
    simulation.decide({ verb: 'abort', reason: 'errors' }, 'ben');
    expect(simulation.stored.history.filter(({ action }) => /abort/.test(action))).toMatchObject([
      { action: 'decision.abort', actor: 'ben' },
    ]);
    const engine = aSimulation(4, { overConsumptionRatio: 25, control: { progressDeadlineSeconds: 60, progressDeadlineAbort: true } });
    engine.pass();
    engine.pass();
    engine.advance(61);
    engine.pass();
    expect(engine.stored.history.filter(({ action }) => /abort/.test(action))).toMatchObject([
      { action: 'rollout.aborted', actor: 'slipway' },
    ]);
  });
});

describe('what was seen of the deletions', () => {
  it.each(['approve', 'advance', 'promote-full'] as const)('[design 14] is kept where %s at a later gate says nothing of it', (verb) => {
    const simulation = atGate();
    const { rollout } = simulation.decision({ verb: 'approve' }).spec.seen ?? {};
    simulation.decide({ verb: 'approve', seen: { rollout, garbage: 'sha256:seen' } });
    simulation.settle();
    expect(simulation.stored.seenGarbage).toBe('sha256:seen');
    expect(simulation.decide({ verb }).phase).toBe('Accepted');
    expect(simulation.stored.seenGarbage).toBe('sha256:seen');
  });

  it('[design 14] is the newest, and forgotten with another target', () => {
    const simulation = atGate();
    for (const garbage of ['sha256:first', 'sha256:second']) {
      const { rollout } = simulation.decision({ verb: 'advance' }).spec.seen ?? {};
      simulation.decide({ verb: 'advance', seen: { rollout, garbage } });
      simulation.settle();
      expect(simulation.stored.seenGarbage).toBe(garbage);
    }
    WAYS[1]?.[1](simulation);
    simulation.settle();
    expect(simulation.stored.seenGarbage).toBeUndefined();
  });
});

describe('the record of an attempt', () => {
  it('[design 13 J] names who passed each gate, by the verb that did', () => {
    const simulation = aSimulation(4, { overConsumptionRatio: 25, control: { gates: 'every-stage', approvals: { required: 2 } } });
    simulation.settle();
    for (const [verb, user] of [
      ['approve', 'ann'],
      ['advance', 'ann'],
      ['promote-full', 'ben'],
      ['advance', 'cid'],
    ] as const)
      simulation.decide({ verb }, user);
    simulation.settle();
    simulation.decide({ verb: 'advance' }, 'eve');
    simulation.decide({ verb: 'promote-full' }, 'ann');
    simulation.decide({ verb: 'promote-full' }, 'ben');
    simulation.settle();
    const passed = (attemptOf(simulation.stored)?.gates ?? []).map(({ stage, by }) => [
      stage,
      by.map(({ actor, verb }) => `${actor} ${verb}`),
    ]);
    expect(passed.slice(0, 2)).toEqual([
      [1, ['ann advance', 'cid advance']],
      [2, ['ann promote-full', 'ben promote-full']],
    ]);
  });

  it('[design 13 J] keeps the newest fifty stages, and each of them once', () => {
    const simulation = atGate();
    let attempt = attemptOf(simulation.stored);
    if (attempt === undefined) throw new Error('there is no attempt');
    for (let index = 1; index <= 60; index++)
      for (const way of ['forward', 'back', 'forward'] as const)
        attempt = withStageStarted(attempt, { index, way, stage: [], at: simulation.now });
    const kept = attempt.stages.map(({ index, way }) => `${index} ${way}`);
    expect([kept.length, new Set(kept).size, kept.at(-1)]).toEqual([50, 50, '60 forward']);
  });
});
