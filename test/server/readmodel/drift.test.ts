import { describe, expect, it } from 'vitest';
import type { ApplicationDetail, ApplicationRow } from '@/lib/contract/application-rows';
import type { DriftView } from '@/lib/contract/drift-rows';
import { readField, readNumber } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { aStorefront } from '../../support/applications';
import type { House } from '../../support/house';
import { startHouse } from '../../support/house';
import { isWaitingAt } from '../../support/told';
import type { Rows } from './rig';
import { openRows } from './rig';

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const SECRET = { apiVersion: 'v1', kind: 'Secret' };
const CANARY = 'canary-90d2';

const shop = (policies: readonly object[] = [], names: readonly string[] = ['a', 'b']): KubeObject => ({
  ...KINDS.application,
  metadata: { name: 'shop' },
  spec: {
    components: [
      { name: 'web', type: 'webservice', properties: { image: 'web:1' }, traits: [{ type: 'scaler', properties: { replicas: 2 } }] },
      {
        name: 'set',
        type: 'k8s-objects',
        properties: {
          objects: [
            ...names.map((name) => ({ ...CONFIG_MAP, metadata: { name }, data: { key: 'wanted' } })),
            { ...SECRET, metadata: { name: 'keys' }, stringData: { password: CANARY } },
          ],
        },
      },
    ],
    policies,
  },
});
const once = (path: string, resourceTypes: readonly string[]) => ({
  type: 'apply-once',
  properties: { enable: true, rules: [{ selector: { resourceTypes }, strategy: { path: [path] } }] },
});

const rowOf = (rows: Rows, drifted = false) =>
  rows.see({ kind: 'applications', query: drifted ? { drifted } : {} })?.rows[0] as unknown as ApplicationRow | undefined;
function driftOf(rows: Rows, house: House): DriftView {
  const [detail] = rows.see({ kind: 'application', ns: house.ns, name: 'shop' })?.rows ?? [];
  return (detail as unknown as ApplicationDetail).drift; // checked by its schema where the browser reads it
}

async function edit(house: House, type: { apiVersion: string; kind: string }, name: string, body: object): Promise<void> {
  await house.cluster.patch({ ...type, namespace: house.ns, name }, { type: 'merge', body }, { fieldManager: 'somebody' });
}

async function applied(house: House, rows: Rows): Promise<void> {
  await house.until('everything is as specified', () => rowOf(rows) !== undefined && driftOf(rows, house).state === 'compared');
}

describe('what the screens show of drift', () => {
  it('[dispatch 13] nothing is said before a revision is applied, and then that everything is as it is wanted', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await house.apply(shop());
    await applied(house, rows);
    expect(driftOf(rows, house)).toMatchObject({
      revision: 'shop-v1',
      compared: 4,
      drifted: 0,
      left: 0,
      unknown: 0,
      objects: [],
      repair: { when: 'soon' },
    });
    expect(rowOf(rows)).toMatchObject({ drifted: 0, left: 0 });
    expect(rowOf(rows, true)).toBeUndefined();
    const place = { ns: house.ns, name: 'shop' };
    const at = (name: string) => ({ ...CONFIG_MAP, namespace: house.ns, name });
    expect(rows.model.desiredOf(place, at('a'))).toMatchObject({ revision: 'shop-v1', manifest: { metadata: { name: 'a' } } });
    expect(rows.model.desiredOf(place, at('z'))).toEqual({ uncompared: `shop-v1 does not include ConfigMap z in ${house.ns}` });
    expect(() => rows.model.desiredOf({ ...place, name: 'none' }, at('a'))).toThrow(
      `there is no application none in namespace ${house.ns}`,
    );
  });

  it('[dispatch 13] what apply-once leaves is told apart from what is put back, a Secret by its key alone', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await house.apply(shop([once('data', ['Secret', 'ConfigMap'])]));
    await applied(house, rows);
    await edit(house, SECRET, 'keys', { data: { password: Buffer.from('other').toString('base64') } });
    await edit(house, CONFIG_MAP, 'a', { data: { key: 'found' } });
    await house.until('both are told', () => driftOf(rows, house).left === 2);
    const { objects, drifted } = driftOf(rows, house);
    expect(drifted).toBe(0);
    expect(objects.map(({ kind, name, state, fields }) => [kind, name, state, fields])).toEqual([
      ['ConfigMap', 'a', 'left', [{ path: 'data.key', kind: 'changed', kept: 'apply-once' }]],
      ['Secret', 'keys', 'left', [{ path: 'data.password', kind: 'changed', kept: 'apply-once' }]],
    ]);
    expect(rowOf(rows)).toMatchObject({ drifted: 0, left: 2 });
    expect(JSON.stringify([driftOf(rows, house), rowOf(rows)])).not.toMatch(
      new RegExp(`${CANARY}|${Buffer.from(CANARY).toString('base64')}`),
    );
  });

  it('[dispatch 13] under apply-once as a whole everything is left, also what is gone', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await house.apply(shop([{ type: 'apply-once', properties: { enable: true } }]));
    await applied(house, rows);
    await edit(house, KINDS.deployment, 'web', { spec: { replicas: 5 } });
    await house.cluster.delete({ ...CONFIG_MAP, namespace: house.ns, name: 'b' });
    await house.until('both are told', () => driftOf(rows, house).left === 2);
    expect(driftOf(rows, house)).toMatchObject({ drifted: 0, repair: { when: 'never', why: expect.stringContaining('apply-once') } });
    expect(driftOf(rows, house).objects.map(({ name, state }) => [name, state])).toEqual([
      ['web', 'left'],
      ['b', 'gone'],
    ]);
  });

  it('[dispatch 13] what cannot be put back counts as drifted, and says what the tries come to', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await house.apply(shop());
    await applied(house, rows);
    house.faults.fail({ verb: 'patch', kind: 'ConfigMap', name: 'a' }, 500, { times: 1000, message: 'no room' });
    const live = await house.get(CONFIG_MAP, 'a');
    await house.cluster.update({ ...CONFIG_MAP, metadata: { ...live?.metadata }, data: { key: 'found' } });
    await house.until('it is told', () => driftOf(rows, house).repair.when === 'waits');
    expect(driftOf(rows, house)).toMatchObject({ state: 'compared', drifted: 1, repair: { why: expect.stringContaining('no room') } });
    expect(rowOf(rows, true)).toMatchObject({ name: 'shop', drifted: 1 });
  });

  it('[dispatch 13] of an application that is held it says that nothing is put back, and by which annotation', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await house.apply(shop());
    await applied(house, rows);
    await edit(house, KINDS.application, 'shop', { metadata: { annotations: { 'cluster.x-k8s.io/paused': 'true' } } });
    await edit(house, KINDS.deployment, 'web', { spec: { replicas: 5 } });
    await house.until('it is told', () => driftOf(rows, house).drifted === 1);
    expect(driftOf(rows, house).repair).toMatchObject({ when: 'waits', why: expect.stringContaining('cluster.x-k8s.io/paused') });
  });

  it('[dispatch 13] of another policy the same objects are compared again', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await house.apply(shop());
    await applied(house, rows);
    await edit(house, KINDS.application, 'shop', { metadata: { annotations: { 'cluster.x-k8s.io/paused': 'true' } } });
    await edit(house, CONFIG_MAP, 'a', { data: { key: 'found' } });
    await edit(house, KINDS.deployment, 'web', { spec: { replicas: 5 } });
    await house.until('both are told', () => driftOf(rows, house).drifted === 2);
    const policies = [once('spec.replicas', ['Deployment'])];
    await edit(house, KINDS.application, 'shop', { spec: { policies } });
    await house.until('the policy keeps one', () => driftOf(rows, house).left === 1);
    expect(driftOf(rows, house).drifted).toBe(1);
  });

  it('[dispatch 13] what the engine puts back is drift no more', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await house.apply(shop());
    await applied(house, rows);
    await edit(house, KINDS.deployment, 'web', { spec: { replicas: 5 } });
    await house.until('it is put back', async () => readNumber(await house.get(KINDS.deployment, 'web'), 'spec', 'replicas') === 2);
    await house.until('the row knows', () => rowOf(rows)?.drifted === 0);
  });

  it('[issue 10, 2] tells of a revision that a rollout serves beside the newest one, with what that one wants', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    const gated = (image: string): KubeObject => aStorefront({ name: 'shop', gates: 'every-stage', image });
    await house.apply(gated('shop:1'));
    const phase = async () => readField(await house.get(KINDS.rolloutOrchestrator, 'shop'), 'status', 'control', 'phase');
    await house.until('all traffic goes to the first', async () => (await phase()) === 'Healthy');
    await house.apply(gated('shop:2'));
    await house.until('it waits at its gate', async () => isWaitingAt(await house.get(KINDS.rolloutOrchestrator, 'shop'), 1));
    await house.until('it is compared', () => driftOf(rows, house).state === 'compared');
    expect(driftOf(rows, house)).toMatchObject({ revision: 'shop-v2', beside: ['shop-v1'], compared: 3, drifted: 0, left: 0 });
    await edit(house, KINDS.application, 'shop', { metadata: { annotations: { 'cluster.x-k8s.io/paused': 'true' } } });
    const containers = [{ name: 'shop', image: 'shop:mine' }];
    const at = { ...KINDS.deployment, namespace: house.ns, name: 'shop-v1' };
    await house.cluster.patch(at, { type: 'strategic', body: { spec: { template: { spec: { containers } } } } });
    await house.until('it is told', () => driftOf(rows, house).drifted === 1);
    const path = 'spec.template.spec.containers[name=shop].image';
    expect(driftOf(rows, house).objects).toMatchObject([{ name: 'shop-v1', state: 'differs', fields: [{ path, kept: null }] }]);
    expect(rows.model.desiredOf({ ns: house.ns, name: 'shop' }, at)).toMatchObject({ revision: 'shop-v1', repair: { when: 'waits' } });
  });
});
