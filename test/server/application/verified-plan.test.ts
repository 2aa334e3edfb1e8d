import { describe, expect, it } from 'vitest';
import { LABELLED_BY, PLAN, REQUESTED_BY } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { toObjectId } from '@/lib/kube/object';
import type { ActContext } from '@/server/application/act/context';
import type { Observation } from '@/server/application/observe/observe';
import { verifyPlan } from '@/server/application/observe/verify-plan';
import { createCachedReader } from '@/server/application/plan/cached-reader';
import type { ChangePlan } from '@/server/application/plan/change-plan';
import { planChange } from '@/server/application/plan/plan-change';
import { ACCEPTED, isAccepted, readAcceptedPlan, readPreviewedPlan, withPreviewedPlan } from '@/server/application/plan/previewed-plan';
import { parseApplication } from '@/server/application/spec/parse';
import { createFakeCluster } from '../auth/fake-cluster';
import { configMap, holding, revisionOf, seenAfter } from './seen';
import { NOW, one, planned } from './staged-shop';

const ada = { user: 'ada', groups: ['ops'] };
const OURS = { 'app.oam.dev/name': 'web', 'app.oam.dev/namespace': 'shop' };
const idOf = ({ apiVersion, kind, name, namespace }: ObjectAddress) => toObjectId({ apiVersion, kind, name, namespace });
const there = (name: string, more: object = {}): KubeObject =>
  configMap(name, { x: 'y' }, { namespace: 'shop', uid: `uid-${name}`, labels: OURS, ...more });

/** A pass over a cluster of these objects, whose copies are up to date. */
function passOver(objects: readonly KubeObject[], reads: string[] = []): ActContext {
  const held = new Map(
    objects.map((object) => [
      idOf({ ...object, name: object.metadata.name ?? '', ...(object.metadata.namespace ? { namespace: object.metadata.namespace } : {}) }),
      object,
    ]),
  );
  const cluster = createFakeCluster({ objects });
  const get = cluster.get.bind(cluster);
  const spied = Object.assign(cluster, {
    get: (...[at, options]: Parameters<typeof get>) => {
      reads.push(at.name);
      return get(at, options);
    },
  });
  const copies = {
    read: (at: ObjectAddress) => held.get(idOf(at)),
    live: (at: ObjectAddress) => (held.has(idOf(at)) ? { kind: 'present', object: held.get(idOf(at)) } : { kind: 'absent' }),
  };
  const clock = { now: () => NOW, sleep: async () => undefined };
  // Comparing plans needs no more of what an act has.
  return { deps: { cluster: spied, clock }, objects: copies, signal: new AbortController().signal } as unknown as ActContext;
}
function previewed(context: ActContext, seen: Observation): Promise<ChangePlan> {
  const { cluster, clock } = context.deps;
  return planChange(seen, { object: seen.object, now: clock.now() }, createCachedReader({ objects: context.objects, cluster, clock }));
}
const withPlan = (object: KubeObject, digest: string) => withPreviewedPlan(object, { digest, act: 'act-1' }, ada);
const at = (object: KubeObject, more: Partial<Observation> = {}) => seenAfter([], object, more);
const wanted = holding([configMap('a', { a: '1' }), configMap('b', { b: '1' })]);

/** Previews a change in one state of the cluster, and verifies it in another. */
async function verified(
  before: readonly KubeObject[],
  after: readonly KubeObject[],
  { object = wanted, change = (next: KubeObject) => next, more = {} as Partial<Observation>, reads = [] as string[] } = {},
) {
  const plan = await previewed(passOver(before), at(object));
  const asked = change(withPlan(object, plan.digest));
  const seen = seenAfter(more.revisions ?? [], asked, more);
  return { plan, seen, told: await verifyPlan(passOver(after, reads), planned(seen), seen) };
}
const why = ({ told }: Awaited<ReturnType<typeof verified>>) => ('why' in told ? told.why : told.kind);

describe('a plan that somebody saw', () => {
  it('[design 11] is carried out where it is the same, and noted with its deletions', async () => {
    const { told, plan } = await verified([], []);
    expect(told).toEqual({
      kind: 'same',
      plan: expect.objectContaining({ digest: plan.digest }),
      deletions: plan.deletions,
      isNoted: false,
    });
  });

  it('[design 11] is nobody’s where there is none, or one of another spec', async () => {
    expect(await verifyPlan(passOver([]), planned(at(wanted)), at(wanted))).toEqual({ kind: 'unseen' });
    const other = { ...withPlan(wanted, 'sha256:a'), spec: holding([configMap('c')]).spec };
    expect(readPreviewedPlan(other)).toBeUndefined();
    expect(await verifyPlan(passOver([]), planned(at(other)), at(other))).toEqual({ kind: 'unseen' });
  });

  it('[design 11] stays accepted once it was, whatever the cluster is like, also where a client dropped it', async () => {
    const asked = withPlan(wanted, 'sha256:seen');
    const text = asked.metadata.annotations?.[PLAN.seen] ?? '';
    const accepted = revisionOf(wanted, { [ACCEPTED.plan]: text, [ACCEPTED.deletions]: 'sha256:gone' });
    const same = { kind: 'same', plan: { text, digest: 'sha256:seen', id: expect.any(String) }, deletions: 'sha256:gone', isNoted: true };
    const verify = (object: KubeObject, more: Partial<Observation> = {}) => {
      const seen = seenAfter([accepted], object, more);
      return verifyPlan(passOver([there('a')]), planned(seen), seen);
    };
    expect([await verify(asked), await verify(wanted)]).toEqual([same, same]);
    expect(await verify(wanted, { latest: 'web-v1' }), 'it was reached').toEqual({ kind: 'unseen' });
    const plan = readPreviewedPlan(asked);
    expect([
      plan && isAccepted(plan, accepted.object),
      plan && isAccepted(plan, undefined),
      plan && isAccepted(plan, revisionOf(wanted).object),
    ]).toEqual([true, false, false]);
    expect([
      readAcceptedPlan(accepted.object, wanted)?.text,
      readAcceptedPlan(undefined, wanted),
      readAcceptedPlan(accepted.object, holding([])),
    ]).toEqual([text, undefined, undefined]);
  });

  it('[design 11] keeps what the application says beside it, and who saw it', () => {
    const noted = withPlan(holding([], {}, { annotations: { mine: 'x' } }), 'sha256:a');
    expect(noted.metadata).toMatchObject({ name: 'web', annotations: { mine: 'x', [PLAN.user]: 'ada', [PLAN.groups]: 'ops' } });
  });

  it('[design 11] that said something is refused is not carried out', async () => {
    const foreign = there('a', { labels: {} });
    expect((await verified([foreign], [foreign])).told).toMatchObject({
      kind: 'planBlocked',
      why: expect.stringContaining('; the preview said so, and no part'),
    });
  });
});

describe('a plan that is no longer what somebody saw', () => {
  it('[issue 9] names three objects, who wrote each, and how many more there are', async () => {
    const written = (name: string, time?: string) =>
      there(name, {
        managedFields: [
          { manager: 'kubectl', operation: 'Update', ...(time ? { time } : {}), fieldsType: 'FieldsV1', fieldsV1: { 'f:data': {} } },
        ],
      });
    const moved = await verified([], [written('a', '2026-01-01T00:00:00Z'), written('b')]);
    expect(why(moved)).toMatch(
      /^the cluster changed after the preview: ConfigMap a in shop is a different object than shown, or would be changed in other fields \(last written by kubectl at 2026-01-01T00:00:00Z\); ConfigMap b in shop is a different object than shown, or would be changed in other fields \(last written by kubectl\); nothing was applied: compare both plans and accept the current one, or edit the application \(previewed sha256:[0-9a-f]{12}, now sha256:[0-9a-f]{12}\)$/,
    );
    expect(moved.told).toMatchObject({
      kind: 'planMoved',
      digests: { seen: moved.plan.digest.split('.')[0], now: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
    });
    const names = ['a', 'b', 'c', 'd', 'e'];
    const many = holding(names.map((name) => configMap(name, { a: '1' })));
    const reads: string[] = [];
    const five = await verified(
      [],
      names.map((name) => there(name)),
      { object: many, reads },
    );
    expect(why(five)).toContain(
      'ConfigMap c in shop is a different object than shown, or would be changed in other fields; 2 more objects as well; nothing',
    );
    expect(reads).toEqual(['a', 'b', 'c']);
    expect(
      why(
        await verified(
          [],
          names.slice(0, 4).map((name) => there(name)),
          { object: many },
        ),
      ),
    ).toContain('; 1 more object as well; ');
  });

  it('[issue 9] says of one that the preview showed what it is now', async () => {
    expect(why(await verified([there('a')], [there('a', { uid: 'another' })]))).toContain(
      'ConfigMap a in shop is a different object than shown, or would be changed in other fields',
    );
    expect(why(await verified([there('a')], []))).toContain('ConfigMap a in shop does not exist now');
    expect(why(await verified([], [there('a', { labels: {} })]))).toContain('ConfigMap a in shop is refused now');
  });

  it('[issue 9] says whose change came in between, by its number', async () => {
    const by = (number: number, user?: string) =>
      revisionOf(holding([configMap(`r${number}`)]), user === undefined ? {} : { [REQUESTED_BY.user]: user }, number);
    const between = await verified([], [], { more: { revisions: [by(1, 'bob'), by(2)] } });
    expect(why(between)).toContain(
      'another change was applied after this one was previewed: web-v1 (by bob) and web-v2 (by an unknown person)',
    );
  });

  it('[issue 9] says that it belongs to another change, and who made that', async () => {
    const plan = await previewed(passOver([]), at(wanted));
    const other = (notes: object) => {
      const next = withPreviewedPlan(holding([configMap('z')]), { digest: plan.digest, act: 'x' }, ada);
      return { ...next, metadata: { ...next.metadata, annotations: { ...next.metadata.annotations, ...notes } } };
    };
    const told = async (object: KubeObject) => {
      const result = await verifyPlan(passOver([]), planned(at(object)), at(object));
      return 'why' in result ? result.why : result.kind;
    };
    expect(await told(other({ [REQUESTED_BY.user]: 'bob' }))).toContain('ada previewed a different change from the one that bob applied;');
    expect(await told(other({ [PLAN.user]: '' }))).toContain('someone previewed a different change from the one that someone applied;');
  });

  it('[issue 9] says who changed labels since, where they reach objects', async () => {
    const labelled = (by?: string) => (next: KubeObject) => ({
      ...next,
      metadata: {
        ...next.metadata,
        labels: { team: 'a' },
        annotations: { ...next.metadata.annotations, ...(by ? { [LABELLED_BY.user]: by } : {}) },
      },
    });
    expect(why(await verified([there('a')], [there('a')], { change: labelled('bob') }))).toMatch(
      /^bob changed labels or annotations of the application after the preview; ConfigMap a/,
    );
    expect(why(await verified([], [], { change: labelled() }))).toMatch(/^someone changed labels/);
  });

  it('[issue 9] says of a plan of an older server only that it is another', async () => {
    const object = withPlan(wanted, `sha256:${'0'.repeat(64)}`);
    expect(await verifyPlan(passOver([]), planned(at(object)), at(object))).toMatchObject({
      kind: 'planMoved',
      why: expect.stringMatching(/^the plan of this change is no longer what was previewed; nothing/),
    });
  });

  it('[issue 9] counts what is no longer part of it', async () => {
    const seenBefore = seenAfter([revisionOf(holding([]))], wanted, { latest: 'web-v1', trackers: [] });
    const plan = await previewed(passOver([]), seenBefore);
    const parts = plan.digest.split('.');
    const withMore = (extra: string) => [...parts.slice(0, 3), `${parts[3]}${extra}`].join('.').replace('sha256:', 'sha256:0');
    const told = async (extra: string) => {
      const object = withPlan(wanted, withMore(extra));
      const seen = seenAfter([revisionOf(holding([]))], object, { latest: 'web-v1' });
      const result = await verifyPlan(passOver([]), planned(seen), seen);
      return 'why' in result ? result.why : result.kind;
    };
    expect(await told('abcdef0123')).toMatch(
      /^the cluster changed after the preview: 1 object of the preview is no longer part of it; nothing/,
    );
    expect(await told('abcdef0123abcde00123')).toContain('2 objects of the preview are no longer part of it;');
    expect(await told('')).toMatch(/^what this change does is no longer what was previewed; nothing/);
  });

  it('[issue 9] asks nobody again about the same pair of plans', async () => {
    const first = await verified([], [there('a')]);
    const condition = one('Applied', 'False', 'PlanMoved', why(first));
    const seen = { ...first.seen, object: { ...first.seen.object, status: { conditions: [condition] } } };
    const reads: string[] = [];
    const application = parseApplication(seen.object);
    const again = await verifyPlan(passOver([there('a')], reads), planned({ ...seen, application }), { ...seen, application });
    expect(again).toEqual({ kind: 'planMoved', why: why(first) });
    expect(reads).toEqual([]);
  });
});
