import { describe, expect, it } from 'vitest';
import { readFields, readList } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { SUSPENDED } from '@/lib/kube/paused-by';
import { ApplicationHouse } from '../../support/application-house';

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const set = (...names: string[]) => ({
  components: [{ name: 'set', type: 'k8s-objects', properties: { objects: names.map((name) => ({ ...CONFIG_MAP, metadata: { name } })) } }],
});
const numberOf = (house: ApplicationHouse, wanted: string) => house.server.all().filter(({ kind }) => kind === wanted).length;

it('[dispatch R1] a watch of revisions that is behind has no revision made twice', async () => {
  await using house = await new ApplicationHouse().start();
  await house.apply(set('a'));
  house.informers.fall('ApplicationRevision', 'behind');
  await house.apply(set('b'));
  await house.clock.advance(30_000);
  expect([numberOf(house, 'ApplicationRevision'), house.latest()]).toEqual([2, 'web-v2']);
});

it('[dispatch R1] content that comes back is no older revision again while the watch of revisions is behind', async () => {
  await using house = await new ApplicationHouse().start();
  await house.apply(set('a'));
  house.informers.fall('ApplicationRevision', 'behind');
  await house.apply(set('b'));
  await house.apply(set('a'));
  await house.clock.advance(30_000);
  expect([house.get(CONFIG_MAP, 'b') !== undefined, house.latest()]).toEqual([true, 'web-v2']);
  house.informers.recover();
  await house.clock.advance(30_000);
  expect([house.get(CONFIG_MAP, 'a') !== undefined, house.get(CONFIG_MAP, 'b'), house.latest()]).toEqual([true, undefined, 'web-v3']);
});

it('[dispatch R4] a tracker that the watch has not told of is collected before its application goes', async () => {
  await using house = await new ApplicationHouse().start();
  house.informers.fall('ResourceTracker', 'behind');
  await house.apply(set('a'));
  await house.server.delete({ ...KINDS.application, namespace: 'shop', name: 'web' });
  await house.clock.advance(20_000);
  expect(house.get(KINDS.application, 'web')).toBeDefined();
  house.informers.recover();
  await house.clock.advance(20_000);
  expect([house.get(KINDS.application, 'web'), house.get(CONFIG_MAP, 'a'), house.tracked('web-v1-shop')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

describe('[issue 14.3] an application that was suspended while its watch is behind', () => {
  const annotate = (house: ApplicationHouse, suspended: string | null) => {
    const body = { metadata: { annotations: { [SUSPENDED]: suspended } } };
    return house.server.patch({ ...KINDS.application, namespace: 'shop', name: 'web' }, { type: 'merge', body });
  };
  const suspended = async () => {
    const house = await new ApplicationHouse().start();
    await house.apply(set('a', 'b'));
    house.informers.fall('Application', 'behind');
    await annotate(house, 'true');
    return house;
  };

  it('has no object reverted that a person deletes', async () => {
    await using house = await suspended();
    await house.server.delete({ ...CONFIG_MAP, namespace: 'shop', name: 'a' });
    await house.clock.advance(30_000);
    expect(house.get(CONFIG_MAP, 'a')).toBeUndefined();
  });

  it('is brought in step once it is resumed', async () => {
    await using house = await suspended();
    await house.server.delete({ ...CONFIG_MAP, namespace: 'shop', name: 'a' });
    house.informers.recover();
    await house.clock.advance(30_000);
    expect(house.get(CONFIG_MAP, 'a')).toBeUndefined();
    await annotate(house, null);
    await house.clock.advance(30_000);
    expect(house.get(CONFIG_MAP, 'a')).toBeDefined();
  });
});

it('[dispatch P2] an object of nobody is left alone also while its kind cannot be listed', async () => {
  await using house = await new ApplicationHouse().start();
  house.server.seed({ ...CONFIG_MAP, metadata: { name: 'a', namespace: 'shop' }, data: { precious: 'yes' } });
  house.informers.fall('ConfigMap', 'unlisted');
  await house.apply(set('a'));
  await house.clock.advance(20_000);
  expect(house.condition('Applied')?.message).toContain('ConfigMap a in shop exists and belongs to no application');
  expect(house.get(CONFIG_MAP, 'a')?.metadata.ownerReferences).toBeUndefined();
});

it('[dispatch G1] a line that somebody adds while a record is written is never taken for ours', async () => {
  await using house = await new ApplicationHouse().start();
  house.server.seed({ ...CONFIG_MAP, metadata: { name: 'stranger', namespace: 'shop' } });
  let edited = false;
  house.server.onAnswer = (verb, { kind, name }) => {
    if (edited || verb !== 'create' || kind !== 'ResourceTracker') return;
    edited = true;
    const live = house.server.peek({ ...KINDS.resourceTracker, name });
    const managedResources = [...readList(live, 'spec', 'managedResources'), { ...CONFIG_MAP, name: 'stranger', namespace: 'shop' }];
    if (live !== undefined) house.server.seed({ ...live, spec: { ...readFields(live, 'spec'), managedResources } });
  };
  await house.apply(set('a'));
  await house.apply(set('b'));
  await house.clock.advance(20_000);
  expect([edited, house.get(CONFIG_MAP, 'stranger') !== undefined]).toEqual([true, true]);
  expect(house.condition('Applied')).toMatchObject({ reason: 'TrackerUnreliable' });
});

it('[dispatch R4] a tracker that is made while another replica lets its application go lists nothing, and goes', async () => {
  await using house = await new ApplicationHouse().start();
  let struck = false;
  house.server.onRequest = (verb, { kind }) => {
    if (struck || verb !== 'create' || kind !== 'ResourceTracker') return;
    struck = true;
    const { metadata, ...application } = house.application();
    house.server.seed({ ...application, metadata: { ...metadata, finalizers: [], deletionTimestamp: '2026-01-01T09:00:00Z' } });
  };
  await house.apply(set('a'));
  await house.clock.advance(20_000);
  expect([struck, house.get(KINDS.application, 'web'), house.get(CONFIG_MAP, 'a'), house.tracked('web-v1-shop')]).toEqual([
    true,
    undefined,
    undefined,
    undefined,
  ]);
});

it('[dispatch R4] an empty tracker that a crash left without an application goes, one that lists something or belongs to a stranger stays', async () => {
  await using house = new ApplicationHouse();
  const labels = { 'app.oam.dev/name': 'web', 'app.oam.dev/namespace': 'shop' };
  const tracker = (name: string, managedResources: object[], more: object = { 'app.oam.dev/uid': 'uid:gone' }) =>
    house.server.seed({
      ...KINDS.resourceTracker,
      metadata: { name, labels: { ...labels, ...more } },
      spec: { type: 'versioned', applicationGeneration: 1, managedResources },
    });
  tracker('web-v1-shop', []);
  tracker('web-v2-shop', [{ ...CONFIG_MAP, name: 'a', namespace: 'shop' }]);
  tracker('web-v3-shop', [], {});
  await house.start();
  await house.clock.advance(20_000);
  expect([house.tracked('web-v1-shop'), house.tracked('web-v2-shop'), house.tracked('web-v3-shop')]).toEqual([
    undefined,
    ['ConfigMap/a'],
    [],
  ]);
});

it('[dispatch R4] an empty tracker of an application that no watch has told of stays, and is put on record once it goes without one', async () => {
  await using house = new ApplicationHouse();
  await house.startAnother(house.informers);
  house.informers.fall('Application', 'behind');
  await house.apply(set('a'));
  const labels = { 'app.oam.dev/name': 'web', 'app.oam.dev/namespace': 'shop', 'app.oam.dev/uid': 'uid:gone' };
  const tracker = {
    ...KINDS.resourceTracker,
    metadata: { name: 'web-v1-shop', labels },
    spec: { type: 'versioned', applicationGeneration: 1, managedResources: [] },
  };
  const dropped = () => [...house.record.values()].flatMap(({ action, about }) => (action === 'tracker.dropped' ? about?.name : []));
  await house.server.create(tracker);
  await house.clock.advance(20_000);
  expect([house.tracked('web-v1-shop'), dropped()]).toEqual([[], []]);
  await house.server.delete({ ...KINDS.application, namespace: 'shop', name: 'web' });
  const { metadata } = house.server.peek({ ...KINDS.resourceTracker, name: 'web-v1-shop' }) ?? tracker;
  await house.server.update({ ...tracker, metadata: { ...metadata, annotations: { seen: 'again' } } });
  await house.clock.advance(20_000);
  expect([house.tracked('web-v1-shop'), dropped()]).toEqual([undefined, ['web-v1-shop']]);
});

it('[dispatch R2] a rollout that the watch has not told of yet fails nothing: it is looked at again, and no second one is made', async () => {
  await using house = new ApplicationHouse();
  const engine = await house.startAnother(house.informers);
  house.informers.fall('RolloutOrchestrator', 'behind');
  const web = { name: 'web', type: 'webservice', properties: { image: 'registry.example.com/web:1' } };
  await house.apply({ components: [web], policies: [{ name: 'staged', type: 'rollout', properties: { ratio: 20 } }] });
  await house.clock.advance(5000);
  expect(engine.controllers.map((controller) => controller.stats().lastError)).toEqual([undefined, undefined]);
  expect([numberOf(house, 'RolloutOrchestrator'), house.condition('Applied')?.status]).toEqual([1, 'True']);
  house.informers.recover();
  await house.clock.advance(5000);
  await house.finishRollout();
  await house.clock.advance(5000);
  expect(house.latest()).toBe('web-v1');
});
