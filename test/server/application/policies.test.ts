import { describe, expect, it } from 'vitest';
import { readField, readNumber } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { readTracker } from '@/server/dispatch';
import { ApplicationHouse } from '../../support/application-house';

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const config = (name: string, data: object = { a: 'b' }) => ({ ...CONFIG_MAP, metadata: { name }, data });
const set = (...names: readonly string[]) => ({
  name: 'set',
  type: 'k8s-objects',
  properties: { objects: names.map((name) => config(name)) },
});
const web = (image: string) => ({
  name: 'web',
  type: 'webservice',
  properties: { image },
  traits: [{ type: 'scaler', properties: { replicas: 2 } }],
});
const policy = (type: string, properties: object) => [{ name: 'p', type, properties }];
const exists = (house: ApplicationHouse, name: string) => house.get(CONFIG_MAP, name) !== undefined;
const remove = async (house: ApplicationHouse) => {
  await house.server.delete({ ...KINDS.application, namespace: 'shop', name: 'web' });
  await house.clock.settle();
};
const entriesOf = (house: ApplicationHouse, name: string) => {
  const found = house.server.peek({ ...KINDS.resourceTracker, name });
  return found === undefined ? [] : readTracker(found).entries;
};

describe('garbage-collect', () => {
  const rule = (strategy: string, selector: object = { resourceNames: ['a'] }) =>
    policy('garbage-collect', { rules: [{ selector, strategy }] });

  it('[dispatch 13] never: the object stays, without the labels of the application, when it leaves and when the application goes', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply({ components: [set('a', 'b')], policies: rule('never') });
    await house.apply({ components: [set('c')], policies: rule('never') });
    expect([exists(house, 'a'), exists(house, 'b'), exists(house, 'c')]).toEqual([true, false, true]);
    expect(house.get(CONFIG_MAP, 'a')?.metadata.labels).not.toHaveProperty('app.oam.dev/name');
    expect(house.tracked('web-v1-shop')).toBeUndefined();

    await house.apply({ components: [set('c')], policies: rule('never', { resourceNames: ['c'] }) });
    await remove(house);
    expect([exists(house, 'a'), exists(house, 'c')]).toEqual([true, true]);
    expect(house.get(CONFIG_MAP, 'c')?.metadata.labels).not.toHaveProperty('app.oam.dev/name');
  });

  it('[dispatch 13] onAppDelete: the object outlives its revision, stays on record, costs a settled pass nothing, and goes with the application', async () => {
    await using house = await new ApplicationHouse().start();
    const policies = rule('onAppDelete', { componentNames: ['set'] });
    await house.apply({ components: [set('a'), web('web:1')], policies });
    await house.apply({ components: [web('web:2')], policies });
    expect(exists(house, 'a')).toBe(true);
    expect(house.tracked('web-v1-shop')).toContain('ConfigMap/a');
    expect(house.latest()).toBe('web-v2');
    house.takeWrites();
    await house.clock.advance(30 * 60_000);
    expect(house.server.requests).toEqual([]);
    await remove(house);
    expect(exists(house, 'a')).toBe(false);
    expect([house.tracked('web-v1-shop'), house.tracked('web-v2-shop')]).toEqual([undefined, undefined]);
  });

  it('[dispatch 13] onAppDelete: an object that comes back is handed over, and the tracker that kept it goes', async () => {
    await using house = await new ApplicationHouse().start();
    const policies = rule('onAppDelete');
    for (const names of [['a', 'b'], ['b'], ['a', 'b']]) await house.apply({ components: [set(...names)], policies });
    expect([house.tracked('web-v1-shop'), house.tracked('web-v2-shop')]).toEqual([undefined, undefined]);
    expect(house.tracked('web-v3-shop')).toEqual(['ConfigMap/a', 'ConfigMap/b']);
  });

  it('[dispatch L3] keepLegacyResource leaves what older revisions had until the application goes', async () => {
    await using house = await new ApplicationHouse().start();
    const policies = policy('garbage-collect', { keepLegacyResource: true });
    await house.apply({ components: [set('a')], policies });
    await house.apply({ components: [set('b')], policies });
    expect([exists(house, 'a'), exists(house, 'b'), house.tracked('web-v1-shop')]).toEqual([true, true, ['ConfigMap/a']]);
    await remove(house);
    expect([exists(house, 'a'), exists(house, 'b')]).toEqual([false, false]);
  });

  it('[dispatch R5] applicationRevisionLimit says how many revisions stay beside the one that runs', async () => {
    await using house = await new ApplicationHouse().start();
    for (let at = 1; at <= 6; at++)
      await house.apply({ components: [set(`a${at}`)], policies: policy('garbage-collect', { applicationRevisionLimit: 2 }) });
    const left = house.server.all().filter(({ kind }) => kind === 'ApplicationRevision');
    expect(left.map(({ metadata }) => metadata.name)).toEqual(['web-v4', 'web-v5', 'web-v6']);
  });

  it.each([
    [undefined, ['a', 'b', 'c']],
    ['dependency', ['c', 'b', 'a']],
  ])('[dispatch 13] order %s deletes in the order %j', async (order, expected) => {
    await using house = await new ApplicationHouse().start();
    const policies = policy('garbage-collect', order === undefined ? {} : { order });
    await house.apply({ components: [set('a', 'b', 'c')], policies });
    house.takeWrites();
    await remove(house);
    const deleted = house.server.requests
      .filter(({ verb, kind }) => verb === 'delete' && kind === 'ConfigMap')
      .map(({ key }) => key.split('|')[3]);
    expect(deleted).toEqual(expected);
  });

  it.each([
    [true, false],
    [false, true],
  ])('[dispatch 13] continueOnFailure %s: what a revision that cannot be applied lacks stays: %s', async (continueOnFailure, stays) => {
    await using house = await new ApplicationHouse().start();
    const policies = policy('garbage-collect', { continueOnFailure });
    await house.apply({ components: [set('a', 'kept')], policies });
    house.server.addFaults([{ verb: 'create', kind: 'ConfigMap', name: 'b', code: 422, times: 1000 }]);
    await house.apply({ components: [set('kept', 'b')], policies });
    await house.clock.advance(60_000);
    expect(house.condition('Applied')).toMatchObject({ status: 'False', reason: 'DispatchFailed' });
    expect([exists(house, 'a'), exists(house, 'kept')]).toEqual([stays, true]);
  });
});

describe('apply-once', () => {
  const deployment = { ...KINDS.deployment, namespace: 'shop', name: 'web' };
  const scale = async (house: ApplicationHouse, replicas: number) => {
    await house.server.patch(deployment, { type: 'merge', body: { spec: { replicas } } });
    await house.clock.settle();
    return readNumber(house.get(KINDS.deployment, 'web'), 'spec', 'replicas');
  };

  it('[dispatch 13] without rules nothing is put right until the application changes, and the record holds references only', async () => {
    await using house = await new ApplicationHouse().start();
    const policies = policy('apply-once', { enable: true });
    await house.apply({ components: [web('web:1')], policies });
    expect(await scale(house, 7)).toBe(7);
    expect(entriesOf(house, 'web-v1-shop').map(({ raw }) => raw)).toEqual([undefined]);
    await house.apply({ components: [web('web:2')], policies });
    expect(readNumber(house.get(KINDS.deployment, 'web'), 'spec', 'replicas')).toBe(2);
  });

  it('[dispatch 13] switched off it changes nothing', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply({ components: [web('web:1')], policies: policy('apply-once', { enable: false }) });
    expect(await scale(house, 7)).toBe(2);
  });

  it.each([
    ['onStateKeep', 7, 2],
    ['always', 7, 7],
    ['onUpdate', 2, 2],
  ])('[dispatch 13] a path with affect %s has %i replicas after a drift to 7 and %i after an update', async (affect, drifted, updated) => {
    await using house = await new ApplicationHouse().start();
    const policies = policy('apply-once', {
      enable: true,
      rules: [{ selector: { resourceTypes: ['Deployment'] }, strategy: { path: ['spec.replicas'], affect } }],
    });
    await house.apply({ components: [web('web:1')], policies });
    expect(await scale(house, 7)).toBe(drifted);
    await house.apply({ components: [web('web:2')], policies });
    expect(readNumber(house.get(KINDS.deployment, 'web'), 'spec', 'replicas')).toBe(updated);
    house.takeWrites();
    await house.clock.advance(30 * 60_000);
    expect(house.takeWrites()).toEqual([]);
  });

  it('[dispatch 13] a path leaves the rest to be put right, and a star leaves the whole object', async () => {
    await using house = await new ApplicationHouse().start();
    const once = (path: string) =>
      policy('apply-once', { enable: true, rules: [{ selector: { resourceNames: ['a'] }, strategy: { path: [path] } }] });
    const at = { ...CONFIG_MAP, namespace: 'shop', name: 'a' };
    const drift = async () => {
      await house.server.patch(at, { type: 'merge', body: { data: { a: 'x', more: 'y' } } });
      await house.clock.settle();
      return readField(house.get(CONFIG_MAP, 'a'), 'data');
    };
    const component = { name: 'set', type: 'k8s-objects', properties: { objects: [config('a', { a: 'b', more: 'c' })] } };
    await house.apply({ components: [component], policies: once('data.more') });
    expect(await drift()).toEqual({ a: 'b', more: 'y' });
    await house.apply({ components: [component], policies: once('*') });
    expect(await drift()).toEqual({ a: 'x', more: 'y' });
  });
});

describe('take-over and read-only', () => {
  const seedForeign = (house: ApplicationHouse) =>
    house.server.seed({ ...CONFIG_MAP, metadata: { name: 'a', namespace: 'shop' }, data: { theirs: 'x' } });

  it('[dispatch 13] an object that belongs to nobody is left alone with a sentence until a take-over policy selects it', async () => {
    await using house = await new ApplicationHouse().start();
    seedForeign(house);
    await house.apply({ components: [set('a')] });
    expect(house.condition('Applied')).toMatchObject({ status: 'False', reason: 'ObjectTaken' });
    expect(house.condition('Applied')?.message).toContain(
      'ConfigMap a in shop exists and belongs to no application, so application shop/web leaves it alone',
    );
    expect(readField(house.get(CONFIG_MAP, 'a'), 'data')).toEqual({ theirs: 'x' });
    await house.apply({ components: [set('a')], policies: policy('take-over', { rules: [{ selector: { resourceNames: ['a'] } }] }) });
    expect(readField(house.get(CONFIG_MAP, 'a'), 'data')).toEqual({ theirs: 'x', a: 'b' });
    expect(house.latest()).toBe('web-v1');
  });

  it('[dispatch 13] a take-over policy does not take from another application', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply({ components: [set('a')] }, 'first');
    await house.apply({ components: [set('a')], policies: policy('take-over', { rules: [{ selector: { componentNames: ['set'] } }] }) });
    expect(house.condition('Applied')?.message).toContain('belongs to application shop/first');
  });

  it('[dispatch 13] a read-only object must exist, is listed, never written and never deleted', async () => {
    await using house = await new ApplicationHouse().start();
    const policies = policy('read-only', { rules: [{ selector: { resourceNames: ['a'] } }] });
    await house.apply({ components: [set('a', 'b')], policies });
    expect(house.condition('Applied')?.message).toContain(
      'ConfigMap a in shop must exist, because the read-only policy names it, but it does not',
    );
    seedForeign(house);
    await house.clock.advance(60_000);
    const before = house.get(CONFIG_MAP, 'a');
    expect(house.latest()).toBe('web-v1');
    expect(house.tracked('web-v1-shop')).toEqual(['ConfigMap/a', 'ConfigMap/b']);
    await house.apply({ components: [set('b')], policies: [] });
    await remove(house);
    expect(house.get(CONFIG_MAP, 'a')).toEqual(before);
    expect(exists(house, 'b')).toBe(false);
  });
});

describe('what is refused', () => {
  it.each<[string, object, string]>([
    [
      'garbage-collect',
      { keepLegacy: true },
      'properties has "keepLegacy", which is unknown here; a garbage-collect policy has applicationRevisionLimit,',
    ],
    ['garbage-collect', { order: 'random' }, 'properties.order must be "dependency", found "random"'],
    ['garbage-collect', { rules: [{ selector: { names: ['a'] } }] }, 'properties.rules[0].selector has "names", which is unknown here'],
    [
      'garbage-collect',
      { rules: [{ selector: {}, strategy: 'later' }] },
      'properties.rules[0].strategy must be "never" or "onAppUpdate" or "onAppDelete", found "later"',
    ],
    [
      'apply-once',
      { enable: true, rules: [{ selector: {}, strategy: { path: [] } }] },
      'properties.rules[0].strategy.path must have at least 1 member, found []',
    ],
    ['take-over', { enable: true }, 'properties has "enable", which is unknown here; a take-over policy has rules'],
    ['read-only', { rules: [{}] }, 'properties.rules[0].selector must be an object, found nothing'],
  ])('[dispatch 13] %s with %j', async (type, properties, sentence) => {
    await using house = await new ApplicationHouse().start();
    await house.apply({ components: [set('a')], policies: policy(type, properties) });
    expect(house.condition('Parsed')?.message).toContain(`Application web in shop: spec.policies[0].${sentence}`);
  });

  it('[dispatch 13] a second policy of one type', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply({ components: [set('a')], policies: [...policy('take-over', {}), ...policy('take-over', {})] });
    expect(house.condition('Parsed')?.message).toContain('spec.policies[1] is a second take-over policy; an application may have one');
  });
});
