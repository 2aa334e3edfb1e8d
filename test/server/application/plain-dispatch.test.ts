import { describe, expect, it } from 'vitest';
import { readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { ApplicationHouse } from '../../support/application-house';

const web = (image: string, traits: object[] = []) => ({
  name: 'web',
  type: 'webservice',
  properties: { image, ports: [{ port: 80, expose: true }] },
  traits,
});
const settings = (name: string) => ({
  name: 'settings',
  type: 'k8s-objects',
  properties: { objects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: 'b' } }] },
});

describe('an application without a rollout policy', () => {
  it('[dispatch R1] makes revision, tracker and objects, and only then names the latest revision', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply({ components: [web('web:1', [{ type: 'scaler', properties: { replicas: 3 } }])] });
    expect(house.tracked('web-v1-shop')).toEqual(['Deployment/web', 'Service/web']);
    expect(house.latest()).toBe('web-v1');
    expect(readNumber(house.get(KINDS.deployment, 'web'), 'spec', 'replicas')).toBe(3);
    expect(house.get(KINDS.applicationRevision, 'web-v1')?.metadata.ownerReferences?.[0]?.kind).toBe('Application');
    expect(house.condition('Applied')?.status).toBe('True');
    expect([...house.record.keys()].some((id) => id.startsWith('application.completed'))).toBe(true);
  });

  it('[dispatch R1] an upgrade hands shared objects over, collects the rest, and drops the old tracker', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply({ components: [web('web:1'), settings('old')] });
    await house.apply({ components: [web('web:2'), settings('new')] });
    expect(house.get({ apiVersion: 'v1', kind: 'ConfigMap' }, 'old')).toBeUndefined();
    expect(house.get({ apiVersion: 'v1', kind: 'ConfigMap' }, 'new')).toBeDefined();
    expect(house.tracked('web-v1-shop')).toBeUndefined();
    expect(house.get(KINDS.service, 'web')?.metadata.ownerReferences?.map(({ name }) => name)).toEqual(['web-v2-shop']);
    expect(house.latest()).toBe('web-v2');
  });

  it('[design 11] an unchanged application is looked at again without a write and without a read per object', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply({ components: [web('web:1', [{ type: 'scaler' }])] });
    house.takeWrites();
    await house.clock.advance(30 * 60_000);
    expect(house.server.requests).toEqual([]);
  });

  it('[design 12.8] A, then B, then A again is three revisions', async () => {
    await using house = await new ApplicationHouse().start();
    for (const image of ['web:a', 'web:b', 'web:a']) await house.apply({ components: [web(image)] });
    expect(house.latest()).toBe('web-v3');
  });

  it('[dispatch R5] keeps ten revisions beside the one that runs, the oldest go first', async () => {
    await using house = await new ApplicationHouse().start();
    for (let at = 1; at <= 14; at++) await house.apply({ components: [web(`web:${at}`)] });
    const left = house.server
      .all()
      .filter(({ kind }) => kind === 'ApplicationRevision')
      .map(({ metadata }) => metadata.name);
    expect(left).toEqual(Array.from({ length: 11 }, (_, at) => `web-v${at + 4}`));
  });

  it('[dispatch 13] what somebody changed on an object of ours is put right', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply({ components: [web('web:1')] });
    const live = house.get(KINDS.deployment, 'web');
    await house.server.patch(
      { ...KINDS.deployment, namespace: 'shop', name: 'web' },
      { type: 'strategic', body: { spec: { template: { spec: { containers: [{ name: 'web', image: 'evil:1' }] } } } } },
    );
    await house.clock.settle();
    expect(readString(house.get(KINDS.deployment, 'web'), 'spec', 'template', 'spec', 'containers', 0, 'image')).toBe('web:1');
    expect(live?.metadata.uid).toBe(house.get(KINDS.deployment, 'web')?.metadata.uid);
  });

  it('[design 3] an unknown field is refused with a sentence naming object, field, found and wanted, and nothing is written', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply({ components: [{ name: 'web', type: 'webservice', properties: { image: 'a', imag: 'b' } }] });
    expect(house.condition('Parsed')?.message).toMatch(
      /^Application web in shop: spec\.components\[0\]\.properties has "imag", which is unknown here; a webservice has labels, .*image/,
    );
    expect(house.deployments()).toEqual([]);
    expect(house.phase()).toBe('rendering');
  });
});

describe('two applications', () => {
  it('[dispatch N4] that come to the same tracker are refused with a sentence naming both', async () => {
    await using house = await new ApplicationHouse().start();
    await house.server.create({
      ...KINDS.resourceTracker,
      metadata: { name: 'web-v1-shop', labels: { 'app.oam.dev/name': 'web-v1', 'app.oam.dev/namespace': 'other' } },
      spec: { type: 'versioned', applicationGeneration: 1 },
    });
    house.takeWrites();
    await house.apply({ components: [web('web:1')] });
    expect(house.condition('Applied')).toMatchObject({ status: 'False', reason: 'NameTaken' });
    expect(house.condition('Applied')?.message).toContain('belongs to application other/web-v1, and application shop/web');
    expect(house.deployments()).toEqual([]);
  });

  it('[dispatch P2] that claim one object: the second is refused with a sentence naming both, and nothing changes', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply({ components: [web('web:1')] });
    const before = house.get(KINDS.deployment, 'web');
    await house.apply({ components: [web('other:1'), settings('mine')] }, 'second');
    expect(house.condition('Applied', 'second')?.message).toContain(
      'Deployment web in shop belongs to application shop/web, and application shop/second needs it too',
    );
    expect(house.get(KINDS.deployment, 'web')).toEqual(before);
    expect(house.get({ apiVersion: 'v1', kind: 'ConfigMap' }, 'mine')).toBeUndefined();
  });
});

describe('deleting an application', () => {
  it('[dispatch R4] collects what its trackers list by the plan and lets the object go', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply({ components: [web('web:1')] });
    await house.server.delete({ ...KINDS.application, namespace: 'shop', name: 'web' });
    await house.clock.settle();
    expect(house.deployments()).toEqual([]);
    expect(house.tracked('web-v1-shop')).toBeUndefined();
    expect(house.get(KINDS.application, 'web')).toBeUndefined();
  });

  it('[design 8] of five objects and more waits for a decision that names the count, and leaves a claim without an owner', async () => {
    await using house = await new ApplicationHouse().start();
    const objects = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }));
    const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data' } };
    await house.apply({ components: [{ name: 'set', type: 'k8s-objects', properties: { objects: [...objects, claim] } }] });
    await house.server.delete({ ...KINDS.application, namespace: 'shop', name: 'web' });
    await house.clock.settle();
    expect(house.condition('Collected')?.message).toBe('it would delete 5 of 6 objects, more than half of the application');
    const digest = readString(house.application(), 'status', 'collection', 'digest');
    const stale = await house.decide({ seen: { garbage: 'sha256:other' }, garbage: { count: 5 } });
    expect(readString(stale, 'status', 'phase')).toBe('Rejected');
    expect(house.tracked('web-v1-shop')).toHaveLength(6);
    const decision = await house.decide({ seen: { garbage: digest }, garbage: { count: 5 } });
    expect(readString(decision, 'status', 'phase')).toBe('Accepted');
    await house.clock.advance(10_000);
    expect(house.get(KINDS.application, 'web')).toBeUndefined();
    expect(house.get({ apiVersion: 'v1', kind: 'ConfigMap' }, 'a')).toBeUndefined();
    expect(house.get({ apiVersion: 'v1', kind: 'PersistentVolumeClaim' }, 'data')?.metadata.ownerReferences).toEqual([]);
    expect(house.record.get(decision.metadata.uid ?? '')?.actor).toBe('ada');
  });
});
