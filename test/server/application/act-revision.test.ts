import { describe, expect, it } from 'vitest';
import { LABELLED_BY, PLAN, REQUESTED_BY } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { clearPreviewedPlan, noteOnRevision, recordAcceptance, recordMoved } from '@/server/application/act/acceptance';
import { warnOnce } from '@/server/application/act/context';
import { ensureRevision, pruneRevisions } from '@/server/application/act/revisions';
import type { PlanVerification } from '@/server/application/observe/verify-plan';
import { recordUnpermitted, recordWithheld } from '@/server/application/permission/audit-entries';
import { ACCEPTED, withPreviewedPlan } from '@/server/application/plan/previewed-plan';
import { parseApplication } from '@/server/application/spec/parse';
import { ActWorld } from './act-world';
import { configMap, holding, revisionOf, seenAfter } from './seen';
import { one, planned, tracker } from './staged-shop';

const noted = (notes: object = {}, labels: object = {}) => holding([configMap('a')], {}, { annotations: notes, labels });
const application = noted({ [REQUESTED_BY.user]: 'ada' });
const previewed = withPreviewedPlan(application, { digest: 'sha256:seen.parts', act: 'act-1' }, { user: 'bob', groups: [] });
const text = previewed.metadata.annotations?.[PLAN.seen] ?? '';
const agreed = (more: object = {}): PlanVerification =>
  ({
    kind: 'same',
    plan: { text, id: 'id-1', digest: 'sha256:seen.parts' },
    deletions: 'sha256:gone',
    isNoted: false,
    ...more,
  }) as PlanVerification;
const UNSEEN = { kind: 'unseen' } as PlanVerification;
const planOf = (object: KubeObject, revisions: readonly ReturnType<typeof revisionOf>[] = []) => planned(seenAfter(revisions, object));
const stored = (of: ActWorld, object: KubeObject) => {
  const revision = revisionOf(object);
  of.server.seed(revision.object);
  return { ...revision, object: of.at(revision.object) ?? revision.object };
};

describe('a plan that was previewed', () => {
  it('[design 11] is on record as done by whoever saw it, once', async () => {
    const of = new ActWorld();
    const plan = planOf(previewed);
    await recordAcceptance(of.context(), agreed(), plan);
    expect(of.record).toMatchObject([
      {
        ...{
          id: 'plan.accepted:app:id-1',
          action: 'plan.accepted',
          message: 'web-v1 is applied as bob previewed it: nothing has changed since',
        },
        ...{ about: { kind: 'Application', name: 'web' }, data: { plan: 'sha256:seen', revision: 'web-v1' } },
      },
    ]);
    await recordAcceptance(of.context(), agreed({ isNoted: true }), plan);
    await recordAcceptance(of.context(), UNSEEN, plan);
    expect(of.record).toHaveLength(1);
    await recordAcceptance(of.context(), agreed(), planOf(application));
    expect(of.record[1]?.message).toContain('as an unknown user previewed it');
  });

  it('[design 11] is on record as moved, with both digests, where that is news', async () => {
    const of = new ActWorld();
    await recordMoved(of.context(), application, { kind: 'planMoved', why: 'it moved' });
    expect(of.record).toEqual([]);
    await recordMoved(of.context(), application, { kind: 'planMoved', why: 'it moved', digests: { id: 'i', seen: 's', now: 'n' } });
    expect(of.record).toMatchObject([
      { id: 'plan.moved:app:i:n', action: 'plan.moved', message: 'nothing of web was applied: it moved', data: { seen: 's', now: 'n' } },
    ]);
  });

  it('[design 11] is taken off the application once all of it is done, where it is still that one', async () => {
    const of = new ActWorld(previewed);
    const live = of.at(previewed) ?? previewed;
    const cleared = await clearPreviewedPlan(of.context(), agreed(), live);
    expect(cleared.metadata.annotations).toEqual({ [REQUESTED_BY.user]: 'ada' });
    expect(await clearPreviewedPlan(of.context(), agreed(), live), 'it changed meanwhile').toBe(live);
    const writes = of.writes().length;
    for (const [agreement, object] of [
      [UNSEEN, live],
      [agreed({ plan: { text: 'another', id: '', digest: '' } }), live],
      [agreed(), application],
    ] as const)
      expect(await clearPreviewedPlan(of.context(), agreement, object)).toBe(object);
    expect(of.writes()).toHaveLength(writes);
  });

  it('[design 11] is noted on a revision that is there before anything is written by it, and once', async () => {
    const of = new ActWorld(application);
    const revision = stored(of, application);
    const parsed = parseApplication(previewed);
    await noteOnRevision(of.context(), agreed(), { application: parsed, revision });
    const notes = of.at(revision.object)?.metadata.annotations;
    expect(notes).toMatchObject({ [ACCEPTED.plan]: text, [ACCEPTED.deletions]: 'sha256:gone' });
    const again = { ...revision, object: of.at(revision.object) ?? revision.object };
    const writes = of.writes().length;
    await noteOnRevision(of.context(), agreed(), { application: parsed, revision: again });
    await noteOnRevision(of.context(), UNSEEN, { application: parsed, revision });
    expect(of.writes()).toHaveLength(writes);
    await expect(
      noteOnRevision(of.context(), agreed({ plan: { text: 'x', id: '', digest: '' } }), { application: parsed, revision }),
    ).rejects.toThrow('was changed');
    const bare = new ActWorld(application);
    await noteOnRevision(bare.context(), agreed({ deletions: undefined }), { application: parsed, revision: stored(bare, application) });
    expect(bare.at(revision.object)?.metadata.annotations?.[ACCEPTED.deletions]).toBe('');
  });

  it('[issue 10.1] leaves on record that changed policies are followed, by whom', async () => {
    const of = new ActWorld();
    const revision = stored(of, application);
    const other = parseApplication({
      ...application,
      spec: { ...(application.spec as object), policies: [{ type: 'read-only', properties: { rules: [] } }] },
    });
    await noteOnRevision(of.context(), UNSEEN, { application: other, revision });
    expect(of.record).toMatchObject([
      { id: 'application.policies:app:2', action: 'application.policies', message: 'web follows its changed policies, requested by ada' },
    ]);
    expect(of.writes()).toEqual(['patch ApplicationRevision/web-v1']);
  });
});

describe('the revision of a plan', () => {
  const made = (of: ActWorld) => of.server.all().filter(({ kind }) => kind === 'ApplicationRevision');
  const ensure = (
    of: ActWorld,
    object: KubeObject,
    { agreement = UNSEEN, isBegun = false, revisions = [] as readonly ReturnType<typeof revisionOf>[] } = {},
  ) => ensureRevision(of.context(), planOf(object, revisions), { agreement, isBegun, revisions });

  it('[dispatch R1] is made once, on record with who asked for it, and tells which plan it was accepted with', async () => {
    const of = new ActWorld();
    await ensure(of, previewed, { agreement: agreed() });
    const [revision] = made(of);
    expect(revision?.metadata).toMatchObject({
      name: 'web-v1',
      annotations: { [ACCEPTED.plan]: text, [ACCEPTED.deletions]: 'sha256:gone' },
    });
    expect(of.told()).toEqual([
      expect.stringMatching(/^plan\.accepted/),
      expect.stringMatching(/^revision\.created: web-v1 of web, hash [0-9a-f]{16}, requested by ada$/),
    ]);
    expect(of.record[1]).toMatchObject({
      id: `revision.created:${revision?.metadata.uid}`,
      about: { kind: 'ApplicationRevision', name: 'web-v1' },
    });
    const plain = new ActWorld();
    await ensure(plain, noted());
    expect(made(plain)[0]?.metadata.annotations).not.toHaveProperty([ACCEPTED.plan]);
    expect(plain.record[0]?.message).toMatch(/hash [0-9a-f]{16}$/);
  });

  it('[dispatch R1] goes on under a name that is taken only where that says the same', async () => {
    const same = new ActWorld();
    stored(same, application);
    await ensure(same, previewed, { agreement: agreed() });
    expect([same.told().at(-1), made(same)[0]?.metadata.annotations?.[ACCEPTED.plan]]).toEqual([
      expect.stringContaining('revision.created'),
      text,
    ]);
    const other = new ActWorld();
    stored(other, holding([configMap('other')]));
    await expect(ensure(other, application)).rejects.toThrow('already exists');
    expect(other.record).toEqual([]);
    const failing = new ActWorld();
    failing.server.addFaults([{ verb: 'create', code: 500, times: 1 }]);
    await expect(ensure(failing, application)).rejects.toThrow();
    expect(failing.server.requests.map(({ verb }) => verb)).toEqual(['create']);
  });

  it('[design 13 K] that is there is on record where nothing of it was begun, and noted on', async () => {
    const of = new ActWorld();
    const revision = stored(of, application);
    await ensure(of, previewed, { agreement: agreed(), revisions: [revision] });
    expect(of.told().map((told) => told.split(':')[0])).toEqual(['plan.accepted', 'revision.created']);
    expect(made(of)[0]?.metadata.annotations?.[ACCEPTED.plan]).toBe(text);
    const begun = new ActWorld();
    await ensure(begun, application, { isBegun: true, revisions: [stored(begun, application)] });
    expect(begun.record).toEqual([]);
  });

  it('[issue 10.1] has on record who wrote the labels that reach objects with it', async () => {
    const labelled = (notes: object = {}) => noted({ [REQUESTED_BY.user]: 'ada', ...notes }, { team: 'a' });
    const toldOf = async (object: KubeObject, revisions: readonly ReturnType<typeof revisionOf>[] = []) => {
      const of = new ActWorld();
      await ensure(of, object, { revisions });
      return of.record.filter(({ action }) => action === 'application.labels');
    };
    const by = { [LABELLED_BY.user]: 'bob' };
    expect(await toldOf(labelled(by))).toMatchObject([
      {
        ...{ id: expect.stringMatching(/^application\.labels:./), actor: 'bob', data: { names: ['team'] } },
        message: 'team of Application web in shop is propagated to its objects with web-v1',
      },
    ]);
    expect(await toldOf(labelled()), 'those it was made with are its requester’s').toEqual([]);
    const before = revisionOf(holding([configMap('b')]), {}, 1);
    expect(await toldOf(labelled(), [before])).toMatchObject([
      { actor: 'ada', message: 'team of Application web in shop is propagated to its objects with web-v2' },
    ]);
    const nobody = await toldOf(noted({}, { team: 'a', zone: 'b' }), [before]);
    expect(nobody[0]).toMatchObject({
      actor: 'application',
      message: 'team, zone of Application web in shop are propagated to its objects with web-v2',
    });
    expect(await toldOf(application, [before])).toEqual([]);
  });

  it('[issue 10.7] has them on record also where the revision was made and whoever made it died before that', async () => {
    const object = noted({ [REQUESTED_BY.user]: 'ada', [LABELLED_BY.user]: 'bob' }, { team: 'a' });
    const of = new ActWorld();
    await ensure(of, object, { revisions: [stored(of, object)] });
    expect(of.record.map(({ action, actor }) => [action, actor])).toContainEqual(['application.labels', 'bob']);
  });

  it('[dispatch R1] of the oldest beyond the limit goes, by its uid, also where it is gone already', async () => {
    const object = holding([configMap('a')], { 'garbage-collect': { applicationRevisionLimit: 1 } });
    const revisions = [1, 2, 3, 4].map((number) => revisionOf({ ...holding([configMap(`c${number}`)]) }, {}, number));
    const of = new ActWorld(
      ...revisions.slice(1).map((revision) => ({ ...revision.object, metadata: { ...revision.object.metadata, uid: revision.name } })),
    );
    const known = revisions.map((revision) => ({ ...revision, object: of.at(revision.object) ?? revision.object }));
    const seen = seenAfter(known, object, { trackers: [tracker('web-v4-shop')] });
    await pruneRevisions(of.context(), planned(seen), seen);
    expect(of.deletions).toMatchObject([
      ['web-v1', {}],
      ['web-v2', { preconditions: { uid: 'web-v2' } }],
    ]);
    expect(of.deletions[0]?.[1]).not.toHaveProperty('preconditions');
    expect(made(of).map(({ metadata }) => metadata.name)).toEqual(['web-v3', 'web-v4']);
  });
});

describe('what is refused', () => {
  it('[issue 10.1] is on record once, by whoever asked for it', async () => {
    const of = new ActWorld();
    await recordUnpermitted(of.context(), application, 'ada may not');
    expect(of.record).toMatchObject([
      {
        id: 'application.refused:app:2',
        action: 'application.change.refused',
        actor: 'ada',
        message: 'ada may not',
        data: { code: 'forbidden' },
      },
    ]);
    const held = { ...application, status: { conditions: [one('Applied', 'False', 'NotPermitted', 'ada may not')] } };
    await recordUnpermitted(of.context(), held, 'ada may not');
    expect(of.record).toHaveLength(1);
    await recordUnpermitted(of.context(), held, 'ada may not do that either');
    await recordUnpermitted(of.context(), { ...application, metadata: { name: 'web' } }, 'x');
    expect(of.record.slice(1)).toMatchObject([{ actor: 'ada' }, { id: 'application.refused::1', actor: 'application' }]);
  });

  it('[issue 10.1] of labels is on record each time anew, by whoever wrote them', async () => {
    const of = new ActWorld();
    const seen = (conditions: readonly object[], { user }: { readonly user: string | undefined } = { user: 'bob' }) => {
      const object = { ...noted({}), status: { conditions } };
      return { ...seenAfter([], object), withheld: [{ user, message: 'team is not propagated' }] };
    };
    await recordWithheld(of.context(), seen([]));
    await recordWithheld(of.context(), seen([one('Labelled', 'True')]));
    await recordWithheld(of.context(), seen([one('Labelled', 'False', 'NotPermitted', 'other')], { user: undefined }));
    expect(of.record).toMatchObject([
      {
        id: expect.stringMatching(/^application\.labels\.refused:app:[0-9a-f]{16}:$/),
        actor: 'bob',
        message: 'team is not propagated',
        data: { code: 'forbidden' },
      },
      { id: expect.stringMatching(/:2025-01-01T00:00:00Z$/) },
      { actor: 'application' },
    ]);
    await recordWithheld(of.context(), seen([one('Labelled', 'False', 'NotPermitted', 'team is not propagated')]));
    await recordWithheld(of.context(), seenAfter([], application));
    expect(of.record).toHaveLength(3);
    const two = ['bob', 'eve'].map((user) => ({ user, message: `${user} may not` }));
    await recordWithheld(of.context(), { ...seen([]), withheld: two });
    await recordWithheld(of.context(), { ...seen([one('Labelled', 'False', 'NotPermitted', 'bob may not; eve may not')]), withheld: two });
    expect(of.record.slice(3).map(({ actor, message }) => [actor, message])).toEqual([
      ['bob', 'bob may not'],
      ['eve', 'eve may not'],
    ]);
  });

  it('[issue 10.1] is told by an Event once for each sentence, and where that may not be written by the condition alone', async () => {
    const of = new ActWorld();
    const told = { ...application, status: { conditions: [one('Applied', 'False', 'NotGranted', 'grant it')] } };
    const warn = (object: KubeObject, reason: string, message: string) => warnOnce(of.context(), object, { reason, message });
    await warn(told, 'NotGranted', 'grant it');
    expect(of.events).toEqual([]);
    await warn(told, 'NotGranted', 'grant more');
    await warn(told, 'Other', 'grant it');
    expect(of.events).toEqual([
      ['NotGranted', 'grant more'],
      ['Other', 'grant it'],
    ]);
    of.eventFailure = new Error('forbidden');
    await warn(application, 'NotGranted', 'grant it');
    expect(of.logged).toMatchObject([[{ application: 'web', reason: 'NotGranted', error: 'forbidden' }, expect.any(String)]]);
  });
});
