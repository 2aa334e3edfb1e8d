import { describe, expect, it } from 'vitest';
import type { DecisionVerb } from '@/lib/contract/stage-decision';
import { DECISION_VERBS } from '@/lib/contract/stage-decision';
import { KINDS } from '@/lib/kube/kinds';
import { SUSPENDED } from '@/lib/kube/paused-by';
import type { Consequences } from '@/server/rollout';
import { whileOwnerTerminates } from '@/server/rollout';
import type { Simulation } from './simulation';
import { Simulation as Alone, anEntry, aSimulation } from './simulation';

// What an operator reads of the verbs: which is possible now, about which stage and revision, why not, and what it does.

const GATED = { overConsumptionRatio: 25, control: { gates: 'every-stage' } };
const MIDWAY = { overConsumptionRatio: 25, control: { gates: [{ atPercent: 50 }] } };

/** The rollout with an application that owns it. */
function owned(simulation: Simulation): Simulation {
  const ownerReferences = [{ ...KINDS.application, name: 'web', uid: 'app-uid', controller: true }];
  simulation.ro = { ...simulation.ro, metadata: { ...simulation.ro.metadata, ownerReferences } };
  return simulation;
}

/** A first rollout: to a revision that comes from nowhere. */
function aFirstRollout(): Simulation {
  const simulation = new Alone({ targetRevisions: [anEntry('web-v1', 2)], rolloutStrategy: 'availability' });
  simulation.deploy('web-v1', 0);
  return simulation;
}

const atGate = (spec: Readonly<Record<string, unknown>> = GATED): Simulation => {
  const simulation = aSimulation(4, spec);
  simulation.settle();
  return simulation;
};

const possible = ({ told }: Simulation) => DECISION_VERBS.filter((verb) => told.acts[verb].allowed);
const refusals = (simulation: Simulation, verbs: readonly DecisionVerb[]) => verbs.map((verb) => simulation.saysOf(verb).join());
const consequences = ({ told }: Simulation, verb: DecisionVerb): Consequences => {
  const found = told.acts[verb].consequences;
  if (found === null) throw new Error(`${verb} is not possible`);
  return found;
};
const stagesOf = (simulation: Simulation, verb: DecisionVerb) =>
  consequences(simulation, verb).stages.map(({ way, index, percent, gate, outcome }) => `${way} ${index} ${percent}% ${gate} ${outcome}`);
const replicasOf = (simulation: Simulation, verb: DecisionVerb) =>
  consequences(simulation, verb).replicas.map(({ revision, now, next, end, exact }) => `${revision} ${now} ${next} ${end} ${exact}`);

describe('which verbs are possible', () => {
  it('[design 9] before anything has moved', () => {
    const simulation = aSimulation(4, GATED);
    expect(possible(simulation)).toEqual(['promote-full', 'pause', 'abort']);
    expect(refusals(simulation, ['approve', 'advance', 'resume', 'rollback', 'retry', 'loosen'])).toEqual([
      'no gate is waiting for approval',
      'stage 1 is still in progress; nothing holds it',
      'the rollout is not paused',
      'a rollback changes the application, and this rollout has none; change its target instead',
      'there is no aborted rollout to retry',
      'no looser policy is waiting for approval',
    ]);
  });

  it('[design 9] in a stage, at a gate, while a person pauses it, on the way back, after it and at the end', () => {
    const simulation = owned(aSimulation(4, GATED));
    simulation.pass();
    expect(possible(simulation)).toEqual(['promote-full', 'pause', 'abort', 'rollback']);
    simulation.settle();
    expect(possible(simulation)).toEqual(['approve', 'advance', 'promote-full', 'pause', 'abort', 'rollback']);
    simulation.decide({ verb: 'pause' });
    expect(possible(simulation)).toEqual(['advance', 'promote-full', 'resume', 'abort', 'rollback']);
    simulation.decide({ verb: 'abort' });
    expect(possible(simulation)).toEqual(['rollback', 'retry']);
    simulation.settle();
    expect(possible(simulation)).toEqual(['rollback', 'retry']);
    simulation.decide({ verb: 'retry' });
    simulation.decide({ verb: 'promote-full' });
    simulation.settle();
    expect(possible(simulation)).toEqual(['rollback']);
    expect(refusals(simulation, ['approve', 'advance', 'promote-full', 'pause', 'abort'])).toEqual(
      Array.from({ length: 5 }, () => 'rollout web is idle: nothing is in progress'),
    );
  });

  it('[design 9] names the stage and the revision that a decision must name, and which verbs want a reason', () => {
    const simulation = owned(atGate());
    const told = DECISION_VERBS.map((verb) => simulation.told.acts[verb]);
    expect(told.map(({ verb }) => verb)).toEqual([...DECISION_VERBS]);
    expect(told.flatMap(({ verb, stage }) => (stage === null ? [] : `${verb} ${stage}`))).toEqual(['approve 1', 'advance 1']);
    expect(told.flatMap(({ verb, revision }) => (revision === 'web-v2' ? [] : `${verb} ${revision}`))).toEqual(['rollback web-v1']);
    expect(told.filter(({ needsReason }) => needsReason).map(({ verb }) => verb)).toEqual(['promote-full', 'abort', 'rollback', 'loosen']);
  });

  it('[design 14] offers the last of several revisions that it comes from, and no rollback where it comes from none', () => {
    const [half, other] = [
      { ...anEntry('web-v0', 2), percent: 50 },
      { ...anEntry('web-v1', 2), percent: 50 },
    ];
    const simulation = owned(aSimulation(2, { ...GATED, initialRevisions: [half, other] }));
    simulation.deploy('web-v0', 2);
    simulation.settle();
    expect([simulation.told.from, simulation.told.acts.rollback.revision]).toEqual([['web-v0', 'web-v1'], 'web-v1']);
    const first = owned(aFirstRollout());
    first.pass();
    expect(first.told.acts.rollback).toMatchObject({ allowed: false, revision: null, why: { id: 'refused.no-earlier-revision' } });
    expect(first.told.acts.rollback.consequences).toBeNull();
  });

  it('[issue 9.3] none at all while nobody may decide anything, each with that reason before its own', () => {
    const simulation = atGate();
    const metadata = { ...simulation.ro.metadata, annotations: { [SUSPENDED]: 'true' } };
    const held = `the annotation ${SUSPENDED} pauses this rollout`;
    simulation.ro = { ...simulation.ro, metadata };
    expect(possible(simulation)).toEqual([]);
    expect(new Set(refusals(simulation, DECISION_VERBS))).toEqual(new Set([held]));
  });

  it('[issue 9] all but a rollback while the application that owns it is being deleted, and says so beside what it waits for', () => {
    const simulation = owned(atGate());
    const told = whileOwnerTerminates(simulation.told, 'web');
    const before = simulation.told;
    const why = { id: 'refused.application-goes', application: 'web' };
    expect(told.acts).toEqual({ ...before.acts, rollback: { ...before.acts.rollback, allowed: false, why, consequences: null } });
    const clause = { message: { id: 'wait.application-goes', application: 'web' }, met: false, evidence: null };
    expect(told.waitsFor).toEqual({ ...before.waitsFor, clauses: [...before.waitsFor.clauses, clause] });
    // What was refused before keeps its own reason.
    const alone = atGate().told;
    expect(whileOwnerTerminates(alone, 'web').acts).toEqual(alone.acts);
  });
});

describe('what a verb does', () => {
  const MOVE = 'web-v1 goes from 2 to 1 replica and from 50% to 25% of the traffic, by pod ratio.';
  const TAKE = 'web-v2 goes from 2 to 3 replicas and from 50% to 75% of the traffic, by pod ratio.';
  const ALL = [
    'web-v1 goes from 2 to 0 replicas and from 50% to 0% of the traffic, by pod ratio.',
    'web-v2 goes from 2 to 4 replicas and from 50% to 100% of the traffic, by pod ratio.',
  ];

  it('[design 9] that opens a gate: the next stage with its replicas, and the gates that hold after it', () => {
    const simulation = atGate(MIDWAY);
    expect(simulation.saysOf('approve')).toEqual(['Stage 3 begins.', MOVE, TAKE]);
    expect(simulation.saysOf('advance')).toEqual(['Stage 3 begins.', MOVE, TAKE, 'Gates and soaks after that stage still apply.']);
    for (const verb of ['approve', 'advance'] as const) {
      expect(stagesOf(simulation, verb)).toEqual(['forward 3 75% none planned', 'forward 4 100% none planned']);
      expect(replicasOf(simulation, verb)).toEqual(['web-v1 2 1 0 exactly', 'web-v2 2 3 4 exactly']);
      expect(consequences(simulation, verb).peak).toBe(5);
    }
  });

  it('[design 9] that goes to the end at once: one stage, to where each revision is left', () => {
    const simulation = atGate(MIDWAY);
    expect(simulation.saysOf('promote-full')).toEqual([
      'web-v2 takes over completely in 1 stage, without any further gate or soak.',
      ...ALL,
      'Health checks still apply.',
    ]);
    expect(stagesOf(simulation, 'promote-full')).toEqual(['forward 3 100% none planned']);
    expect(replicasOf(simulation, 'promote-full')).toEqual(['web-v1 2 0 0 exactly', 'web-v2 2 4 4 exactly']);
    expect(consequences(simulation, 'promote-full').peak).toBe(6);
  });

  it('[design 9] that pauses: nothing, and the way stays as it is', () => {
    const simulation = atGate(MIDWAY);
    expect(simulation.saysOf('pause')).toEqual([
      'Nothing advances until it is resumed.',
      'Replicas and traffic stay as they are; nothing is undone.',
      'Deadlines are suspended.',
    ]);
    expect(stagesOf(simulation, 'pause')).toEqual(['forward 3 75% none planned', 'forward 4 100% none planned']);
    expect([replicasOf(simulation, 'pause'), consequences(simulation, 'pause').peak]).toEqual([[], 0]);
  });

  it('[design 9] that ends a pause says so, and whether gates are still to come', () => {
    const simulation = aSimulation(4, MIDWAY);
    simulation.pass();
    simulation.decide({ verb: 'pause' });
    expect(simulation.saysOf('resume')).toEqual(['The rollout continues from where it is. Gates still apply.']);
    simulation.decide({ verb: 'resume' });
    simulation.settle();
    expect(simulation.saysOf('advance')[0]).toBe('Stage 3 begins.');
    expect(simulation.saysOf('promote-full')[0]).toMatch(/^web-v2 takes over/);
    simulation.decide({ verb: 'pause' });
    expect(simulation.saysOf('resume')).toEqual(['The rollout continues from where it is.']);
    expect(simulation.saysOf('advance').slice(0, 2)).toEqual(['The pause ends.', 'Stage 3 begins.']);
    expect(simulation.saysOf('promote-full').slice(0, 2)).toEqual([
      'The pause ends.',
      'web-v2 takes over completely in 1 stage, without any further gate or soak.',
    ]);
  });

  it('[design 9] that aborts: what grows first, what is left of each, and that nothing is tried again', () => {
    const simulation = atGate({ ...MIDWAY, control: { ...MIDWAY.control, abortScaleDownDelaySeconds: 30 } });
    const end = 'web-v2 is not rolled out again until a retry or another change.';
    const says = [
      'web-v1 is scaled up before web-v2 is scaled down.',
      'web-v1 goes from 2 to 4 replicas and from 50% to 100% of the traffic, by pod ratio.',
      'web-v2 goes from 2 to 0 replicas and from 50% to 0% of the traffic, by pod ratio.',
      'web-v2 still serves for at least 30s, then is scaled to 0 once web-v1 has its ready replicas.',
    ];
    expect(simulation.saysOf('abort')).toEqual([...says, end]);
    expect(stagesOf(simulation, 'abort')).toEqual(['back 1 0% none planned']);
    expect(replicasOf(simulation, 'abort')).toEqual(['web-v1 2 4 4 exactly', 'web-v2 2 0 0 exactly']);
    expect(consequences(simulation, 'abort').peak).toBe(6);
    const shared = 'Shared objects, such as ConfigMaps and Services, return to those of web-v1 at once.';
    expect(owned(simulation).saysOf('abort')).toEqual([...says.slice(0, 3), shared, ...says.slice(3), end]);
  });

  it('[design 9] that aborts what has moved nothing yet, and what comes from nowhere', () => {
    const ends = (revision: string) => `${revision} is not rolled out again until a retry or another change.`;
    const waiting = owned(aSimulation(4, { ...GATED, control: { gates: 'every-stage', autoPromotionEnabled: false } }));
    waiting.settle();
    expect(waiting.saysOf('abort')).toEqual([
      'Nothing has changed yet: web-v2 is rejected and no replica changes.',
      'Shared objects, such as ConfigMaps and Services, return to those of web-v1 at once.',
      ends('web-v2'),
    ]);
    expect([stagesOf(waiting, 'abort'), replicasOf(waiting, 'abort'), consequences(waiting, 'abort').peak]).toEqual([[], [], 4]);
    const first = owned(aFirstRollout());
    first.pass();
    expect(first.saysOf('abort')).toEqual([
      'There is no revision to return to: web-v1 stops where it is and its pods are kept for inspection.',
      ends('web-v1'),
    ]);
  });

  it('[design 9] that rolls back: a new change, whose stages are planned when it is there', () => {
    const simulation = owned(atGate());
    expect(simulation.saysOf('rollback')).toEqual([
      'The application is restored to the named revision, as a new change.',
      'This creates a new revision, which is rolled out with the same stages and gates.',
    ]);
    expect(consequences(simulation, 'rollback')).toMatchObject({ stages: [], replicas: [], peak: 0 });
  });

  it('[design 9] that tries again: how many stages, the first of them, and whether people are asked before it', () => {
    const simulation = atGate(MIDWAY);
    simulation.decide({ verb: 'abort' });
    simulation.settle();
    const says = [
      'The rollout to web-v2 starts over, in 4 stages.',
      'web-v1 goes from 4 to 3 replicas and from 100% to 75% of the traffic, by pod ratio.',
      'web-v2 goes from 0 to 1 replica and from 0% to 25% of the traffic, by pod ratio.',
    ];
    expect(simulation.saysOf('retry')).toEqual(says);
    expect(stagesOf(simulation, 'retry')).toEqual([
      'forward 1 25% none planned',
      'forward 2 50% closed planned',
      'forward 3 75% none planned',
      'forward 4 100% none planned',
    ]);
    expect(replicasOf(simulation, 'retry')).toEqual(['web-v1 4 3 0 exactly', 'web-v2 0 1 4 exactly']);
    simulation.change({ control: { ...MIDWAY.control, autoPromotionEnabled: false } });
    simulation.pass();
    expect(simulation.saysOf('retry')).toEqual([says[0], 'It waits for approval before stage 1.', ...says.slice(1)]);
  });

  it('[rollout 14.6] that tries again on the way back takes nothing from what the target still has', () => {
    const simulation = atGate(MIDWAY);
    simulation.decide({ verb: 'approve' });
    simulation.settlePods();
    simulation.pass();
    simulation.decide({ verb: 'abort' });
    expect(simulation.deployments.get('web-v2')?.replicas).toBe(3);
    expect(replicasOf(simulation, 'retry')).toEqual(['web-v1 4 3 0 exactly', 'web-v2 3 3 4 exactly']);
    // Nor does a stage that asks for fewer than somebody else scaled it to.
    const scaled = atGate();
    scaled.deployments.set('web-v2', { replicas: 4, ready: 4 });
    expect(replicasOf(scaled, 'approve')).toContain('web-v2 4 4 4 exactly');
  });

  it('[rollout 14.6] that aborts to one whose workload is gone plans as if it had no replicas', () => {
    const simulation = atGate();
    simulation.decide({ verb: 'approve' });
    simulation.settle();
    simulation.deploy('web-v3', 0);
    simulation.change({ targetRevisions: [anEntry('web-v3', 4)] });
    simulation.settle();
    simulation.deploy('web-v3', 0);
    const way = stagesOf(simulation, 'abort');
    const planned = consequences(simulation, 'abort').stages.map(({ revisions }) => revisions);
    simulation.deployments.delete('web-v3');
    expect(stagesOf(simulation, 'abort')).toEqual(way);
    expect(consequences(simulation, 'abort').stages.map(({ revisions }) => revisions)).toEqual(planned);
    expect(way.length).toBeGreaterThan(0);
  });

  it('[issue 9.3] whose stages cannot be planned says so, and promises no replicas', () => {
    const simulation = atGate(MIDWAY);
    simulation.deployments.delete('web-v2');
    const unknown = 'The next stage is planned once the replicas of all revisions are known.';
    expect(simulation.saysOf('approve')).toEqual([unknown]);
    expect(simulation.saysOf('promote-full')).toEqual([
      'web-v2 takes over completely, without any further gate or soak.',
      'Health checks still apply.',
    ]);
    expect([stagesOf(simulation, 'approve'), replicasOf(simulation, 'approve')]).toEqual([[], []]);
    // The rejected side needs no workload to be gone.
    expect(simulation.saysOf('abort')[1]).toBe('web-v1 goes from 2 to 4 replicas and keeps 100% of the traffic, by pod ratio.');
    expect(replicasOf(simulation, 'abort')).toEqual(['web-v1 2 4 4 exactly', 'web-v2 0 0 0 exactly']);
    simulation.deploy('web-v2', 2);
    simulation.deployments.delete('web-v1');
    expect(simulation.saysOf('abort')).toContain(unknown);
  });

  it('[design 9] counts towards a quorum, and moves nothing until it is the last that is wanted', () => {
    const control = { gates: 'every-stage', approvals: { required: 2 } };
    const simulation = atGate({ overConsumptionRatio: 25, control });
    const counts = (what: string, nth: number) => `This is ${what} ${nth} of 2. Nothing moves until 2 people have decided the same.`;
    expect(simulation.saysOf('approve')).toEqual([counts('approval', 1)]);
    expect(simulation.saysOf('advance')).toEqual([counts('decision', 1)]);
    expect(simulation.saysOf('promote-full')).toEqual([counts('decision', 1)]);
    const gated = ['forward 2 50% closed planned', 'forward 3 75% closed planned', 'forward 4 100% none planned'];
    expect(stagesOf(simulation, 'promote-full')).toEqual(gated);
    simulation.decide({ verb: 'approve' }, 'ann');
    simulation.decide({ verb: 'promote-full' }, 'ann');
    expect(simulation.saysOf('approve')[0]).toBe('Stage 2 begins.');
    expect(simulation.saysOf('advance')).toEqual([counts('decision', 1)]);
    expect(stagesOf(simulation, 'promote-full')).toEqual(['forward 2 100% none planned']);
    simulation.change({ control: { ...control, gates: 'none' } });
    simulation.pass();
    const loosens = 'The requested policy takes effect; it loosens control.gates.';
    expect(simulation.saysOf('loosen')).toEqual([
      'This is decision 1 of 2. Nothing changes until 2 people have decided the same.',
      loosens,
    ]);
    simulation.decide({ verb: 'loosen' }, 'ann');
    expect(simulation.saysOf('loosen')).toEqual([loosens]);
    expect(stagesOf(simulation, 'loosen').map((stage) => stage.split(' ')[3])).toEqual(['none', 'none', 'none']);
  });
});

describe('replicas on the way', () => {
  it('[rollout 12.1] are at the most those of both sides where the new one grows first, and no more than before where the old one goes first', () => {
    const peakOf = (rolloutStrategy: string, verb: DecisionVerb) => {
      const simulation = atGate({ ...GATED, rolloutStrategy });
      return consequences(simulation, verb).peak;
    };
    expect([peakOf('availability', 'promote-full'), peakOf('resourceutil', 'promote-full')]).toEqual([7, 4]);
    // An abort grows first whatever the strategy was on the way there.
    expect([peakOf('availability', 'abort'), peakOf('resourceutil', 'abort')]).toEqual([5, 5]);
    expect(peakOf('availability', 'approve')).toBe(5);
  });

  it('[rollout 12.1] are at the most those that are there now, where fewer are to come', () => {
    const simulation = aSimulation(4, { ...GATED, targetRevisions: [anEntry('web-v2', 1)], rolloutStrategy: 'resourceutil' });
    simulation.deploy('web-v1', 9);
    expect(consequences(simulation, 'promote-full').peak).toBe(9);
  });

  it('[issue 14.2] speak of those that are ready where what was asked for is on its way, and of nothing where nothing changes', () => {
    const simulation = aSimulation(4, { ...GATED, control: { gates: 'none' } });
    simulation.pass();
    simulation.settlePods(['web-v2']);
    simulation.pass();
    expect(simulation.saysOf('abort')).toContain('web-v2 goes from 1 to 0 replicas and still gets no traffic.');
    expect(simulation.saysOf('abort').filter((line) => line.startsWith('web-v1 goes'))).toEqual([]);
    const first = aFirstRollout();
    first.pass();
    expect(first.saysOf('promote-full')).toContain('web-v1 goes from 0 to 2 ready replicas.');
    expect(replicasOf(first, 'promote-full')).toEqual(['web-v1 2 2 2 exactly']);
  });

  it('[design 1] are a bound where an autoscaler counts, and no share is known where two of them do', () => {
    const bounds = { minScale: 4, maxScale: 8 };
    const simulation = new Alone({
      initialRevisions: [{ ...anEntry('web-v1', 4), ...bounds }],
      targetRevisions: [{ ...anEntry('web-v2', 4), ...bounds }],
      rolloutStrategy: 'availability',
      overConsumptionRatio: 50,
      control: { gates: 'every-stage', autoPromotionEnabled: false },
    });
    simulation.deploy('web-v1', 6);
    simulation.deploy('web-v2', 0);
    for (const name of ['web-v1', 'web-v2']) simulation.autoscale(name, 4, 8);
    simulation.settle();
    expect(replicasOf(simulation, 'approve')).toEqual(['web-v1 6 3 0 exactly', 'web-v2 0 3 4 atLeast']);
    expect(simulation.saysOf('approve')).toEqual([
      'Stage 1 begins.',
      'web-v1 goes from 6 to 3 replicas.',
      'web-v2 goes from 0 to at least 3 replicas.',
    ]);
    expect(simulation.saysOf('promote-full')).toContain(
      'web-v2 goes from 0 to at least 4 replicas and from 0% to 100% of the traffic, by pod ratio.',
    );
    // Both may grow to their maximum, where nobody has taken it yet.
    expect(consequences(simulation, 'promote-full').peak).toBe(16);
  });
});
