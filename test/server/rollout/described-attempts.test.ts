import { describe, expect, it } from 'vitest';
import { REQUESTED_BY } from '@/lib/kube/kinds';
import { attemptOf, GATED, inThirdStage, MIDWAY, railOf, START } from './rails';
import type { Simulation } from './simulation';
import { anEntry, aSimulation } from './simulation';

// What an operator reads of attempts: the gate before the first stage, how the present one stands, and what became of earlier ones.

describe('the gate before the first stage', () => {
  const ASKED = { overConsumptionRatio: 50, control: { gates: 'none', autoPromotionEnabled: false } };
  const waiting = (): Simulation => {
    const simulation = aSimulation(4, ASKED);
    simulation.settle();
    return simulation;
  };

  it('[design 9] is closed until it is passed, and tells who passed it', () => {
    const simulation = waiting();
    expect(attemptOf(simulation)).toMatchObject({ firstGate: 'closed', firstGatePassed: null });
    simulation.advance(60);
    simulation.decide({ verb: 'approve' }, 'mara');
    simulation.pass();
    const at = '2026-01-01T09:01:00.000Z';
    const passed = { at, by: [{ actor: 'mara', verb: 'approve', at }] };
    expect(attemptOf(simulation)).toMatchObject({ firstGate: 'open', firstGatePassed: passed });
    simulation.settle();
    expect(attemptOf(simulation)).toMatchObject({ firstGate: 'open', firstGatePassed: passed });
    // None of a stage to come, and none of a policy that asks nobody.
    expect(attemptOf(simulation).stages.map(({ gatePassed }) => gatePassed)).toEqual([null, null]);
    expect(attemptOf(aSimulation(4, MIDWAY))).toMatchObject({ firstGate: 'none', firstGatePassed: null });
  });

  it('[design 9] stays closed where it was aborted there, which is when the attempt ended', () => {
    const simulation = waiting();
    simulation.advance(60);
    simulation.decide({ verb: 'abort' });
    const ended = { outcome: 'aborted', firstGate: 'closed', firstGatePassed: null, endedAt: '2026-01-01T09:01:00.000Z', stages: [] };
    expect(attemptOf(simulation)).toMatchObject(ended);
    simulation.advance(60);
    simulation.settle();
    expect(attemptOf(simulation)).toMatchObject(ended);
  });

  it('[design 9] is behind once a stage was reached, and on the way back from one, also where that cannot be planned', () => {
    const reached = waiting();
    reached.decide({ verb: 'approve' });
    reached.settleUntil('a stage is reached', () => reached.told.completedStages === 1);
    reached.change({ stageTargetRevisions: undefined });
    expect(attemptOf(reached).firstGate).toBe('open');
    const lost = waiting();
    lost.decide({ verb: 'approve' });
    lost.pass();
    lost.deployments.delete('web-v1');
    lost.decide({ verb: 'abort' });
    expect(attemptOf(lost)).toMatchObject({ outcome: 'under-way', firstGate: 'open' });
    const simulation = waiting();
    simulation.decide({ verb: 'approve' });
    simulation.pass();
    simulation.decide({ verb: 'abort' });
    expect(attemptOf(simulation)).toMatchObject({ outcome: 'under-way', firstGate: 'open', endedAt: null });
    simulation.settle();
    expect(attemptOf(simulation)).toMatchObject({ outcome: 'aborted', firstGate: 'open' });
  });
});

describe('attempts', () => {
  it('[issue 9.3] tell what each is, from where to where, since when, and once it is over until when and how it ended', () => {
    const simulation = aSimulation(4, GATED);
    simulation.settle();
    expect(attemptOf(simulation)).toMatchObject({
      kind: 'rollout',
      from: ['web-v1'],
      to: 'web-v2',
      startedAt: START,
      endedAt: null,
      outcome: 'under-way',
    });
    const { id } = attemptOf(simulation);
    expect(id).toContain(START);
    simulation.advance(60);
    simulation.decide({ verb: 'abort' });
    simulation.settle();
    expect(attemptOf(simulation)).toMatchObject({ id, outcome: 'aborted', endedAt: '2026-01-01T09:01:00.000Z' });
    simulation.advance(60);
    simulation.decide({ verb: 'retry' });
    simulation.settle();
    simulation.advance(60);
    simulation.decide({ verb: 'approve' }, 'mara');
    simulation.settle();
    const { attempt, past } = simulation.told;
    expect(attempt).toMatchObject({ kind: 'retry', outcome: 'completed', endedAt: '2026-01-01T09:03:00.000Z' });
    expect(past).toHaveLength(1);
    expect(past[0]).toMatchObject({ id, kind: 'rollout', from: ['web-v1'], to: 'web-v2', startedAt: START, outcome: 'aborted' });
    expect(past[0]?.endedAt).toBe('2026-01-01T09:01:00.000Z');
    expect([past[0]?.firstGate, past[0]?.firstGatePassed]).toEqual(['none', null]);
    // Nobody went past the gate at which it was aborted.
    expect(railOf(past[0]?.stages)).toEqual(['forward 1 50% none done', 'back 1 0% none done']);
  });

  it('[issue 9.3] that are past keep their gates, their target and their figures, whatever the rollout goes to now', () => {
    const simulation = aSimulation(4, { ...GATED, control: { gates: 'every-stage', autoPromotionEnabled: false } });
    for (const user of ['ann', 'mara']) {
      simulation.settle();
      simulation.decide({ verb: 'approve' }, user);
    }
    simulation.settle();
    simulation.deploy('web-v3', 0);
    simulation.change({ initialRevisions: [anEntry('web-v2', 4)], targetRevisions: [anEntry('web-v3', 4)] });
    simulation.settle();
    const [past] = simulation.told.past;
    expect([past?.to, past?.outcome, past?.firstGate, past?.firstGatePassed?.by[0]?.actor]).toEqual(['web-v2', 'completed', 'open', 'ann']);
    expect(railOf(past?.stages)).toEqual(['forward 1 50% open done', 'forward 2 100% none done']);
    expect(past?.stages[0]?.gatePassed?.by.map(({ actor }) => actor)).toEqual(['mara']);
    expect(past?.stages[0]?.revisions.map(({ observed }) => observed)).toEqual([
      { replicas: 2, percent: 50 },
      { replicas: 2, percent: 50 },
    ]);
    expect(simulation.told.from).toEqual(['web-v2']);
  });

  it('[issue 9.3] that were left for another target in mid-stage have that stage skipped, and are superseded', () => {
    const simulation = inThirdStage();
    simulation.deploy('web-v3', 0);
    simulation.change({ targetRevisions: [anEntry('web-v3', 4)] });
    simulation.pass();
    const [past] = simulation.told.past;
    expect([past?.to, past?.outcome]).toEqual(['web-v2', 'superseded']);
    expect(railOf(past?.stages)).toEqual(['forward 1 25% none done', 'forward 2 50% open done', 'forward 3 75% none skipped']);
    expect(past?.stages.at(-1)).toMatchObject({ endedAt: null, revisions: [{ observed: null }, { observed: null }] });
    expect(simulation.told).toMatchObject({ to: 'web-v3', from: ['web-v1'], attempt: { outcome: 'under-way', to: 'web-v3' } });
  });

  it('[issue 9.3] that are past are told newest first, and end with their last stage', () => {
    const simulation = aSimulation(4, { overConsumptionRatio: 25 });
    for (const [at, target] of ['web-v2', 'web-v3', 'web-v4'].entries()) {
      simulation.deploy(target, 0);
      simulation.change({ initialRevisions: [anEntry(`web-v${at + 1}`, 4)], targetRevisions: [anEntry(target, 4)] });
      simulation.settleUntil('two stages are through', () => simulation.told.completedStages === 2 && simulation.told.to === target);
      simulation.advance(60);
      simulation.settle();
    }
    const { attempt, past } = simulation.told;
    expect([attempt, ...past].map((one) => [one?.to, one?.endedAt])).toEqual([
      ['web-v4', '2026-01-01T09:03:00.000Z'],
      ['web-v3', '2026-01-01T09:02:00.000Z'],
      ['web-v2', '2026-01-01T09:01:00.000Z'],
    ]);
  });

  it('[issue 9.3] come from what the spec says where nothing is remembered, and end at no known time', () => {
    const simulation = aSimulation(4, GATED);
    simulation.change({ control: { gates: 'sometimes' } });
    expect([simulation.told.from, simulation.told.attempt]).toEqual([['web-v1'], null]);
    simulation.change({ initialRevisions: undefined });
    expect(simulation.told.from).toEqual([]);
    const done = aSimulation(4);
    done.settle();
    const { control: _control, ...status } = done.ro.status as Readonly<Record<string, unknown>>;
    done.ro = { ...done.ro, status };
    expect(attemptOf(done)).toMatchObject({ outcome: 'completed', endedAt: null, stages: [] });
    // The target of the last attempt is where the next one comes from, whatever the spec still says.
    const next = aSimulation(4);
    next.settle();
    next.deploy('web-v3', 0);
    next.change({ targetRevisions: [anEntry('web-v3', 4)] });
    expect(next.told.from).toEqual(['web-v2']);
  });

  it('[issue 9.3] are none before the first target is looked at, and come from nowhere then', () => {
    const simulation = aSimulation(4);
    simulation.change({ targetRevisions: [] });
    expect(simulation.told).toMatchObject({ attempt: null, position: 'idle', activity: 'idle', to: '', phase: 'Healthy', past: [] });
    expect(simulation.told.waitsFor).toMatchObject({ isWaiting: false, whom: 'nobody', message: { id: 'wait.no-target' } });
    expect(simulation.told.startedAt).toBeNull();
    const metadata = { ...simulation.ro.metadata, creationTimestamp: '2026-01-01T08:00:00Z' };
    simulation.ro = { ...simulation.ro, metadata };
    expect(simulation.told.startedAt).toBe('2026-01-01T08:00:00Z');
  });
});

describe('what a rollout is told of beside', () => {
  it('[design 9] who must approve, who asked, and who has', () => {
    const approvals = { required: 3, groups: ['sre'], allowSelf: false };
    const simulation = aSimulation(4, { overConsumptionRatio: 50, control: { gates: 'every-stage', approvals } });
    simulation.settle();
    simulation.ro = { ...simulation.ro, metadata: { ...simulation.ro.metadata, annotations: { [REQUESTED_BY.user]: 'eve' } } };
    simulation.decide({ verb: 'approve', actor: { user: 'ann', groups: ['sre'] } });
    simulation.decide({ verb: 'advance', actor: { user: 'bob', groups: ['sre'] } });
    const at = '2026-01-01T09:00:00.000Z';
    expect(simulation.told.approvals).toEqual({
      required: 3,
      groups: ['sre'],
      requester: 'eve',
      requesterMayApprove: false,
      given: [{ actor: 'ann', at }],
      votes: [expect.objectContaining({ verb: 'advance', actor: 'bob', at })],
    });
    simulation.decide({ verb: 'promote-full', actor: { user: 'cid', groups: ['sre'] } });
    expect(simulation.told.isPromoted).toBe(false);
  });
});

describe('a looser policy that waits', () => {
  it('[design 14] is told field by field beside what is in force, with who has decided about it and about no other', () => {
    const control = { gates: [{ atPercent: 25 }, { atPercent: 50 }], approvals: { required: 2, groups: ['sre'] } };
    const simulation = aSimulation(4, { overConsumptionRatio: 25, control });
    simulation.settle();
    expect(simulation.told.loosening).toBeNull();
    simulation.change({ control: { gates: [] } });
    expect(simulation.told.loosening?.fields).toEqual([
      { field: 'control.gates', inForce: 'at 25% and 50%', requested: 'none' },
      { field: 'control.approvals.required', inForce: '2', requested: 'not set' },
      { field: 'control.approvals.groups', inForce: '["sre"]', requested: 'not set' },
    ]);
    simulation.pass();
    simulation.decide({ verb: 'loosen', actor: { user: 'ann', groups: ['sre'] } });
    expect(simulation.told.loosening?.votes).toEqual([{ actor: 'ann', at: START }]);
    simulation.change({ control: { ...control, gates: 'none' } });
    const { fields, votes, digest } = simulation.told.loosening ?? {};
    expect([fields, votes]).toEqual([[{ field: 'control.gates', inForce: 'at 25% and 50%', requested: 'none' }], []]);
    const seen = { rollout: simulation.told.digest, policy: digest };
    expect(simulation.decide({ verb: 'loosen', actor: { user: 'ben', groups: ['sre'] }, seen }).phase).toBe('Accepted');
  });
});

describe('what the status of a rollout says', () => {
  const saying = (simulation: Simulation) => simulation.stored.message;

  it('[design 9] is where it is, in words that no single pod changes', () => {
    const simulation = aSimulation(4, { ...GATED, overConsumptionRatio: 25 });
    simulation.pass();
    expect(saying(simulation)).toBe('stage 1: web-v2 goes to 25%');
    simulation.settle();
    expect(saying(simulation)).toBe('waiting for 1 approval after stage 1');
    simulation.decide({ verb: 'approve' });
    expect(saying(simulation)).toBe('stage 2: web-v2 goes to 50%');
    simulation.decide({ verb: 'pause' });
    expect(saying(simulation)).toBe('paused by a person; nothing advances until it is resumed');
    simulation.decide({ verb: 'abort', reason: 'too slow' });
    expect(saying(simulation)).toBe('web-v2 is aborted: too slow; web-v1 takes over again');
    simulation.settle();
    expect(saying(simulation)).toBe('web-v2 was aborted: too slow; all traffic goes to web-v1; retry it, or roll out another revision');
    simulation.decide({ verb: 'retry' });
    simulation.decide({ verb: 'promote-full' });
    simulation.settle();
    expect(saying(simulation)).toBe('all traffic goes to web-v2');
    simulation.deployments.delete('web-v2');
    simulation.pass();
    expect(saying(simulation)).toBe('Deployment web-v2 is no longer in the cluster, and traffic still goes to it');
  });

  it('[design 9] is that nothing moves any more, that the next stage is planned, and that nothing is asked for', () => {
    const stuck = aSimulation(4, { ...GATED, control: { gates: 'none', progressDeadlineSeconds: 30 } });
    stuck.pass();
    stuck.settlePods(['web-v2']);
    stuck.pass();
    stuck.advance(31);
    stuck.pass();
    expect(saying(stuck)).toBe('stage 1 has made no progress for 30 s');
    const unknown = aSimulation(4, { ...GATED, control: { gates: 'none' } });
    unknown.deployments.delete('web-v1');
    unknown.pass();
    expect(saying(unknown)).toBe('the next stage is being planned');
    const idle = aSimulation(4);
    idle.change({ targetRevisions: [] });
    idle.pass();
    expect(saying(idle)).toBe('no target revision is set');
  });
});
