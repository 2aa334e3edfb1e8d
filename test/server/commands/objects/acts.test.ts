import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ObjectAct, ObjectActDone, ObjectActPlan, ObjectActRequest } from '@/lib/contract/object-acts';
import type { RecordEntry } from '@/lib/contract/record-entry';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { CommandDeps } from '@/server/commands/command-deps';
import { actOnObjects } from '@/server/commands/objects/acts/act-on-objects';
import { notAllowedReason } from '@/server/commands/objects/acts/rules';
import { readObjectDetail } from '@/server/commands/objects/read-object-detail';
import type { ObjectsRig } from './rig';
import { ANN, configMap, createObjectsRig } from './rig';

const deployment = (name: string, metadata: object = {}): KubeObject => ({
  ...KINDS.deployment,
  metadata: { namespace: 'default', name, ...metadata },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'main:1' }] } },
  },
});

describe('acts on objects of a cluster', () => {
  let rig: ObjectsRig;
  const recorded: RecordEntry[] = [];
  const over = (more: Partial<CommandDeps> = {}): CommandDeps => ({
    ...rig.deps,
    blastRadiusOf: () => [],
    freshness: () => ({ stale: null }),
    requireRecord: async () => undefined,
    record: async (entry) => void recorded.push(entry),
    ...more,
  });
  const targetOf = ({ apiVersion, kind, metadata: { namespace, name = '', uid = '' } }: KubeObject) => ({
    apiVersion,
    kind,
    name,
    uid,
    ...(namespace === undefined ? {} : { ns: namespace }),
  });
  const preview = async (request: Omit<ObjectActRequest, 'dryRun'>, deps = over()) =>
    (await actOnObjects(deps, ANN, { ...request, dryRun: true })) as ObjectActPlan;
  const act = async (request: Omit<ObjectActRequest, 'dryRun'>, deps = over()) =>
    (await actOnObjects(deps, ANN, { ...request, plan: (await preview(request, deps)).plan })) as ObjectActDone;
  const live = (object: KubeObject) => rig.cluster.get({ ...targetOf(object), namespace: object.metadata.namespace ?? '' });

  beforeAll(async () => {
    rig = await createObjectsRig();
  });
  afterAll(async () => {
    await rig[Symbol.asyncDispose]();
  });

  it('[issue 14.1] restart a workload by the mark that kubectl sets, which keeps what its template says', async () => {
    const made = await rig.cluster.create(deployment('restarted'));
    const request = { verb: 'restart', targets: [targetOf(made)] } as const;
    expect((await preview(request)).rows[0]?.consequences).toEqual([
      'its 2 pods are replaced by new ones of the same template, step by step as its strategy says',
    ]);
    expect(await act(request)).toEqual({ done: 1, failed: [] });
    expect(await live(made)).toMatchObject({
      spec: {
        template: { metadata: { labels: { app: 'restarted' }, annotations: { 'kubectl.kubernetes.io/restartedAt': expect.any(String) } } },
      },
    });
  });

  it('[issue 14.1] scale a workload, telling from where, and which autoscaler scales it too', async () => {
    const made = await rig.cluster.create(deployment('scaled'));
    await rig.cluster.create({
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { namespace: 'default', name: 'auto' },
      spec: { scaleTargetRef: { ...KINDS.deployment, name: 'scaled' }, minReplicas: 1, maxReplicas: 9 },
    });
    const request = { verb: 'scale', replicas: 5, targets: [targetOf(made)] } as const;
    expect((await preview(request)).rows[0]?.consequences).toEqual([
      'from 2 to 5 replicas',
      'HorizontalPodAutoscaler auto scales it too, and may overwrite the number',
    ]);
    await act(request);
    expect((await live(made)).spec).toMatchObject({ replicas: 5 });
  });

  it('[issue 14.1] say first what is not allowed, do the rest, and put each on record with its reason before it happens', async () => {
    const [map, going] = await Promise.all([rig.cluster.create(configMap('stays-map')), rig.cluster.create(deployment('going'))]);
    const rolled = await rig.cluster.create(deployment('rolled-v2', { labels: { 'serving.knative.dev/service': 'rolled' } }));
    const orchestrated = {
      ...over(),
      cluster: {
        ...rig.cluster,
        as: () => rig.cluster,
        get: async () => ({ ...KINDS.rolloutOrchestrator, metadata: { name: 'rolled', namespace: 'default' } }),
      },
    };
    const request = { verb: 'restart', targets: [targetOf(going), targetOf(map), targetOf(rolled)], reason: 'stuck' } as const;
    const plan = await preview(request, orchestrated);
    expect(plan.rows.map(({ name, refused }) => [name, refused?.split(':')[0] ?? null])).toEqual([
      ['stays-map', 'A ConfigMap cannot be restarted'],
      ['rolled-v2', 'Rollout rolled moves its pods and replicas'],
      ['going', null],
    ]);
    expect(await act(request, orchestrated)).toEqual({ done: 1, failed: [] });
    expect(recorded.at(-1)).toMatchObject({
      action: 'object.restart',
      actor: 'ann',
      message: expect.stringMatching(/^restarts Deployment going in default: stuck$/),
    });
  });

  it('[issue 14.1] delete exactly what was seen, with what goes with it told before', async () => {
    const made = await rig.cluster.create(configMap('deleted'));
    const deps = over({ blastRadiusOf: () => ['used by 2 Pods: a, b'] });
    const request = { verb: 'delete', targets: [targetOf(made)] } as const;
    expect((await preview(request, deps)).rows[0]?.consequences).toEqual(['used by 2 Pods: a, b']);
    expect(await act(request, deps)).toEqual({ done: 1, failed: [] });
    const again = await rig.cluster.create(configMap('deleted'));
    expect((await preview(request)).rows[0]?.refused).toMatch(/created again under this name/);
    expect((await live(again)).metadata.uid).toBe(again.metadata.uid);
  });

  it('[issue 14.1] leave what changes between the look and the write, and tell of it while the others are done', async () => {
    const [first, second] = [await rig.cluster.create(deployment('first')), await rig.cluster.create(deployment('second'))];
    const request = { verb: 'scale', replicas: 7, targets: [targetOf(first), targetOf(second)] } as const;
    const racing = over({
      record: async (entry) => {
        // Somebody else writes the second one just before this does.
        if (entry.about?.name === 'second' && !entry.id.includes('/'))
          await rig.cluster.patch({ ...targetOf(second), namespace: 'default' }, { type: 'merge', body: { spec: { replicas: 1 } } });
        recorded.push(entry);
      },
    });
    const done = await act(request, racing);
    expect(done).toMatchObject({ done: 1, failed: [{ name: 'second', sentence: expect.stringContaining('changed in the meantime') }] });
    expect([(await live(first)).spec, (await live(second)).spec]).toMatchObject([{ replicas: 7 }, { replicas: 1 }]);
    expect(recorded.at(-1)).toMatchObject({ action: 'object.scale.failed', about: { name: 'second' } });
  });

  it.each<readonly [string, object, object]>([
    ['adopts', { metadata: { labels: { 'app.oam.dev/name': 'other' } } }, { done: 0 }],
    ['has held by a finalizer', { metadata: { finalizers: ['example.com/hold'] } }, { done: 0 }],
    ['writes', { data: { since: 'then' } }, { done: 0 }],
    ['does nothing to', {}, { done: 1, failed: [] }],
  ])('[design 14] delete nothing that somebody %s between the look and the deletion', async (what, body, ending) => {
    const made = await rig.cluster.create(configMap(`raced-${what.replaceAll(' ', '-')}`));
    const at = { ...targetOf(made), namespace: 'default' };
    const racing = over({
      record: async ({ id }) => {
        if (!id.includes('/')) await rig.cluster.patch(at, { type: 'merge', body });
      },
    });
    expect(await act({ verb: 'delete', targets: [targetOf(made)] }, racing)).toMatchObject(ending);
  });

  it('[design 14] delete what only its controller reports on in between', async () => {
    const made = await rig.cluster.create(deployment('reported'));
    const at = { ...targetOf(made), namespace: 'default' };
    const racing = over({
      record: async () =>
        void (await rig.cluster.patch(at, { type: 'merge', body: { status: { replicas: 1 } } }, { subresource: 'status' })),
    });
    expect(await act({ verb: 'delete', targets: [targetOf(made)] }, racing)).toEqual({ done: 1, failed: [] });
  });

  it.each(['delete', 'restart'] as const)(
    '[design 14] %s nothing of the same name that was made between the look and the write, though it is of the same state',
    async (verb) => {
      const made = await rig.cluster.create(deployment(`made-again-${verb}`));
      const at = { ...targetOf(made), namespace: 'default' };
      const racing = over({
        record: async ({ id }) => {
          if (id.includes('/')) return;
          await rig.cluster.delete(at);
          await rig.cluster.create(deployment(`made-again-${verb}`));
        },
      });
      const done = await act({ verb, targets: [targetOf(made)] }, racing);
      expect(done).toMatchObject({ done: 0, failed: [{ sentence: expect.stringContaining('changed in the meantime') }] });
      const now = await live(made);
      expect([now.metadata.uid === made.metadata.uid, now.spec]).toEqual([false, made.spec]);
    },
  );

  it('[design 14] do nothing where more goes with it than was told', async () => {
    const made = await rig.cluster.create(configMap('used-since'));
    const request = { verb: 'delete', targets: [targetOf(made)] } as const;
    const { plan } = await preview(request);
    const used = over({ blastRadiusOf: () => ['used by 1 Pod: a'] });
    await expect(actOnObjects(used, ANN, { ...request, plan })).rejects.toMatchObject({ code: 'conflict' });
    expect((await live(made)).metadata.uid).toBe(made.metadata.uid);
    expect(await actOnObjects(over(), ANN, { ...request, plan })).toEqual({ done: 1, failed: [] });
  });

  it('[design 14] are refused where what goes with it is not known any more', async () => {
    const made = await rig.cluster.create(configMap('not-known'));
    const deps = over({
      objectReader: { ...rig.deps.objectReader, applicationsOf: () => [{ ns: 'default', name: 'web' }] },
      freshness: () => ({ stale: { since: '2026-11-20T09:00:00Z', reason: 'the watch is gone' } }),
    });
    const request = { verb: 'delete', targets: [targetOf(made)] } as const;
    const { plan, rows } = await preview(request, deps);
    expect(rows[0]?.refused).toContain('since the data is from 2026-11-20T09:00:00Z: the watch is gone');
    await expect(actOnObjects(deps, ANN, { ...request, plan })).rejects.toMatchObject({ code: 'forbidden' });
    expect((await live(made)).metadata.uid).toBe(made.metadata.uid);
  });

  it.each<readonly [string, ObjectAct, KubeObject, string | null]>([
    ['an application', 'delete', { ...KINDS.application, metadata: { name: 'web' } }, 'Delete an Application on its own page'],
    [
      'an application of another group',
      'delete',
      { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata: { name: 'web' } },
      null,
    ],
    ['a tracker', 'delete', { ...KINDS.resourceTracker, metadata: { name: 'web-v1' } }, 'is deleted with its application'],
    ['what is going', 'delete', configMap('a', { deletionTimestamp: '2026-11-20T09:00:00Z' }), 'already being deleted'],
    ['an application’s text', 'edit', { ...KINDS.application, metadata: { name: 'web' } }, 'edited on its own page'],
    ['what is paused', 'restart', { ...deployment('a'), spec: { paused: true } }, 'It is paused'],
    [
      'what another one scales',
      'scale',
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: { name: 'a', ownerReferences: [{ ...KINDS.deployment, name: 'web', uid: 'u', controller: true }] },
      },
      'Deployment web sets its replicas',
    ],
    ['a workload', 'scale', deployment('a'), null],
  ])('[issue 14.1] are judged by what an object is: of %s to %s', async (_what, verb, object, why) => {
    const said = await notAllowedReason(over(), ANN, verb, object);
    if (why === null) expect(said).toBeNull();
    else expect(said).toContain(why);
  });

  it('[issue 14.1] scale nothing that a rollout moves, or whose number an application writes', async () => {
    const rolled = deployment('rolled-v2', { labels: { 'serving.knative.dev/service': 'rolled' } });
    const rollout = { ...KINDS.rolloutOrchestrator, metadata: { name: 'rolled', namespace: 'default' } };
    const moving = over({ cluster: { ...rig.cluster, get: async () => rollout } });
    expect(await notAllowedReason(moving, ANN, 'scale', rolled)).toContain('Rollout rolled moves its pods and replicas');
    const desiredOf = (when: 'soon' | 'never') =>
      over({
        objectReader: { ...rig.deps.objectReader, applicationsOf: () => [{ ns: 'default', name: 'web' }] },
        desiredOf: () => ({ manifest: deployment('a'), repair: { when, why: 'so it is' }, policy: {} }) as never,
      });
    expect(await notAllowedReason(desiredOf('soon'), ANN, 'scale', deployment('a'))).toContain('Application web sets its replicas to 2');
    expect(await notAllowedReason(desiredOf('never'), ANN, 'scale', deployment('a'))).toBeNull();
  });

  it('[issue 14.1] after a server that died in between are not done twice: what is done already is refused, and the rest is done', async () => {
    const [first, second] = [await rig.cluster.create(configMap('half-a')), await rig.cluster.create(configMap('half-b'))];
    const request = { verb: 'delete', targets: [targetOf(first), targetOf(second)] } as const;
    const { plan } = await preview(request);
    await rig.cluster.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'half-a' });
    await expect(actOnObjects(over(), ANN, { ...request, plan })).rejects.toMatchObject({ code: 'conflict' });
    expect((await preview(request)).rows.map(({ name, refused }) => [name, refused])).toEqual([
      ['half-a', expect.stringContaining('there is no ConfigMap half-a')],
      ['half-b', null],
    ]);
    expect(await act(request)).toEqual({ done: 1, failed: [] });
  });

  it('[issue 14.1] say on the page of an object why each is not possible', async () => {
    await rig.cluster.create(configMap('shown'));
    const { acts } = await readObjectDetail(over(), ANN, { of: { group: '', named: 'configmaps' }, ns: 'default', name: 'shown' });
    expect(acts).toEqual({
      edit: null,
      delete: null,
      restart: expect.stringContaining('cannot be restarted'),
      scale: expect.stringContaining('cannot be set here'),
    });
    const namespace = await readObjectDetail(over(), ANN, { of: { group: '', named: 'namespaces' }, ns: undefined, name: 'default' });
    expect(namespace.acts.delete).toMatch(/holds data or other objects/);
  });
});
