import { afterEach, describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { toAddress } from '@/lib/kube/object';
import { installMissing, readManifests } from '@/server/installation';
import { watchDefinitions } from '@/server/installation/definitions/definitions';
import { findMissingRights } from '@/server/installation/rights';
import { DEFINITION_SERVED_MS } from '@/server/kube';
import { realClock } from '@/server/platform';
import { aController, rightsOfControllers } from '../../support/applications';
import { aDefinition } from '../../support/definitions';
import type { House, HouseOptions } from '../../support/house';
import { startHouse } from '../../support/house';
import { silentLog } from '../../support/silent-log';

const VELA = aController('kubevela-vela-core', 'oamdev/vela-core:v1.9.11');
const LOOK_MS = 60_000;

let house: House | undefined;
afterEach(async () => {
  await house?.[Symbol.asyncDispose]();
  house = undefined;
});

async function aHouse(options: HouseOptions = {}): Promise<House> {
  house = await startHouse({ ...options, watched: true });
  return house;
}

const modes = ({ installation }: House) => [installation.stateOf('application').mode, installation.stateOf('rollout').mode];

describe('who drives', () => {
  it('[design 2] both engines drive a cluster that nobody else drives', async () => {
    const { installation } = await aHouse();
    expect(installation.stateOf('application')).toEqual({ mode: 'drive', why: null });
    expect(installation.findings()).toEqual([]);
  });

  it('[design 2] an engine whose work another controller does at the start only looks on, and says who', async () => {
    const found = await aHouse({ before: [VELA] });
    expect(modes(found)).toEqual(['observe', 'drive']);
    expect(found.installation.findings()).toMatchObject([
      {
        area: 'modes',
        subject: 'application engine',
        sentence: 'Deployment kubevela-vela-core in default drives applications in this cluster; Slipway only observes',
        remedy: 'kubectl scale deployment kubevela-vela-core --namespace default --replicas 0',
      },
    ]);
  });

  it('[design 2] a controller that appears is noticed within 60 s', async () => {
    const found = await aHouse();
    await found.advance(1_000);
    await found.cluster.create(aController('progressive-rollout', 'registry.example.com/serving-progressive-rollout:1'));
    await found.advance(LOOK_MS);
    expect(modes(found)).toEqual(['drive', 'observe']);
  });

  it('[decision 0024] one that goes is waited for five minutes, with the time told, and then the engine drives again', async () => {
    const found = await aHouse({ before: [VELA] });
    await found.cluster.delete(toAddress(VELA));
    await found.advance(2 * LOOK_MS);
    expect(modes(found)).toEqual(['observe', 'drive']);
    expect(found.installation.stateOf('application').why).toMatch(
      /has been away since 2026-.*; Slipway drives from 2026-.* on if it stays away, or from its next start/,
    );
    await found.advance(5 * LOOK_MS);
    expect(modes(found)).toEqual(['drive', 'drive']);
  });

  it('[decision 0024] one that comes back meanwhile starts the wait again', async () => {
    const found = await aHouse({ before: [VELA] });
    await found.cluster.delete(toAddress(VELA));
    await found.advance(4 * LOOK_MS);
    await found.cluster.create(VELA);
    await found.advance(LOOK_MS);
    expect(found.installation.stateOf('application').why).toContain('Slipway only observes');
    await found.cluster.delete(toAddress(VELA));
    await found.advance(4 * LOOK_MS);
    expect(modes(found)).toEqual(['observe', 'drive']);
  });

  it.each([
    ['application', 'vela-core', 'mirror.example.com/platform/oam:1'],
    ['application', 'controller', 'mirror.example.com/oamdev/vela-core@sha256:0a'],
    ['rollout', 'progressive-rollout-controller', 'mirror.example.com/knative@sha256:0a'],
    ['rollout', 'controller', 'ko.local/rolloutorchestrator:1'],
    ['chartsync', 'flux-helm-operator', 'mirror.example.com/ops:1'],
    ['chartsync', 'controller', 'docker.io/fluxcd/helm-operator:1.4.4'],
  ] as const)('[issue 9.6] one of engine %s is known by its name or by its image alone: %s, %s', async (engine, name, image) => {
    const { installation } = await aHouse({ before: [aController(name, image)] });
    const observing = (['application', 'rollout', 'chartsync'] as const).filter((one) => installation.stateOf(one).mode === 'observe');
    expect(observing).toEqual([engine]);
  });

  it('[issue 10.4] one that may write nothing of it drives nothing, whatever its name and image are', async () => {
    const found = await aHouse();
    const { cluster, ns } = found;
    for (const { metadata, ...more } of [
      VELA,
      aController('progressive-rollout', 'registry.example.com/serving-progressive-rollout:1'),
      aController('flux-helm-operator', 'fluxcd/helm-operator:1.4.4'),
    ])
      await cluster.create({ ...more, metadata: { ...metadata, namespace: ns } });
    await found.advance(LOOK_MS + 1_000);
    const all = ['application', 'rollout', 'chartsync'] as const;
    expect(all.map((engine) => found.installation.stateOf(engine))).toEqual(all.map(() => ({ mode: 'drive', why: null })));
    for (const object of rightsOfControllers(ns)) await cluster.create(object);
    await found.advance(LOOK_MS + 1_000);
    expect(
      all.map((engine) => found.installation.stateOf(engine).mode),
      'as soon as it may',
    ).toEqual(['observe', 'observe', 'observe']);
  });

  it.each(['helm.integrations.flux.weave.works', 'helm.fluxcd.io', 'flux.weave.works'])(
    '[issue 12.1] one that may write the releases of %s alone drives them, as helm-operator of each age does',
    async (group) => {
      const found = await aHouse();
      const { metadata, ...more } = aController('flux-helm-operator', 'fluxcd/helm-operator:0.10.1');
      for (const object of [{ ...more, metadata: { ...metadata, namespace: found.ns } }, ...rightsOfControllers(found.ns, [group])])
        await found.cluster.create(object);
      await found.advance(LOOK_MS + 1_000);
      expect(found.installation.stateOf('chartsync').mode).toBe('observe');
    },
  );

  it.each([
    ['application', VELA, 'vela-system'],
    ['rollout', aController('progressive-rollout', 'registry.example.com/serving-progressive-rollout:1'), 'knative-serving'],
    ['chartsync', aController('flux-helm-operator', 'fluxcd/helm-operator:1.4.4'), 'flux'],
    ['chartsync', aController('flux-helm-operator', 'fluxcd/helm-operator:1.4.4'), 'fluxcd'],
    ['chartsync', aController('flux-helm-operator', 'fluxcd/helm-operator:1.4.4'), 'flux-system'],
    ['application', VELA, 'kube-system'],
  ] as const)(
    '[issue 10.4] one of engine %s is known without its rights where its project installs it',
    async (engine, { metadata, ...more }, namespace) => {
      const home = { ...KINDS.namespace, metadata: { name: namespace } };
      const before = [...(namespace === 'kube-system' ? [] : [home]), { ...more, metadata: { ...metadata, namespace } }];
      const { installation } = await aHouse({ before });
      expect(installation.stateOf(engine).mode).toBe('observe');
    },
  );

  it('[design 2] one that is scaled to nothing drives nothing', async () => {
    expect(modes(await aHouse({ before: [aController('kubevela-vela-core', 'oamdev/vela-core:v1.9.11', 0)] }))).toEqual(['drive', 'drive']);
  });
});

describe('what definitions keep', () => {
  it('[issue 9.3] one of last month is told with the command that fixes it, and mended the moment it is applied', async () => {
    const old = await aDefinition('rolloutorchestrators', (schema) => schema.remove('spec.control.gates'));
    const found = await aHouse({ before: [old] });
    const { installation } = found;
    expect(installation.findings()).toEqual([
      {
        area: 'definitions',
        subject: 'RolloutOrchestrator',
        sentence: 'the cluster’s definition of RolloutOrchestrator drops spec.control.gates',
        remedy: 'kubectl apply -f deploy/crds/rolloutorchestrators.yaml',
      },
    ]);
    expect(installation.dropped('RolloutOrchestrator', 'spec.control')).toBe(
      'the cluster’s definition of RolloutOrchestrator drops spec.control.gates; kubectl apply -f deploy/crds/rolloutorchestrators.yaml fixes it',
    );
    expect(installation.dropped('RolloutOrchestrator', 'spec.control.paused')).toBeNull();
    const stored = await found.cluster.get(toAddress(old));
    await found.cluster.update({ ...(await aDefinition('rolloutorchestrators')), metadata: stored.metadata });
    await found.advance(1_000);
    expect(installation.findings()).toEqual([]);
  });

  it('[issue 9.1] where nobody may follow them they are read now and then, which is logged once', async () => {
    const { cluster, clock, faults, advance } = await aHouse();
    const plural = 'stagedecisions';
    const mine = await aDefinition(plural);
    const refusal = faults.fail({ verb: 'watch', kind: 'CustomResourceDefinition' }, 405, { times: Number.POSITIVE_INFINITY });
    const logged: string[] = [];
    const hear = (_of: unknown, said: string) => void logged.push(said);
    using ending = { signal: new AbortController(), [Symbol.dispose]: () => ending.signal.abort() };
    const deps = {
      cluster,
      clock,
      log: { ...silentLog, warn: hear, error: hear } as typeof silentLog,
      signal: ending.signal.signal,
      untrustedFields: {},
    };
    const definitions = await watchDefinitions([mine], deps);
    await advance(1_000);
    const stored = await cluster.get(toAddress(mine));
    await cluster.update({ ...(await aDefinition(plural, (schema) => schema.remove('spec.seen'))), metadata: stored.metadata });
    await advance(2 * LOOK_MS);
    expect(definitions.dropped('StageDecision', 'spec.seen')).toContain('drops spec.seen');
    expect(logged).toEqual(['a definition cannot be watched; it is polled instead']);
    refusal();
  });

  it('[issue 10.2] one that is replaced while its watch stays open and says nothing more is noticed within five minutes', async () => {
    const { cluster, clock, advance } = await aHouse();
    const plural = 'rolloutorchestrators';
    const mine = await aDefinition(plural);
    const logged: string[] = [];
    const hear = (_of: unknown, said: string) => void logged.push(said);
    const dead: typeof cluster.watch = async function* (_of, options) {
      await new Promise((resolve) => options?.signal?.addEventListener('abort', resolve, { once: true }));
    };
    using ending = { signal: new AbortController(), [Symbol.dispose]: () => ending.signal.abort() };
    const log = { ...silentLog, warn: hear, error: hear } as typeof silentLog;
    const deps = { cluster: { ...cluster, watch: dead }, clock, log, signal: ending.signal.signal, untrustedFields: {} };
    const definitions = await watchDefinitions([mine], deps);
    const stored = await cluster.get(toAddress(mine));
    await cluster.update({ ...(await aDefinition(plural, (schema) => schema.remove('spec.control.gates'))), metadata: stored.metadata });
    await advance(LOOK_MS);
    expect(definitions.dropped('RolloutOrchestrator', 'spec.control')).toBeNull();
    await advance(5 * LOOK_MS);
    expect(definitions.dropped('RolloutOrchestrator', 'spec.control')).toContain('drops spec.control.gates');
    expect(logged).toEqual([]);
  });

  it('[issue 13] what is kept is told at every pass and write without reading a definition', async () => {
    const { cluster, clock } = await aHouse();
    const mine = await aDefinition('stagedecisions');
    const { spec } = mine;
    let reads = 0;
    const get = () => {
      reads++;
      return spec;
    };
    const counted = Object.defineProperty({ ...mine }, 'spec', { get });
    using ending = { signal: new AbortController(), [Symbol.dispose]: () => ending.signal.abort() };
    const definitions = await watchDefinitions([counted], {
      cluster,
      clock,
      log: silentLog,
      signal: ending.signal.signal,
      untrustedFields: {},
    });
    reads = 0;
    expect(definitions.dropped('StageDecision', 'spec.seen')).toBeNull();
    expect(reads).toBe(0);
  });

  it('[issue 9.3] one that is replaced by an older one while the server runs is noticed', async () => {
    const found = await aHouse();
    const old = await aDefinition('stagedecisions', (schema) => schema.set('spec.verb', { enum: ['approve'] }));
    const stored = await found.cluster.get(toAddress(old));
    await found.cluster.update({ ...old, metadata: stored.metadata });
    await found.advance(1_000);
    expect(found.installation.dropped('StageDecision', 'spec.verb')).toContain(
      'refuses advance, promote-full, pause, resume, abort, rollback, retry, loosen as spec.verb',
    );
    expect(found.installation.dropped('StageDecision', 'spec.verb', 'abort')).toContain('as spec.verb');
    expect(found.installation.dropped('StageDecision', 'spec.verb', 'approve')).toBeNull();
  });

  it('[design 4] on a cluster that is ours alone one of an earlier version is replaced at the start', async () => {
    const old = await aDefinition('rolloutorchestrators', (schema) => schema.remove('spec.control.gates'));
    const found = await aHouse({ before: [old] });
    const current = await aDefinition('rolloutorchestrators');
    expect(await installMissing([current], { cluster: found.cluster, clock: found.clock, log: silentLog, renews: true })).toMatchObject({
      present: [expect.any(String)],
    });
    await found.advance(1_000);
    expect(found.installation.findings()).toEqual([]);
  });

  it.each([
    ['application', 'applicationrevisions', 'spec.application.spec'],
    ['application', 'resourcetrackers', 'spec.managedResources[].raw'],
    ['rollout', 'stagepodautoscalers', 'spec.stageMinScale'],
    ['rollout', 'rolloutorchestrators', 'status.stageRevisionStatus'],
  ] as const)('[issue 9.3] the %s engine is held where %s would lose %s', async (engine, plural, field) => {
    const found = await aHouse({ before: [await aDefinition(plural, (schema) => schema.remove(field))] });
    expect(found.installation.stateOf(engine)).toMatchObject({
      mode: 'stopped',
      why: expect.stringContaining(`drops ${field}; kubectl apply -f deploy/crds/${plural}.yaml fixes it`),
    });
  });

  it('[issue 12.3] a kind of releases that the cluster does not define stops no other, and is told; without all of them nothing is driven', async () => {
    const { installation, cluster, advance } = await aHouse();
    const remove = async (plural: string) => {
      await cluster.delete(toAddress(await aDefinition(plural)));
      await advance(1_000);
    };
    const remedy = 'kubectl apply -f deploy/crds/helmreleases.yaml';
    await remove('helmreleases.helm');
    expect(installation.findings()).toMatchObject([
      { subject: 'HelmRelease', sentence: 'the cluster has no definition of HelmRelease', remedy },
    ]);
    await remove('helmreleases.flux');
    expect(installation.findings()[1]).toMatchObject({
      subject: 'HelmRelease.flux.weave.works',
      sentence: 'the cluster has no definition of HelmRelease.flux.weave.works',
      remedy,
    });
    expect(installation.stateOf('chartsync')).toEqual({ mode: 'drive', why: null });
    await remove('fluxhelmreleases');
    expect(installation.stateOf('chartsync')).toMatchObject({
      mode: 'stopped',
      why: expect.stringContaining('the cluster has no definition of FluxHelmRelease') as string,
    });
    await cluster.create(await aDefinition('fluxhelmreleases'));
    await advance(DEFINITION_SERVED_MS + 1_000);
    expect(installation.stateOf('chartsync').mode).toBe('drive');
  });

  it.each([
    ['HelmRelease', 'helmreleases.helm', 'spec.values', ['fluxhelmreleases', 'helmreleases.flux']],
    ['HelmRelease.flux.weave.works', 'helmreleases.flux', 'spec.values', ['fluxhelmreleases', 'helmreleases.helm']],
    ['FluxHelmRelease', 'fluxhelmreleases', 'status.releaseStatus', ['helmreleases.helm', 'helmreleases.flux']],
  ])(
    '[issue 12.3] a definition of %s that drops a field stops that kind of releases alone, with the command that mends it',
    async (kind, plural, field, others) => {
      const { installation, cluster, advance } = await aHouse({ before: [await aDefinition(plural, (schema) => schema.remove(field))] });
      const remedy = `kubectl apply -f deploy/crds/${plural.split('.')[0]}.yaml`;
      const why = `the chartsync engine does nothing for a ${kind}: the cluster’s definition of ${kind} drops ${field}; ${remedy} fixes it`;
      expect(installation.stateOf('chartsync')).toEqual({ mode: 'drive', why: null, kinds: { [kind]: why } });
      expect(installation.findings()).toContainEqual({ area: 'modes', subject: 'chartsync engine', sentence: why, remedy: null });
      expect(installation.findings()).toContainEqual(expect.objectContaining({ subject: kind, remedy }));
      for (const other of others) await cluster.delete(toAddress(await aDefinition(other)));
      await advance(1_000);
      expect(installation.stateOf('chartsync').mode).toBe('stopped');
    },
  );

  it('[dispatch 4] a tracker of 2021, which has no spec, holds nothing: its record is the status', async () => {
    const old = await aDefinition('resourcetrackers', (schema) => schema.remove('spec'));
    expect(modes(await aHouse({ before: [old] }))).toEqual(['drive', 'drive']);
  });
});

describe('what the server may', () => {
  it('[issue 9.3] the doctor asks with one request, and finds nothing where the server may do everything', async () => {
    const { installation } = await aHouse();
    expect(await installation.examine(AbortSignal.timeout(5_000))).toEqual([]);
  });

  it('[issue 9.3] the doctor names what the roles of the server give and the server has not, by kind and place', async () => {
    const roles = await readManifests('deploy/rbac/server.yaml');
    const { cluster } = await aHouse({ before: roles.filter(({ kind }) => kind === 'Namespace') });
    await installMissing(roles, { cluster, clock: realClock, log: silentLog });
    const asked = (user: string, groups: readonly string[]) =>
      findMissingRights(roles, cluster.as({ user, groups }), AbortSignal.timeout(5_000));
    expect(await asked('server', ['slipway:servers'])).toEqual([]);
    const viewer = await asked('vic', ['slipway:viewers']);
    const remedy = 'kubectl apply -f deploy/rbac/server.yaml';
    expect(viewer).toContainEqual({
      area: 'rights',
      subject: 'rolloutorchestrators.serving.knative.dev',
      sentence:
        'the server may not create, update, delete rolloutorchestrators.serving.knative.dev in all namespaces: what needs it fails with its own message',
      remedy,
    });
    expect(viewer).toContainEqual({
      area: 'rights',
      subject: 'leases.coordination.k8s.io',
      sentence:
        'the server may not list, create, update, delete leases.coordination.k8s.io in namespace slipway-system: what needs it fails with its own message',
      remedy,
    });
    expect(viewer.map(({ subject }) => subject)).not.toContain('secrets');
  });

  it('[issue 10.1] the doctor names whom sign-in mode local may not act as, until that is applied', async () => {
    const { cluster } = await aHouse();
    const roles = await readManifests('deploy/rbac/impersonation.yaml');
    const asked = () => findMissingRights(roles, cluster.as({ user: 'server', groups: ['slipway:servers'] }), AbortSignal.timeout(5_000));
    const remedy = 'kubectl apply -f deploy/rbac/impersonation.yaml';
    expect(await asked()).toMatchObject([
      { subject: 'users operator', remedy },
      { subject: 'groups slipway:operators', remedy },
    ]);
    await installMissing(roles, { cluster, clock: realClock, log: silentLog });
    expect(await asked()).toEqual([]);
  });
});
