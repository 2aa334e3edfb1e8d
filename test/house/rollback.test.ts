import { describe, expect, it } from 'vitest';
import type { SavePreview } from '@/lib/contract/change-rows';
import type { DecisionRequest } from '@/lib/contract/requests';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { AttemptDescription, RolloutDescription } from '@/server/rollout';
import { describeRollout, observeObjects, rolloutDigest } from '@/server/rollout';
import { PreviewWorld } from '../support/preview/preview-world';

const NS = 'shop';
const PLACE = { ns: NS, name: 'web' };
const MINUTE_MS = 60_000;
const settings = (name: string, value: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } });

/** An application in two stages, with a gate after the first, and objects that come and go with its versions. */
const version = (image: string, objects: readonly object[], approvals: object = {}): KubeObject => ({
  ...KINDS.application,
  metadata: { name: 'web', namespace: NS },
  spec: {
    components: [
      { name: 'web', type: 'webservice', properties: { image }, traits: [{ type: 'scaler', properties: { replicas: 2 } }] },
      { name: 'set', type: 'k8s-objects', properties: { objects } },
    ],
    policies: [
      {
        type: 'rollout',
        properties: { component: 'web', ratio: 50, control: { gates: 'every-stage', scaleDownDelaySeconds: 0, approvals } },
      },
    ],
  },
});

const FIRST = version('web:1', [settings('flags', '1'), settings('only-first', '1')]);
const SECOND = version('web:2', [settings('flags', '2'), settings('only-second', '2')]);

/** A shop whose first version runs, and whose second one waits at its gate. */
async function openAtGate(second = SECOND, first = FIRST): Promise<PreviewWorld> {
  const world = await new PreviewWorld({ isAlive: true }).open();
  await world.drive(world.cluster.create({ ...KINDS.namespace, metadata: { name: NS } }));
  await apply(world, first);
  await world.clock.advance(2 * MINUTE_MS);
  await apply(world, second);
  await world.clock.advance(2 * MINUTE_MS);
  return world;
}

async function apply(world: PreviewWorld, next: KubeObject): Promise<void> {
  const shown = await world.dryRun('root', next);
  await world.drive(world.commands.applyApplication(world.session('root'), { manifest: JSON.stringify(next), plan: shown?.plan ?? '' }));
}

async function rolloutOf(world: PreviewWorld): Promise<KubeObject> {
  const rollout = await world.rollout(NS);
  if (rollout === undefined) throw new Error('there is no rollout');
  return rollout;
}

async function told(world: PreviewWorld): Promise<RolloutDescription> {
  const listed = async (type: typeof KINDS.deployment | typeof KINDS.stagePodAutoscaler) => {
    const found: KubeObject[] = [];
    for await (const { items } of world.cluster.list({ ...type, namespace: NS })) found.push(...items);
    return found;
  };
  const [autoscalers, workloads] = await world.drive(Promise.all([listed(KINDS.stagePodAutoscaler), listed(KINDS.deployment)]));
  const now = world.clock.now();
  return describeRollout(observeObjects({ rollout: await rolloutOf(world), autoscalers, workloads }, now), now);
}

/** Every attempt that is kept, the present one last. */
async function attemptsOf(world: PreviewWorld): Promise<readonly AttemptDescription[]> {
  const { attempt, past } = await told(world);
  return [...[...past].reverse(), ...(attempt === null ? [] : [attempt])];
}

async function decide(world: PreviewWorld, request: Partial<DecisionRequest>, who: 'root' | 'author' = 'root') {
  const rollout = await rolloutOf(world);
  const seen = { rollout: rolloutDigest(rollout) };
  return world.drive(
    world.commands.decide(world.session(who), PLACE, {
      verb: 'rollback',
      uid: rollout.metadata.uid ?? '',
      reason: 'errors',
      seen,
      ...request,
    }),
  );
}

/** Goes back as the console does: what it does is shown first, and sent along. Answers what was shown. */
async function rollBack(world: PreviewWorld, revision: string): Promise<SavePreview> {
  const shown = (await decide(world, { revision, dryRun: true })) as SavePreview; // the answer of a dry run
  await decide(world, { revision, plan: shown.plan });
  return shown;
}

const verdicts = ({ changes }: SavePreview) =>
  Object.fromEntries(changes.filter(({ kind }) => kind === 'ConfigMap').map(({ name, verdict }) => [name, verdict]));
const approveStage = async (world: PreviewWorld, revision: string, who?: 'root' | 'author') =>
  decide(world, { verb: 'approve', stage: 1, revision }, who);
const dataOf = async (world: PreviewWorld, name: string) =>
  readString(await world.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: NS, name }), 'data', 'value');

describe('a rollback', () => {
  it('[issue 9.4] in mid-rollout does what was shown: gives back, makes again and deletes, at its own end and not before', async () => {
    await using world = await openAtGate();
    const shown = await rollBack(world, 'web-v1');
    // Of what the first version had nothing went yet, since the second never came to its end.
    expect(verdicts(shown)).toEqual({ flags: 'changed', 'only-first': 'handed-over', 'only-second': 'deleted' });
    await world.clock.advance(2 * MINUTE_MS);
    expect([await dataOf(world, 'flags'), await dataOf(world, 'only-first'), await dataOf(world, 'only-second')]).toEqual(['1', '1', '2']);
    await approveStage(world, 'web-v3');
    await world.clock.advance(2 * MINUTE_MS);
    expect([await dataOf(world, 'flags'), await dataOf(world, 'only-first'), await dataOf(world, 'only-second')]).toEqual([
      '1',
      '1',
      undefined,
    ]);
    const application = await world.application(NS);
    expect([readString(application, 'status', 'latestRevision', 'name'), application?.metadata.annotations?.['slipway.dev/plan']]).toEqual([
      'web-v3',
      undefined,
    ]);
  });

  it('[issue 9.4] whose preview does not hold any more writes nothing, though its decision is on record', async () => {
    await using world = await openAtGate();
    await world.stopEngines();
    const shown = (await decide(world, { revision: 'web-v1', dryRun: true })) as SavePreview; // the answer of a dry run
    await world.drive(world.cluster.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: NS, name: 'flags' }));
    await decide(world, { revision: 'web-v1', plan: shown.plan });
    const before = await world.contents([NS]);
    await world.startEngines();
    await world.clock.advance(MINUTE_MS);
    expect([await world.isMoved(NS), await dataOf(world, 'flags'), (await told(world)).to]).toEqual([true, undefined, 'web-v2']);
    expect([...(await world.contents([NS])).keys()].sort()).toEqual([...before.keys()].sort());
    expect(world.record.map(({ action }) => action)).toEqual(expect.arrayContaining(['application.rollback', 'plan.moved']));
  });

  it('[issue 9.4] does not take away what somebody else changed since it was previewed, also before the engine heard of it', async () => {
    await using world = await openAtGate();
    await world.stopEngines();
    const shown = (await decide(world, { revision: 'web-v1', dryRun: true })) as SavePreview; // the answer of a dry run
    await apply(world, version('web:3', [settings('flags', '3')]));
    const { plan, base } = shown;
    if (base === undefined) throw new Error('a preview tells what it was worked out on');
    await expect(decide(world, { revision: 'web-v1', plan, base })).rejects.toMatchObject({
      code: 'conflict',
      details: { theirs: { by: 'root' } },
    });
    expect(JSON.stringify((await world.application(NS))?.spec)).toContain('web:3');
  });

  it('[design 5] is on record as what it is: who decided it and why, its attempt beside the one it ends', async () => {
    await using world = await openAtGate();
    await rollBack(world, 'web-v1');
    await world.clock.advance(2 * MINUTE_MS);
    expect((await attemptsOf(world)).map(({ kind, to: target, outcome }) => [kind, target, outcome])).toEqual([
      ['rollout', 'web-v1', 'completed'],
      ['rollout', 'web-v2', 'superseded'],
      ['rollback', 'web-v3', 'under-way'],
    ]);
    const decision = world.record.find(({ action }) => action === 'decision.rollback');
    expect(decision).toMatchObject({ actor: 'root', message: expect.stringContaining('rolls back to web-v1') });
    expect(world.record.find(({ action }) => action === 'application.rollback')).toMatchObject({
      actor: 'root',
      message: 'rolls back to web-v1: errors',
    });
  });

  it('[rollout 14.2] is held by its gates like any other change, however often it is looked at', async () => {
    await using world = await openAtGate();
    await rollBack(world, 'web-v1');
    await world.clock.advance(60 * MINUTE_MS);
    const held = await told(world);
    expect([held.waitsFor.whom, held.attempt?.stages.map(({ outcome, gate }) => [outcome, gate])]).toEqual([
      'person',
      [
        ['done', 'closed'],
        ['planned', 'none'],
      ],
    ]);
    await approveStage(world, 'web-v3');
    await world.clock.advance(2 * MINUTE_MS);
    expect((await attemptsOf(world)).at(-1)).toMatchObject({ kind: 'rollback', outcome: 'completed' });
  });

  it('[design 5] is not approved by whoever requested it, where the policy requires someone else', async () => {
    const approvals = { allowSelf: false };
    const second = version('web:2', [settings('flags', '2')], approvals);
    await using world = await openAtGate(second, version('web:1', [settings('flags', '1')], approvals));
    await rollBack(world, 'web-v1');
    await world.clock.advance(2 * MINUTE_MS);
    await approveStage(world, 'web-v3');
    await world.clock.advance(1000);
    expect([await world.lastDecision(NS), (await attemptsOf(world)).at(-1)?.outcome]).toEqual(['Rejected', 'under-way']);
  });

  it('[design 13 B] of what was reached long ago goes in stages as well, and counts as a rollback when it is done', async () => {
    await using world = await openAtGate();
    await approveStage(world, 'web-v2');
    await world.clock.advance(2 * MINUTE_MS);
    expect([await dataOf(world, 'only-first'), (await attemptsOf(world)).at(-1)?.outcome]).toEqual([undefined, 'completed']);
    expect(verdicts(await rollBack(world, 'web-v1'))).toEqual({ flags: 'changed', 'only-first': 'new', 'only-second': 'deleted' });
    await world.clock.advance(2 * MINUTE_MS);
    expect((await told(world)).waitsFor.whom).toBe('person');
    await approveStage(world, 'web-v3');
    await world.clock.advance(2 * MINUTE_MS);
    expect([await dataOf(world, 'flags'), await dataOf(world, 'only-first'), await dataOf(world, 'only-second')]).toEqual([
      '1',
      '1',
      undefined,
    ]);
    expect((await attemptsOf(world)).at(-1)).toMatchObject({ kind: 'rollback', to: 'web-v3', outcome: 'completed' });
  });

  it('[design 5] that is aborted goes back to what it came from, and is tried again as a retry', async () => {
    await using world = await openAtGate();
    await approveStage(world, 'web-v2');
    await world.clock.advance(2 * MINUTE_MS);
    await rollBack(world, 'web-v1');
    await world.clock.advance(2 * MINUTE_MS);
    await decide(world, { verb: 'abort', revision: 'web-v3' });
    await world.clock.advance(3 * MINUTE_MS);
    expect((await attemptsOf(world)).at(-1)).toMatchObject({ kind: 'rollback', to: 'web-v3', outcome: 'aborted' });
    expect([await dataOf(world, 'flags'), await dataOf(world, 'only-second')]).toEqual(['2', '2']);
    await decide(world, { verb: 'retry', revision: 'web-v3' });
    await world.clock.advance(2 * MINUTE_MS);
    expect((await attemptsOf(world)).slice(-2).map(({ kind, outcome }) => [kind, outcome])).toEqual([
      ['rollback', 'aborted'],
      ['retry', 'under-way'],
    ]);
  });
});
