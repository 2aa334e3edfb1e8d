import { describe, expect, it } from 'vitest';
import { readField, readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { ApplicationHouse } from '../../support/application-house';

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const policy = (control: object = {}) => [{ name: 'staged', type: 'rollout', properties: { ratio: 20, control } }];
const web = (image: string, replicas = 10) => ({
  name: 'web',
  type: 'webservice',
  properties: { image, ports: [{ port: 80, expose: true }] },
  traits: [{ type: 'scaler', properties: { replicas } }],
});
const staged = (image: string, control: object = {}, more: object[] = []) => ({
  components: [web(image), ...more],
  policies: policy(control),
});
const config = (name: string) => ({
  name: 'settings',
  type: 'k8s-objects',
  properties: { objects: [{ ...CONFIG_MAP, metadata: { name } }] },
});

const rolloutOf = (house: ApplicationHouse) => {
  const rollout = house.get(KINDS.rolloutOrchestrator, 'web');
  return {
    initial: readField(rollout, 'spec', 'initialRevisions'),
    target: readField(rollout, 'spec', 'targetRevisions'),
    spec: readField(rollout, 'spec'),
  };
};

async function firstRollout(control: object = {}, more: object[] = []): Promise<ApplicationHouse> {
  const house = await new ApplicationHouse().start();
  await house.apply(staged('web:1', control, more));
  await house.finishRollout();
  return house;
}

describe('a first deployment under a rollout policy', () => {
  it('[design 13 R] creates the workload with 0 replicas that no record ever mentions', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply(staged('web:1'));
    const workload = house.get(KINDS.deployment, 'web-v1');
    expect(readNumber(workload, 'spec', 'replicas')).toBe(0);
    expect(workload?.metadata.annotations?.['app.oam.dev/last-applied-configuration']).not.toContain('replicas');
    const tracker = house.server.peek({ ...KINDS.resourceTracker, name: 'web-v1-shop' });
    expect(JSON.stringify(tracker)).not.toContain('replicas');
    expect(workload?.metadata.annotations).toMatchObject({
      'autoscaling.knative.dev/min-scale': '10',
      'autoscaling.knative.dev/max-scale': '10',
    });
  });

  it('[rollout 13.1] labels workload and pods, and selects by the revision', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply(staged('web:1'));
    const workload = house.get(KINDS.deployment, 'web-v1');
    const labels = { 'serving.knative.dev/service': 'web', 'serving.knative.dev/revision': 'web-v1' };
    expect(workload?.metadata.labels).toMatchObject(labels);
    expect(readField(workload, 'spec', 'template', 'metadata', 'labels')).toMatchObject(labels);
    expect(readField(workload, 'spec', 'selector', 'matchLabels')).toEqual({
      'app.oam.dev/component': 'web',
      'serving.knative.dev/revision': 'web-v1',
    });
  });

  it('[rollout 3.2] starts a rollout without a start and names the revision only when it is through', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply(staged('web:1', { gates: 'every-stage' }));
    expect(rolloutOf(house).initial).toBeUndefined();
    expect(rolloutOf(house).spec).toEqual({
      targetRevisions: [{ revisionName: 'web-v1', percent: 100, latestRevision: true, minScale: 10, maxScale: 10 }],
      rolloutStrategy: 'availability',
      overConsumptionRatio: 20,
      stageTimeoutMinutes: 2,
      control: { gates: 'every-stage' },
    });
    expect(house.get(KINDS.rolloutOrchestrator, 'web')?.metadata.ownerReferences?.[0]).toMatchObject({
      kind: 'Application',
      name: 'web',
      controller: true,
    });
    expect([house.latest(), house.phase()]).toEqual([undefined, 'rollingOut']);
    await house.finishRollout();
    expect(house.latest()).toBe('web-v1');
  });

  it('[design 13 R] never scales on a re-dispatch', async () => {
    await using house = await firstRollout();
    await house.server.patch(
      { ...KINDS.deployment, namespace: 'shop', name: 'web-v1' },
      { type: 'merge', body: { spec: { replicas: 7 } } },
    );
    await house.clock.advance(30 * 60_000);
    expect(readNumber(house.get(KINDS.deployment, 'web-v1'), 'spec', 'replicas')).toBe(7);
  });
});

describe('a change under a rollout policy', () => {
  it('[dispatch M1] hands shared objects over at once and deletes nothing before the rollout is through', async () => {
    await using house = await firstRollout();
    await house.apply(staged('web:2'));
    expect(house.deployments()).toEqual(['web-v1', 'web-v2']);
    expect(house.get(KINDS.service, 'web')?.metadata.ownerReferences?.map(({ name }) => name)).toEqual(['web-v2-shop']);
    expect(house.tracked('web-v1-shop')).toEqual(['Deployment/web-v1', 'Service/web']);
    expect(rolloutOf(house)).toMatchObject({
      initial: [{ revisionName: 'web-v1', percent: 100 }],
      target: [{ revisionName: 'web-v2', percent: 100 }],
    });
    expect(house.latest()).toBe('web-v1');
  });

  it('[dispatch R3] collects what the new revision does not have after the scale-down delay', async () => {
    await using house = await firstRollout({ scaleDownDelaySeconds: 30 });
    await house.apply(staged('web:2', { scaleDownDelaySeconds: 30 }));
    await house.finishRollout();
    await house.clock.advance(29_000);
    expect(house.deployments()).toEqual(['web-v1', 'web-v2']);
    await house.clock.advance(1000);
    expect(house.deployments()).toEqual(['web-v2']);
    expect(house.tracked('web-v1-shop')).toBeUndefined();
    expect(house.latest()).toBe('web-v2');
    expect([...house.record.values()].map(({ action }) => action)).toContain('garbage.deleted');
  });

  it('[design 13 G] what changed since the last gate is not deleted until an approval names the application and the new digest', async () => {
    await using house = await firstRollout({ scaleDownDelaySeconds: 0 }, [config('old')]);
    await house.apply(staged('web:2', { scaleDownDelaySeconds: 0 }));
    const shown = readString(house.application(), 'status', 'collection', 'digest');
    await house.finishRollout({ seenGarbage: 'sha256:something-else' });
    expect(house.deployments()).toEqual(['web-v1', 'web-v2']);
    expect(house.condition('Collected')).toMatchObject({ status: 'False', reason: 'Held' });
    expect(house.condition('Collected')?.message).toContain(shown);
    expect(house.latest()).toBe('web-v1');
    await house.decide({ seen: { garbage: shown } });
    await house.clock.advance(10_000);
    expect(house.deployments()).toEqual(['web-v2']);
    expect(house.get(CONFIG_MAP, 'old')).toBeUndefined();
    expect(house.latest()).toBe('web-v2');
  });

  it('[design 13 G] what was seen at the last gate and still holds goes without another question', async () => {
    await using house = await firstRollout({ scaleDownDelaySeconds: 0 });
    await house.apply(staged('web:2', { scaleDownDelaySeconds: 0 }));
    await house.finishRollout({ seenGarbage: readString(house.application(), 'status', 'collection', 'digest') });
    expect(house.deployments()).toEqual(['web-v2']);
  });

  it('[design 12.8] going back to what ran before is a third revision', async () => {
    await using house = await firstRollout({ scaleDownDelaySeconds: 0 });
    for (const image of ['web:2', 'web:1']) {
      await house.apply(staged(image, { scaleDownDelaySeconds: 0 }));
      await house.finishRollout();
    }
    expect([house.deployments(), house.latest()]).toEqual([['web-v3'], 'web-v3']);
  });

  it('[design 13 M] a second change in mid-rollout retargets, and every superseded tracker goes at the end', async () => {
    await using house = await firstRollout({ scaleDownDelaySeconds: 0 });
    await house.apply(staged('web:2', { scaleDownDelaySeconds: 0 }));
    await house.setRolloutStatus({
      observedGeneration: 2,
      conditions: [{ type: 'Ready', status: 'Unknown' }],
      stageRevisionStatus: [{ revisionName: 'web-v1', percent: 100 }],
    });
    await house.apply(staged('web:3', { scaleDownDelaySeconds: 0 }));
    expect(rolloutOf(house).target).toMatchObject([{ revisionName: 'web-v3' }]);
    expect(house.deployments()).toEqual(['web-v1', 'web-v2', 'web-v3']);
    expect(house.latest()).toBe('web-v1');
    await house.finishRollout();
    expect(house.deployments()).toEqual(['web-v3']);
    expect([house.tracked('web-v1-shop'), house.tracked('web-v2-shop')]).toEqual([undefined, undefined]);
    expect(house.get(KINDS.service, 'web')?.metadata.ownerReferences?.map(({ name }) => name)).toEqual(['web-v3-shop']);
  });

  it('[design 13 B] a rejected revision is not rolled out again before a retry or a change', async () => {
    await using house = await firstRollout({ scaleDownDelaySeconds: 0 });
    await house.apply(staged('web:2', { scaleDownDelaySeconds: 0 }));
    await house.setRolloutStatus({
      observedGeneration: 2,
      conditions: [],
      control: { abort: true, abortDone: true, rejectedRevision: 'web-v2' },
    });
    house.takeWrites();
    await house.clock.advance(30 * 60_000);
    expect(house.takeWrites()).toEqual([]);
    expect(house.phase()).toBe('aborted');
    expect(house.deployments()).toEqual(['web-v1', 'web-v2']);
    await house.apply(staged('web:3', { scaleDownDelaySeconds: 0 }));
    expect(rolloutOf(house).target).toMatchObject([{ revisionName: 'web-v3' }]);
  });

  it('[design 13 B] what a rejected revision shares with the stable one goes back to it at once, and to the rejected one on a retry', async () => {
    const settings = (value: string, more: object[] = []) => ({
      name: 'settings',
      type: 'k8s-objects',
      properties: { objects: [{ ...CONFIG_MAP, metadata: { name: 'flags' }, data: { value } }, ...more] },
    });
    const state = () => {
      const flags = house.get(CONFIG_MAP, 'flags');
      return [readString(flags, 'data', 'value'), flags?.metadata.ownerReferences?.map(({ name }) => name).join()];
    };
    await using house = await firstRollout({}, [settings('old')]);
    await house.server.patch(
      { ...KINDS.deployment, namespace: 'shop', name: 'web-v1' },
      { type: 'merge', body: { spec: { replicas: 7 } } },
    );
    await house.apply(staged('web:2', {}, [settings('new', [{ ...CONFIG_MAP, metadata: { name: 'added' } }])]));
    expect(state()).toEqual(['new', 'web-v2-shop']);
    const rejected = { abort: true, abortDone: false, rejectedRevision: 'web-v2' };
    await house.setRolloutStatus({ observedGeneration: 2, conditions: [], control: rejected });
    expect(state()).toEqual(['old', 'web-v1-shop']);
    expect(house.get(KINDS.service, 'web')?.metadata.ownerReferences?.map(({ name }) => name)).toEqual(['web-v1-shop']);
    expect(house.get(CONFIG_MAP, 'added')).toBeDefined();
    expect(readNumber(house.get(KINDS.deployment, 'web-v1'), 'spec', 'replicas')).toBe(7);
    expect(house.server.requests.filter(({ verb, succeeded }) => verb === 'delete' && succeeded)).toEqual([]);
    expect([...house.record.values()].filter(({ action }) => action === 'application.restored')).toHaveLength(1);
    await house.setRolloutStatus({ observedGeneration: 2, conditions: [], control: { abort: false } });
    expect(state()).toEqual(['new', 'web-v2-shop']);
  });

  it('[design 13 B] that goes back also where the change came before the status told that the stable one runs', async () => {
    const settings = (value: string) => ({
      name: 'settings',
      type: 'k8s-objects',
      properties: { objects: [{ ...CONFIG_MAP, metadata: { name: 'flags' }, data: { value } }] },
    });
    await using house = await firstRollout({}, [settings('old')]);
    const { latestRevision: _untold, ...status } = house.application().status as Record<string, unknown>;
    await house.server.update({ ...house.application(), status }, { subresource: 'status' });
    house.record.clear();
    await house.apply(staged('web:2', {}, [settings('new')]));
    expect(readString(house.get(CONFIG_MAP, 'flags'), 'data', 'value')).toBe('new');
    // The rollout has completed it, so the status tells of it late and not never.
    expect(house.latest()).toBe('web-v1');
    expect([...house.record.values()].flatMap(({ action, message }) => (action === 'application.completed' ? [message] : []))).toEqual([
      'web had reached web-v1 before web-v2',
    ]);
    await house.setRolloutStatus({
      observedGeneration: 3,
      conditions: [],
      control: { abort: true, abortDone: false, rejectedRevision: 'web-v2' },
    });
    expect(readString(house.get(CONFIG_MAP, 'flags'), 'data', 'value')).toBe('old');
  });

  it('[design 13 M] names the revision that its rollout set out from as the one that runs, where nothing else tells', async () => {
    await using house = await firstRollout();
    const { latestRevision: _untold, ...status } = house.application().status as Record<string, unknown>;
    await house.server.update({ ...house.application(), status }, { subresource: 'status' });
    const rollout = house.server.peek({ ...KINDS.rolloutOrchestrator, namespace: 'shop', name: 'web' });
    if (rollout === undefined) throw new Error('no rollout');
    const [initialRevisions, targetRevisions] = ['web-v1', 'web-v2'].map((revisionName) => [{ revisionName, percent: 100 }]);
    await house.server.update({ ...rollout, spec: { ...(rollout.spec as object), initialRevisions, targetRevisions } });
    await house.apply(staged('web:2'));
    expect(house.latest()).toBe('web-v1');
    expect(house.phase()).toBe('rollingOut');
  });

  it('[dispatch G1] a tracker that somebody edited stops everything with a sentence', async () => {
    await using house = await firstRollout({ scaleDownDelaySeconds: 0 });
    await house.apply(staged('web:2', { scaleDownDelaySeconds: 0 }));
    const at = { ...KINDS.resourceTracker, name: 'web-v1-shop' };
    const tracker = house.server.peek(at);
    const spec = readField(tracker, 'spec') as { readonly managedResources: readonly object[] };
    if (tracker !== undefined)
      await house.server.update({
        ...tracker,
        spec: { ...spec, managedResources: [...spec.managedResources, { ...CONFIG_MAP, name: 'precious', namespace: 'shop' }] },
      });
    await house.finishRollout();
    expect(house.deployments()).toEqual(['web-v1', 'web-v2']);
    expect(house.condition('Applied')).toMatchObject({ status: 'False', reason: 'TrackerUnreliable' });
    expect(house.condition('Applied')?.message).toContain('ResourceTracker web-v1-shop');
  });

  it('[design 8] an object that was replaced under its name since it was recorded is not deleted', async () => {
    await using house = await firstRollout({ scaleDownDelaySeconds: 0 }, [config('old')]);
    await house.apply(staged('web:2', { scaleDownDelaySeconds: 0 }));
    house.server.seed({ ...CONFIG_MAP, metadata: { name: 'old', namespace: 'shop', uid: 'another' } });
    await house.finishRollout();
    expect(house.get(CONFIG_MAP, 'old')?.metadata.uid).toBe('another');
    expect(house.deployments()).toEqual(['web-v2']);
  });

  it('[design 8] nothing is deleted while what is to go cannot be read', async () => {
    await using house = await firstRollout({ scaleDownDelaySeconds: 0 }, [config('old')]);
    await house.apply(staged('web:2', { scaleDownDelaySeconds: 0 }));
    house.server.addFaults([{ verb: 'get', kind: 'ConfigMap', code: 500, times: 100 }]);
    await house.finishRollout();
    expect(house.deployments()).toEqual(['web-v1', 'web-v2']);
    expect(house.condition('Collected')?.message).toContain('the state of ConfigMap old in shop is unknown');
    house.server.clearFaults();
    await house.clock.advance(10_000);
    expect(house.deployments()).toEqual(['web-v2']);
  });
});

describe('a rollout policy that comes or goes', () => {
  it('[design 13 O] adding it adopts the running workload without touching its pods', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply({ components: [web('web:1')] });
    const template = readField(house.get(KINDS.deployment, 'web'), 'spec', 'template');
    await house.apply(staged('web:1', { scaleDownDelaySeconds: 0 }));
    const adopted = house.get(KINDS.deployment, 'web');
    expect(readField(adopted, 'spec', 'template')).toEqual(template);
    expect(adopted?.metadata.labels).toMatchObject({ 'serving.knative.dev/service': 'web', 'serving.knative.dev/revision': 'web' });
    expect(rolloutOf(house)).toMatchObject({
      initial: undefined,
      target: [{ revisionName: 'web', percent: 100, minScale: 10, maxScale: 10 }],
    });
    await house.finishRollout();
    await house.apply(staged('web:2', { scaleDownDelaySeconds: 0 }));
    expect(rolloutOf(house)).toMatchObject({ initial: [{ revisionName: 'web' }], target: [{ revisionName: 'web-v2' }] });
    expect(house.deployments()).toEqual(['web', 'web-v2']);
    await house.finishRollout();
    expect(house.deployments()).toEqual(['web-v2']);
  });

  it('[design 13 O] adding it together with a change starts from the running workload', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply({ components: [web('web:1')] });
    await house.apply(staged('web:2'));
    expect(rolloutOf(house)).toMatchObject({
      initial: [{ revisionName: 'web', minScale: 10, maxScale: 10 }],
      target: [{ revisionName: 'web-v2' }],
    });
    expect(house.get(KINDS.deployment, 'web')?.metadata.labels).toMatchObject({ 'serving.knative.dev/revision': 'web' });
    expect(readNumber(house.get(KINDS.deployment, 'web'), 'spec', 'replicas')).toBe(10);
  });

  it('[design 13 O] removing it in mid-rollout is refused with a sentence', async () => {
    await using house = await firstRollout();
    await house.apply(staged('web:2'));
    house.takeWrites();
    await house.apply({ components: [web('web:2')] });
    expect(house.condition('Applied')).toMatchObject({ status: 'False', reason: 'RolloutUnderWay' });
    expect(house.takeWrites().filter((write) => !write.includes('Application/'))).toEqual([]);
    expect(house.deployments()).toEqual(['web-v1', 'web-v2']);
  });

  it('[design 13 O] removing it while nothing rolls out puts the rollout away and leaves the pods', async () => {
    await using house = await firstRollout();
    await house.server.patch(
      { ...KINDS.deployment, namespace: 'shop', name: 'web-v1' },
      { type: 'merge', body: { spec: { replicas: 10 } } },
    );
    await house.apply({ components: [web('web:1')] });
    expect(house.get(KINDS.rolloutOrchestrator, 'web')).toBeUndefined();
    expect(readNumber(house.get(KINDS.deployment, 'web-v1'), 'spec', 'replicas')).toBe(10);
    expect(house.latest()).toBe('web-v1');
  });

  it('[rollout 14.2] a changed policy reaches the rollout without a new revision', async () => {
    await using house = await firstRollout();
    await house.apply(staged('web:1', { gates: 'every-stage' }));
    expect(rolloutOf(house).spec).toMatchObject({ control: { gates: 'every-stage' }, targetRevisions: [{ revisionName: 'web-v1' }] });
  });

  it('[design 12.12] ratio and strategy are refused at the edge', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply({ components: [web('web:1')], policies: [{ type: 'rollout', properties: { ratio: 0 } }] });
    expect(house.condition('Parsed')?.message).toBe(
      'Application web in shop: spec.policies[0].properties.ratio must be at least 1, found 0',
    );
    await house.apply({ components: [web('web:1')], policies: [{ type: 'rollout', properties: { strategy: 'yolo' } }] });
    expect(house.condition('Parsed')?.message).toContain(
      'Application web in shop: spec.policies[0].properties.strategy must be "availability" or "resourceutil", found "yolo"',
    );
  });
});
