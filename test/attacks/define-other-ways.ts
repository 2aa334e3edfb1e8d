import { describe, expect, it } from 'vitest';
import { getCondition } from '@/lib/kube/condition';
import { readField, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { peopleOf, startPermissionHouse } from '../house/permission-start';
import { aStorefront } from '../support/applications';
import { decide } from '../support/decisions';
import type { ClusterKind, House } from '../support/house';
import { toldOf } from '../support/told';

const GATED = { gates: 'every-stage' };
const PAUSED = 'operatorkit.giantswarm.io/paused';
/** As whom decisions are made here. */
const ANN = { user: 'ann', groups: ['slipway:operators'] };
const NEXT = { ...GATED, image: 'registry.example.com/web:2' };

/** The second version of an application waits at its first gate, half of it replaced. */
async function startAtGate(clusterKind: ClusterKind): Promise<House> {
  const house = await startPermissionHouse(clusterKind);
  await house.apply(aStorefront(GATED));
  await house.until('it carries everything', async () => (await house.ready('web-v1')) === 4);
  await house.apply(aStorefront(NEXT));
  await untilAtGate(house, 1);
  return house;
}
/** The stage is through, and nothing goes on by itself. */
async function untilAtGate(house: House, stage: number): Promise<void> {
  await house.until(`it waits at the gate of stage ${stage}`, async () => {
    const rollout = await house.get(KINDS.rolloutOrchestrator, 'web');
    return (
      rollout !== undefined && readString(rollout, 'status', 'control', 'state') === 'boundary' && toldOf(rollout).completedStages === stage
    );
  });
}
const shares = async (house: House) => `${await house.ready('web-v1')},${await house.ready('web-v2')}`;
const imageOf = async (house: House, name: string) =>
  readString(await house.get(KINDS.deployment, name), 'spec', 'template', 'spec', 'containers', 0, 'image');

/** A while in which whatever would be done wrong is done. */
async function letPass(house: House): Promise<void> {
  if (house.clusterKind === 'embedded') return house.advance(30_000);
  const end = house.clock.now() + 8_000;
  await house.until('some time has passed', () => house.clock.now() >= end);
}

const rollout = ({ ns }: House, name: string, revision: string, size = 4): KubeObject => ({
  ...KINDS.rolloutOrchestrator,
  metadata: { name, namespace: ns },
  spec: { targetRevisions: [{ revisionName: revision, percent: 100, minScale: size, maxScale: size }] },
});
const messageOf = async (house: House, name: string) =>
  readString(await house.get(KINDS.rolloutOrchestrator, name), 'status', 'control', 'message') ?? '';

/** Ways around a gate that lead through another object. */
export function defineOtherWays(clusterKind: ClusterKind): void {
  describe(`another way past a gate on the ${clusterKind} cluster`, () => {
    it('[issue 10, 2] is no rollout of somebody’s own that names the same workloads', async () => {
      await using house = await startAtGate(clusterKind);
      const { root } = peopleOf(house);
      await house.cluster.as(root).create(rollout(house, 'mine', 'web-v2'));
      await house.until('it is told', async () => (await messageOf(house, 'mine')).includes('web-v2 belongs to'));
      await letPass(house);
      expect(await shares(house)).toBe('2,2');
      expect(readString(await decide(house, 'web', 'approve', { stage: 1 }), 'status', 'phase')).toBe('Accepted');
      await house.until('the gate lets it through', async () => (await shares(house)) === '0,4' || (await house.ready('web-v2')) === 4);
    });

    it('[issue 10, 2] is no rollout of somebody who may not patch what it names', async () => {
      await using house = await startPermissionHouse(clusterKind);
      const { ann, root } = peopleOf(house);
      const labels = { app: 'plain' };
      const template = { metadata: { labels }, spec: { containers: [{ name: 'plain', image: 'registry.example.com/plain:1' }] } };
      const spec = { replicas: 1, selector: { matchLabels: labels }, template };
      await house.cluster.create({ ...KINDS.deployment, metadata: { name: 'plain', namespace: house.ns }, spec });
      await house.until('it runs', async () => (await house.ready('plain')) === 1);
      const as = house.cluster.as(ann);
      await as.create(rollout(house, 'plain', 'plain', 3));
      await house.until('it is told', async () =>
        (await messageOf(house, 'plain')).includes(`${ann.user}, who wrote this rollout, may not patch Deployment plain`),
      );
      await letPass(house);
      expect(await house.ready('plain')).toBe(1);
      const at = { ...KINDS.rolloutOrchestrator, namespace: house.ns, name: 'plain' };
      await house.cluster.as({ ...root, groups: [] }).delete(at);
      await house.cluster.create(rollout(house, 'plain', 'plain', 3));
      await house.until('whoever may has it moved', async () => (await house.ready('plain')) === 3);
    });

    it('[issue 10, 2] is no second application that holds the same workload, also where it takes over', async () => {
      await using house = await startAtGate(clusterKind);
      const { root } = peopleOf(house);
      const held = await house.get(KINDS.deployment, 'web-v2');
      const workload = {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web-v2', labels: held?.metadata.labels },
        spec: { ...(held?.spec as object), replicas: 4, template: { ...(readField(held, 'spec', 'template') as object) } },
      };
      const containers = [{ name: 'web', image: 'registry.example.com/web:9' }];
      const other = { ...workload, spec: { ...workload.spec, template: { ...workload.spec.template, spec: { containers } } } };
      const takeOver = { name: 'take', type: 'take-over', properties: { rules: [{ selector: { resourceNames: ['web-v2'] } }] } };
      const spec = { components: [{ name: 'set', type: 'k8s-objects', properties: { objects: [other] } }], policies: [takeOver] };
      const refusal = async (name: string) =>
        getCondition((await house.get(KINDS.application, name)) ?? ({} as KubeObject), 'Applied')?.message ?? '';
      await house.cluster.as(root).create({ ...KINDS.application, metadata: { name: 'second', namespace: house.ns }, spec } as KubeObject);
      await house.until('it is held', async () => (await refusal('second')).includes('belongs to application'));
      // The same once nothing on the workload itself tells whose it is, and nobody puts that back.
      const pause = (value: string | null) =>
        house.cluster.as(root).patch(webAt, { type: 'merge', body: { metadata: { annotations: { [PAUSED]: value } } } });
      const webAt = { ...KINDS.application, namespace: house.ns, name: 'web' };
      await pause('true');
      await letPass(house);
      const at = { ...KINDS.deployment, namespace: house.ns, name: 'web-v2' };
      const labels = { 'app.oam.dev/name': 'third' };
      await house.cluster.as(root).patch(at, { type: 'merge', body: { metadata: { ownerReferences: null, labels } } });
      await house.cluster.as(root).create({ ...KINDS.application, metadata: { name: 'third', namespace: house.ns }, spec } as KubeObject);
      await house.until('it is held as well', async () => (await refusal('third')).includes('belongs to application'));
      await letPass(house);
      await pause(null);
      expect([await imageOf(house, 'web-v2'), await shares(house)]).toEqual(['registry.example.com/web:2', '2,2']);
      expect(readString(await decide(house, 'web', 'approve', { stage: 1 }), 'status', 'phase')).toBe('Accepted');
    });

    it('[issue 10, 2] is no change of the application that an application lies in: its gates stay in force', async () => {
      await using house = await startPermissionHouse(clusterKind);
      const { root } = peopleOf(house);
      const around = (inner: KubeObject) => ({ components: [{ name: 'set', type: 'k8s-objects', properties: { objects: [inner] } }] });
      const at = { ...KINDS.application, namespace: house.ns, name: 'outer' };
      await house.cluster
        .as(root)
        .create({ ...KINDS.application, metadata: { name: 'outer', namespace: house.ns }, spec: around(aStorefront(GATED)) } as KubeObject);
      await house.until('it carries everything', async () => (await house.ready('web-v1')) === 4);
      const ungated = around(aStorefront({ gates: 'none', image: 'registry.example.com/web:2' }));
      await house.cluster.as(root).patch(at, { type: 'merge', body: { spec: ungated } });
      await untilAtGate(house, 1);
      await letPass(house);
      expect(await shares(house)).toBe('2,2');
      expect(readString(await decide(house, 'web', 'approve', { stage: 1 }), 'status', 'phase')).toBe('Accepted');
      await house.until('it goes on', async () => (await house.ready('web-v2')) === 4);
    });

    it('[issue 10, 2] is no retry: it begins with no approvals, and what was approved before is approved again', async () => {
      await using house = await startAtGate(clusterKind);
      expect(readString(await decide(house, 'web', 'approve', { stage: 1 }), 'status', 'phase')).toBe('Accepted');
      expect(readString(await decide(house, 'web', 'abort'), 'status', 'phase')).toBe('Accepted');
      await house.until('it is back', async () => (await shares(house)) === '4,0');
      expect(readString(await decide(house, 'web', 'retry', { user: 'ben' }), 'status', 'phase')).toBe('Accepted');
      await untilAtGate(house, 1);
      await letPass(house);
      expect(await shares(house)).toBe('2,2');
      expect(readString(await decide(house, 'web', 'approve', { stage: 1 }), 'status', 'phase')).toBe('Accepted');
      await house.until('it goes on', async () => (await house.ready('web-v2')) === 4);
    });

    it('[issue 10, 2] is no decision that is made again, with all that it was stored with: it counts for its own attempt', async () => {
      await using house = await startAtGate(clusterKind);
      const first = await decide(house, 'web', 'approve', { stage: 1 });
      expect(readString(first, 'status', 'phase')).toBe('Accepted');
      const ann = house.cluster.as(ANN);
      const again = (metadata: object) => ann.create({ ...first, metadata: { namespace: house.ns, ...metadata } } as KubeObject);
      const { name, uid, resourceVersion } = first.metadata;
      await expect(again({ name })).rejects.toThrow(/already exists/);
      await decide(house, 'web', 'abort');
      await house.until('it is back', async () => (await shares(house)) === '4,0');
      expect(readString(await decide(house, 'web', 'retry', { user: 'ben' }), 'status', 'phase')).toBe('Accepted');
      await untilAtGate(house, 1);
      await expect(again({ name: 'again', uid, resourceVersion })).rejects.toThrow(/resourceVersion should not be set/);
      const made = await again({ name: 'again', uid });
      // Neither the uid by which it was handled nor the answer that it was given comes along.
      expect([made.metadata.uid === uid, readString(made, 'status', 'phase')]).toEqual([false, undefined]);
      const answer = async () =>
        readField(await house.get(KINDS.stageDecision, 'again'), 'status') as { readonly phase?: string } | undefined;
      await house.until('it is answered', async () => (await answer())?.phase !== undefined);
      expect(await answer()).toMatchObject({
        phase: 'Rejected',
        message: 'the rollout has changed since it was reviewed; review it and decide again',
      });
      await letPass(house);
      expect(await shares(house)).toBe('2,2');
      expect(readString(await decide(house, 'web', 'approve', { stage: 1 }), 'status', 'phase')).toBe('Accepted');
      await house.until('it goes on', async () => (await house.ready('web-v2')) === 4);
    });

    it('[issue 10, 2] is no rollback: the way to a revision that was approved before begins with no approvals', async () => {
      await using house = await startAtGate(clusterKind);
      expect(readString(await decide(house, 'web', 'approve', { stage: 1 }), 'status', 'phase')).toBe('Accepted');
      await house.until('it carries everything', async () => (await house.ready('web-v2')) === 4);
      await house.apply(aStorefront(GATED)); // what a rollback writes: the content of the first version, as the third
      await house.until('it is on its way', async () => (await house.ready('web-v3')) > 0);
      await untilAtGate(house, 1);
      await letPass(house);
      expect(await house.ready('web-v3')).toBe(2);
      expect(readString(await decide(house, 'web', 'approve', { stage: 1 }), 'status', 'phase')).toBe('Accepted');
      await house.until('it goes on', async () => (await house.ready('web-v3')) === 4);
    });
  });
}
