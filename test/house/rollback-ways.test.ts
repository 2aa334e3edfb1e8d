import { describe, expect, it } from 'vitest';
import type { StageDecisionSpec } from '@/lib/contract/stage-decision';
import { readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Session } from '@/server/auth';
import { describeRollout, observeObjects, rolloutDigest } from '@/server/rollout';
import { PreviewWorld } from '../support/preview/preview-world';

const NS = 'shop';
const MINUTE_MS = 60_000;
const RBAC = 'rbac.authorization.k8s.io/v1';

/** An application that rolls out in one stage, without a gate. */
const version = (image: string): KubeObject => ({
  ...KINDS.application,
  metadata: { name: 'web', namespace: NS },
  spec: {
    components: [{ name: 'web', type: 'webservice', properties: { image }, traits: [{ type: 'scaler', properties: { replicas: 1 } }] }],
    policies: [{ type: 'rollout', properties: { component: 'web', ratio: 100, control: { scaleDownDelaySeconds: 0 } } }],
  },
});

/** A shop whose second version has been rolled out. */
async function openAtSecond(mayImpersonate = true): Promise<PreviewWorld> {
  const world = await new PreviewWorld({ isAlive: true, mayImpersonate }).open();
  await world.drive(world.cluster.create({ ...KINDS.namespace, metadata: { name: NS } }));
  await world.drive(world.cluster.create(version('web:1')));
  await world.clock.advance(2 * MINUTE_MS);
  await change(world, version('web:2'));
  await world.clock.advance(2 * MINUTE_MS);
  return world;
}

async function change(world: PreviewWorld, { spec }: KubeObject): Promise<void> {
  const held = await world.application(NS);
  if (held === undefined) throw new Error('there is no application');
  await world.drive(world.cluster.as({ user: 'root', groups: [] }).update({ ...held, spec }));
}

async function rolloutOf(world: PreviewWorld): Promise<KubeObject> {
  const rollout = await world.rollout(NS);
  if (rollout === undefined) throw new Error('there is no rollout');
  return rollout;
}

/** A rollback as kubectl creates it: no preview, the decision alone. */
async function byKubectl(world: PreviewWorld, over: Partial<StageDecisionSpec> = {}, user = 'root'): Promise<KubeObject> {
  const rollout = await rolloutOf(world);
  const spec: StageDecisionSpec = {
    verb: 'rollback',
    rolloutRef: { name: 'web', uid: rollout.metadata.uid ?? '' },
    revision: 'web-v1',
    reason: 'errors',
    actor: { user },
    seen: { rollout: rolloutDigest(rollout) },
    ...over,
  };
  const decision = { ...KINDS.stageDecision, metadata: { generateName: 'web-', namespace: NS }, spec };
  return world.drive(world.cluster.as({ user, groups: [] }).create(decision));
}

async function verdictOf(world: PreviewWorld, { metadata: { name = '' } }: KubeObject): Promise<readonly [string, string]> {
  const decision = await world.get({ ...KINDS.stageDecision, namespace: NS, name });
  return [readString(decision, 'status', 'phase') ?? 'Pending', readString(decision, 'status', 'message') ?? ''];
}

const imageOf = async (world: PreviewWorld) => readString(await world.application(NS), 'spec', 'components', 0, 'properties', 'image');
const generationOf = async (world: PreviewWorld) => readNumber(await world.application(NS), 'metadata', 'generation') ?? 0;
const attemptOf = async (world: PreviewWorld) => {
  const now = world.clock.now();
  return describeRollout(observeObjects({ rollout: await rolloutOf(world), autoscalers: [], workloads: [] }, now), now).attempt;
};

/** Lets somebody decide rollbacks, and nothing else. */
async function letDecide(world: PreviewWorld, name: string, more: readonly object[] = []): Promise<void> {
  const rules = [
    { apiGroups: ['slipway.dev'], resources: ['stagedecisions'], verbs: ['create'] },
    { apiGroups: ['serving.knative.dev'], resources: ['rolloutorchestrators'], verbs: ['rollback'] },
    ...more,
  ];
  const objects = [
    { apiVersion: RBAC, kind: 'ClusterRole', metadata: { name }, rules },
    {
      apiVersion: RBAC,
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }],
    },
  ];
  for (const object of objects) await world.drive(world.cluster.create(object as KubeObject));
}

describe('a rollback made by kubectl', () => {
  it('[design 5] is done as the person who made it, and accepted then', async () => {
    await using world = await openAtSecond();
    const decision = await byKubectl(world);
    await world.clock.advance(2 * MINUTE_MS);
    expect([await verdictOf(world, decision), await imageOf(world)]).toEqual([['Accepted', 'rolls back to web-v1: errors'], 'web:1']);
    expect((await world.application(NS))?.metadata.annotations?.['slipway.dev/requested-by']).toBe('root');
    expect(await attemptOf(world)).toMatchObject({ kind: 'rollback', to: 'web-v3', outcome: 'completed' });
    expect(world.record.filter(({ action }) => action === 'application.rollback')).toMatchObject([
      { actor: 'root', message: 'rolls back to web-v1: errors' },
    ]);
  });

  it.each<[string, (world: PreviewWorld) => Promise<unknown>, string]>([
    [
      'an application that is being deleted',
      async (world) => {
        const { metadata } = (await world.application(NS)) as KubeObject;
        const finalizers = [...(metadata.finalizers ?? []), 'example.com/hold'];
        const at = { ...KINDS.application, namespace: NS, name: 'web' };
        await world.drive(world.cluster.patch(at, { type: 'merge', body: { metadata: { finalizers } } }));
        await world.drive(world.cluster.delete(at));
      },
      'Application web in shop is being deleted',
    ],
    [
      'a rollout that another controller has',
      async (world) => {
        const made = await world.drive(
          world.cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other', namespace: NS } }),
        );
        const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: made.metadata.uid, controller: true };
        const at = { ...KINDS.rolloutOrchestrator, namespace: NS, name: 'web' };
        await world.drive(world.cluster.patch(at, { type: 'merge', body: { metadata: { ownerReferences: [owner] } } }));
      },
      'a rollback changes the application, and this rollout has none',
    ],
  ])('[design 5] of %s is rejected, and changes nothing', async (_what, becomes, why) => {
    await using world = await openAtSecond();
    await becomes(world);
    const before = await generationOf(world);
    const decision = await byKubectl(world);
    await world.clock.advance(2 * MINUTE_MS);
    expect(await verdictOf(world, decision)).toEqual(['Rejected', expect.stringContaining(why)]);
    expect([await imageOf(world), await generationOf(world)]).toEqual(['web:2', before]);
  });

  it('[design 5] leaves no trace on the next change: that is a rollout, also where it comes to what the rollback came to', async () => {
    await using world = await openAtSecond();
    await byKubectl(world);
    await world.clock.advance(2 * MINUTE_MS);
    await change(world, version('web:3'));
    await world.clock.advance(2 * MINUTE_MS);
    expect(await attemptOf(world)).toMatchObject({ kind: 'rollout', to: 'web-v4' });
    await change(world, version('web:1'));
    await world.clock.advance(2 * MINUTE_MS);
    expect(await attemptOf(world)).toMatchObject({ kind: 'rollout', to: 'web-v5' });
  });

  it.each<readonly [string, Partial<StageDecisionSpec>, string]>([
    ['a revision that is gone', { revision: 'web-v9' }, 'there is no ApplicationRevision web-v9 in shop'],
    ['no revision', { revision: 'newest' }, 'rollback must be a revision such as web-v1, found "newest"'],
    ['where it is', { revision: 'web-v2' }, 'Application web in shop already matches web-v2; there is nothing to roll back'],
    [
      'a rollout that has moved on',
      { seen: { rollout: 'older' } },
      'the rollout has changed since it was reviewed; review it and decide again',
    ],
  ])('[design 5] to %s is rejected with the sentence, and changes nothing', async (_what, over, sentence) => {
    await using world = await openAtSecond();
    const before = await generationOf(world);
    const decision = await byKubectl(world, over);
    await world.clock.advance(MINUTE_MS);
    expect([await verdictOf(world, decision), await generationOf(world)]).toEqual([['Rejected', sentence], before]);
    expect(world.record.filter(({ action }) => action === 'application.rollback')).toEqual([]);
  });

  it('[design 8] by somebody who may not change the application is rejected, and so is one with contents that are beyond them', async () => {
    await using world = await openAtSecond();
    await letDecide(world, 'pat');
    await letDecide(world, 'kim', [{ apiGroups: ['core.oam.dev'], resources: ['applications'], verbs: ['update'] }]);
    const before = await generationOf(world);
    const [byPat, byKim] = [
      await byKubectl(world, { actor: { user: 'pat' } }, 'pat'),
      await byKubectl(world, { actor: { user: 'kim' } }, 'kim'),
    ];
    await world.clock.advance(MINUTE_MS);
    const [[patPhase, patWhy], [kimPhase, kimWhy]] = [await verdictOf(world, byPat), await verdictOf(world, byKim)];
    expect([patPhase, kimPhase, await generationOf(world)]).toEqual(['Rejected', 'Rejected', before]);
    expect([patWhy, kimWhy]).toEqual([expect.stringContaining('pat may not'), expect.stringContaining('kim may not create Deployment')]);
    await letDecide(world, 'sam', [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['*'] }]);
    const bySam = await byKubectl(world, { actor: { user: 'sam' } }, 'sam');
    await world.clock.advance(MINUTE_MS);
    expect([await verdictOf(world, bySam), await generationOf(world)]).toEqual([
      ['Rejected', expect.stringContaining('User "sam" cannot update')],
      before,
    ]);
    expect(world.record.filter(({ action }) => action === 'application.rollback')).toEqual([]);
  });

  it('[issue 9.4] on an application that was changed since it was looked at takes nothing away', async () => {
    await using world = await openAtSecond();
    await world.stopEngines();
    const { uid = '', generation = 0 } = (await world.application(NS))?.metadata ?? {};
    const decision = await byKubectl(world, { seen: { rollout: rolloutDigest(await rolloutOf(world)), application: { uid, generation } } });
    await change(world, version('web:3'));
    await world.startEngines();
    await world.clock.advance(2 * MINUTE_MS);
    const [phase, why] = await verdictOf(world, decision);
    expect([phase, await imageOf(world)]).toEqual(['Rejected', 'web:3']);
    expect(why).toMatch(/has changed since it was reviewed; review it and decide again$/);
  });

  it('[issue 9.4] with a plan that has moved waits with both plans, and nothing is written', async () => {
    await using world = await openAtSecond();
    const decision = await byKubectl(world, { seen: { rollout: rolloutDigest(await rolloutOf(world)), plan: `sha256:${'0'.repeat(64)}` } });
    await world.clock.advance(2 * MINUTE_MS);
    expect([(await verdictOf(world, decision))[0], await world.isMoved(NS), (await attemptOf(world))?.to]).toEqual([
      'Accepted',
      true,
      'web-v2',
    ]);
  });

  it('[design 5] that has expired before anybody could look is not done', async () => {
    await using world = await openAtSecond();
    await world.stopEngines();
    const decision = await byKubectl(world, { expiresAt: new Date(world.clock.now() + MINUTE_MS).toISOString() });
    await world.clock.advance(2 * MINUTE_MS);
    await world.startEngines();
    await world.clock.advance(MINUTE_MS);
    expect([(await verdictOf(world, decision))[0], await imageOf(world)]).toEqual(['Expired', 'web:2']);
  });
});

describe('a rollback that nobody can carry out', () => {
  it('[design 8] is rejected with the sentence, where a rollout has no application', async () => {
    await using world = await openAtSecond();
    const spec = { targetRevisions: [{ revisionName: 'bare-v1', percent: 100 }] };
    const bare = await world.drive(world.cluster.create({ ...KINDS.rolloutOrchestrator, metadata: { name: 'bare', namespace: NS }, spec }));
    const decision = await byKubectl(world, {
      rolloutRef: { name: 'bare', uid: bare.metadata.uid ?? '' },
      revision: 'bare-v0',
      seen: { rollout: rolloutDigest(bare) },
    });
    await world.clock.advance(MINUTE_MS);
    const why = 'a rollback changes the application, and this rollout has none; change its target instead';
    expect(await verdictOf(world, decision)).toEqual(['Rejected', why]);
  });

  it('[issue 9.3] is rejected with who drives, where applications are not ours', async () => {
    await using world = await openAtSecond();
    world.applicationsAreHeld = 'vela-core drives applications in this cluster; Slipway only observes';
    await world.stopEngines();
    await world.startEngines();
    const decision = await byKubectl(world);
    await world.clock.advance(MINUTE_MS);
    expect([await verdictOf(world, decision), await imageOf(world)]).toEqual([['Rejected', world.applicationsAreHeld], 'web:2']);
  });
});

describe('a rollback of a process that dies', () => {
  const LINES = 14;

  it('[design 13 K] at any request between its decision and its end is accepted exactly when it is done, and done once', async () => {
    await using world = await openAtSecond();
    let to = 1;
    for (let line = 1; line <= 2 * LINES; line++) {
      const before = await generationOf(world);
      const records = new Set(world.record.filter(({ action }) => action === 'application.rollback').map(({ id }) => id)).size;
      world.connection.cutAt(Math.ceil(line / 2), line % 2 === 0);
      const decision = await byKubectl(world, { revision: `web-v${to}` });
      await world.clock.advance(100);
      const said = `request ${Math.ceil(line / 2)}, ${line % 2 === 0 ? 'which arrives' : 'which does not arrive'}`;
      if ((await verdictOf(world, decision))[0] === 'Accepted') expect(await generationOf(world), said).toBe(before + 1);
      await world.stopEngines();
      world.connection.repair();
      await world.startEngines();
      await world.clock.advance(2 * MINUTE_MS);
      expect([await verdictOf(world, decision), await generationOf(world)], said).toEqual([
        ['Accepted', `rolls back to web-v${to}: errors`],
        before + 1,
      ]);
      expect(await attemptOf(world), said).toMatchObject({ kind: 'rollback', to: `web-v${line + 2}`, outcome: 'completed' });
      expect(new Set(world.record.filter(({ action }) => action === 'application.rollback').map(({ id }) => id)).size, said).toBe(
        records + 1,
      );
      to = line + 1;
    }
  });
});

describe('a rollback where the server may act as nobody', () => {
  /** Somebody who signed in with a token of the cluster. */
  async function signedIn(world: PreviewWorld): Promise<Session> {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount' };
    await world.drive(world.cluster.create({ ...account, metadata: { name: 'ann', namespace: NS } }));
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
    const subjects = [{ kind: 'ServiceAccount', name: 'ann', namespace: NS }];
    await world.drive(world.cluster.create({ apiVersion: RBAC, kind: 'ClusterRoleBinding', metadata: { name: 'ann' }, roleRef, subjects }));
    const wanted = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: { name: 'ann', namespace: NS },
      spec: { audiences: [] },
    };
    const given = await world.drive(world.cluster.create(wanted, { subresource: 'token', parent: account }));
    const user = `system:serviceaccount:${NS}:ann`;
    return { ...world.session('root'), user, person: { user, groups: [], token: readString(given, 'status', 'token') ?? '' } };
  }

  const decideIn = async (world: PreviewWorld, session: Session): Promise<KubeObject> => {
    const rollout = await rolloutOf(world);
    const request = {
      verb: 'rollback',
      uid: rollout.metadata.uid ?? '',
      revision: 'web-v1',
      reason: 'errors',
      seen: { rollout: rolloutDigest(rollout) },
    } as const;
    const accepted = await world.drive(world.commands.decide(session, { ns: NS, name: 'web' }, request));
    return { ...KINDS.stageDecision, metadata: { name: 'accepted' in accepted ? accepted.accepted.name : '' } };
  };
  const written = (world: PreviewWorld) => world.record.filter(({ action }) => action === 'application.rollback');

  it('[issue 10.1] is done by the console with the token of the person, and then accepted', async () => {
    await using world = await openAtSecond(false);
    const session = await signedIn(world);
    const decision = await decideIn(world, session);
    await world.clock.advance(2 * MINUTE_MS);
    expect([await verdictOf(world, decision), await imageOf(world)]).toEqual([['Accepted', 'rolls back to web-v1: errors'], 'web:1']);
    expect((await world.application(NS))?.metadata.annotations?.['slipway.dev/requested-by']).toBe(session.user);
    expect(await attemptOf(world)).toMatchObject({ kind: 'rollback', to: 'web-v3', outcome: 'completed' });
    expect(written(world)).toMatchObject([{ actor: session.user, message: 'rolls back to web-v1: errors' }]);
  });

  it('[issue 10.1] is done once where console and engine may both do it', async () => {
    await using world = await openAtSecond();
    const session = await signedIn(world);
    const before = await generationOf(world);
    const decision = await decideIn(world, session);
    await world.clock.advance(2 * MINUTE_MS);
    expect([(await verdictOf(world, decision))[0], await generationOf(world)]).toEqual(['Accepted', before + 1]);
    expect(new Set(written(world).map(({ id }) => id)).size).toBe(1);
  });

  it('[issue 10.1] made by kubectl is rejected after half a minute with what to do instead, and changes nothing', async () => {
    await using world = await openAtSecond(false);
    const before = await generationOf(world);
    const decision = await byKubectl(world);
    await world.clock.advance(25_000);
    expect((await verdictOf(world, decision))[0]).toBe('Pending');
    await world.clock.advance(15_000);
    const [phase, why] = await verdictOf(world, decision);
    expect([phase, await generationOf(world)]).toEqual(['Rejected', before]);
    expect(why).toContain(
      'the server may not impersonate root, so it could not roll the application back for them; decide it in the console',
    );
    expect(written(world)).toEqual([]);
  });
});
