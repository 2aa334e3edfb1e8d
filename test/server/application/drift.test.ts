import { describe, expect, it } from 'vitest';
import { readField, readNumber, readString } from '@/lib/kube/fields';
import { KINDS, PUT_BACK } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { requestedReverts, requestRevert } from '@/server/application/decide/revert';
import { ApplicationHouse } from '../../support/application-house';

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const SECRET = { apiVersion: 'v1', kind: 'Secret' };
const CANARY = 'canary-41aa';
const APPLICATION = { ...KINDS.application, namespace: 'shop', name: 'web' };
const components = [
  { name: 'web', type: 'webservice', properties: { image: 'web:1' }, traits: [{ type: 'scaler', properties: { replicas: 2 } }] },
  {
    name: 'set',
    type: 'k8s-objects',
    properties: {
      objects: [
        { ...CONFIG_MAP, metadata: { name: 'a' }, data: { key: 'wanted' } },
        { ...SECRET, metadata: { name: 'keys' }, stringData: { password: CANARY } },
      ],
    },
  },
];
const once = (rules?: readonly object[]) => [{ name: 'p', type: 'apply-once', properties: { enable: true, ...(rules ? { rules } : {}) } }];
const KEEP_REPLICAS = once([{ selector: { resourceTypes: ['Deployment'] }, strategy: { path: ['spec.replicas'] } }]);

async function change(
  house: ApplicationHouse,
  type: { apiVersion: string; kind: string },
  name: string,
  edit: (live: KubeObject) => KubeObject,
): Promise<void> {
  const live = house.get(type, name);
  if (live === undefined) throw new Error(`there is no ${type.kind} ${name}`);
  await house.server.update(edit(structuredClone(live)));
  await house.clock.settle();
}

const setBy = (manager: string, fieldsV1: object, live: KubeObject): KubeObject => ({
  ...live,
  metadata: {
    ...live.metadata,
    managedFields: [{ manager, operation: 'Update', time: '2026-01-01T00:00:00Z', fieldsType: 'FieldsV1', fieldsV1 }],
  },
});
const scaled = (replicas: number) => (live: KubeObject) =>
  setBy('kubectl', { 'f:spec': { 'f:replicas': {} } }, { ...live, spec: { ...(live.spec as object), replicas } });
const replicas = (house: ApplicationHouse) => readNumber(house.get(KINDS.deployment, 'web'), 'spec', 'replicas');
const repairs = (house: ApplicationHouse) => [...house.record.values()].filter(({ action }) => action === 'drift.repaired');

async function ask(house: ApplicationHouse, kind: { apiVersion: string; kind: string }, name: string, uid?: string): Promise<void> {
  const application = house.server.peek(APPLICATION);
  const next = application && requestRevert(application, { ...kind, namespace: 'shop', name, uid });
  if (next === undefined) throw new Error('it could not be asked');
  await house.server.update(next);
  await house.clock.settle();
}

describe('state keep', () => {
  it('[dispatch 13] puts back what somebody changed, and records which field, and who had set it', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply({ components });
    expect(repairs(house)).toEqual([]);
    await change(house, KINDS.deployment, 'web', scaled(5));
    expect(replicas(house)).toBe(2);
    expect(repairs(house)).toMatchObject([
      {
        actor: 'application',
        about: { kind: 'Deployment', name: 'web' },
        message: 'Deployment web in shop was reverted: spec.replicas (set by kubectl)',
        data: { fields: [{ path: 'spec.replicas', kind: 'changed', manager: 'kubectl', since: '2026-01-01T00:00:00Z' }] },
      },
    ]);
  });

  it('[dispatch A1] names an edit of our own record only where nothing else was put back', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply({ components });
    const unrecorded = (live: KubeObject) => ({
      ...live,
      metadata: {
        ...live.metadata,
        annotations: { 'app.oam.dev/last-applied-configuration': '{}', 'oam.dev/kubevela-version': 'slipway' },
      },
    });
    await change(house, CONFIG_MAP, 'a', (live) => ({ ...unrecorded(live), data: { key: 'found' } }));
    expect(repairs(house).at(-1)?.message).toBe('ConfigMap a in shop was reverted: data.key (set by an unknown manager)');
    await change(house, CONFIG_MAP, 'a', unrecorded);
    expect(repairs(house).at(-1)?.message).toContain('last-applied-configuration');
  });

  it('[dispatch 13] makes what was deleted again, and records that', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply({ components });
    await house.server.delete({ ...CONFIG_MAP, namespace: 'shop', name: 'a' });
    await house.clock.settle();
    expect(house.get(CONFIG_MAP, 'a')).toBeDefined();
    expect(repairs(house).map(({ message }) => message)).toEqual(['ConfigMap a in shop was missing and was recreated']);
  });

  it('[design 8] records a Secret by its key, never by a value', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply({ components });
    const found = Buffer.from(`${CANARY}-found`).toString('base64');
    await change(house, SECRET, 'keys', (live) => ({ ...live, data: { password: found } }));
    expect(readField(house.get(SECRET, 'keys'), 'data', 'password')).toBe(Buffer.from(CANARY).toString('base64'));
    expect(repairs(house).map(({ message }) => message)).toEqual([
      'Secret keys in shop was reverted: data.password (set by an unknown manager)',
    ]);
    const text = JSON.stringify([...house.record.values()]);
    for (const leak of [CANARY, found, Buffer.from(CANARY).toString('base64')]) expect(text).not.toContain(leak);
  });

  it('[dispatch 13] records no repair for a new revision', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply({ components });
    const [web, ...rest] = components;
    await house.apply({ components: [{ ...web, properties: { image: 'web:2' } }, ...rest] });
    expect(repairs(house)).toEqual([]);
  });

  it('[dispatch 13] two writers that fight come to one entry a minute, with a count', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply({ components });
    for (let at = 0; at < 4; at++) await change(house, KINDS.deployment, 'web', scaled(5));
    expect(repairs(house)).toHaveLength(1);
    await house.clock.advance(61_000);
    await change(house, KINDS.deployment, 'web', scaled(5));
    expect(repairs(house).at(-1)?.message).toBe(
      'Deployment web in shop was reverted: spec.replicas (set by kubectl); this happened 3 more times since it was last recorded',
    );
  });

  it('[dispatch 13] an object that is changed back each time is reverted with growing pauses, which an Event tells', async () => {
    await using house = await new ApplicationHouse().start();
    const objects = [{ ...CONFIG_MAP, metadata: { name: 'a' }, data: { key: 'wanted' } }];
    await house.apply({ components: [...components.slice(0, 1), { name: 'set', type: 'k8s-objects', properties: { objects } }] });
    const fight = async () => {
      let reverted = 0;
      for (let at = 0; at < 20; at++) {
        await change(house, KINDS.deployment, 'web', scaled(5));
        if (replicas(house) !== 2) break;
        reverted++;
      }
      return reverted;
    };
    expect(await fight()).toBe(6);
    expect(replicas(house)).toBe(5);
    const events = house.server.all().filter(({ kind }) => kind === 'Event');
    expect(events.map((event) => [readString(event, 'reason'), readString(event, 'message')])).toEqual([
      [
        'RevertedRepeatedly',
        'Deployment web in shop was reverted: spec.replicas (set by kubectl). It is changed back each time, so reverts of it now pause for up to 5 minutes',
      ],
    ]);
    await change(house, CONFIG_MAP, 'a', (live) => ({ ...live, data: { key: 'found' } }));
    expect(readField(house.get(CONFIG_MAP, 'a'), 'data', 'key'), 'other objects do not wait for it').toBe('wanted');
    for (const pauseMs of [5_000, 10_000, 20_000]) {
      await house.clock.advance(pauseMs - 1_000);
      expect(replicas(house)).toBe(5);
      await house.clock.advance(1_000);
      expect(replicas(house), 'once the pause is over, with nothing that wakes it').toBe(2);
      expect(await fight()).toBe(0);
    }
    await ask(house, KINDS.deployment, 'web');
    expect(replicas(house), 'a person does not wait').toBe(2);
    await house.clock.advance(11 * 60_000);
    expect(await fight(), 'after ten quiet minutes it begins afresh').toBe(6);
  });
});

describe('putting back what apply-once leaves', () => {
  it('[dispatch 13] leaves what a rule keeps until somebody asks, puts it back once, and leaves it again', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply({ components, policies: KEEP_REPLICAS });
    await change(house, KINDS.deployment, 'web', scaled(5));
    expect(replicas(house)).toBe(5);
    await ask(house, KINDS.deployment, 'web');
    expect(replicas(house)).toBe(2);
    expect(house.server.peek(APPLICATION)?.metadata.annotations).not.toHaveProperty([PUT_BACK.asked]);
    expect(repairs(house)).toHaveLength(1);
    await change(house, KINDS.deployment, 'web', scaled(7));
    expect(replicas(house)).toBe(7);
  });

  it('[dispatch 13] under apply-once as a whole it puts back what was requested, and nothing else', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply({ components, policies: once() });
    await change(house, KINDS.deployment, 'web', scaled(5));
    await change(house, CONFIG_MAP, 'a', (live) => ({ ...live, data: { key: 'found' } }));
    await ask(house, CONFIG_MAP, 'a');
    expect(readField(house.get(CONFIG_MAP, 'a'), 'data', 'key')).toBe('wanted');
    expect(replicas(house)).toBe(5);
    expect(house.server.peek(APPLICATION)?.metadata.annotations).not.toHaveProperty([PUT_BACK.asked]);
    expect(house.tracked('web-v1-shop')).toEqual(['Deployment/web', 'ConfigMap/a', 'Secret/keys']);
  });

  it('[design 14] puts back the very object that was seen, and none that was made anew under its name', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply({ components, policies: KEEP_REPLICAS });
    await change(house, KINDS.deployment, 'web', scaled(5));
    const { uid } = house.get(KINDS.deployment, 'web')?.metadata ?? {};
    await ask(house, KINDS.deployment, 'web', 'of-another');
    expect(replicas(house)).toBe(5);
    const answers = () => [...house.record.values()].filter(({ action }) => action.startsWith('drift.put-back.'));
    expect(answers()).toMatchObject([
      {
        action: 'drift.put-back.refused',
        message: expect.stringMatching(
          /^Deployment\.apps\/shop\/web was not reverted, .*: Deployment web in shop was deleted and created again since it was requested$/,
        ),
      },
    ]);
    expect(house.server.peek(APPLICATION)?.metadata.annotations).not.toHaveProperty([PUT_BACK.asked]);
    await ask(house, KINDS.deployment, 'web', uid);
    expect(replicas(house)).toBe(2);
    expect(answers().at(-1)).toMatchObject({
      action: 'drift.put-back.done',
      message: expect.stringMatching(/^Deployment\.apps\/shop\/web was reverted/),
    });
  });

  it('[dispatch 13] makes no revision, and writes its annotation on no object', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply({ components, policies: KEEP_REPLICAS });
    await ask(house, KINDS.deployment, 'web');
    expect(house.latest()).toBe('web-v1');
    expect(house.get(KINDS.deployment, 'web')?.metadata.annotations).not.toHaveProperty([PUT_BACK.asked]);
  });

  it('[dispatch 13] one request adds to another, and ends at fifty', () => {
    let application: KubeObject = { ...KINDS.application, metadata: { name: 'web' } };
    for (let at = 0; at < 50; at++)
      application = requestRevert(application, { ...CONFIG_MAP, namespace: 'shop', name: `c-${at}` }) ?? application;
    expect(requestedReverts(application).size).toBe(50);
    expect(requestRevert(application, { ...CONFIG_MAP, namespace: 'shop', name: 'c-3' })).toBeDefined();
    expect(requestRevert(application, { ...CONFIG_MAP, namespace: 'shop', name: 'one-more' })).toBeUndefined();
  });
});
