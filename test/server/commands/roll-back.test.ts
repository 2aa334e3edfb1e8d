import { describe, expect, it } from 'vitest';
import type { DecisionRequest } from '@/lib/contract/requests';
import { DECISION_VERBS } from '@/lib/contract/stage-decision';
import { KINDS, ROLLED_BACK } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Session } from '@/server/auth';
import { KubeApiError } from '@/server/kube';
import { rolloutDigest } from '@/server/rollout';
import type { FakeRules } from '../auth/fake-cluster';
import { anApplication, aRequest, aRevision, aRollout, createCommandRig, SHOP, without } from './rig';

describe('rolling back', () => {
  const objects = [
    anApplication(),
    aRollout(),
    aRevision('web-v1', 'web:0'),
    aRevision('web-v2', 'web:1'),
    aRevision('web-v3', 'web:0', 'former-uid'),
  ];
  const back = (over: Partial<DecisionRequest> = {}) => aRequest({ verb: 'rollback', revision: 'front-v1', reason: 'errors', ...over });

  it.each(['front-v1', 'web-v1'])(
    '[design 5] to %s is a decision of the person alone, which names the application it was decided on',
    async (revision) => {
      const { commands, session, cluster, recorded } = await createCommandRig({ objects });
      await commands.decide(session, SHOP, back({ revision }));
      const real = cluster.writes.filter(({ dryRun }) => !dryRun);
      expect(real.map(({ verb, object, person }) => [verb, object.kind, person?.user])).toEqual([['create', 'StageDecision', 'operator']]);
      expect(real[0]?.object.spec).toMatchObject({
        verb: 'rollback',
        revision,
        reason: 'errors',
        seen: { application: { uid: 'app-uid', generation: 2 } },
      });
      // The application's engine writes it and puts that on record, as the decision itself.
      expect(recorded).toEqual([]);
    },
  );

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
    expect(recorded).toMatchObject([{ id: `application.rollback:${uid}`, actor: 'operator', message: 'rolls back to front-v1: errors' }]);
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
    const { commands, session, cluster } = await createCommandRig({
      objects: objects.map((object) => (object.kind === rollout.kind ? rollout : object)),
    });
    await commands.decide(session, { ns: 'shop', name }, back({ seen: { rollout: rolloutDigest(rollout) } }));
    expect(cluster.writes.at(-1)?.object.spec).toMatchObject({
      rolloutRef: { name },
      seen: { application: { uid: 'app-uid', generation: 2 } },
    });
  });

  it('[issue 9.4] is tried first on the very application that was seen', async () => {
    const { commands, session } = await createCommandRig({ objects });
    expect(await commands.decide(session, SHOP, back({ base: { uid: 'app-uid', generation: 2 } }))).toBeDefined();
    await expect(commands.decide(session, SHOP, back({ base: { uid: 'earlier-uid', generation: 2 } }))).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it.each([
    ['is done where the engine was quicker', true],
    ['fails where somebody else changed the application', false],
  ])('[issue 10.1] by somebody with a token of the cluster %s', async (_what, isDone) => {
    const refuse: FakeRules['refuse'] = ({ verb, object, dryRun }) => {
      if (verb !== 'update' || object.kind !== 'Application' || dryRun) return undefined;
      const by = isDone ? (object.metadata.annotations?.[ROLLED_BACK] ?? '') : 'another-decision digest';
      rig.cluster.objects.set(
        'core.oam.dev/Application shop/web',
        anApplication({ resourceVersion: '8', annotations: { [ROLLED_BACK]: by } }),
      );
      return new KubeApiError({ code: 409, reason: 'Conflict', message: 'it was modified' });
    };
    const rig = await createCommandRig({ objects: owned, refuse });
    const decided = rig.commands.decide(withToken(rig.session), SHOP, back());
    await (isDone
      ? expect(decided).resolves.toMatchObject({ accepted: { kind: 'StageDecision' } })
      : expect(decided).rejects.toThrow('it was modified'));
  });

  it('[issue 9.3] is refused while nobody carries it out, with the sentence who drives', async () => {
    const rig = await createCommandRig({ objects });
    rig.standingOf = (engine) => (engine === 'application' ? 'vela-core drives applications in this cluster' : null);
    await expect(rig.commands.decide(rig.session, SHOP, back())).rejects.toMatchObject({
      code: 'unavailable',
      message: rig.standingOf('application'),
    });
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
    const staged = {
      ...application,
      spec: { ...(spec as object), policies: [{ type: 'rollout', properties: { component: 'front', ratio: 50 } }] },
    };
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
    ['', 'someone else'],
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
    const refusal = await commands
      .decide(session, SHOP, back({ plan, base: { uid: 'app-uid', generation: 2 } }))
      .catch((error: unknown) => error);
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

  it('[design 8] requires the right to change the application as well', async () => {
    const { commands, session } = await createCommandRig({
      objects,
      may: ({ verb, resource }) => !(verb === 'update' && resource === 'applications'),
    });
    await expect(commands.decide(session, SHOP, back())).rejects.toMatchObject({ code: 'forbidden' });
    expect(await commands.readRights(session, SHOP)).toMatchObject({
      rollback: expect.stringContaining('"update" on applications'),
      approve: null,
    });
  });
});
