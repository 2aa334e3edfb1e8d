import { describe, expect, it } from 'vitest';
import { readField } from '@/lib/kube/fields';
import { rolloutDigest } from '@/server/rollout';
import type { PendingDecision } from '@/server/rollout/control/decisions';
import { readRollout } from '@/server/rollout/objects';
import type { ControlInput } from '@/server/rollout/policy/control-policy';
import type { Simulation } from './simulation';
import { anEntry, aSimulation } from './simulation';

const GATED: ControlInput = { gates: 'every-stage', approvals: { required: 2, groups: ['sre'] } };

/** A rollout that waits at the gate after its first stage, under a policy that wants two people of a group. */
function atGate(control: ControlInput = GATED): Simulation {
  const simulation = aSimulation(4, { overConsumptionRatio: 25, control });
  simulation.settle();
  return simulation;
}

/** Writes a policy, or none; with another target its revision is there. */
const write = (simulation: Simulation, control: ControlInput | undefined, more: Readonly<Record<string, unknown>> = {}) => {
  if (more.targetRevisions !== undefined) simulation.deploy('web-v3', 0);
  simulation.change({ ...more, control });
};
const by = (user: string, groups: readonly string[] = ['sre']) => ({ verb: 'loosen' as const, actor: { user, groups: [...groups] } });

describe('a looser policy', () => {
  it.each([
    ['no gates', { gates: 'none', approvals: GATED.approvals }],
    ['a smaller quorum', { gates: 'every-stage', approvals: { required: 1, groups: ['sre'] } }],
    ['more groups', { gates: 'every-stage', approvals: { required: 2, groups: ['sre', 'dev'] } }],
    ['no policy', undefined],
  ] as const)('[design 14] with %s opens no gate in mid-rollout, alone or with a new version', (_what, looser) => {
    const alone = atGate();
    write(alone, looser as ControlInput | undefined);
    alone.settle();
    expect(alone.control).toMatchObject({ completedStages: 1, phase: 'Paused' });
    expect(alone.decide({ verb: 'approve', actor: { user: 'ann', groups: ['dev'] } }).message).toBe(
      'the policy requires someone of sre, and ann is in none of them',
    );
    alone.decide({ verb: 'approve', actor: { user: 'ann', groups: ['sre'] } });
    alone.settle();
    expect(alone.control).toMatchObject({ completedStages: 1, phase: 'Paused' });

    const together = atGate();
    write(together, looser as ControlInput | undefined, { targetRevisions: [anEntry('web-v3', 4)] });
    together.settle();
    expect(together.control).toMatchObject({ completedStages: 1, phase: 'Paused' });
    expect(together.told.to).toBe('web-v3');
  });

  it('[design 14] is decided about under the terms in force: what was seen under others counts no more', () => {
    const gated = (required: number) => atGate({ gates: 'every-stage', approvals: { required, groups: ['sre'] } });
    const [two, three] = [gated(2), gated(3)];
    for (const simulation of [two, three]) {
      write(simulation, { gates: 'none' });
      simulation.settle();
    }
    const termsOf = ({ ro }: Simulation) => readField(ro, 'status', 'control', 'terms');
    const swapped = {
      ...two.ro,
      status: { ...(two.ro.status as object), control: { ...(readField(two.ro, 'status', 'control') as object), terms: termsOf(three) } },
    };
    expect(readRollout(swapped).terms.control).toMatchObject({ approvals: { required: 3 } });
    expect(rolloutDigest(swapped)).not.toBe(rolloutDigest(two.ro));
  });

  it('[design 14] waits at rest as well', () => {
    const simulation = aSimulation(4, { overConsumptionRatio: 25, control: GATED });
    simulation.settle();
    for (let stage = 0; stage < 6 && simulation.control.phase !== 'Healthy'; stage++) {
      for (const user of ['ann', 'ben']) simulation.decide({ verb: 'approve', actor: { user, groups: ['sre'] } });
      simulation.settle();
    }
    expect(simulation.control.phase).toBe('Healthy');
    write(simulation, undefined);
    simulation.settle();
    expect(simulation.told.loosening?.fields.map(({ field }) => field)).toContain('control.gates');
    expect(simulation.told.waitsFor).toMatchObject({ whom: 'person', message: { id: 'wait.looser-policy', required: 2, given: [] } });
    write(simulation, undefined, { targetRevisions: [anEntry('web-v3', 4)] });
    simulation.settle();
    expect(simulation.control).toMatchObject({ completedStages: 1, phase: 'Paused' });
  });

  it('[design 14] is in force once as many people of the stricter one have decided it, and not before', () => {
    const simulation = atGate();
    write(simulation, { gates: 'none' });
    simulation.settle();
    expect(simulation.told.loosening?.fields).toEqual([
      { field: 'control.gates', inForce: 'every-stage', requested: 'none' },
      { field: 'control.approvals.required', inForce: '2', requested: 'not set' },
      { field: 'control.approvals.groups', inForce: '["sre"]', requested: 'not set' },
    ]);
    expect(simulation.decide(by('eve', ['dev'])).message).toBe('the policy requires someone of sre, and eve is in none of them');
    expect(simulation.decide(by('ann')).message).toBe('loosen 1 of 2: it takes effect once 2 people have decided it: because');
    expect(simulation.decide(by('ann'))).toEqual({
      phase: 'Rejected',
      message: 'ann has already decided to loosen this policy; that decision counts (1 of 2)',
    });
    simulation.settle();
    expect(simulation.control).toMatchObject({ completedStages: 1, phase: 'Paused' });
    expect(simulation.told.loosening?.votes).toMatchObject([{ actor: 'ann' }]);
    expect(simulation.decide(by('ben')).phase).toBe('Accepted');
    simulation.settle();
    expect(simulation.control.phase).toBe('Healthy');
    expect(simulation.told.loosening).toBeNull();
    expect(simulation.decide(by('cid')).message).toBe('no looser policy is waiting for approval');
  });

  it('[design 14] that becomes another one needs its decisions again', () => {
    const simulation = atGate();
    write(simulation, { gates: 'none', approvals: GATED.approvals });
    simulation.settle();
    const ben = simulation.decision(by('ben'));
    simulation.decide(by('ann'));
    write(simulation, { gates: 'none' });
    simulation.settle();
    simulation.pass([ben]);
    expect(simulation.verdicts.at(-1)).toEqual({
      phase: 'Rejected',
      message: 'the policy has changed since it was reviewed; review it and decide again',
    });
    expect(simulation.decide(by('ben')).message).toContain('loosen 1 of 2');
    simulation.settle();
    expect(simulation.control).toMatchObject({ completedStages: 1, phase: 'Paused' });
  });

  it('[design 14] keeps who requested it from deciding it, where the policy in force does', () => {
    const simulation = atGate({ gates: 'every-stage', approvals: { allowSelf: false } });
    write(simulation, { gates: 'every-stage' });
    simulation.ro = { ...simulation.ro, metadata: { ...simulation.ro.metadata, annotations: { 'slipway.dev/requested-by': 'ann' } } };
    simulation.settle();
    expect(simulation.decide(by('ann')).message).toBe('ann requested this change, and the policy requires someone else');
    expect(simulation.decide(by('ben')).phase).toBe('Accepted');
  });

  it('[issue 10.2] keeps whoever requested the rollout from deciding it while that is under way, and not at rest', () => {
    const simulation = atGate({ gates: 'every-stage', approvals: { allowSelf: false } });
    const annotations = { 'slipway.dev/requested-by': 'olga', 'slipway.dev/policy-requested-by': 'eve' };
    simulation.ro = { ...simulation.ro, metadata: { ...simulation.ro.metadata, annotations } };
    write(simulation, { gates: 'none' });
    simulation.settle();
    const asked = (of: Simulation) => {
      const { loosen } = of.told.acts;
      return loosen.allowed ? loosen.asks : null;
    };
    expect(asked(simulation)).toEqual({ groups: [], not: ['eve', 'olga'], people: true });
    for (const user of ['olga', 'eve'])
      expect(simulation.decide(by(user)).message).toBe(`${user} requested this change, and the policy requires someone else`);
    expect(simulation.control).toMatchObject({ completedStages: 1, phase: 'Paused' });

    const resting = atGate({ gates: 'every-stage', approvals: { allowSelf: false } });
    resting.ro = { ...resting.ro, metadata: { ...resting.ro.metadata, annotations } };
    for (let stage = 0; stage < 6 && resting.control.phase !== 'Healthy'; stage++) {
      resting.decide({ verb: 'approve', actor: { user: 'ben', groups: [] } });
      resting.settle();
    }
    write(resting, { gates: 'none' });
    resting.settle();
    expect(asked(resting)).toEqual({ groups: [], not: ['eve'], people: true });
    expect([resting.control.phase, resting.decide(by('olga')).phase]).toEqual(['Healthy', 'Accepted']);
    expect(simulation.decide(by('ben')).phase).toBe('Accepted');
  });

  it('[design 14] forgets who decided about a policy that was taken back', () => {
    const simulation = atGate();
    const bob = { gates: 'none', approvals: GATED.approvals } as const;
    write(simulation, bob);
    simulation.settle();
    simulation.decide(by('mallory'));
    write(simulation, GATED);
    simulation.settle();
    write(simulation, bob);
    simulation.settle();
    expect(simulation.told.loosening?.votes).toEqual([]);
    expect(simulation.decide(by('carl')).message).toContain('loosen 1 of 2');
  });

  it('[issue 10.2] is not put in force by a decision made again that counted for the same policy before', () => {
    const simulation = atGate();
    const looser = { gates: 'none', approvals: GATED.approvals } as const;
    const ask = (control: ControlInput) => {
      write(simulation, control);
      simulation.settle();
    };
    const again = (made: PendingDecision): PendingDecision => ({ ...made, uid: `${made.uid}-again`, name: `${made.name}-again` });
    const stale = { phase: 'Rejected', message: 'the policy has changed since it was reviewed; review it and decide again' };
    ask(looser);
    const first = simulation.decision(by('ann'));
    simulation.pass([first]);
    expect(simulation.verdicts.at(-1)?.message).toContain('loosen 1 of 2');

    // Withdrawn before a second person decided, and requested once more.
    ask(GATED);
    ask(looser);
    simulation.pass([again(first)]);
    expect(simulation.verdicts.at(-1)).toEqual(stale);
    const [second, third] = [simulation.decision(by('ann')), simulation.decision(by('ben'))];
    simulation.pass([second, third]);
    expect(simulation.verdicts.slice(-2).map(({ phase }) => phase)).toEqual(['Accepted', 'Accepted']);
    expect(simulation.told.loosening).toBeNull();

    // In force for a while, then the strict one again, then the very same request.
    ask(GATED);
    ask(looser);
    simulation.pass([again(second), again(third)]);
    expect(simulation.verdicts.slice(-2)).toEqual([stale, stale]);
    expect(simulation.told.loosening?.votes).toEqual([]);
    expect([simulation.decide(by('ann')).phase, simulation.decide(by('ben')).phase]).toEqual(['Accepted', 'Accepted']);
    expect(simulation.told.loosening).toBeNull();
  });

  it('[design 14] keeps everybody who requested it from deciding it, where the policy in force does', () => {
    const simulation = atGate({ gates: 'every-stage', approvals: { allowSelf: false } });
    write(simulation, { gates: 'every-stage' });
    simulation.ro = {
      ...simulation.ro,
      metadata: { ...simulation.ro.metadata, annotations: { 'slipway.dev/policy-requested-by': 'ann\nadmin' } },
    };
    simulation.settle();
    for (const user of ['ann', 'admin'])
      expect(simulation.decide(by(user)).message).toBe(`${user} requested this change, and the policy requires someone else`);
    expect(simulation.decide(by('ben')).phase).toBe('Accepted');
  });

  it.each([
    [0, 'is stricter, so 25 waits', ['ratio']],
    [150, 'was never in force', []],
    [1e9, 'was never in force', []],
  ] as const)('[design 14] with a ratio of %s %s: it is read again, and can be corrected and aborted', (ratio, _why, waiting) => {
    const simulation = atGate();
    write(simulation, { gates: 'none' }, { overConsumptionRatio: ratio });
    simulation.settle();
    expect(simulation.told.unreadable).toBeNull();
    expect(simulation.decide({ verb: 'abort' }).phase).toBe('Accepted');
    write(simulation, GATED, { overConsumptionRatio: 25 });
    simulation.settle();
    expect(simulation.told.unreadable).toBeNull();
    expect(simulation.told.loosening?.fields.map(({ field }) => field) ?? []).toEqual(waiting);
  });

  it('[design 14] moves no larger stages while a gate is in force', () => {
    const simulation = atGate();
    write(simulation, GATED, { overConsumptionRatio: 100 });
    simulation.settle();
    for (const user of ['ann', 'ben']) simulation.decide({ verb: 'approve', actor: { user, groups: ['sre'] } });
    simulation.settle();
    expect(simulation.control).toMatchObject({ completedStages: 2, phase: 'Paused' });
    expect(simulation.told.loosening?.fields).toEqual([{ field: 'ratio', inForce: '25', requested: '100' }]);
  });
});

describe('a stricter policy', () => {
  it('[design 14] is in force at once, and what it was before is looser then', () => {
    const simulation = atGate({ gates: 'every-stage' });
    write(simulation, GATED);
    simulation.settle();
    simulation.decide({ verb: 'approve', actor: { user: 'ann', groups: ['sre'] } });
    simulation.settle();
    expect(simulation.control).toMatchObject({ completedStages: 1, phase: 'Paused' });
    write(simulation, { gates: 'every-stage' });
    simulation.settle();
    expect(simulation.control).toMatchObject({ completedStages: 1, phase: 'Paused' });
    expect(simulation.told.loosening?.fields.map(({ field }) => field)).toEqual(['control.approvals.required', 'control.approvals.groups']);
  });

  it('[design 14] leaves nothing to decide where the one before asked nobody', () => {
    const simulation = aSimulation(4, { overConsumptionRatio: 25, control: { requiredSoakTime: '1h' } });
    simulation.settle();
    write(simulation, {});
    simulation.settle();
    expect(simulation.told.loosening).toBeNull();
    expect(simulation.control.phase).toBe('Healthy');
  });
});
