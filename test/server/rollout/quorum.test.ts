import { describe, expect, it } from 'vitest';
import { formatRequester } from '@/lib/words/format-requester';
import { countedAlreadyReason, personalRefusals } from '@/server/rollout';
import type { Simulation } from './simulation';
import { aSimulation } from './simulation';

/** A rollout that waits at the gate after its first stage. */
function atGate(approvals: Readonly<Record<string, unknown>>): Simulation {
  const simulation = aSimulation(4, { overConsumptionRatio: 25, control: { gates: 'every-stage', approvals } });
  simulation.settle();
  return simulation;
}

/** The same, by whom the annotations tell. */
function asked(approvals: Readonly<Record<string, unknown>>, annotations: Readonly<Record<string, string>>): Simulation {
  const simulation = atGate(approvals);
  simulation.ro = { ...simulation.ro, metadata: { ...simulation.ro.metadata, annotations } };
  return simulation;
}

describe('the quorum', () => {
  it('[rollout 14.2] needs as many different people as the policy says', () => {
    const simulation = atGate({ required: 2 });
    expect(simulation.decide({ verb: 'approve' }, 'ann').phase).toBe('Accepted');
    expect(simulation.decide({ verb: 'approve' }, 'ann')).toEqual({
      phase: 'Rejected',
      message: 'ann has already approved the gate after stage 1; that approval counts (1 of 2)',
    });
    simulation.settle();
    expect(simulation.sentence).toBe('waiting for 1 more approval after stage 1 (1 of 2 given, by ann)');
    expect(simulation.decide({ verb: 'approve' }, 'ben').phase).toBe('Accepted');
    simulation.settle();
    expect(simulation.control.completedStages).toBe(2);
  });

  it('[design 14] counts one decision of each person, and says at which gate, also before the first stage', () => {
    const control = { gates: 'every-stage', autoPromotionEnabled: false, approvals: { required: 2 } };
    const simulation = aSimulation(4, { overConsumptionRatio: 25, control });
    simulation.settle();
    const again = [
      ['approve', 'ann has already approved the gate before stage 1; that approval counts (1 of 2)'],
      ['advance', 'ann has already decided to advance before stage 1; that decision counts (1 of 2)'],
      ['promote-full', 'ann has already decided to promote fully before stage 1; that decision counts (1 of 2)'],
    ] as const;
    for (const [verb, message] of again) {
      expect(simulation.decide({ verb }, 'ann').phase).toBe('Accepted');
      expect(simulation.decide({ verb }, 'ann')).toEqual({ phase: 'Rejected', message });
    }
    simulation.settle();
    expect(simulation.control).toMatchObject({ completedStages: 0, phase: 'Paused' });
  });

  it('[design 14] is told before the decision is made, and binds none of those that stop a rollout', () => {
    const simulation = atGate({ required: 2 });
    const told = (verb: 'approve' | 'pause' | 'abort', user: string) =>
      countedAlreadyReason(simulation.decision({ verb }, user).spec, simulation.ro, simulation.now);
    expect(told('approve', 'ann')).toBeUndefined();
    simulation.decide({ verb: 'approve' }, 'ann');
    expect(told('approve', 'ann')).toBe('ann has already approved the gate after stage 1; that approval counts (1 of 2)');
    expect([told('approve', 'ben'), told('pause', 'ann'), told('abort', 'ann')]).toEqual([undefined, undefined, undefined]);
    const elsewhere = { ...simulation.decision({ verb: 'approve' }, 'ann').spec, stage: 2 };
    expect(countedAlreadyReason(elsewhere, simulation.ro, simulation.now)).toBeUndefined();
  });

  it('[design 14] binds advance and promote-full by the same quorum, at the same stage', () => {
    const advanced = atGate({ required: 2 });
    expect(advanced.decide({ verb: 'advance' }, 'ann').message).toBe(
      'advance 1 of 2 at stage 1: it takes effect once 2 people have decided it: because',
    );
    expect(advanced.decide({ verb: 'advance' }, 'ann')).toEqual({
      phase: 'Rejected',
      message: 'ann has already decided to advance after stage 1; that decision counts (1 of 2)',
    });
    expect(advanced.decide({ verb: 'approve' }, 'ben').phase).toBe('Accepted');
    expect(advanced.decide({ verb: 'promote-full' }, 'cid').phase).toBe('Accepted');
    advanced.settle();
    expect(advanced.control).toMatchObject({ completedStages: 1, phase: 'Paused' });
    expect(advanced.told.approvals).toMatchObject({
      given: [{ actor: 'ben' }],
      votes: [
        { verb: 'advance', actor: 'ann' },
        { verb: 'promote-full', actor: 'cid' },
      ],
    });
    expect(advanced.decide({ verb: 'advance' }, 'ben').message).toBe('advances one stage from stage 1: because');
    advanced.settle();
    expect(advanced.control).toMatchObject({ completedStages: 2, phase: 'Paused' });
    expect(advanced.told.approvals.votes).toEqual([]);
    // What one person wanted at the stage before does not count here.
    expect(advanced.decide({ verb: 'promote-full' }, 'ann').message).toContain('promote-full 1 of 2 at stage 2');
    advanced.settle();
    expect(advanced.control).toMatchObject({ completedStages: 2, phase: 'Paused' });
    advanced.decide({ verb: 'promote-full' }, 'ben');
    advanced.settle();
    expect(advanced.control.phase).toBe('Healthy');
  });

  it('[design 14] says of each way past a gate what one decision more does', () => {
    const simulation = atGate({ required: 2 });
    const says = () =>
      (['approve', 'advance', 'promote-full'] as const).map((verb) => simulation.told.acts[verb].consequences?.messages[0]);
    expect(says()).toEqual(['approve', 'advance', 'promote-full'].map((verb) => ({ id: 'act.one-of-many', verb, given: 1, required: 2 })));
    for (const verb of ['approve', 'advance', 'promote-full'] as const) simulation.decide({ verb }, 'ann');
    expect(says().map((message) => message?.id)).toEqual(['act.stage-begins', 'act.stage-begins', 'act.takes-everything']);
  });

  it('[design 14] forgets at a retry who wanted to go on before', () => {
    const simulation = atGate({ required: 2 });
    simulation.decide({ verb: 'promote-full' }, 'ann');
    simulation.decide({ verb: 'abort' }, 'ben');
    simulation.settle();
    simulation.decide({ verb: 'retry' }, 'ben');
    simulation.settle();
    simulation.decide({ verb: 'promote-full' }, 'ben');
    simulation.settle();
    expect(simulation.control).toMatchObject({ completedStages: 1, phase: 'Paused' });
    expect(simulation.told.approvals.votes).toMatchObject([{ actor: 'ben' }]);
  });

  it('[design 5] binds approvals to groups and keeps people from approving their own change', () => {
    const simulation = atGate({ groups: ['release'], allowSelf: false });
    simulation.ro = { ...simulation.ro, metadata: { ...simulation.ro.metadata, annotations: { 'slipway.dev/requested-by': 'ann' } } };
    const group = (user: string, groups: readonly string[]) => ({ verb: 'approve' as const, actor: { user, groups: [...groups] } });
    expect(simulation.decide(group('ben', [])).message).toBe('the policy requires someone of release, and ben is in none of them');
    expect(simulation.decide(group('ann', ['release'])).message).toBe('ann requested this change, and the policy requires someone else');
    expect(simulation.decide(group('ben', ['release'])).phase).toBe('Accepted');
  });
});

describe('who may pass a gate', () => {
  const byAnn = { 'slipway.dev/requested-by': 'ann' };

  it.each(['approve', 'advance', 'promote-full'] as const)(
    '[design 14] is bound for %s by groups, and to somebody who did not ask for the change',
    (verb) => {
      const bound = asked({ groups: ['release', 'sre'], allowSelf: false }, byAnn);
      const by = (user: string, ...groups: readonly string[]) => ({ verb, actor: { user, groups: [...groups] } });
      expect(bound.decide(by('ben'))).toEqual({
        phase: 'Rejected',
        message: 'the policy requires someone of release or sre, and ben is in none of them',
      });
      expect(bound.decide(by('ben', 'dev', 'releases')).phase).toBe('Rejected');
      expect(bound.decide({ verb, actor: { user: 'ben' } }).phase).toBe('Rejected');
      expect(bound.decide(by('ann', 'release'))).toEqual({
        phase: 'Rejected',
        message: 'ann requested this change, and the policy requires someone else',
      });
      bound.settle();
      expect(bound.control).toMatchObject({ completedStages: 1, phase: 'Paused' });
      expect(bound.decide(by('ben', 'dev', 'sre')).phase).toBe('Accepted');
      const untold = asked({ allowSelf: false }, {});
      expect(untold.decide(by('ben'))).toEqual({
        phase: 'Rejected',
        message: 'it is unknown who requested this change, and the policy requires someone else to approve it',
      });
      expect(asked({}, byAnn).decide(by('ann')).phase).toBe('Accepted');
    },
  );

  it.each(['pause', 'abort'] as const)('[design 14] is nothing that %s asks about: everybody may stop a rollout', (verb) => {
    const bound = asked({ required: 2, groups: ['release'], allowSelf: false }, byAnn);
    expect(bound.decide({ verb, actor: { user: 'ann', groups: [] } }).phase).toBe('Accepted');
  });
});

describe('a service account that whoever approves may use as well', () => {
  const ROBOT = 'system:serviceaccount:shop:robot';
  const REFUSED =
    'the policy counts people, and service account robot in shop is not a person; a policy whose approvals.groups names system:serviceaccounts:shop or system:serviceaccounts counts it';

  it.each(['approve', 'advance', 'promote-full'] as const)(
    '[issue 10.2] is no second person for %s, however it is called, and another person is',
    (verb) => {
      const simulation = atGate({ required: 2 });
      expect(simulation.decide({ verb }, 'ann').phase).toBe('Accepted');
      for (const account of [ROBOT, 'system:serviceaccount:shop:ann']) expect(simulation.decide({ verb }, account).phase).toBe('Rejected');
      expect(simulation.decide({ verb }, ROBOT)).toEqual({ phase: 'Rejected', message: REFUSED });
      simulation.settle();
      expect(simulation.control).toMatchObject({ completedStages: 1, phase: 'Paused' });
      expect(simulation.decide({ verb }, 'ben').phase).toBe('Accepted');
      simulation.settle();
      expect(simulation.control.completedStages).toBeGreaterThan(1);
    },
  );

  it('[issue 10.2] approves nothing for who requested it, and counts where the policy names a group of it, or asks for one decision of anyone', () => {
    const own = asked({ allowSelf: false }, { 'slipway.dev/requested-by': 'ann' });
    expect(own.decide({ verb: 'approve' }, ROBOT)).toEqual({ phase: 'Rejected', message: REFUSED });
    const elsewhere = asked({ required: 2, groups: ['system:serviceaccounts:bank'] }, {});
    expect(elsewhere.decide({ verb: 'approve' }, ROBOT).message).toContain('is in none of them');
    for (const groups of [['system:serviceaccounts:shop'], ['release', 'system:serviceaccounts']]) {
      expect(asked({ required: 2, groups }, {}).decide({ verb: 'approve' }, ROBOT).phase).toBe('Accepted');
    }
    expect(atGate({}).decide({ verb: 'approve' }, ROBOT).phase).toBe('Accepted');
  });
});

describe('a policy that requires someone else', () => {
  it('[issue 10.2] means the service account where GitOps asked, and says so', () => {
    const simulation = atGate({ allowSelf: false });
    const account = 'system:serviceaccount:flux-system:kustomize-controller';
    simulation.ro = { ...simulation.ro, metadata: { ...simulation.ro.metadata, annotations: { 'slipway.dev/requested-by': account } } };
    expect(simulation.told.approvals).toMatchObject({ requester: account, requesterMayApprove: false });
    expect(formatRequester(account, false)).toBe(
      'Requested by service account kustomize-controller in flux-system, which may not approve it. Slipway does not know who changed what it applies; that person may approve it.',
    );
    expect(simulation.decide({ verb: 'approve' }, account).message).toContain(
      'the policy counts people, and service account kustomize-controller in flux-system is not a person',
    );
    const named = asked({ allowSelf: false, groups: ['system:serviceaccounts'] }, { 'slipway.dev/requested-by': account });
    expect(named.decide({ verb: 'approve' }, account).message).toBe(
      'service account kustomize-controller in flux-system requested this change, and the policy requires someone else',
    );
    expect(simulation.decide({ verb: 'approve' }, 'ann').phase).toBe('Accepted');
  });

  it('[design 5] lets nobody approve while it is unknown who requested the change', () => {
    const simulation = atGate({ allowSelf: false });
    expect(simulation.decide({ verb: 'approve' }, 'ben').message).toBe(
      'it is unknown who requested this change, and the policy requires someone else to approve it',
    );
  });
});

describe('whom a decision is asked of', () => {
  const asks = (simulation: Simulation, verb: 'approve' | 'pause') => {
    const act = simulation.told.acts[verb];
    return act.allowed ? act.asks : act.why;
  };

  it('[design 14] is everybody for a verb that no policy binds, however strict the policy is', () => {
    const simulation = asked({ required: 2, groups: ['release'], allowSelf: false }, { 'slipway.dev/requested-by': 'ann' });
    expect(asks(simulation, 'pause')).toEqual({ groups: [], not: [], people: false });
    expect(asks(simulation, 'approve')).toEqual({ groups: ['release'], not: ['ann'], people: true });
  });

  it('[design 14] is whoever has not decided yet, and not who requested the change where the policy wants someone else', () => {
    const byAnn = { 'slipway.dev/requested-by': 'ann' };
    expect(asks(asked({}, byAnn), 'approve')).toEqual({ groups: [], not: [], people: false });
    const simulation = asked({ required: 2 }, byAnn);
    simulation.decide({ verb: 'approve' }, 'ben');
    expect(asks(simulation, 'approve')).toEqual({ groups: [], not: ['ben'], people: true });
  });
});

describe('what of it is told to a person before they decide', () => {
  it('[design 14] is what a decision of theirs would be answered, of each verb that the policy binds, and nothing of the others', () => {
    const asker = asked({ allowSelf: false, required: 2, groups: ['release'] }, { 'slipway.dev/requested-by': 'ann' });
    const told = (user: string, groups: readonly string[] = ['release']) => personalRefusals({ user, groups }, asker.ro, asker.now);
    const own = 'ann requested this change, and the policy requires someone else';
    expect(told('ann')).toEqual({ approve: own, advance: own, 'promote-full': own, loosen: expect.any(String) });
    expect(told('ben')).not.toHaveProperty('approve');
    expect(told('ben', [])).toMatchObject({ advance: 'the policy requires someone of release, and ben is in none of them' });
    expect(asker.decide({ verb: 'approve' }, 'ann').message).toContain('in none of them');
  });

  it('[design 14] is that one of their decisions counts already, for that verb alone', () => {
    const simulation = atGate({ required: 2 });
    const told = (user: string) => personalRefusals({ user, groups: [] }, simulation.ro, simulation.now);
    expect(told('ann')).toEqual({});
    simulation.decide({ verb: 'approve' }, 'ann');
    expect(told('ann')).toEqual({ approve: 'ann has already approved the gate after stage 1; that approval counts (1 of 2)' });
    expect(told('ben')).toEqual({});
  });
});
