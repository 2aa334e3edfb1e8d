import { describe, expect, it } from 'vitest';
import { AppError } from '@/lib/contract/app-error';
import type { SavePreview } from '@/lib/contract/change-rows';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { ChangePlan } from '@/server/application';
import type { Act } from '@/server/auth';
import { withChange } from '@/server/commands/change-component';
import type { CommandDeps, StoredPlan } from '@/server/commands/command-deps';
import { toAccepted } from '@/server/commands/command-deps';
import { findReplacement } from '@/server/commands/drift-replacement';
import { previewChanges } from '@/server/commands/preview-changes';
import { readRefused } from '@/server/commands/read-refused';
import type { ObservedDrift } from '@/server/commands/read-visible-drift';
import { KubeApiError } from '@/server/kube';
import { AT, compared, deployment, liveOf, open } from './drift-bench';
import { ANN, configMap } from './objects/rig';
import { anApplication, createCommandRig, SHOP } from './rig';

const withComponents = (...components: readonly object[]): KubeObject => ({ ...anApplication(), spec: { components } });
const front = (more: object = {}) => ({ name: 'front', type: 'webservice', properties: { image: 'web:1' }, ...more });

describe('[design 1] a change of one component', () => {
  it('is previewed without writing anything, and of whichever application is seen', async () => {
    const { commands, session, cluster, recorded } = await createCommandRig();
    const request = { component: 'front', image: 'web:2', generation: 2 };
    expect(await commands.changeComponent(session, SHOP, { ...request, dryRun: true })).toMatchObject({
      plan: expect.stringMatching(/^sha256:/),
      base: { uid: 'app-uid', generation: 2 },
    });
    expect([cluster.writes.filter(({ dryRun }) => !dryRun), recorded]).toEqual([[], []]);
    await expect(commands.changeComponent(session, SHOP, { ...request, uid: 'another', dryRun: true })).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(commands.changeComponent(session, SHOP, { ...request, uid: 'app-uid', generation: 1 })).rejects.toMatchObject({
      code: 'conflict',
    });
    await commands.changeComponent(session, SHOP, request);
    expect(recorded.at(-1)?.message).toBe('front: image from web:1 to web:2');
  });

  it('leaves everything else as it is', () => {
    const traits = [
      { type: 'labels', properties: { a: 'b' } },
      { type: 'scaler', properties: { replicas: 3, other: 1 } },
    ];
    const whole = withComponents({ type: 'worker' }, front({ traits }), front({ name: 'back' }));
    const image = withChange(whole, { component: 'front', image: 'web:2' });
    expect(image.next).toStrictEqual(
      withComponents({ type: 'worker' }, front({ properties: { image: 'web:2' }, traits }), front({ name: 'back' })),
    );
    expect(image.sentences).toEqual(['image from web:1 to web:2']);
    const scaled = withChange(whole, { component: 'front', replicas: 5 });
    const after = [traits[0], { type: 'scaler', properties: { replicas: 5, other: 1 } }];
    expect(scaled.next).toStrictEqual(withComponents({ type: 'worker' }, front({ traits: after }), front({ name: 'back' })));
    expect(scaled.sentences).toEqual(['replicas from 3 to 5']);
    const first = withChange(whole, { component: 'back', replicas: 2 });
    expect(first.next).toStrictEqual(
      withComponents(
        { type: 'worker' },
        front({ traits }),
        front({ name: 'back', traits: [{ type: 'scaler', properties: { replicas: 2 } }] }),
      ),
    );
    expect(first.sentences).toEqual(['replicas set to 2']);
    expect(withChange(withComponents(front({ type: 'worker' })), { component: 'front', replicas: 2 }).sentences).toEqual([
      'replicas set to 2',
    ]);
  });

  it.each<readonly [object, object, string]>([
    [{ component: 'none', image: 'a' }, front(), 'Application web in shop has no component none; it has front'],
    [{ component: 'front' }, front(), 'a change needs an image or a number of replicas, found neither'],
    [{ component: 'front', image: 'web:1' }, front(), 'component front of Application web in shop already has these values'],
    [{ component: 'front', replicas: 2 }, front({ type: 'task' }), 'which has no replicas to set'],
    [{ component: 'front', replicas: 2 }, front({ traits: [{ type: 'hpa' }] }), 'is scaled by its hpa trait'],
    [{ component: 'front', image: 'a' }, front({ properties: {} }), 'which has no image of its own'],
  ])('is refused: %j', (change, component, sentence) => {
    expect(() => withChange(withComponents({ type: 'worker' }, component), change as Parameters<typeof withChange>[1])).toThrow(sentence);
  });
});

describe('[issue 14.1] a preview as it is kept', () => {
  const preview = async (
    plan: Partial<ChangePlan>,
    { authorise = async () => ({ visibility: 'all' }), ...more }: { authorise?: () => Promise<object>; [more: string]: unknown } = {},
  ) => {
    const kept: StoredPlan<SavePreview>[] = [];
    const asked: unknown[] = [];
    const deps = {
      planner: {
        plan: async (...told: readonly unknown[]) => {
          asked.push(told);
          return { objects: [], digest: 'sha256:plan', ...plan };
        },
      },
      cluster: { discovery: { resolve: async () => undefined, resolveKind: async () => ({ group: '', plural: 'secrets' }) } },
      previews: { keep: async (one: StoredPlan<SavePreview>) => void kept.push(one) },
      clock: { now: () => 0 },
      auth: { authorise },
    } as unknown as CommandDeps;
    const next = anApplication();
    return { told: await previewChanges(deps, ANN, { next, held: undefined, ...more }), kept, asked, next };
  };

  it('is of an application that is new, with nothing that there is not to say', async () => {
    const { told, kept, asked, next } = await preview({});
    expect(told).toStrictEqual({
      counts: {},
      kinds: [],
      revision: { name: '', isNew: false },
      changes: [],
      refused: null,
      plan: 'sha256:plan',
    });
    expect(kept).toMatchObject([{ digest: 'sha256:plan', ns: 'shop', name: 'web', at: '1970-01-01T00:00:00.000Z', by: 'ann', base: '' }]);
    expect(asked).toEqual([[next, ANN, { secrets: [] }]]);
  });

  it('is of one that is there, with what it was made on, why it is refused, and what waits', async () => {
    const secrets = [configMap('values')];
    const { told, kept, asked } = await preview(
      { refused: 'it may not', withheld: 'it waits', revision: { name: 'web-v2', isNew: true } as never },
      { held: anApplication(), secrets },
    );
    expect(told).toMatchObject({
      refused: 'it may not',
      withheld: 'it waits',
      base: { uid: 'app-uid', generation: 2 },
      revision: { name: 'web-v2', isNew: true },
    });
    expect([kept[0]?.base, asked[0]]).toEqual([expect.stringContaining('kind: Application'), expect.arrayContaining([{ secrets }])]);
    for (const lacking of [{ uid: undefined }, { generation: undefined }]) {
      const bare = { ...anApplication(), metadata: { ...anApplication().metadata, ...lacking } };
      expect((await preview({}, { held: bare })).told).not.toHaveProperty('base');
    }
  });

  it('[design 8] names an object in no sentence to somebody who may not see it, whoever else may', async () => {
    const at = { apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'db-master' };
    const objects = [{ id: 'Secret/shop/db-master', at, verdict: 'deleted', why: 'nobody wants it' }] as unknown as ChangePlan['objects'];
    const authorise = () => Promise.reject(new AppError('forbidden', 'ann may not'));
    const of = async (said: Partial<ChangePlan>, more: { authorise?: () => Promise<object> } = {}) =>
      (await preview({ objects, ...said }, more)).told;
    const withheld = 'Secret db-master in shop waits';
    const may = await of({ withheld, refused: 'Secret db-master in shop may not go' });
    expect([may.withheld, may.refused]).toEqual([withheld, 'Secret db-master in shop may not go']);
    const poor = await of({ withheld, refused: 'Secret db-master in shop may not go' }, { authorise });
    expect([poor.withheld, poor.refused, JSON.stringify(poor).includes('db-master')]).toEqual([
      'a Secret waits',
      'a Secret may not go',
      false,
    ]);
    expect((await of({}, { authorise })).refused).toBeNull();
  });

  it('keeps the digest alone of what a decision will name', async () => {
    const digest = 'sha256:plan.for-whom';
    expect([(await preview({ digest })).told.plan, (await preview({ digest }, { isForDecision: true })).told.plan]).toEqual([
      digest,
      'sha256:plan',
    ]);
  });
});

describe('[issue 9.4] what the cluster refuses of the newest revision', () => {
  const failed = { conditions: [{ type: 'Applied', status: 'False', reason: 'DispatchFailed', message: 'nothing was applied' }] };
  const planned = (name: string, more: object = {}) => ({
    id: `ConfigMap/default/${name}`,
    at: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name },
    verdict: 'changed',
    why: '',
    wanted: { manifest: configMap(name), live: configMap(name), fields: { data: {} } },
    ...more,
  });
  const read = async (objects: readonly object[], more: object = {}, refuses: (name: string) => boolean = () => true) => {
    const acts: Act[] = [];
    const patch = async ({ name }: { name: string }) => {
      if (refuses(name)) throw new KubeApiError({ code: 422, reason: 'Invalid', message: 'it is wrong' });
      return configMap(name);
    };
    const cluster = {
      get: async () => ({ ...anApplication(), status: failed }),
      patch,
      discovery: { resolve: async () => undefined, resolveKind: async () => ({ group: '', plural: 'configmaps' }) },
    };
    const authorise = async (_session: object, act: Act) => {
      acts.push(act);
      return { visibility: 'all' };
    };
    const deps = {
      cluster: { ...cluster, as: () => cluster },
      planner: { plan: async () => ({ objects, revision: { name: 'web-v2' }, ...more }) },
      auth: { authorise },
    } as unknown as CommandDeps;
    return { told: await readRefused(deps, ANN, SHOP), acts };
  };

  it('is told to whoever may see the application: what is refused alone, and what of it is going', async () => {
    const going = { ...configMap('going', { deletionTimestamp: '2026-01-01T09:00:00Z' }) };
    const held = { ...configMap('held', { deletionTimestamp: '2026-01-01T09:00:00Z', finalizers: ['example.com/keep'] }) };
    const wanted = (live: KubeObject) => ({ wanted: { manifest: configMap('x'), live, fields: { data: {} } } });
    const objects = [
      planned('a'),
      planned('taken'),
      planned('gone', { verdict: 'deleted', wanted: undefined }),
      planned('made', { verdict: 'kept', wanted: { manifest: configMap('made'), live: undefined, fields: {} } }),
      planned('going', wanted(going)),
      planned('held', wanted(held)),
    ];
    const { told, acts } = await read(objects, {}, (name) => name !== 'taken');
    expect(acts[0]).toEqual({ kind: 'view-topic', topic: { kind: 'application', ...SHOP } });
    expect(told.objects.map(({ name, state, fields, fieldCount, component }) => [name, state, fields, fieldCount, component])).toEqual([
      ['a', 'refused', [], 0, null],
      ['going', 'terminating', [], 0, null],
      ['held', 'terminating', [], 0, null],
    ]);
    expect([told.revision, told.more, told.objects[2]?.why]).toEqual(['web-v2', 0, expect.stringContaining('example.com/keep')]);
    expect(told.objects[1]?.why).not.toContain('example.com');
    expect((await read([], { revision: undefined })).told.revision).toBeNull();
  });

  it('keeps a replacement waiting, and at most a hundred of what it waits for is named', async () => {
    const live = configMap('c0', { uid: 'u' });
    const invalid = new KubeApiError({
      code: 422,
      reason: 'Invalid',
      message: 'x',
      details: { causes: [{ field: 'data', message: 'field is immutable' }] },
    });
    const cluster = {
      get: async () => ({ ...anApplication(), status: failed }),
      patch: () => Promise.reject(invalid),
      discovery: { resolve: async () => ({ namespaced: true }), resolveKind: async () => ({ group: '', plural: 'configmaps' }) },
    };
    const objects = Array.from({ length: 103 }, (_, at) => planned(`c${at}`));
    const get = async ({ kind }: { kind: string }) => (kind === 'ConfigMap' ? live : { ...anApplication(), status: failed });
    const deps = {
      cluster: { ...cluster, as: () => ({ ...cluster, get }) },
      planner: { plan: async () => ({ objects }) },
      auth: { authorise: async () => ({ visibility: 'all' }) },
      blastRadiusOf: () => [],
    } as unknown as CommandDeps;
    const wanted = { manifest: { ...configMap('c0'), data: { a: '2' } }, isApplied: false, policy: {}, repair: { when: 'soon', why: '' } };
    const replacement = await findReplacement(deps, ANN, SHOP, {
      live,
      fields: [{ steps: ['data', 'a'] }],
      wanted,
    } as unknown as ObservedDrift);
    expect([replacement?.waitsFor.length, replacement?.waitsFor[0]]).toEqual([100, 'ConfigMap c1']);
  });

  it('is a hundred objects at most, and how many more there are', async () => {
    const { told } = await read(Array.from({ length: 103 }, (_, at) => planned(`c${at}`)));
    expect([told.objects.length, told.more]).toEqual([100, 3]);
  });
});

it('[issue 10.4] an object with a number that cannot be written exactly is never set back, and no replacement is offered', async () => {
  const invalid = new KubeApiError({
    code: 422,
    reason: 'Invalid',
    message: 'x',
    details: { causes: [{ field: 'spec', message: 'field is immutable' }] },
  });
  const refuse = ({ verb }: { readonly verb: string }) => (verb === 'patch' ? invalid : undefined);
  for (const replicas of [9007199254740993n, 5]) {
    const live = await liveOf(deployment, (held) => ({
      ...held,
      metadata: { ...held.metadata, uid: 'u' },
      spec: { ...(held.spec as object), replicas },
    }));
    const { commands, session } = await open({ manifest: deployment, live, rules: { refuse } });
    const { repair, replacement } = compared(await commands.readDrift(session, SHOP, AT));
    if (replicas === 5) expect(replacement).toMatchObject({ why: 'spec: field is immutable' });
    else expect([repair, replacement]).toEqual([{ when: 'never', why: expect.stringContaining('beyond 2^53') }, null]);
  }
});

it('[design 1] an object that was made is named in the answer as the cluster has it', () => {
  expect(toAccepted({ ...KINDS.application, metadata: { name: 'web', namespace: 'shop', uid: 'u' } })).toEqual({
    accepted: { kind: 'Application', ns: 'shop', name: 'web', uid: 'u' },
  });
  expect(toAccepted({ ...KINDS.application, metadata: {} })).toEqual({ accepted: { kind: 'Application', ns: null, name: '', uid: null } });
});
