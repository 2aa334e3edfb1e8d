import { describe, expect, it } from 'vitest';
import { getCondition } from '@/lib/kube/condition';
import { readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { aStorefront } from '../support/applications';
import { startAtGate } from '../support/at-gate';
import { decide } from '../support/decisions';
import type { House } from '../support/house';
import { startHouse } from '../support/house';
import { isWaitingAt } from '../support/told';
import { defineServedRevision, imageOf, setImage, told } from './define-served-revision';

defineServedRevision('embedded');

const MINE = 'registry.example.com/web:of-mine';
const generation = async (house: House, name: string) => (await house.get(KINDS.deployment, name))?.metadata.generation;
const FLOOR = 'autoscaling.knative.dev/min-scale';
const settle = (house: House) => house.advance(5_000);

/** The same application under one more policy. */
function under(policy: object, application: KubeObject): KubeObject {
  const { policies, ...spec } = application.spec as { policies: readonly object[] };
  return { ...application, spec: { ...spec, policies: [...policies, policy] } };
}

describe('the former revision of a rollout', () => {
  it('[issue 10, 2] is kept as it was once the rollout is aborted, and is not written where nothing differs', async () => {
    await using house = await startAtGate('embedded');
    const before = await generation(house, 'web-v1');
    await house.apply(aStorefront({ gates: 'every-stage', image: 'registry.example.com/web:2', control: { scaleDownDelaySeconds: 2 } }));
    await settle(house);
    expect(await generation(house, 'web-v1')).toBe(before);
    await decide(house, 'web', 'abort');
    await house.until('everything is as it was', async () => (await house.ready('web-v1')) === 4);
    await setImage(house, 'web-v1');
    await house.until('it is reverted', async () => (await imageOf(house, 'web-v1')) === 'registry.example.com/web:1');
    expect(told(house)).toHaveLength(1);
    await house.until('it says so', async () => {
      const application = await house.get(KINDS.application, 'web');
      return getCondition(application ?? {}, 'Applied')?.reason === 'Rejected';
    });
  });

  it('[issue 10, 2] is left to whom a policy leaves it: as it is by read-only, and where apply-once names a field', async () => {
    await using house = await startAtGate('embedded');
    const once = { selector: { resourceTypes: ['Deployment'] }, strategy: { path: ['spec.template.spec.containers[0].image'] } };
    const next = aStorefront({ gates: 'every-stage', image: 'registry.example.com/web:2' });
    await house.apply(under({ type: 'apply-once', properties: { enable: true, rules: [once] } }, next));
    await settle(house);
    await setImage(house, 'web-v1');
    const at = { ...KINDS.deployment, namespace: house.ns, name: 'web-v1' };
    await house.cluster.patch(at, { type: 'merge', body: { metadata: { annotations: { [FLOOR]: '9' } } } });
    await house.until('all else is reverted', () => told(house).length === 1);
    expect(told(house)[0]).toContain(FLOOR);
    expect(await imageOf(house, 'web-v1')).toBe(MINE);
    await house.apply(under({ type: 'read-only', properties: { rules: [{ selector: { resourceTypes: ['Deployment'] } }] } }, next));
    await settle(house);
    expect([await imageOf(house, 'web-v1'), told(house).length]).toEqual([MINE, 1]);
    await house.apply(next);
    await house.until('it is reverted', async () => (await imageOf(house, 'web-v1')) === 'registry.example.com/web:1');
  });

  it('[issue 10, 2] keeps its image and leaves its scale to the rollout where it was made before there was one', async () => {
    await using house = await startHouse();
    const { spec, ...rest } = aStorefront();
    await house.apply({ ...rest, spec: { ...(spec as object), policies: [] } });
    await house.until('it runs', async () => (await house.ready('web')) === 4);
    await house.apply(aStorefront({ gates: 'every-stage', image: 'registry.example.com/web:2' }));
    await house.until('it waits at its gate', async () => isWaitingAt(await house.get(KINDS.rolloutOrchestrator, 'web'), 1));
    await setImage(house, 'web');
    await house.until('it is reverted', async () => (await imageOf(house, 'web')) === 'registry.example.com/web:1');
    await settle(house);
    const former = await house.get(KINDS.deployment, 'web');
    expect([readNumber(former, 'spec', 'replicas'), told(house).length]).toEqual([2, 1]);
    expect(told(house)[0]).not.toContain('replicas');
    await decide(house, 'web', 'approve', { stage: 1 });
    await house.until('it is through', async () => {
      const application = await house.get(KINDS.application, 'web');
      return (
        readString(application, 'status', 'latestRevision', 'name') === 'web-v2' && (await house.get(KINDS.deployment, 'web')) === undefined
      );
    });
  });

  it('[issue 10, 2] keeps what the newest lacks until it goes with it, and makes it again where somebody deletes it', async () => {
    await using house = await startHouse();
    await house.apply(aStorefront({ gates: 'every-stage', configMaps: ['limits'] }));
    await house.until('it carries everything', async () => (await house.ready('web-v1')) === 4);
    await house.apply(aStorefront({ gates: 'every-stage', image: 'registry.example.com/web:2' }));
    await house.until('it waits at its gate', async () => isWaitingAt(await house.get(KINDS.rolloutOrchestrator, 'web'), 1));
    const at = { apiVersion: 'v1', kind: 'ConfigMap', namespace: house.ns, name: 'limits' };
    const made = async () => readString(await house.get(at, 'limits'), 'data', 'made');
    await house.cluster.patch(at, { type: 'merge', body: { data: { made: 'by me' } } });
    await house.until('it is reverted', async () => (await made()) === 'for a test');
    await house.cluster.delete(at);
    await house.until('it is there again', async () => (await made()) === 'for a test');
    await decide(house, 'web', 'approve', { stage: 1 });
    await house.until('it goes with its revision', async () => (await made()) === undefined && (await house.ready('web-v2')) === 4);
    await settle(house);
    expect(await made()).toBeUndefined();
  });
});
