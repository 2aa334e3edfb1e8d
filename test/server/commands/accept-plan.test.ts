import { describe, expect, it } from 'vitest';
import type { SavePreview } from '@/lib/contract/change-rows';
import { PLAN, REQUESTED_BY } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { KubeApiError, toPlanText } from '@/server/kube';
import type { FakeRules } from '../auth/fake-cluster';
import type { CommandRig } from './rig';
import { anApplication, createCommandRig, SHOP } from './rig';

const SEEN = `sha256:${'5'.repeat(64)}`;
const KEY = 'core.oam.dev/Application shop/web';

/** An application of which a change waits with a plan that ada saw, and that tom asked for. */
function waiting(spec: unknown = anApplication().spec): KubeObject {
  const application = anApplication();
  const annotations = { [PLAN.seen]: toPlanText(spec, { digest: SEEN, act: 'act' }), [PLAN.user]: 'ada', [REQUESTED_BY.user]: 'tom' };
  return { ...application, metadata: { ...application.metadata, annotations } };
}

const rigOf = (rules: FakeRules = {}) => createCommandRig({ objects: [waiting()], ...rules });
const planNow = async ({ commands, session }: CommandRig) => (await commands.readMovedPlan(session, SHOP)).now.plan ?? '';
const real = ({ cluster }: CommandRig) => cluster.writes.filter(({ dryRun }) => !dryRun);

describe('both plans of a change that waits', () => {
  it('[issue 9.4] are what somebody saw, as far as that is kept, and what it would do now', async () => {
    const rig = await rigOf();
    const alone = await rig.commands.readMovedPlan(rig.session, SHOP);
    expect(alone.seen).toEqual({ plan: SEEN, by: 'ada', at: null, preview: null });
    expect(alone.now).toMatchObject({ revision: { name: 'web-v1', isNew: true }, base: { uid: 'app-uid', generation: 2 } });

    const preview: SavePreview = { ...alone.now, refused: 'as it was seen' };
    const kept = { digest: SEEN, ...SHOP, at: '2026-01-01T08:00:00Z', by: 'eve', base: '', preview };
    rig.previews.set(SEEN, kept);
    expect((await rig.commands.readMovedPlan(rig.session, SHOP)).seen).toEqual({ plan: SEEN, by: 'ada', at: kept.at, preview });
    // What was kept of another application is none of this one.
    for (const other of [{ ns: 'labs' }, { name: 'other' }]) {
      rig.previews.set(SEEN, { ...kept, ...other });
      expect((await rig.commands.readMovedPlan(rig.session, SHOP)).seen).toMatchObject({ at: null, preview: null });
    }
  });

  it('[issue 9.4] tell who kept it where nobody is noted', async () => {
    const rig = await rigOf();
    const { metadata, ...application } = waiting();
    rig.cluster.objects.set(KEY, {
      ...application,
      metadata: { ...metadata, annotations: { [PLAN.seen]: metadata.annotations?.[PLAN.seen] ?? '' } },
    });
    const { now, seen } = await rig.commands.readMovedPlan(rig.session, SHOP);
    expect(seen.by).toBeNull();
    rig.previews.set(SEEN, { digest: SEEN, ...SHOP, at: '2026-01-01T08:00:00Z', by: 'eve', base: '', preview: now });
    expect((await rig.commands.readMovedPlan(rig.session, SHOP)).seen.by).toBe('eve');
  });

  it('[issue 9.4] there are none where nobody saw the spec that there is now, and none for who may not see it', async () => {
    const moved = await rigOf({ objects: [waiting({ components: [] })] });
    await expect(moved.commands.readMovedPlan(moved.session, SHOP)).rejects.toMatchObject({
      code: 'not-found',
      message: 'no change of Application web in shop is waiting with a previewed plan',
    });
    const decisionsBlockedReason = await rigOf({ may: ({ verb, resource }) => !(verb === 'get' && resource === 'applications') });
    await expect(decisionsBlockedReason.commands.readMovedPlan(decisionsBlockedReason.session, SHOP)).rejects.toMatchObject({
      code: 'forbidden',
    });
  });
});

describe('accepting what a waiting change would do now', () => {
  const request = { uid: 'app-uid', generation: 2 };

  it('[issue 9.4] is on record before it is done, as the person, and leaves who requested the change', async () => {
    const rig = await rigOf();
    const plan = await planNow(rig);
    await rig.commands.acceptPlan(rig.session, SHOP, { ...request, plan });
    expect(rig.recorded).toMatchObject([
      { actor: 'operator', action: 'application.accept-plan', data: { plan: expect.stringContaining(plan.split('.')[0] ?? '') } },
    ]);
    expect(rig.recorded[0]?.message).toMatch(/^accepts what the change would do now, sha256:[0-9a-f]{64}$/);
    expect(real(rig)).toMatchObject([{ verb: 'update', person: { user: 'operator' }, object: { spec: anApplication().spec } }]);
    const noted = real(rig)[0]?.object.metadata.annotations;
    expect(noted).toMatchObject({ [PLAN.user]: 'operator', [REQUESTED_BY.user]: 'tom' });
    expect(noted?.[PLAN.seen]?.startsWith(plan)).toBe(true);
  });

  it('[issue 9.4] compares plans by themselves, whatever is told behind them', async () => {
    const rig = await rigOf();
    const plan = await planNow(rig);
    expect(await rig.commands.acceptPlan(rig.session, SHOP, { ...request, plan: `${plan.split('.')[0]}.other` })).toMatchObject({
      accepted: { name: 'web' },
    });
  });

  it.each([
    ['another application of the name', { uid: 'earlier-uid' }, 'conflict', 'has changed since you opened it'],
    ['an older spec', { generation: 1 }, 'conflict', 'has changed since you opened it'],
    ['a plan that moved once more', { plan: `sha256:${'9'.repeat(64)}` }, 'stale', 'has changed again since you opened it'],
  ])('[issue 9.4] is refused for %s, and changes nothing', async (_what, over, code, sentence) => {
    const rig = await rigOf();
    const plan = await planNow(rig);
    const accepted = rig.commands.acceptPlan(rig.session, SHOP, { ...request, plan, ...over });
    await expect(accepted).rejects.toMatchObject({ code, message: expect.stringContaining(sentence) });
    expect([real(rig), rig.recorded]).toEqual([[], []]);
  });

  it('[issue 9.4] is refused where nothing waits', async () => {
    const rig = await rigOf({ objects: [anApplication()] });
    const accepted = rig.commands.acceptPlan(rig.session, SHOP, { ...request, plan: SEEN });
    await expect(accepted).rejects.toMatchObject({
      code: 'rejected',
      message: 'no change of Application web in shop waits; there is nothing to accept',
    });
    expect(rig.cluster.writes).toEqual([]);
  });

  it.each([
    [
      'change the application',
      ({ verb, resource }: { verb: string; resource: string }) => !(verb === 'update' && resource === 'applications'),
    ],
    ['write what is in it', ({ verb, resource }: { verb: string; resource: string }) => !(verb === 'patch' && resource === 'deployments')],
  ])('[issue 9.4] is refused to who may not %s', async (_what, may) => {
    const [free, rig] = [await rigOf(), await rigOf({ may })];
    const accepted = rig.commands.acceptPlan(rig.session, SHOP, { ...request, plan: await planNow(free) });
    await expect(accepted).rejects.toMatchObject({ code: 'forbidden' });
    expect([real(rig), rig.recorded]).toEqual([[], []]);
  });

  it('[issue 9.4] is tried again where an engine wrote meanwhile', async () => {
    let writes = 0;
    const rig = await rigOf({
      refuse: () => (writes++ === 0 ? new KubeApiError({ code: 409, reason: 'Conflict', message: 'modified' }) : undefined),
    });
    await rig.commands.acceptPlan(rig.session, SHOP, { ...request, plan: await planNow(rig) });
    expect(real(rig)).toHaveLength(1);
  });
});
