import { describe, expect, it } from 'vitest';
import type { DecisionRequest } from '@/lib/contract/requests';
import { DECISION_VERBS } from '@/lib/contract/stage-decision';
import { KINDS, ROLLED_BACK } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Session } from '@/server/auth';
import { applicationDecisionRequest } from '@/server/commands/decide-application';
import { KubeApiError } from '@/server/kube';
import { rolloutDigest } from '@/server/rollout';
import type { FakeRules } from '../auth/fake-cluster';
import { anApplication, aRevision, aRollout, createCommandRig, SHOP } from './rig';

/** A request that lacks nothing. */
function aRequest(over: Partial<DecisionRequest> = {}): DecisionRequest {
  return {
    verb: 'approve',
    uid: 'ro-uid',
    stage: 1,
    revision: 'front-v2',
    reason: 'all is well',
    seen: { rollout: rolloutDigest(aRollout()), policy: 'both' },
    ...over,
  };
}

function without(member: keyof DecisionRequest, request: DecisionRequest): DecisionRequest {
  return Object.fromEntries(Object.entries(request).filter(([name]) => name !== member)) as unknown as DecisionRequest;
}

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
    rig.dropped = (kind, field, value) => (kind === 'StageDecision' && field === 'spec.verb' && value === 'loosen' ? 'it refuses loosen as spec.verb' : null);
    await expect(rig.commands.decide(rig.session, SHOP, aRequest({ verb: 'loosen' }))).rejects.toThrow('it refuses loosen');
    await expect(rig.commands.decide(rig.session, SHOP, aRequest({ verb: 'abort' }))).resolves.toMatchObject({ accepted: { kind: 'StageDecision' } });
  });

  it('[issue 9.3] refuses a decision that the cluster would not keep, or could not be told to follow, and tells what mends it', async () => {
    const rig = await createCommandRig();
    rig.dropped = (kind) => (kind === 'StageDecision' ? 'the cluster’s definition of StageDecision refuses retry as spec.verb; kubectl … mends it' : null);
    await expect(rig.commands.decide(rig.session, SHOP, aRequest({ verb: 'retry' }))).rejects.toThrow('refuses retry as spec.verb');
    rig.dropped = (kind, field) => (kind === 'RolloutOrchestrator' && field === 'spec.control' ? 'it drops spec.control.gates; kubectl … mends it' : null);
    await expect(rig.commands.decide(rig.session, SHOP, aRequest({ verb: 'approve' }))).rejects.toThrow(
      'nobody can tell whether this rollout has gates: it drops',
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
  ] as const)('[design 5] %s wants a reason: %s', async (verb, wanted) => {
    const { commands, session } = await createCommandRig();
    const act = commands.decide(session, SHOP, without('reason', aRequest({ verb })));
    if (wanted) await expect(act).rejects.toThrow(`${verb} wants a reason of a few words, found none`);
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
      await expect(act).rejects.toMatchObject({ code: 'stale', message: expect.stringContaining('The API server does not answer'), details: { since } });
    else expect(await act).toBeDefined();
  });

  it('[design 13 A] nobody decides while nothing ties a decision to its person', async () => {
    const rig = await createCommandRig();
    rig.barred = 'decisions are refused while ValidatingAdmissionPolicy stagedecisions.slipway.dev is missing';
    await expect(rig.commands.decide(rig.session, SHOP, aRequest())).rejects.toMatchObject({ code: 'unavailable', message: rig.barred });
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
  ])('[design 14] to loosen a policy wants it as it was seen, and not that somebody saw %s', async (_what, seen) => {
    const { commands, session, cluster } = await createCommandRig();
    const decided = commands.decide(session, SHOP, aRequest({ verb: 'loosen', seen }));
    await expect(decided).rejects.toMatchObject({ code: 'invalid', message: 'loosen wants the digest of the policy as it was seen, found none' });
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
      message: 'RolloutOrchestrator web in shop is another one than you saw: it was deleted and made anew; look again',
    });
    await expect(commands.decide(session, { ns: 'shop', name: 'gone' }, aRequest())).rejects.toThrow('there is no RolloutOrchestrator gone in shop');
  });

  it('[design 8] passes on what the cluster itself refuses', async () => {
    const refuse = () => new KubeApiError({ code: 403, reason: 'Forbidden', message: 'denied by policy' });
    const { commands, session } = await createCommandRig({ refuse });
    await expect(commands.decide(session, SHOP, aRequest())).rejects.toThrow('denied by policy');
  });
});

describe('rolling back', () => {
  const objects = [anApplication(), aRollout(), aRevision('web-v1', 'web:0'), aRevision('web-v2', 'web:1'), aRevision('web-v3', 'web:0', 'former-uid')];
  const back = (over: Partial<DecisionRequest> = {}) => aRequest({ verb: 'rollback', revision: 'front-v1', reason: 'errors', ...over });

  it.each(['front-v1', 'web-v1'])('[design 5] to %s is a decision of the person alone, which names the application it was decided on', async (revision) => {
    const { commands, session, cluster, recorded } = await createCommandRig({ objects });
    await commands.decide(session, SHOP, back({ revision }));
    const real = cluster.writes.filter(({ dryRun }) => !dryRun);
    expect(real.map(({ verb, object, person }) => [verb, object.kind, person?.user])).toEqual([['create', 'StageDecision', 'operator']]);
    expect(real[0]?.object.spec).toMatchObject({ verb: 'rollback', revision, reason: 'errors', seen: { application: { uid: 'app-uid', generation: 2 } } });
    // The application's engine writes it and puts that on record, as the decision itself.
    expect(recorded).toEqual([]);
  });

  const ownerReferences = [{ ...KINDS.application, name: 'web', uid: 'app-uid', controller: true }];
  const owned = objects.map((object) => (object.kind === 'RolloutOrchestrator' ? aRollout({ ownerReferences }) : object));
  const withToken = (session: Session): Session => ({ ...session, person: { ...session.person, token: 'a-token-of-theirs' } });

  it('[issue 10.1] by somebody with a token of the cluster is written with it right after the decision, and names that', async () => {
    const { commands, session, cluster, recorded } = await createCommandRig({ objects: owned });
    const answer = await commands.decide(withToken(session), SHOP, back());
    const [decision, change, ...more] = cluster.writes.filter(({ dryRun }) => !dryRun);
    expect([decision, change].map((write) => [write?.verb, write?.object.kind, write?.person?.token])).toEqual([
      ['create', 'StageDecision', 'a-token-of-theirs'],
      ['update', 'Application', 'a-token-of-theirs'],
    ]);
    expect(more).toEqual([]);
    const uid = 'accepted' in answer ? answer.accepted.uid : null;
    expect(uid).toMatch(/^uid-web-/);
    expect(change?.object.metadata.annotations?.[ROLLED_BACK]?.split(' ')[0]).toBe(uid);
    expect(recorded).toMatchObject([{ id: `application.rollback:${uid}`, actor: 'operator', message: 'goes back to front-v1: errors' }]);
  });

  it('[design 5] is carried out here by nobody without a token, nor where the rollout would refuse it', async () => {
    const [untold, refused] = [await createCommandRig({ objects: owned }), await createCommandRig({ objects })];
    await untold.commands.decide(untold.session, SHOP, back());
    await refused.commands.decide(withToken(refused.session), SHOP, back());
    for (const { cluster, recorded } of [untold, refused]) {
      expect(cluster.writes.filter(({ dryRun }) => !dryRun).map(({ object }) => object.kind)).toEqual(['StageDecision']);
      expect(recorded).toEqual([]);
    }
  });

  it.each([
    ['that its label names', { name: 'front' }, 'front'],
    ['of its own name where it has no label', { labels: undefined }, 'web'],
  ])('[design 5] is about the application %s', async (_what, over, name) => {
    const rollout = aRollout(over as Partial<KubeObject['metadata']>);
    const { commands, session, cluster } = await createCommandRig({ objects: objects.map((object) => (object.kind === rollout.kind ? rollout : object)) });
    await commands.decide(session, { ns: 'shop', name }, back({ seen: { rollout: rolloutDigest(rollout) } }));
    expect(cluster.writes.at(-1)?.object.spec).toMatchObject({ rolloutRef: { name }, seen: { application: { uid: 'app-uid', generation: 2 } } });
  });

  it('[issue 9.4] is tried first on the very application that was seen', async () => {
    const { commands, session } = await createCommandRig({ objects });
    expect(await commands.decide(session, SHOP, back({ base: { uid: 'app-uid', generation: 2 } }))).toBeDefined();
    await expect(commands.decide(session, SHOP, back({ base: { uid: 'earlier-uid', generation: 2 } }))).rejects.toMatchObject({ code: 'conflict' });
  });

  it.each([
    ['is done where the engine was quicker', true],
    ['fails where somebody else changed the application', false],
  ])('[issue 10.1] by somebody with a token of the cluster %s', async (_what, isDone) => {
    const refuse: FakeRules['refuse'] = ({ verb, object, dryRun }) => {
      if (verb !== 'update' || object.kind !== 'Application' || dryRun) return undefined;
      const by = isDone ? (object.metadata.annotations?.[ROLLED_BACK] ?? '') : 'another-decision digest';
      rig.cluster.objects.set('core.oam.dev/Application shop/web', anApplication({ resourceVersion: '8', annotations: { [ROLLED_BACK]: by } }));
      return new KubeApiError({ code: 409, reason: 'Conflict', message: 'it was modified' });
    };
    const rig = await createCommandRig({ objects: owned, refuse });
    const decided = rig.commands.decide(withToken(rig.session), SHOP, back());
    await (isDone ? expect(decided).resolves.toMatchObject({ accepted: { kind: 'StageDecision' } }) : expect(decided).rejects.toThrow('it was modified'));
  });

  it('[issue 9.3] is refused while nobody carries it out, with the sentence who drives', async () => {
    const rig = await createCommandRig({ objects });
    rig.standingOf = (engine) => (engine === 'application' ? 'vela-core drives applications in this cluster' : null);
    await expect(rig.commands.decide(rig.session, SHOP, back())).rejects.toMatchObject({ code: 'unavailable', message: rig.standingOf('application') });
    expect(rig.cluster.writes.filter(({ dryRun }) => !dryRun)).toEqual([]);
  });

  it('[issue 9.3] is refused where the definition would prune the plan that was seen, while an abort is not', async () => {
    const rig = await createCommandRig({ objects });
    rig.dropped = (kind, field) => (kind === 'StageDecision' && field === 'spec.seen.plan' ? 'the definition prunes spec.seen.plan' : null);
    const plan = `sha256:${'0'.repeat(64)}`;
    await expect(rig.commands.decide(rig.session, SHOP, back({ plan }))).rejects.toThrow('the definition prunes spec.seen.plan');
    await expect(rig.commands.decide(rig.session, SHOP, back())).resolves.toBeDefined();
    await expect(rig.commands.decide(rig.session, SHOP, aRequest({ verb: 'abort' }))).resolves.toBeDefined();
  });

  it.each([
    ['a revision that is none', back({ revision: 'nonsense' }), 'invalid'],
    ['a revision that is gone', back({ revision: 'web-v9' }), 'not-found'],
    ['a revision of a former application of its name', back({ revision: 'web-v3' }), 'invalid'],
    ['where it is already', back({ revision: 'web-v2' }), 'rejected'],
    ['a rollout that has changed', back({ seen: { rollout: 'older' } }), 'stale'],
  ])('[design 13 B] to %s leaves neither decision nor change', async (_what, request, code) => {
    const { commands, session, cluster, recorded } = await createCommandRig({ objects });
    await expect(commands.decide(session, SHOP, request)).rejects.toMatchObject({ code });
    expect(cluster.writes.filter(({ dryRun }) => !dryRun)).toEqual([]);
    expect(recorded).toEqual([]);
  });

  it('[issue 9.4] says first what it does to every object, changes nothing meanwhile, and needs no reason for that', async () => {
    const { spec, ...application } = anApplication();
    const staged = { ...application, spec: { ...(spec as object), policies: [{ type: 'rollout', properties: { component: 'front', ratio: 50 } }] } };
    const { commands, session, cluster, recorded } = await createCommandRig({ objects: [...objects.slice(1), staged] });
    const shown = await commands.decide(session, SHOP, without('reason', back({ dryRun: true })));
    expect(shown).toMatchObject({ revision: { name: 'web-v4', isNew: true }, plan: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) });
    expect('changes' in shown && shown.changes.map(({ kind, name, verdict }) => [kind, name, verdict])).toEqual([
      ['Deployment', 'front-v4', 'new'],
      ['Secret', 'key', 'new'],
    ]);
    expect([cluster.writes.filter(({ dryRun }) => !dryRun), recorded]).toEqual([[], []]);
  });

  it('[issue 9.4] names the plan that was seen', async () => {
    const { commands, session, cluster, previews } = await createCommandRig({ objects });
    const shown = await commands.decide(session, SHOP, back({ dryRun: true }));
    const plan = 'plan' in shown ? shown.plan : '';
    expect(previews.get(plan)).toMatchObject({ ns: 'shop', name: 'web', by: 'operator' });
    await commands.decide(session, SHOP, back({ plan }));
    expect(cluster.writes.filter(({ dryRun }) => !dryRun).at(-1)?.object.spec).toMatchObject({
      seen: { plan, application: { uid: 'app-uid', generation: 2 } },
    });
  });

  it('[issue 9.4] is refused once somebody else has changed the application since it was previewed, with whose change it is and what', async () => {
    const { commands, session, cluster } = await createCommandRig({ objects });
    const shown = await commands.decide(session, SHOP, back({ dryRun: true }));
    if (!('plan' in shown) || shown.base === undefined) throw new Error('a preview tells what it was worked out on');
    expect(shown.base).toEqual({ uid: 'app-uid', generation: 2 });
    const { components } = anApplication().spec as { components: readonly [{ properties: object }, ...object[]] };
    const [front, ...rest] = components;
    const theirs = { components: [{ ...front, properties: { image: 'web:theirs' } }, ...rest] };
    const changed = { ...anApplication({ generation: 3, annotations: { 'slipway.dev/requested-by': 'eve' } }), spec: theirs };
    cluster.objects.set('core.oam.dev/Application shop/web', changed);
    const refusal = await commands.decide(session, SHOP, back({ plan: shown.plan, base: shown.base })).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'conflict', message: 'Application web in shop was changed by eve since you opened it' });
    expect((refusal as { details: { theirs: { lines: { sign: string; text: string }[] } } }).details.theirs.lines).toContainEqual(
      expect.objectContaining({ sign: '+', text: expect.stringContaining('web:theirs') }),
    );
    expect(cluster.writes.filter(({ dryRun }) => !dryRun)).toEqual([]);
  });

  it.each([
    ['eve', 'eve'],
    ['operator', 'you, elsewhere,'],
    ['', 'somebody else'],
  ])('[issue 9.4] says whose change came first: %j', async (asker, who) => {
    const changed = anApplication({ generation: 3, annotations: { 'slipway.dev/requested-by': asker } });
    const { commands, session } = await createCommandRig({ objects: [changed, ...objects.slice(1)] });
    const decided = commands.decide(session, SHOP, back({ base: { uid: 'app-uid', generation: 2 } }));
    await expect(decided).rejects.toThrow(`Application web in shop was changed by ${who} since you opened it`);
  });

  it.each([
    ['this application', {}, true],
    ['one of another namespace', { ns: 'labs' }, false],
    ['one of another name', { name: 'other' }, false],
  ])('[issue 9.4] tells lines only of what was shown of %s', async (_what, over, isTold) => {
    const changed = anApplication({ generation: 3 });
    const { commands, session, previews } = await createCommandRig({ objects: [changed, ...objects.slice(1)] });
    const plan = `sha256:${'3'.repeat(64)}`;
    const preview = { counts: {}, kinds: [], revision: { name: '', isNew: false }, changes: [], refused: null, plan };
    previews.set(plan, { digest: plan, ...SHOP, at: '2026-01-01T08:00:00Z', by: 'ada', base: 'of: theirs\n', preview, ...over });
    const refusal = await commands.decide(session, SHOP, back({ plan, base: { uid: 'app-uid', generation: 2 } })).catch((error: unknown) => error);
    const { lines } = (refusal as { details: { theirs: { lines: readonly { text: string }[] } } }).details.theirs;
    expect(lines.some(({ text }) => text.includes('of: theirs'))).toBe(isTold);
    expect(lines.length > 0).toBe(isTold);
  });

  it('[issue 9.4] tells four hundred lines of somebody else’s change at most', async () => {
    const plan = `sha256:${'3'.repeat(64)}`;
    const { commands, session, previews } = await createCommandRig({ objects: [anApplication({ generation: 3 }), ...objects.slice(1)] });
    const preview = { counts: {}, kinds: [], revision: { name: '', isNew: false }, changes: [], refused: null, plan };
    const base = Array.from({ length: 500 }, (_, at) => `line: ${at}`).join('\n');
    previews.set(plan, { digest: plan, ...SHOP, at: '2026-01-01T08:00:00Z', by: 'ada', base, preview });
    const decided = commands.decide(session, SHOP, back({ plan, base: { uid: 'app-uid', generation: 2 } }));
    await expect(decided).rejects.toMatchObject({ details: { theirs: { lines: { length: 400 } } } });
  });

  it.each(DECISION_VERBS.filter((verb) => verb !== 'rollback'))(
    '[issue 9.4] of %s neither a dry run nor a plan is taken: it changes no application',
    async (verb) => {
      const { commands, session, cluster } = await createCommandRig();
      for (const over of [{ dryRun: true }, { plan: `sha256:${'0'.repeat(64)}` }, { base: { uid: 'app-uid', generation: 2 } }])
        await expect(commands.decide(session, SHOP, aRequest({ verb, ...over }))).rejects.toThrow(
          `only a rollback changes the application and so has a plan; ${verb}`,
        );
      expect(cluster.writes).toEqual([]);
    },
  );

  it('[design 8] wants the right to change the application as well', async () => {
    const { commands, session } = await createCommandRig({ objects, may: ({ verb, resource }) => !(verb === 'update' && resource === 'applications') });
    await expect(commands.decide(session, SHOP, back())).rejects.toMatchObject({ code: 'forbidden' });
    expect(await commands.readRights(session, SHOP)).toMatchObject({ rollback: expect.stringContaining('"update" on applications'), approve: null });
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
    for (const over of [{ reason: 'r'.repeat(2001) }, { uid: '' }, { seen: { garbage: '' } }, { verb: 'advance' }, { actor: { user: 'eve' } }])
      expect(applicationDecisionRequest.safeParse({ ...request, ...over }).success).toBe(false);
  });

  it('[design 13 G] is refused for another application of the name, to who may not, off the record, and where nobody would answer', async () => {
    const rig = await createCommandRig({ may: ({ verb, name }) => verb !== 'approve' || name !== 'theirs' });
    const decided = (over: object = {}, name = 'web') => rig.commands.decideApplication(rig.session, { ns: 'shop', name }, { ...request, ...over });
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
