import { describe, expect, it } from 'vitest';
import { readConditions } from '@/lib/kube/condition';
import { REQUESTED_BY } from '@/lib/kube/kinds';
import { ApplicationHouse } from '../../support/application-house';

// What an application says of itself when a pass does not come to its end.

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
const configMap = (name: string, data: object = { from: 'git' }) => ({ ...CONFIG_MAP, metadata: { name }, data });
const holding = (...objects: readonly object[]) => ({ components: [{ name: 'set', type: 'k8s-objects', properties: { objects } }] });
const told = (house: ApplicationHouse) =>
  Object.fromEntries(readConditions(house.application()).map(({ type, status, reason }) => [type, `${status} ${reason}`]));
const services = (house: ApplicationHouse) => (house.application().status as { readonly services?: unknown }).services;

async function running(...names: readonly string[]): Promise<ApplicationHouse> {
  const house = await new ApplicationHouse().start();
  await house.apply(holding(...names.map((name) => configMap(name))));
  await house.clock.advance(1000);
  expect(told(house)).toEqual({
    Parsed: 'True Parsed',
    Applied: 'True Applied',
    RolledOut: 'True RolledOut',
    Collected: 'True Collected',
    Ready: 'True Ready',
  });
  return house;
}

describe('conditions', () => {
  it('[issue 9.1] say what became of a component while its status was read for the first time', async () => {
    await using house = await new ApplicationHouse().start();
    const front = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'front' },
      spec: { replicas: 1, selector: { matchLabels: { app: 'front' } } },
    };
    house.informers.fall('ReplicaSet', 'partial');
    await house.apply(holding(front));
    // It was read by then, and is told for the first time once what it owns is listed.
    const held = house.get({ apiVersion: 'apps/v1', kind: 'Deployment' }, 'front');
    const failed = [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'too long' }];
    if (held !== undefined) await house.server.update({ ...held, status: { conditions: failed } }, { subresource: 'status' });
    await house.clock.advance(5000);
    house.informers.recover();
    await house.clock.advance(5000);
    expect(house.condition('Ready')?.message).toContain('Progress deadline exceeded');
  });

  it('[issue 9] say of what comes after a refusal that it is not known, and why, until it is known again', async () => {
    await using house = await running('a');
    await house.apply({ components: [{ name: 'set', type: 'no-such-type' }] });
    expect(told(house)).toEqual({
      Parsed: 'False Invalid',
      Applied: 'Unknown Invalid',
      RolledOut: 'Unknown Invalid',
      Collected: 'Unknown Invalid',
      Ready: 'False Invalid',
    });
    expect(house.condition('Collected')?.message).toBe(house.condition('Parsed')?.message);
    expect(services(house)).toBeUndefined();
    await house.apply(holding(configMap('a')));
    await house.clock.advance(1000);
    expect(new Set(Object.values(told(house)).map((one) => one.split(' ')[0]))).toEqual(new Set(['True']));
    expect(services(house)).toHaveLength(1);
  });

  it('[issue 9] say so as well of a change that is held', async () => {
    await using house = await running('a');
    await house.server.create({ ...configMap('b'), metadata: { name: 'b', namespace: 'shop' } });
    await house.apply(holding(configMap('a'), configMap('b')));
    expect(told(house)).toEqual({
      Parsed: 'True Parsed',
      Applied: 'False ObjectTaken',
      RolledOut: 'Unknown ObjectTaken',
      Collected: 'Unknown ObjectTaken',
      Ready: 'False ObjectTaken',
    });
  });

  it('[issue 9] name the step that failed: what was applied is applied although what is left of the old cannot be deleted', async () => {
    await using house = await running('a', 'b');
    house.server.addFaults([{ verb: 'delete', kind: 'ConfigMap', code: 500, times: 1000 }]);
    await house.apply(holding(configMap('a')));
    await house.clock.advance(10_000);
    expect(told(house)).toMatchObject({
      Applied: 'True Applied',
      RolledOut: 'True RolledOut',
      Collected: 'False CollectionFailed',
      Ready: 'False CollectionFailed',
    });
    house.server.clearFaults();
    await house.clock.advance(600_000);
    expect(told(house)).toMatchObject({ Collected: 'True Collected', Ready: 'True Ready' });
  });

  it('[issue 9] tell of a pass that throws outside of its steps, in one line, until one succeeds', async () => {
    await using house = await running('a');
    house.server.onRequest = (verb, { kind }) => {
      if (verb === 'list' && kind === 'ApplicationRevision') throw new TypeError('cannot read the list\n    at somewhere.ts:1');
    };
    await house.apply(holding(configMap('a', { from: 'elsewhere' })));
    await house.clock.advance(1000);
    expect(told(house)).toEqual({
      Reconciled: 'False ReconcileFailed',
      Parsed: 'Unknown ReconcileFailed',
      Applied: 'Unknown ReconcileFailed',
      RolledOut: 'Unknown ReconcileFailed',
      Collected: 'Unknown ReconcileFailed',
      Ready: 'False ReconcileFailed',
    });
    expect(house.condition('Ready')?.message).toBe('cannot read the list');
    expect(house.phase()).toBe('unhealthy');
    house.server.onRequest = () => undefined;
    await house.clock.advance(600_000);
    expect(told(house)).toMatchObject({ Applied: 'True Applied', Ready: 'True Ready' });
    expect(told(house).Reconciled).toBeUndefined();
    expect(house.latest()).toBe('web-v2');
  });

  it('[issue 9] are not written again and again for a failure whose figures differ each time', async () => {
    await using house = await running('a');
    let failures = 0;
    house.server.onRequest = (verb, { kind }) => {
      if (verb === 'list' && kind === 'ApplicationRevision') throw new Error(`no answer within ${++failures} ms`);
    };
    await house.apply(holding(configMap('a', { from: 'elsewhere' })));
    const versions = new Set<string | undefined>();
    for (let second = 0; second < 60; second++) {
      await house.clock.advance(1000);
      versions.add(house.application().metadata.resourceVersion);
    }
    expect(failures).toBeGreaterThan(2);
    expect(versions.size).toBe(1);
  });
});

describe('a change whose plan is no longer what was previewed', () => {
  const by = (user: string) => ({ [REQUESTED_BY.user]: user });
  /** Somebody applies a change of their own with kubectl. */
  const applyAs = async (house: ApplicationHouse, user: string, spec: object) => {
    const live = house.application();
    await house.server.update({
      ...live,
      metadata: { ...live.metadata, annotations: { ...live.metadata.annotations, ...by(user) } },
      spec,
    });
    await house.clock.advance(1000);
  };
  const why = (house: ApplicationHouse) => house.condition('Applied')?.message ?? '';
  /** Everybody may do everything. */
  const permit = (house: ApplicationHouse) => {
    const create = house.server.create.bind(house.server);
    house.server.create = (object, options) =>
      object.kind === 'SubjectAccessReview' ? Promise.resolve({ ...object, status: { allowed: true } }) : create(object, options);
  };

  it('[issue 9] says whose change was applied in between, and what becomes of which object now', async () => {
    await using house = await running('a', 'b');
    permit(house);
    const mine = holding(configMap('a', { from: 'elsewhere' }), configMap('b'));
    const seen = await house.plan(mine);
    await applyAs(house, 'bob', holding(configMap('a'), configMap('b', { from: 'bob' })));
    expect(house.latest()).toBe('web-v2');
    await house.applySeen(mine, seen);
    expect(house.condition('Applied')?.reason).toBe('PlanMoved');
    expect(why(house)).toContain('another change was applied after this one was previewed: web-v2 (by bob)');
    expect(why(house)).toContain('ConfigMap b in shop is a different object than shown, or would be changed in other fields');
    expect(why(house)).not.toContain('the cluster changed');
  });

  it('[issue 9] says that the plan belongs to another change', async () => {
    await using house = await running('a');
    permit(house);
    const seen = await house.plan(holding(configMap('a', { from: 'ada' })));
    const live = house.application();
    await house.server.update({ ...live, metadata: { ...live.metadata, annotations: by('bob') } });
    await house.applySeen(holding(configMap('a', { from: 'bob' })), seen);
    expect(why(house)).toContain('ada previewed a different change from the one that bob applied');
  });

  it('[issue 9] names the objects that somebody else changed', async () => {
    await using house = await running('a');
    const next = holding(configMap('a', { from: 'elsewhere' }), configMap('c'));
    const seen = await house.plan(next);
    const labels = { 'app.oam.dev/name': 'web', 'app.oam.dev/namespace': 'shop' };
    await house.server.create({ ...configMap('c'), metadata: { name: 'c', namespace: 'shop', labels } });
    await house.applySeen(next, seen);
    expect(why(house)).toMatch(/^the cluster changed after the preview: ConfigMap c in shop .*; nothing was applied: compare both plans/);
    expect(why(house)).not.toContain('ConfigMap a');
  });
});
