import { describe, expect, it } from 'vitest';
import type { DecisionRequest } from '@/lib/contract/requests';
import { DECISION_VERBS } from '@/lib/contract/stage-decision';
import { applicationDecisionRequest } from '@/server/commands/decide-application';
import { KubeApiError } from '@/server/kube';
import { rolloutDigest } from '@/server/rollout';
import { aRequest, aRollout, createCommandRig, SHOP, without } from './rig';

describe('deciding about a rollout', () => {
  it.each(DECISION_VERBS.filter((verb) => verb !== 'rollback'))(
    '[design 5] writes %s as an object of its own, as the person, and nothing else',
    async (verb) => {
      const { commands, session, cluster, recorded } = await createCommandRig();
      expect(await commands.decide(session, SHOP, aRequest({ verb }))).toMatchObject({ accepted: { kind: 'StageDecision', ns: 'shop' } });
      expect(cluster.writes).toHaveLength(1);
      expect(cluster.writes[0]).toMatchObject({
        verb: 'create',
        fieldManager: 'slipway.dev/console',
        person: { user: 'operator', groups: ['slipway:operators'] },
        object: {
          apiVersion: 'slipway.dev/v1alpha1',
          kind: 'StageDecision',
          metadata: { generateName: 'web-', namespace: 'shop' },
          spec: {
            rolloutRef: { name: 'web', uid: 'ro-uid' },
            verb,
            actor: { user: 'operator', groups: ['slipway:operators'] },
            expiresAt: '2026-01-01T09:10:00Z',
          },
        },
      });
      expect(recorded).toEqual([]);
    },
  );

  it.each(DECISION_VERBS.filter((verb) => verb !== 'rollback'))(
    '[issue 9.3] refuses %s with the sentence who drives, where nobody here would answer it',
    async (verb) => {
      const rig = await createCommandRig();
      const why = 'Deployment progressive-rollout in knative-serving drives rollouts in this cluster; Slipway only observes';
      rig.standingOf = (engine) => (engine === 'rollout' ? why : null);
      await expect(rig.commands.decide(rig.session, SHOP, aRequest({ verb }))).rejects.toMatchObject({ code: 'unavailable', message: why });
      expect(rig.cluster.writes).toEqual([]);
    },
  );

  it('[design 14] refuses a verb that the cluster’s definition does not know yet, and no other', async () => {
    const rig = await createCommandRig();
    rig.dropped = (kind, field, value) =>
      kind === 'StageDecision' && field === 'spec.verb' && value === 'loosen' ? 'it refuses loosen as spec.verb' : null;
    await expect(rig.commands.decide(rig.session, SHOP, aRequest({ verb: 'loosen' }))).rejects.toThrow('it refuses loosen');
    await expect(rig.commands.decide(rig.session, SHOP, aRequest({ verb: 'abort' }))).resolves.toMatchObject({
      accepted: { kind: 'StageDecision' },
    });
  });

  it('[issue 9.3] refuses a decision that the cluster would not keep, or could not be told to follow, and tells what fixes it', async () => {
    const rig = await createCommandRig();
    rig.dropped = (kind) =>
      kind === 'StageDecision' ? 'the cluster’s definition of StageDecision refuses retry as spec.verb; kubectl … fixes it' : null;
    await expect(rig.commands.decide(rig.session, SHOP, aRequest({ verb: 'retry' }))).rejects.toThrow('refuses retry as spec.verb');
    rig.dropped = (kind, field) =>
      kind === 'RolloutOrchestrator' && field === 'spec.control' ? 'it drops spec.control.gates; kubectl … fixes it' : null;
    await expect(rig.commands.decide(rig.session, SHOP, aRequest({ verb: 'approve' }))).rejects.toThrow(
      'it is unknown whether this rollout has gates: it drops',
    );
    expect(rig.cluster.writes).toEqual([]);
  });

  it('[design 5] takes the actor from the session, whatever the request says', async () => {
    const { commands, session, cluster } = await createCommandRig();
    await commands.decide(session, SHOP, { ...aRequest(), actor: { user: 'eve' } } as DecisionRequest);
    expect(cluster.writes[0]?.object.spec).toMatchObject({ actor: { user: 'operator' } });
  });

  it.each([
    ['abort', true],
    ['rollback', true],
    ['promote-full', true],
    ['approve', false],
    ['pause', false],
  ] as const)('[design 5] %s needs a reason: %s', async (verb, wanted) => {
    const { commands, session } = await createCommandRig();
    const act = commands.decide(session, SHOP, without('reason', aRequest({ verb })));
    if (wanted) await expect(act).rejects.toThrow(`${verb} needs a reason of a few words, found none`);
    else expect(await act).toBeDefined();
  });

  it.each([
    ['approve', true],
    ['advance', true],
    ['promote-full', true],
    ['rollback', true],
    ['abort', false],
    ['pause', false],
    ['resume', false],
    ['retry', true],
  ] as const)('[design 7] %s is refused while data is stale: %s', async (verb, refused) => {
    const rig = await createCommandRig();
    rig.stale = { since: '2026-01-01T08:59:00Z', reason: 'The API server does not answer' };
    const act = rig.commands.decide(rig.session, SHOP, aRequest({ verb }));
    const { since } = rig.stale;
    if (refused)
      await expect(act).rejects.toMatchObject({
        code: 'stale',
        message: expect.stringContaining('The API server does not answer'),
        details: { since },
      });
    else expect(await act).toBeDefined();
  });

  it('[design 13 A] nobody decides while nothing ties a decision to its person', async () => {
    const rig = await createCommandRig();
    rig.decisionsBlockedReason = 'decisions are refused while ValidatingAdmissionPolicy stagedecisions.slipway.dev is missing';
    await expect(rig.commands.decide(rig.session, SHOP, aRequest())).rejects.toMatchObject({
      code: 'unavailable',
      message: rig.decisionsBlockedReason,
    });
    expect(rig.cluster.writes).toEqual([]);
  });

  it.each(DECISION_VERBS.filter((verb) => verb !== 'rollback'))(
    '[issue 10.3] while nothing can be put on record, only what stops is taken: %s',
    async (verb) => {
      const rig = await createCommandRig();
      rig.unrecorded = new Error('the store is down');
      const decided = rig.commands.decide(rig.session, SHOP, aRequest({ verb }));
      if (verb === 'pause' || verb === 'abort') return expect(await decided).toMatchObject({ accepted: { kind: 'StageDecision' } });
      await expect(decided).rejects.toThrow('the store is down');
      expect(rig.cluster.writes).toEqual([]);
    },
  );

  it.each(['stage', 'revision', 'seen'] as const)('[design 5] an approval without its %s is refused at once', async (member) => {
    const { commands, session, cluster } = await createCommandRig();
    await expect(commands.decide(session, SHOP, without(member, aRequest()))).rejects.toMatchObject({ code: 'invalid' });
    expect(cluster.writes).toEqual([]);
  });

  it.each([
    ['nothing', undefined],
    ['the rollout alone', { rollout: rolloutDigest(aRollout()) }],
  ])('[design 14] to loosen a policy requires it as it was seen, and not that somebody saw %s', async (_what, seen) => {
    const { commands, session, cluster } = await createCommandRig();
    const decided = commands.decide(session, SHOP, aRequest({ verb: 'loosen', seen }));
    await expect(decided).rejects.toMatchObject({
      code: 'invalid',
      message: 'loosen needs the digest of the policy as it was seen, found none',
    });
    expect(cluster.writes).toEqual([]);
  });

  it('[design 5] an abort needs neither stage nor what was seen', async () => {
    const { commands, session } = await createCommandRig();
    expect(await commands.decide(session, SHOP, without('seen', without('stage', aRequest({ verb: 'abort' }))))).toBeDefined();
  });

  it('[design 5] is refused for a rollout that was replaced by another of its name, and for none', async () => {
    const { commands, session } = await createCommandRig();
    await expect(commands.decide(session, SHOP, aRequest({ uid: 'older' }))).rejects.toMatchObject({
      code: 'conflict',
      message: 'RolloutOrchestrator web in shop was deleted and created again after you opened it; review it again',
    });
    await expect(commands.decide(session, { ns: 'shop', name: 'gone' }, aRequest())).rejects.toThrow(
      'there is no RolloutOrchestrator gone in shop',
    );
  });

  it('[design 8] passes on what the cluster itself refuses', async () => {
    const refuse = () => new KubeApiError({ code: 403, reason: 'Forbidden', message: 'denied by policy' });
    const { commands, session } = await createCommandRig({ refuse });
    await expect(commands.decide(session, SHOP, aRequest())).rejects.toThrow('denied by policy');
  });
});

describe('deciding what one has decided already', () => {
  const target = [{ revisionName: 'front-v2', percent: 100 }];
  const atGate = {
    state: 'boundary',
    ...{ attempt: { id: 'a', target, startedAt: '2026-01-01T08:00:00Z' }, stage: 1, since: '2026-01-01T08:30:00Z', percent: 50 },
    approvals: [{ actor: 'operator', at: '2026-01-01T08:31:00Z' }],
  };
  const control = { gates: 'every-stage', approvals: { required: 2 } };
  const rollout = { ...aRollout(), spec: { ...(aRollout().spec as object), control }, status: { control: atGate } };
  const asked = (over: Partial<DecisionRequest> = {}) => aRequest({ seen: { rollout: rolloutDigest(rollout) }, ...over });

  it('[issue 10.2] is refused with what counts, and nothing is written', async () => {
    const { commands, session, cluster } = await createCommandRig({ objects: [rollout] });
    await expect(commands.decide(session, SHOP, asked())).rejects.toMatchObject({
      code: 'conflict',
      message: 'operator has already approved the gate after stage 1; that approval counts (1 of 2)',
    });
    expect(cluster.writes).toEqual([]);
  });

  it('[issue 10.2] is refused of nothing else: another verb, somebody else, or what has moved, which the rollout answers', async () => {
    const { commands, session, cluster } = await createCommandRig({ objects: [rollout] });
    for (const over of [{ verb: 'advance' }, { verb: 'abort' }, { stage: 2 }, { seen: { rollout: 'before' } }] as const)
      await commands.decide(session, SHOP, asked(over));
    const byBen = { ...rollout, status: { control: { ...atGate, approvals: [{ actor: 'ben', at: '2026-01-01T08:31:00Z' }] } } };
    const other = await createCommandRig({ objects: [byBen] });
    await other.commands.decide(other.session, SHOP, asked());
    expect([cluster.writes.length, other.cluster.writes.length]).toEqual([4, 1]);
  });

  it('[design 14] is told among the rights, after a right that is missing; of a rollout that is gone nothing is', async () => {
    const { commands, session } = await createCommandRig({ objects: [rollout] });
    const approved = 'operator has already approved the gate after stage 1; that approval counts (1 of 2)';
    expect(await commands.readRights(session, SHOP)).toMatchObject({ approve: approved, advance: null, abort: null });
    const without = await createCommandRig({ objects: [rollout], may: ({ verb }) => verb !== 'approve' });
    expect((await without.commands.readRights(without.session, SHOP)).approve).toContain('requires the right "approve"');
    const gone = await createCommandRig({ objects: [] });
    expect(await gone.commands.readRights(gone.session, SHOP)).toMatchObject({ approve: null, advance: null });
  });

  it('[issue 10.2] is refused of a deletion as well', async () => {
    const rig = await createCommandRig();
    rig.approvedAlready = ({ name }, { actor, seen, garbage }) =>
      `${actor.user} has approved ${garbage?.count ?? 0} of ${name} by ${seen?.garbage ?? ''} already`;
    const request = { verb: 'approve', uid: 'app-uid', seen: { garbage: 'digest' }, garbage: { count: 7 } } as const;
    await expect(rig.commands.decideApplication(rig.session, SHOP, request)).rejects.toMatchObject({
      code: 'conflict',
      message: 'operator has approved 7 of web by digest already',
    });
    expect(rig.cluster.writes).toEqual([]);
  });
});

describe('deciding about what an application leaves behind', () => {
  const request = { verb: 'approve', uid: 'app-uid', seen: { garbage: 'digest' }, garbage: { count: 7 } } as const;

  it('[design 13 G] names the application, the plan that was seen and what may go', async () => {
    const { commands, session, cluster } = await createCommandRig();
    await commands.decideApplication(session, SHOP, request);
    expect(cluster.writes[0]?.object.spec).toEqual({
      applicationRef: { name: 'web', uid: 'app-uid' },
      verb: 'approve',
      seen: { garbage: 'digest' },
      garbage: { count: 7 },
      actor: { user: 'operator', groups: ['slipway:operators'] },
      expiresAt: '2026-01-01T09:10:00Z',
    });
  });

  it('[design 13 G] tells why, where somebody said it, and names no more than they did', async () => {
    const { commands, session, cluster } = await createCommandRig();
    const { garbage: _all, ...bare } = request;
    await commands.decideApplication(session, SHOP, { ...bare, reason: 'cleaned up' });
    await commands.decideApplication(session, SHOP, { ...bare, reason: '' });
    expect(cluster.writes.map(({ object }) => Object.keys(object.spec as object))).toEqual([
      ['applicationRef', 'verb', 'seen', 'reason', 'actor', 'expiresAt'],
      ['applicationRef', 'verb', 'seen', 'actor', 'expiresAt'],
    ]);
  });

  it('[design 13 G] names an application by its uid, and a reason of 2000 letters at most, without blanks around it', () => {
    expect(applicationDecisionRequest.parse({ ...request, reason: ' cleaned up ' }).reason).toBe('cleaned up');
    expect(applicationDecisionRequest.safeParse({ ...request, reason: 'r'.repeat(2000) }).success).toBe(true);
    for (const over of [
      { reason: 'r'.repeat(2001) },
      { uid: '' },
      { seen: { garbage: '' } },
      { verb: 'advance' },
      { actor: { user: 'eve' } },
    ])
      expect(applicationDecisionRequest.safeParse({ ...request, ...over }).success).toBe(false);
  });

  it('[design 13 G] is refused for another application of the name, to who may not, off the record, and where nobody would answer', async () => {
    const rig = await createCommandRig({ may: ({ verb, name }) => verb !== 'approve' || name !== 'theirs' });
    const decided = (over: object = {}, name = 'web') =>
      rig.commands.decideApplication(rig.session, { ns: 'shop', name }, { ...request, ...over });
    await expect(decided({ uid: 'earlier' })).rejects.toMatchObject({ code: 'conflict' });
    await expect(decided({}, 'theirs')).rejects.toMatchObject({ code: 'forbidden' });
    rig.standingOf = (engine) => (engine === 'application' ? 'vela-core drives applications' : null);
    await expect(decided()).rejects.toMatchObject({ code: 'unavailable', message: 'vela-core drives applications' });
    rig.standingOf = (engine) => (engine === 'rollout' ? 'somebody else drives rollouts' : null);
    rig.unrecorded = new Error('the store is down');
    await expect(decided()).rejects.toThrow('the store is down');
    expect(rig.cluster.writes).toEqual([]);
    rig.unrecorded = null;
    expect(await decided()).toBeDefined();
  });

  it('[design 7] is refused while data is stale', async () => {
    const rig = await createCommandRig();
    rig.stale = { since: '2026-01-01T08:59:00Z', reason: 'lost' };
    await expect(rig.commands.decideApplication(rig.session, SHOP, request)).rejects.toMatchObject({ code: 'stale' });
  });
});
