import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { LABEL } from '@/server/dispatch';
import { ApplicationHouse } from '@/test/support/application-house';

const HOUR_MS = 3_600_000;
const SECRET = { apiVersion: 'v1', kind: 'Secret' };
const web = (image: string, policies: readonly object[] = []) => ({
  components: [{ name: 'web', type: 'webservice', properties: { image } }],
  policies,
});
const holding = (...objects: readonly object[]) => ({ components: [{ name: 'set', type: 'k8s-objects', properties: { objects } }] });
const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db' }, stringData: { password: 'c4nary' } };
const rollout = { name: 'staged', type: 'rollout', properties: { component: 'web' } };

type Change = (held: KubeObject) => KubeObject;
const ofNobody: Change = ({ metadata: { name = '', namespace = '' }, ...held }) => ({
  ...held,
  metadata: { name, namespace, uid: 'another' },
});

/** Has somebody else write an object right before the first request of the engine about it arrives. Answers whether that came about. */
function meanwhile(house: ApplicationHouse, on: { readonly verb: string; readonly kind: string; readonly name?: string }, change: Change) {
  let isDone = false;
  house.server.onRequest = (verb, at) => {
    const held = house.server.peek(at);
    if (isDone || verb !== on.verb || at.kind !== on.kind || held === undefined || (on.name ?? at.name) !== at.name) return;
    isDone = true;
    house.server.seed(change(held));
  };
  return () => isDone;
}

const uidOf = (house: ApplicationHouse, type: TypeRef, name: string) => house.get(type, name)?.metadata.uid;

describe('what the engine deletes', () => {
  it('[issue 10.2] is the rollout that it looked at, and no other one of its name', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply(web('web:1', [rollout]));
    await house.finishRollout();
    const isSwapped = meanwhile(house, { verb: 'delete', kind: 'RolloutOrchestrator' }, ofNobody);
    await house.apply(web('web:1'));
    await house.clock.advance(60_000);
    expect([isSwapped(), uidOf(house, KINDS.rolloutOrchestrator, 'web')]).toEqual([true, 'another']);
  });

  it('[issue 10.2] is the revision that it looked at, and no other one of its name', async () => {
    await using house = await new ApplicationHouse().start();
    const few = { name: 'few', type: 'garbage-collect', properties: { applicationRevisionLimit: 1 } };
    const isSwapped = meanwhile(house, { verb: 'delete', kind: 'ApplicationRevision', name: 'web-v1' }, ofNobody);
    for (const name of ['a', 'b', 'c', 'd']) {
      await house.apply({ ...holding({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }), policies: [few] });
      await house.clock.advance(10_000);
    }
    expect([isSwapped(), uidOf(house, KINDS.applicationRevision, 'web-v1'), uidOf(house, KINDS.applicationRevision, 'web-v2')]).toEqual([
      true,
      'another',
      undefined,
    ]);
  });

  it('[issue 10.1] are values as they were looked at, and none that somebody has taken for their own', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply(holding(secret));
    const name = house.server.all().find(({ kind, metadata }) => kind === 'Secret' && metadata.name?.startsWith('web-values-'))
      ?.metadata.name;
    await house.apply(holding());
    await house.server.delete({ ...KINDS.applicationRevision, namespace: 'shop', name: 'web-v1' });
    const isTaken = meanwhile(house, { verb: 'delete', kind: 'Secret', name: name ?? '' }, (held) => ({
      ...held,
      metadata: { ...held.metadata, labels: {}, ownerReferences: [] },
    }));
    await house.clock.advance(3 * HOUR_MS);
    expect([isTaken(), uidOf(house, SECRET, name ?? '') === undefined]).toEqual([true, false]);
  });

  it('[dispatch 13] is a record without an application that lists nothing, and none that lists something by then', async () => {
    await using house = await new ApplicationHouse().start();
    const tracker = (application: string): KubeObject => ({
      ...KINDS.resourceTracker,
      metadata: {
        name: `${application}-v1-shop`,
        labels: { [LABEL.appName]: application, [LABEL.appNamespace]: 'shop', [LABEL.appUid]: 'x' },
      },
      spec: { type: 'versioned' },
      status: {},
    });
    const isFilled = meanwhile(house, { verb: 'delete', kind: 'ResourceTracker', name: 'full-v1-shop' }, (held) => ({
      ...held,
      spec: { type: 'versioned', managedResources: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace: 'shop' }] },
    }));
    // The copy does not show the application that the server has.
    house.informers.fall('Application', 'behind');
    await house.server.create({ ...KINDS.application, metadata: { name: 'late', namespace: 'shop' }, spec: holding() });
    for (const application of ['gone', 'full', 'late']) await house.server.create(tracker(application));
    await house.clock.advance(60_000);
    expect([isFilled(), ...['gone', 'full', 'late'].map((one) => house.tracked(`${one}-v1-shop`))]).toEqual([
      true,
      undefined,
      ['ConfigMap/a'],
      [],
    ]);
    const dropped = [...house.record.values()].filter(({ action }) => action === 'tracker.dropped');
    expect(dropped.map(({ about }) => about?.name)).toEqual(['gone-v1-shop']);
  });
});

describe('what the engine writes', () => {
  it('[issue 10.1] leaves the owners that somebody else gave a Secret with values', async () => {
    await using house = await new ApplicationHouse().start();
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'other-uid' };
    const isWritten = meanwhile(house, { verb: 'patch', kind: 'Secret' }, (held) => ({
      ...held,
      metadata: { ...held.metadata, ownerReferences: [...(held.metadata.ownerReferences ?? []), other] },
    }));
    await house.apply(holding(secret));
    const values = () => house.server.all().filter(({ kind, metadata }) => kind === 'Secret' && metadata.name?.startsWith('web-values-'));
    for (const { metadata } of values())
      house.server.seed({ ...(house.get(SECRET, metadata.name ?? '') as KubeObject), metadata: { ...metadata, ownerReferences: [] } });
    await house.clock.advance(60_000);
    expect([isWritten(), ...values().map(({ metadata }) => metadata.ownerReferences?.map(({ kind }) => kind).sort())]).toEqual([
      true,
      ['Application', 'ConfigMap'],
    ]);
  });

  it('[issue 10.1] of what was permitted stands on the revision as it was looked at, and over nothing that somebody wrote there since', async () => {
    await using house = await new ApplicationHouse().start();
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    const permitted = 'slipway.dev/permitted-policies';
    const isWritten = meanwhile(house, { verb: 'patch', kind: 'ApplicationRevision' }, (held) => ({
      ...held,
      metadata: { ...held.metadata, annotations: { ...held.metadata.annotations, [permitted]: '{' } },
    }));
    await house.apply(holding(object));
    const few = { name: 'few', type: 'garbage-collect', properties: { applicationRevisionLimit: 1 } };
    await house.apply({ ...holding(object), policies: [few] });
    await house.clock.advance(60_000);
    expect([isWritten(), house.get(KINDS.applicationRevision, 'web-v1')?.metadata.annotations?.[permitted]]).toEqual([true, '{']);
  });

  it('[issue 10.1] by changed policies is on record before it happens, once', async () => {
    await using house = await new ApplicationHouse().start();
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    await house.apply(holding(object));
    const readOnly = { name: 'read', type: 'read-only', properties: { rules: [{ selector: { resourceTypes: ['ConfigMap'] } }] } };
    await house.apply({ ...holding(object), policies: [readOnly] });
    await house.clock.advance(60_000);
    const told = [...house.record.values()].filter(({ action }) => action === 'application.policies');
    expect(told.map(({ message }) => message)).toEqual([expect.stringMatching(/^web follows its changed policies/)]);
  });
});
