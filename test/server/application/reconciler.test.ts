import { describe, expect, it } from 'vitest';
import type { RecordEntry } from '@/lib/contract/record-entry';
import { KINDS, PLAN, REQUESTED_BY, SECRET } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { toInstant } from '@/lib/std/instant';
import type { ApplicationStores } from '@/server/application/observe/observe';
import { addIndexes, WATCHED } from '@/server/application/observe/observe';
import { createApplicationReconciler } from '@/server/application/reconciler';
import { writeWithAudit } from '@/server/application/write-with-audit';
import { LABEL } from '@/server/dispatch';
import type { Cluster } from '@/server/kube';
import { KubeApiError } from '@/server/kube';
import { rolloutDigest } from '@/server/rollout';
import { FakeInformers } from '@/test/support/fake-informers';
import { ActWorld } from './act-world';
import { FIRST, rolloutOf } from './rollback-shop';
import { configMap, holding, revisionOf } from './seen';

const KEY = 'shop/web' as ObjectKey;
const application = holding([configMap('a')]);
const decision = (spec: object, name = 'd'): KubeObject => ({
  ...KINDS.stageDecision,
  metadata: { name, namespace: 'shop', uid: name, creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {
    verb: 'approve',
    actor: { user: 'ada', groups: [] },
    applicationRef: { name: 'web', uid: 'app' },
    seen: { garbage: 'sha256:x' },
    ...spec,
  },
});

/** One engine over these objects. */
function engine(objects: readonly KubeObject[], recordState?: () => string) {
  const world = new ActWorld(...objects);
  const informers = new FakeInformers(world.server);
  const stores = Object.fromEntries(
    Object.entries(WATCHED).map(([name, kind]) => [name, informers.open(kind).store]),
  ) as unknown as ApplicationStores;
  addIndexes(stores);
  const forgotten: string[] = [];
  const context = world.context({
    stores,
    valueSecrets: informers.open(SECRET).store,
    valuesKey: async () => 'key',
    watched: { set: (key: string, entries: readonly object[]) => void forgotten.push(`watched ${key} ${entries.length}`) },
    grants: { explain: async () => undefined, forget: (key: string) => void forgotten.push(`grants ${key}`) },
    revertPace: { nextMs: () => undefined, waitMs: () => 0, forget: (key: string) => void forgotten.push(`pace ${key}`) },
  });
  const deps = { ...context.deps, ...(recordState === undefined ? {} : { recordState: async () => recordState() }) };
  const reconcile = createApplicationReconciler({ ...context, deps } as never);
  const pass = (key = KEY) => reconcile(key, { signal: world.abort.signal } as never);
  return { world, pass, forgotten };
}

describe('a pass over an application', () => {
  it('[dispatch R1] brings it where it is wanted, and is settled then', async () => {
    const { world, pass } = engine([application]);
    expect(await pass()).toEqual({ kind: 'settled' });
    expect(world.at({ ...configMap('a'), metadata: { name: 'a', namespace: 'shop' } })).toBeDefined();
  });

  it('[issue 10.3] does nothing that could not be put on record', async () => {
    const { world, pass } = engine([application], () => 'full');
    expect(await pass()).toMatchObject({ kind: 'requeueAfter' });
    expect(world.server.requests).toEqual([]);
  });

  it('[issue 10.3] leaves decisions pending while the record cannot be written, and looks again for them', async () => {
    const wrong = decision({ seen: { garbage: 'sha256:wrong' } });
    const closed = engine([application, wrong], () => 'closed');
    expect(await closed.pass()).toMatchObject({ kind: 'requeueAfter' });
    expect(closed.world.at(wrong)?.status).toBeUndefined();
    const open = engine([application, wrong], () => 'open');
    expect(await open.pass()).toEqual({ kind: 'settled' });
    expect(open.world.at(wrong)?.status).toMatchObject({ phase: 'Rejected' });
    const bare = engine([application, wrong]);
    await bare.pass();
    expect(bare.world.at(wrong)?.status).toMatchObject({ phase: 'Rejected' });
    const answered = engine([application, { ...wrong, status: { phase: 'Rejected' } }], () => 'closed');
    expect(await answered.pass(), 'what is answered is no reason').toEqual({ kind: 'settled' });
  });

  it('[issue 10.7] looks again for them after five seconds, or sooner where it had to anyway', async () => {
    const againAfter = async (againMs: number) => {
      const closed = engine([application, decision({})], () => 'closed');
      closed.world.unknown = { againMs, why: undefined };
      return closed.pass();
    };
    expect(await Promise.all([7, 60_000].map(againAfter))).toEqual([
      { kind: 'requeueAfter', ms: 7 },
      { kind: 'requeueAfter', ms: 5000 },
    ]);
  });

  it('[dispatch R4] of one that is gone forgets it, and takes away what is left', async () => {
    const empty: KubeObject = {
      ...KINDS.resourceTracker,
      metadata: { name: 'web-v1-shop', uid: 't', labels: { [LABEL.appName]: 'web', [LABEL.appNamespace]: 'shop', [LABEL.appUid]: 'app' } },
      spec: { type: 'versioned', applicationGeneration: 1 },
    };
    const { world, pass, forgotten } = engine([empty, decision({})]);
    expect([await pass(), world.at(empty), world.at(decision({}))?.status]).toMatchObject([
      { kind: 'settled' },
      undefined,
      { phase: 'Rejected' },
    ]);
    expect(forgotten).toEqual(['watched shop/web 0', 'grants shop/web', 'pace shop/web']);
  });

  it('[dispatch 13] looks again when it has to', async () => {
    const foreign = configMap('a', {}, { namespace: 'shop' });
    expect(await engine([application, foreign]).pass()).toEqual({ kind: 'requeueAfter', ms: 10_000 });
  });

  describe('that a rollback is decided about', () => {
    const rollback = (more: readonly KubeObject[] = []) => {
      const back = decision(
        { verb: 'rollback', applicationRef: undefined, rolloutRef: { name: 'web', uid: 'ro' }, revision: 'web-v1' },
        'back',
      );
      const rollout = { ...rolloutOf('app'), spec: {} };
      const spec = { ...(back.spec as object), reason: 'errors', seen: { rollout: rolloutDigest(rollout) } };
      const revisions = [revisionOf(FIRST).object, revisionOf(application, {}, 2).object];
      return engine([application, rollout, ...revisions, { ...back, spec }, ...more]);
    };
    const wanted = { ...configMap('a'), metadata: { name: 'a', namespace: 'shop' } };

    it('[issue 10.7] ends once that wrote it, since what was to be judged is old by then', async () => {
      const { world, pass } = rollback();
      world.asPerson = {
        update: async (object: KubeObject, { dryRun }: { readonly dryRun: boolean }) => (dryRun ? object : world.server.update(object)),
      };
      expect(await pass()).toEqual({ kind: 'requeueAfter', ms: 1000 });
      expect([world.at(application)?.spec, world.at(wanted)]).toEqual([FIRST.spec, undefined]);
    });

    it.each([
      ['within five seconds', [], 5000],
      ['no later where it had to anyway', [configMap('a', {}, { namespace: 'shop' })], 5000],
    ])('[issue 10.7] goes on while the console is to write it, and looks again %s', async (_when, more, ms) => {
      const { world, pass } = rollback(more);
      const message = 'users "ada" is forbidden: User "slipway" cannot impersonate resource "users" in API group ""';
      world.asPerson = { update: async () => Promise.reject(new KubeApiError({ code: 403, reason: 'Forbidden', message })) };
      expect(await pass()).toEqual({ kind: 'requeueAfter', ms });
      expect(world.at(application)?.spec).toEqual(application.spec);
      expect(world.at(wanted)).toBeDefined();
    });
  });

  it('[issue 9] that failed tells so on the application, and fails with what it failed by', async () => {
    const { world, pass } = engine([application]);
    world.server.addFaults([{ verb: 'list', code: 500, times: 10 }]);
    await expect(pass()).rejects.toThrow();
    const { conditions } = (world.at(application)?.status ?? {}) as { readonly conditions?: readonly object[] };
    expect(conditions).toContainEqual(expect.objectContaining({ type: 'Reconciled', status: 'False' }));
  });
});

describe('an application that a person writes', () => {
  const ada = { user: 'ada', groups: ['ops'] };
  async function written(more: object = {}, object = application) {
    const sent: (readonly [string, KubeObject, object])[] = [];
    const record: RecordEntry[] = [];
    const send = (verb: string) => async (given: KubeObject, options: { readonly dryRun: boolean }) => {
      sent.push([verb, given, options]);
      return { ...given, spec: { ...(given.spec as object), ...(options.dryRun ? { defaulted: true } : {}) } };
    };
    const cluster = { create: send('create'), update: send('update') } as unknown as Cluster; // no more of it is used
    const writer = {
      by: ada,
      cluster,
      fieldManager: 'console',
      record: async (entry: RecordEntry) => void record.push(entry),
      now: toInstant(7),
    };
    await writeWithAudit(writer, { verb: 'update', object, action: 'application.change', act: 'act-1', message: 'changes it', ...more });
    return { sent, entry: record[0] };
  }
  const notes = (sent: Awaited<ReturnType<typeof written>>['sent'], at: number) => sent[at]?.[1].metadata.annotations;

  it('[issue 10.1] is tried and then written as it was, with who asked for it', async () => {
    const { sent, entry } = await written();
    expect(sent.map(([verb, , options]) => [verb, options])).toEqual(
      [true, false].map((dryRun) => ['update', { fieldManager: 'console', fieldValidation: 'Strict', dryRun }]),
    );
    expect([notes(sent, 1), sent[1]?.[1].spec]).toEqual([{ [REQUESTED_BY.user]: 'ada', [REQUESTED_BY.groups]: 'ops' }, application.spec]);
    expect(entry).toEqual({
      ...{ id: 'act-1', at: 7, actor: 'ada', action: 'application.change', message: 'changes it' },
      ...{ about: { ...KINDS.application, namespace: 'shop', name: 'web' }, data: { uid: 'app' } },
    });
    expect((await written({ verb: 'create' })).sent.map(([verb]) => verb)).toEqual(['create', 'create']);
  });

  it('[issue 10.1] keeps whoever asked for its spec where that stays', async () => {
    expect(notes((await written({ keepsRequester: true })).sent, 1)).toBeUndefined();
  });

  it('[design 11] has the plan that was seen, bound to the spec as the cluster keeps it', async () => {
    const { sent, entry } = await written({ plan: 'sha256:seen' });
    const [tried, kept] = [notes(sent, 0)?.[PLAN.seen], notes(sent, 1)?.[PLAN.seen]];
    expect([tried?.split(' ')[0], kept?.split(' ')[0], tried === kept]).toEqual(['sha256:seen', 'sha256:seen', false]);
    expect(entry?.data).toEqual({ uid: 'app', plan: 'sha256:seen' });
    const bound: unknown[] = [];
    const note = (object: KubeObject) => {
      bound.push(object.spec);
      return object;
    };
    await written({ note });
    expect(bound[1]).toMatchObject({ defaulted: true });
  });

  it('[issue 10.3] has an entry of what there is', async () => {
    const { uid: _uid, namespace: _namespace, ...metadata } = application.metadata;
    const { entry } = await written({}, { ...application, metadata });
    expect(entry?.about).toEqual({ ...KINDS.application, name: 'web' });
    expect(entry).not.toHaveProperty('data');
  });
});
