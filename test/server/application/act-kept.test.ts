import { describe, expect, it } from 'vitest';
import { readString } from '@/lib/kube/fields';
import { KINDS, PLAN, PUT_BACK } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { act } from '@/server/application/act/act';
import { keepServed } from '@/server/application/act/dispatch';
import { decide } from '@/server/application/decide/decide';
import type { RunPlan } from '@/server/application/decide/model';
import { withPreviewedPlan } from '@/server/application/plan/previewed-plan';
import { LABEL, readTracker } from '@/server/dispatch';
import type { Passes } from './act-passes';
import { data, of, passes, put, spec } from './act-passes';
import { holding, revisionOf } from './seen';
import { shop } from './staged-shop';

const OURS = { [LABEL.appName]: 'web', [LABEL.appNamespace]: 'shop' };
const spoil = async (one: Passes, name: string) =>
  one.world.server.update({ ...(one.world.at(of(name)) as KubeObject), data: { key: 'theirs' } } as KubeObject);
const workload = (name: string) => ({ ...KINDS.deployment, metadata: { name, namespace: 'shop' } });
const trackers = (one: Passes) => one.world.server.all().filter(({ kind }) => kind === 'ResourceTracker');

describe('what an engine dispatches', () => {
  it('[dispatch R1] is on a record of that revision, with whose it is, before it is written', async () => {
    const one = passes();
    await one.pass();
    const [record] = trackers(one);
    expect(record?.metadata.labels).toMatchObject({ ...OURS, [LABEL.appUid]: 'app' });
    expect(readTracker(record as KubeObject).applicationGeneration).toBe(2);
    const writes = one.world.writes();
    expect(writes.findIndex((write) => write.endsWith('ResourceTracker/web-v1-shop'))).toBeLessThan(writes.indexOf('create ConfigMap/a'));
    expect(one.world.at(of('a'))?.metadata.ownerReferences?.map(({ name }) => name)).toEqual(['web-v1-shop']);
  });

  it('[dispatch R1] is tried whole before anything of it is written', async () => {
    const one = passes();
    one.world.server.addFaults([{ verb: 'dryRun', kind: 'ConfigMap', name: 'b', code: 422, times: 9 }]);
    await expect(one.pass()).rejects.toThrow();
    expect([one.world.at(of('a')), one.condition('Applied')[1]]).toEqual([undefined, 'DispatchFailed']);
  });

  it('[dispatch M1] takes over what the revision before it had', async () => {
    const one = passes();
    await one.pass();
    await one.change({ spec: spec(put('a', '2'), put('b', '1')) });
    await one.pass();
    expect(['a', 'b'].map((name) => one.world.at(of(name))?.metadata.ownerReferences?.map((owner) => owner.name))).toEqual([
      ['web-v2-shop'],
      ['web-v2-shop'],
    ]);
    expect(trackers(one).map(({ metadata }) => metadata.name)).toEqual(['web-v2-shop']);
  });

  it('[dispatch P2] touches nothing that became somebody else’s after it was looked at', async () => {
    const one = passes();
    let taken = false;
    one.world.server.onAnswer = (verb, { kind }) => {
      if (taken || verb !== 'create' || kind !== 'ResourceTracker') return;
      taken = true;
      one.world.server.seed({ ...put('b', 'theirs', { namespace: 'shop' }) } as KubeObject);
    };
    await one.pass().catch(() => undefined);
    expect(data(one.world.at(of('b')))).toEqual({ key: 'theirs' });
  });

  it('[design 13 K] writes nothing once the application is another, also where it is suspended', async () => {
    const one = passes();
    await one.pass();
    await spoil(one, 'a');
    const seen = one.seen();
    await one.change({}, { annotations: { 'slipway.dev/suspended': 'true' } });
    const again = await act(decide(seen, one.world.now as never), { ...one.world.context(), seen });
    expect([again, data(one.world.at(of('a')))]).toEqual([1000, { key: 'theirs' }]);
  });

  it('[dispatch 13] waits where a kind that it brings is not served yet', async () => {
    const definition = {
      ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'lamps.optics.example.dev' } },
      spec: {
        group: 'optics.example.dev',
        scope: 'Namespaced',
        names: { kind: 'Lamp', plural: 'lamps' },
        versions: [{ name: 'v1', served: true, storage: true }],
      },
    };
    const lamp = { apiVersion: 'optics.example.dev/v1', kind: 'Lamp', metadata: { name: 'l' } };
    const one = passes(holding([definition, lamp]));
    const again = await one.pass();
    expect([again, one.condition('Applied').slice(0, 2)]).toEqual([500, ['Unknown', 'Waiting']]);
    one.world.server.establishes = true;
    await one.world.server.delete({ ...definition, name: 'lamps.optics.example.dev' }).catch(() => undefined);
    await one.pass();
    expect(one.world.at({ ...lamp, metadata: { name: 'l', namespace: 'shop' } })).toBeDefined();
  });
});

describe('what follows a dispatch', () => {
  it('[design 13 K] is on record also where whoever made the revision died before that', async () => {
    const application = holding([put('a', '1')]);
    const one = passes(application, revisionOf(application).object);
    await one.pass();
    expect(one.actions()).toEqual(['revision.created', 'application.dispatched', 'application.completed']);
  });

  it('[design 12] prunes no revision before the new one is told as reached', async () => {
    const one = passes(holding([put('a', '0')], { 'garbage-collect': { applicationRevisionLimit: 0 } }));
    await one.pass();
    const revisions = () =>
      one.world.server
        .all()
        .filter(({ kind }) => kind === 'ApplicationRevision')
        .map(({ metadata }) => metadata.name);
    for (const value of ['1', '2']) {
      await one.change({ spec: holding([put('a', value)], { 'garbage-collect': { applicationRevisionLimit: 0 } }).spec });
      await one.pass();
    }
    expect(revisions()).toEqual(['web-v1', 'web-v2', 'web-v3']);
    await one.pass();
    expect(revisions()).toEqual(['web-v3']);
  });

  it('[design 11] keeps a plan that was seen while its rollout is under way', async () => {
    const one = passes(shop('web:1'));
    const accept = async (digest: string) =>
      one.change({}, withPreviewedPlan(one.application, { digest, act: 'x' }, { user: 'ada', groups: [] }).metadata);
    await accept('sha256:x');
    await one.pass();
    const { now = '' } = (one.world.record[0]?.data ?? {}) as { readonly now?: string };
    await accept(now);
    await one.pass();
    expect([one.condition('Applied')[0], one.condition('RolledOut').slice(0, 2)]).toEqual(['True', ['Unknown', 'RollingOut']]);
    expect(one.application.metadata.annotations).toHaveProperty([PLAN.seen]);
  });

  it('[design 11] deletes nothing that was not in the plan which the change was accepted with', async () => {
    const one = passes();
    await one.pass();
    await one.change({ spec: spec(put('a', '2')) });
    const accept = async (digest: string) =>
      one.change({}, withPreviewedPlan(one.application, { digest, act: 'x' }, { user: 'ada', groups: [] }).metadata);
    await accept('sha256:x');
    await one.pass();
    const { now = '' } = (one.world.record.at(-1)?.data ?? {}) as { readonly now?: string };
    await accept(now);
    one.world.server.addFaults([{ verb: 'delete', kind: 'ConfigMap', code: 500, times: 1 }]);
    await one.pass().catch(() => undefined);
    expect([one.condition('Collected')[1], one.world.at(of('b'))?.metadata.name]).toEqual(['CollectionFailed', 'b']);
    const [old] = trackers(one);
    const z = put('z', '1', { namespace: 'shop', uid: 'uid-z', labels: OURS }) as KubeObject;
    const entry = { apiVersion: 'v1', kind: 'ConfigMap', name: 'z', namespace: 'shop', uid: 'uid-z', cluster: 'local' };
    one.world.server.seed(z);
    one.world.server.seed({
      ...KINDS.resourceTracker,
      metadata: { name: 'web-v0-shop', labels: old?.metadata.labels ?? {} },
      spec: { type: 'versioned', applicationGeneration: 1, managedResources: [entry] },
    });
    await one.pass();
    expect(one.application.metadata.annotations, 'it is not done').toHaveProperty([PLAN.seen]);
    expect([one.condition('Collected').slice(0, 2), one.world.at(z)?.metadata.name, one.world.at(of('b'))?.metadata.name]).toEqual([
      ['False', 'Held'],
      'z',
      'b',
    ]);
    const revertPace = (nextMs: number) => ({ revertPace: { nextMs: () => nextMs, waitMs: () => 0 } });
    expect([await one.pass({}, revertPace(60_000)), await one.pass({}, revertPace(7))], 'at the sooner of both').toEqual([10_000, 7]);
  });

  it('[dispatch G] lets go what a failing revision lacks where its policy says so, and else keeps it', async () => {
    const failing = async (policies: Readonly<Record<string, object>>) => {
      const one = passes(holding([put('a', '1'), put('b', '1')], policies));
      await one.pass();
      await one.change({ spec: holding([put('a', '2'), put('c', '1')], policies).spec });
      one.world.server.onRequest = (verb, { name, kind }) => {
        if (verb === 'patch' && kind === 'ConfigMap' && name === 'a') throw new Error('it cannot be written');
      };
      for (let time = 0; time < 3; time++) await one.pass().catch(() => undefined);
      return [one.world.at(of('b')) === undefined, one.condition('Applied')[1]];
    };
    expect(await failing({ 'garbage-collect': { continueOnFailure: true } })).toEqual([true, 'DispatchFailed']);
    expect(await failing({})).toEqual([false, 'DispatchFailed']);
  });
});

describe('what a rollout serves beside the applied revision', () => {
  async function rolling(policies: readonly object[] = []) {
    const with_ = (image: string) => {
      const object = shop(image);
      const given = object.spec as { readonly policies: readonly object[] };
      return { ...object, spec: { ...given, policies: [...given.policies, ...policies] } };
    };
    const one = passes(with_('web:1'));
    await one.pass();
    one.world.server.seed({
      ...one.application,
      status: { ...(one.application.status as object), latestRevision: { name: 'web-v1', revision: 1, revisionHash: 'h' } },
    });
    await one.change({ spec: with_('web:2').spec });
    await one.pass();
    const served = one.world.at(workload('web-v1')) as KubeObject;
    const change = async (more: object) =>
      one.world.server.update({ ...(one.world.at(workload('web-v1')) as KubeObject), spec: { ...(served.spec as object), ...more } });
    const paused = () => (one.world.at(workload('web-v1'))?.spec as { readonly paused?: boolean; readonly replicas?: number }) ?? {};
    return { one, change, paused, served };
  }

  it('[issue 10, 2] is kept as it was applied, at the scale that the rollout gives it', async () => {
    const { one, change, paused, served } = await rolling();
    const spoiled = structuredClone(served.spec) as { template: { spec: { containers: { image: string }[] } } };
    for (const container of spoiled.template.spec.containers) container.image = 'evil:1';
    const tried = () => one.world.writes().filter((write) => write === 'dryRun Deployment/web-v1').length;
    const before = tried();
    await change({ ...spoiled, replicas: 9 });
    await one.pass();
    const spec_ = one.world.at(workload('web-v1'))?.spec as typeof spoiled;
    expect([spec_.template.spec.containers[0]?.image, paused().replicas]).toEqual(['web:1', 9]);
    expect(tried(), 'what was applied once is not tried first').toBe(before);
    expect(one.world.told().at(-1)).toMatch(/^drift\.repaired: Deployment web-v1 in shop was reverted/);
  });

  it('[issue 10, 2] keeps the scale that the rollout gives it where it was made without one', async () => {
    const one = passes(shop('web:1', []));
    await one.pass();
    await one.pass();
    const plainly = workload('web');
    expect(one.world.at(plainly)?.spec).toHaveProperty('replicas', 4);
    await one.change({ spec: shop('web:2').spec });
    await one.pass();
    const live = one.world.at(plainly) as KubeObject;
    await one.world.server.update({ ...live, spec: { ...(live.spec as object), replicas: 9 } });
    await one.pass();
    expect(one.world.at(plainly)?.spec).toHaveProperty('replicas', 9);
  });

  it('[issue 10, 2] is left where everything is applied once, but for what somebody asks for', async () => {
    const { one, change, served } = await rolling([{ type: 'apply-once', properties: { enable: true } }]);
    const image = () => readString(one.world.at(workload('web-v1')), 'spec', 'template', 'spec', 'containers', 0, 'image');
    const spoiled = structuredClone(served.spec) as { template: { spec: { containers: { image: string }[] } } };
    for (const container of spoiled.template.spec.containers) container.image = 'evil:1';
    await change(spoiled);
    await one.pass();
    expect(image()).toBe('evil:1');
    await one.change({}, { annotations: { [PUT_BACK.asked]: 'Deployment.apps/shop/web-v1', [PUT_BACK.user]: 'ada' } });
    await one.pass();
    expect(image()).toBe('web:1');
  });

  it('[issue 10.1] is put back at a request also once the revision after it is rejected, where whoever asks may write it; that one is not', async () => {
    const { one, change, served } = await rolling([{ type: 'apply-once', properties: { enable: true } }]);
    const live = one.world.at({ ...KINDS.rolloutOrchestrator, metadata: { name: 'web', namespace: 'shop' } }) as KubeObject;
    const control = { abort: true, abortDone: true, rejectedRevision: 'web-v2' };
    const from = { ...(live.spec as object), initialRevisions: [{ revisionName: 'web-v1', percent: 100 }] };
    one.world.server.seed({ ...live, spec: from, status: { observedGeneration: 9, conditions: [], control } });
    await one.pass();
    const spoiled = structuredClone(served.spec) as { template: { spec: { containers: { image: string }[] } } };
    for (const container of spoiled.template.spec.containers) container.image = 'evil:1';
    await change(spoiled);
    const asked = async (name: string, mayDo: boolean) => {
      one.world.mayDo = mayDo;
      await one.change({}, { annotations: { [PUT_BACK.asked]: `Deployment.apps/shop/${name}`, [PUT_BACK.user]: 'ada' } });
      const since = one.world.writes().length;
      await one.pass();
      const image = readString(one.world.at(workload('web-v1')), 'spec', 'template', 'spec', 'containers', 0, 'image');
      return [image, one.world.told().at(-1), one.world.writes().slice(since)];
    };
    const [what, onlyTold] = ['Deployment.apps/shop/web-v1 was not reverted, although ada requested it', ['patch Application/web']];
    expect(await asked('web-v1', false)).toEqual(['evil:1', expect.stringContaining(`${what}: ada may not`), onlyTold]);
    const [image, done] = await asked('web-v1', true);
    expect([image, done]).toEqual(['web:1', 'drift.put-back.done: Deployment.apps/shop/web-v1 was reverted at the request of ada']);
    expect((await asked('web-v2', true)).slice(1)).toEqual([
      expect.stringMatching(/although ada requested it: nothing of web is currently being applied$/),
      onlyTold,
    ]);
  });

  it('[issue 10, 2] that cannot be kept holds up nothing of the applied one, and is told', async () => {
    const { one } = await rolling();
    const seen = one.seen();
    const decision = decide(seen, one.world.now as never);
    if (decision.kind !== 'run') throw new Error('nothing runs');
    const first = decision.plan.served[0] as RunPlan['served'][number];
    const broken = {
      ...first,
      revision: { ...first.revision, name: 'web-v8' },
      rendered: { ...first.rendered, manifests: [{ ...workload('none'), kind: '' } as KubeObject] },
    };
    const failure = await keepServed(
      one.world.context(),
      { ...decision.plan, served: [broken, { ...broken, revision: { ...first.revision, name: 'web-v9' } }] },
      seen,
    );
    expect(failure?.message).toMatch(/^web-v8 is still served, and is not as it was applied: /);
    expect(failure?.cause).toBeInstanceOf(Error);
    const { served: _served, ...none } = decision.plan;
    expect(await keepServed(one.world.context(), { ...none, served: [] }, seen)).toBeUndefined();
    const requests = one.world.server.requests.length;
    const bare = { ...first, revision: { ...first.revision, name: 'web-v7' }, rendered: { ...first.rendered, manifests: [] } };
    expect(await keepServed(one.world.context(), { ...none, served: [bare] }, seen)).toBeUndefined();
    expect(one.world.server.requests, 'nothing is asked for nothing').toHaveLength(requests);
    const tried = () => one.world.writes().filter((write) => write.startsWith('dryRun'));
    const before = tried();
    const more = {
      ...first.rendered,
      manifests: [...first.rendered.manifests, { ...put('more', '1'), metadata: { ...of('more').metadata } }],
    };
    await keepServed(one.world.context(), { ...none, served: [{ ...first, rendered: more }] }, seen);
    expect([data(one.world.at(of('more'))), tried()], 'what was applied once is not tried first').toEqual([{ key: '1' }, before]);
    one.world.server.onRequest = (verb, { name }) => {
      if (verb === 'patch' && name === 'web-v1') throw new Error('it cannot be written');
    };
    const live = one.world.at(workload('web-v1')) as KubeObject;
    await one.world.server.update({ ...live, spec: { ...(live.spec as object), paused: true, template: { spec: { containers: [] } } } });
    await expect(one.pass()).rejects.toThrow();
    expect(one.condition('Collected')).toEqual(['False', 'CollectionFailed', expect.stringContaining('web-v1 is still served')]);
  });
});
