import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { collect } from '@/server/application/act/collect';
import { collectionRequest } from '@/server/application/act/collection-request';
import type { ActContext } from '@/server/application/act/context';
import { answerDecisions } from '@/server/application/act/decisions';
import type { CollectionRequest } from '@/server/application/decide/collection';
import { evaluateCollection } from '@/server/application/decide/collection';
import type { RunPlan } from '@/server/application/decide/model';
import { readDecision } from '@/server/application/observe/observe';
import { parseApplication } from '@/server/application/spec/parse';
import { LABEL, readTracker } from '@/server/dispatch';
import { ActWorld, application, decision, labels, old, read, resource, there, tracker } from './act-world';
import { seenAfter } from './seen';

const next = tracker('web-v2-shop', [resource('shared')]);
const request = (more: Partial<CollectionRequest> = {}): CollectionRequest => ({
  application: parseApplication(application),
  olds: [readTracker(old)],
  next: readTracker(next),
  components: ['set'],
  seenGarbage: undefined,
  accepted: undefined,
  target: undefined,
  ...more,
});
const LOOKED = {
  decisions: [],
  now: 0 as never,
  live: ({ name }: { readonly name: string }) => ({ kind: 'present', object: there(name) }) as const,
};
const dataOf = ({ record }: ActWorld) => (record[0]?.data ?? {}) as Readonly<Record<string, readonly unknown[] | undefined>>;
const world = (...more: readonly KubeObject[]) => new ActWorld(application, old, next, there('old'), there('shared'), ...more);
const seen = (decisions: readonly KubeObject[] = []) => seenAfter([], application, { decisions: decisions.flatMap(readDecision) });
const run = (of: ActWorld, more: Partial<CollectionRequest> = {}, mayGo = true, decisions: readonly KubeObject[] = []) =>
  collect(of.context(), { ...request({ olds: [read(of, old)], ...more }), mayGo }, seen(decisions));

describe('a collection', () => {
  it('[dispatch G] deletes exactly what only older records have, on record before and after', async () => {
    const of = world();
    expect(await run(of)).toEqual({ kind: 'done' });
    expect([of.at(there('old')), of.at(there('shared'))?.metadata.name, of.at(old)]).toEqual([undefined, 'shared', undefined]);
    const [planned, deleted, dropped] = of.record;
    expect(planned).toMatchObject({
      id: expect.stringMatching(/^garbage\.planned:web-v1-shop:sha256:/),
      ...{ actor: 'application', action: 'garbage.planned', message: '1 object of web-v1-shop will be deleted: not part of web-v2-shop' },
      about: { kind: 'Application', name: 'web', namespace: 'shop' },
      data: { deleted: ['ConfigMap/shop/old'], held: [], from: ['web-v1-shop'], to: 'web-v2-shop', handedOver: ['ConfigMap/shop/shared'] },
    });
    expect(planned?.data).not.toHaveProperty('deletedBy');
    expect(deleted).toMatchObject({
      ...{
        id: 'garbage.deleted:uid-old',
        action: 'garbage.deleted',
        message: expect.stringMatching(/^ConfigMap\/shop\/old was deleted: /),
      },
      about: { apiVersion: 'v1', kind: 'ConfigMap', name: 'old', namespace: 'shop' },
      data: { digest: dataOf(of).digest },
    });
    expect(dropped).toMatchObject({
      ...{ id: 'tracker.deleted:web-v1-shop', action: 'tracker.deleted' },
      message: 'ResourceTracker web-v1-shop was deleted; its objects were taken over or deleted',
    });
  });

  it('[dispatch G] tells which record each object came from where there are several', async () => {
    const older = tracker('web-v0-shop', [resource('older'), resource('shared')]);
    const of = world(older, there('older'));
    await run(of, { olds: [read(of, old), read(of, older)] });
    expect(of.record[0]?.data).toMatchObject({ from: ['web-v1-shop', 'web-v0-shop'], deletedBy: [0, 1] });
    expect(of.record[0]?.message).toBe('2 objects of web-v1-shop, web-v0-shop will be deleted: not part of web-v2-shop');
    expect(dataOf(of).handedOverBy?.length).toBeGreaterThan(0);
  });

  it('[dispatch G] names two hundred objects that were handed over, and none of more', async () => {
    const handed = async (count: number) => {
      const names = Array.from({ length: count }, (_, at) => resource(`c${at}`));
      const [all, some] = [tracker('web-v1-shop', [...names, resource('old')]), tracker('web-v2-shop', names)];
      const of = new ActWorld(application, all, some, there('old'), ...names.map(({ name }) => there(name)));
      await run(of, { olds: [read(of, all)], next: read(of, some) });
      return dataOf(of).handedOver?.length;
    };
    expect([await handed(200), await handed(201), await handed(0)]).toEqual([200, undefined, undefined]);
  });

  it('[issue 10.7] has on record what stays until a decision names it, beside what goes', async () => {
    const all = tracker('web-v1-shop', [resource('old'), resource('data', 'PersistentVolumeClaim'), resource('shared')]);
    const of = new ActWorld(application, all, next, there('old'), there('shared'), there('data', 'PersistentVolumeClaim'));
    await run(of, { olds: [read(of, all)] });
    expect(dataOf(of)).toMatchObject({ deleted: ['ConfigMap/shop/old'], held: ['PersistentVolumeClaim/shop/data'] });
    expect(of.at(there('data', 'PersistentVolumeClaim'))).toBeDefined();
  });

  it('[dispatch G] does nothing where there is nothing, and nothing before its time', async () => {
    const of = world();
    expect(await run(of, { olds: [] })).toEqual({ kind: 'done' });
    expect(await run(of, {}, false)).toMatchObject({ kind: 'waiting', plan: { from: ['web-v1-shop'] } });
    expect([of.writes(), of.record]).toEqual([[], []]);
  });

  it('[design 13 K] deletes nothing where the server says otherwise than the copies, or has another application', async () => {
    const stale = world();
    const kept = {
      ...there('old').metadata,
      annotations: { 'app.oam.dev/skipGC': 'true' },
      labels: { ...labels, [LABEL.component]: 'set' },
    };
    stale.copies.set('old', { kind: 'present', object: { ...there('old'), metadata: kept } });
    expect(await run(stale)).toMatchObject({ kind: 'held', why: 'the set of objects to delete is changing; checking again' });
    expect(stale.at(there('old'))).toBeDefined();
    const moved = world();
    moved.server.seed({ ...application, metadata: { ...application.metadata, generation: 9 } });
    expect(await run(moved)).toMatchObject({ kind: 'held', why: 'the application changed in the meantime; checking again' });
    expect([moved.writes(), moved.record]).toEqual([[], []]);
  });

  it('[design 13 G] is answered to whoever decided, and goes on by that', async () => {
    const seenAs = { seenGarbage: 'sha256:another' };
    const { plan } = evaluateCollection({
      ...request(seenAs),
      decisions: [],
      now: 0 as never,
      live: ({ name }) => ({ kind: 'present', object: there(name) }),
    });
    const yes = decision('yes', { seen: { garbage: plan.digest } });
    const of = world(yes);
    expect(await run(of, seenAs, true, [yes])).toEqual({ kind: 'done' });
    expect(of.at(yes)?.status).toMatchObject({ phase: 'Accepted', at: '2026-01-01T00:00:00Z', message: expect.any(String) });
    expect([of.record.length > 3, of.at(there('old')), of.recorded.has('uid-yes')]).toEqual([true, undefined, true]);
    const none = world();
    expect(await run(none, seenAs)).toMatchObject({ kind: 'held' });
    expect(none.at(there('old'))).toBeDefined();
  });

  it('[issue 10.2] counts no approval that is made while nothing ties it to a person, and deletes nothing by it', async () => {
    const of = world();
    const { plan } = evaluateCollection({ ...request({ olds: [read(of, old)], seenGarbage: 'sha256:another' }), ...LOOKED });
    const forged = decision('forged', { actor: { user: 'root' }, seen: { garbage: plan.digest } });
    of.server.seed(forged);
    const why = 'decisions are refused while ValidatingAdmissionPolicy stagedecisions.slipway.dev cannot be read';
    const { deps, ...context } = of.context();
    const blocked = { ...context, deps: { ...deps, decisionsBlockedReason: (verb?: string) => (verb === 'approve' ? why : null) } };
    const asked = { ...request({ olds: [read(of, old)], seenGarbage: 'sha256:another' }), mayGo: true };
    expect(await collect(blocked, asked, seen([forged]))).toMatchObject({ kind: 'held' });
    expect([of.at(forged)?.status, of.at(there('old'))]).toMatchObject([{ phase: 'Rejected', message: why }, { kind: 'ConfigMap' }]);
    expect(await collect(of.context(), asked, seen([forged])), 'the same otherwise').toEqual({ kind: 'done' });
    expect(of.at(there('old'))).toBeUndefined();
  });

  it('[issue 10.2] of an application in another one is approved by someone else than whoever changed the outer one, where the policy wants that', async () => {
    const noted = (object: KubeObject, user: string) => {
      const { metadata } = object;
      return { ...object, metadata: { ...metadata, annotations: { 'slipway.dev/requested-by': user } } };
    };
    const inner = noted(application, 'slipway');
    const outer = noted({ ...application, metadata: { ...application.metadata, name: 'outer', uid: 'outer' } }, 'ada');
    const lists = [{ ...KINDS.application, name: 'web', namespace: 'shop', cluster: 'local' }];
    const record = tracker('outer-v1-shop', lists, { labels: { ...labels, [LABEL.appName]: 'outer' } });
    const of = new ActWorld(inner, outer, record, old, next, there('old'), there('shared'));
    const control = { approvals: { allowSelf: false } };
    const about = { ...parseApplication(inner), rollout: { control } };
    const plan = { application: about, olds: [read(of, old)], rollout: { kind: 'none' } } as unknown as RunPlan;
    const asked = await collectionRequest(
      of.context(),
      { plan, agreement: { kind: 'unseen' }, next: read(of, next) },
      seenAfter([], inner),
    );
    const held = { ...asked, seenGarbage: 'sha256:another', mayGo: true };
    const { digest } = evaluateCollection({ ...held, ...LOOKED }).plan;
    const by = (user: string) => decision(user, { actor: { user }, seen: { garbage: digest } });
    for (const one of [by('ada'), by('ben')]) of.server.seed(one);
    const look = (user: string) => collect(of.context(), held, seenAfter([], inner, { decisions: readDecision(by(user)) }));
    expect(await look('ada')).toMatchObject({ kind: 'held' });
    const message = 'ada requested this change, and the policy requires someone else';
    expect([of.at(by('ada'))?.status, of.at(there('old'))]).toMatchObject([{ phase: 'Rejected', message }, { kind: 'ConfigMap' }]);
    expect(await look('ben')).toEqual({ kind: 'done' });
    expect(of.at(there('old'))).toBeUndefined();
  });

  it('[issue 10.2] is asked about with who requested the change where something may go or was decided, and else without a look', async () => {
    const asked = { ...application, metadata: { ...application.metadata, annotations: { 'slipway.dev/requested-by': 'ada' } } };
    const requester = async (olds: RunPlan['olds'], decisions: readonly KubeObject[]) => {
      let looks = 0;
      const ownUser = async () => {
        looks += 1;
        return 'slipway';
      };
      const context = { permission: { ownUser }, stores: {} } as unknown as ActContext;
      const plan = { application: parseApplication(asked), olds, rollout: { kind: 'none' } } as unknown as RunPlan;
      const seen = seenAfter([], asked, { decisions: decisions.flatMap(readDecision) });
      const request = await collectionRequest(context, { plan, agreement: { kind: 'unseen' }, next: undefined }, seen);
      return [request.requester, looks];
    };
    expect(await requester([readTracker(old)], [])).toEqual(['ada', 1]);
    expect(await requester([], [decision('one', {})])).toEqual(['ada', 1]);
    expect(await requester([], [])).toEqual([undefined, 0]);
  });

  it('[design 13 K] refuses no decision by a copy that lags', async () => {
    const wrong = decision('no', { seen: { garbage: 'sha256:wrong' } });
    const of = world(wrong);
    await run(of, {}, false, [wrong]);
    expect(of.at(wrong)?.status).toMatchObject({ phase: 'Rejected' });
    const late = world(wrong);
    late.server.seed({ ...application, metadata: { ...application.metadata, generation: 9 } });
    await run(late, {}, false, [wrong]);
    expect(late.at(wrong)?.status).toBeUndefined();
    const { plan } = evaluateCollection({
      ...request({ olds: [readTracker(old)] }),
      decisions: [],
      now: 0 as never,
      live: ({ name }) => ({ kind: 'present', object: there(name) }),
    });
    const right = decision('yes', { seen: { garbage: plan.digest } });
    const both = world(wrong, right);
    both.server.seed({ ...application, metadata: { ...application.metadata, generation: 9 } });
    await run(both, {}, false, [wrong, right]);
    expect([both.at(wrong)?.status, both.at(right)?.status], 'what counts is told at once').toMatchObject([
      undefined,
      { phase: 'Accepted' },
    ]);
    const alone = world(wrong);
    expect(await run(alone, { olds: [] }, false, [wrong])).toEqual({ kind: 'done' });
    expect(alone.at(wrong)?.status, 'also where nothing is to be collected').toMatchObject({ phase: 'Rejected' });
  });
});

describe('the answer to a decision', () => {
  it('[design 13 G] is on record once, of what was answered, and of applications alone', async () => {
    const answered = decision('a', {}, { status: { phase: 'Accepted', message: 'x' } });
    const ofRollout = decision(
      'b',
      { applicationRef: undefined, rolloutRef: { name: 'web', uid: 'ro' } },
      { status: { phase: 'Accepted' } },
    );
    const pending = decision('c');
    const of = new ActWorld(answered, ofRollout, pending);
    const decisions = [answered, ofRollout, pending].flatMap(readDecision);
    await answerDecisions(of.context(), [], decisions);
    await answerDecisions(of.context(), [], decisions);
    expect([of.record.length, [...of.recorded], of.writes()]).toEqual([1, ['uid-a'], []]);
    await answerDecisions(
      of.context(),
      decisions.map((one) => ({ decision: one, phase: 'Rejected' as const, message: 'no' })),
      [],
    );
    expect([of.at(ofRollout)?.status, of.at(pending)?.status]).toMatchObject([
      { phase: 'Rejected', message: 'no' },
      { phase: 'Rejected', message: 'no' },
    ]);
    expect([...of.recorded], 'its engine puts that of a rollout on record').toEqual(['uid-a', 'uid-c']);
  });

  it('[design 13 G] is whoever’s came first, and nothing of a decision that is gone', async () => {
    const stale = { ...decision('a'), metadata: { ...decision('a').metadata, resourceVersion: '1' } };
    const of = new ActWorld(decision('a'));
    const [one] = readDecision(stale);
    if (one === undefined) throw new Error('it is no decision');
    await answerDecisions(of.context(), [{ decision: one, phase: 'Accepted', message: 'x' }], []);
    const gone = new ActWorld();
    await answerDecisions(gone.context(), [{ decision: one, phase: 'Accepted', message: 'x' }], []);
    expect([of.record, gone.record]).toEqual([[], []]);
  });
});
