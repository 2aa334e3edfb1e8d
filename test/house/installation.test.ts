import { describe, expect, it } from 'vitest';
import { readField, readFields, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { readManifests } from '@/server/installation';
import { lostPolicyReason } from '@/server/rollout';
import { aController, aStorefront } from '../support/applications';
import { decide } from '../support/decisions';
import { aDefinition, OPEN } from '../support/definitions';
import type { House } from '../support/house';
import { startHouse } from '../support/house';
import { aRevision, BY_KUBECTL } from '../support/rollout-by-kubectl';
import { unlistedFields } from '../support/unlisted-fields';

const LOOK_MS = 60_000;
const GATED = { gates: 'every-stage' } as const;
const NEXT = { ...GATED, image: 'registry.example.com/web:2' };

const rolloutOf = (house: House) => house.get(KINDS.rolloutOrchestrator, 'web');
const replicas = async (house: House) => [await house.ready('web-v1'), await house.ready('web-v2')];
const untilShared = (house: House) => house.until('half is replaced', async () => (await replicas(house)).join() === '2,2');
const untilAtRest = (house: House, revision: string) =>
  house.until(`${revision} carries everything`, async () => (await house.ready(revision)) === 4);

/** Definitions as one of last month, which knows no gates, or somebody else's, which knows nothing of ours. */
const OLD: readonly [string, readonly string[]][] = [
  ['one without gates', ['spec.control.gates']],
  ['one without a policy and a memory', ['spec.control', 'spec.overConsumptionRatio', 'spec.stageTimeoutMinutes', 'status.control']],
];

async function anOldDefinition(fields: readonly string[]): Promise<KubeObject> {
  return aDefinition('rolloutorchestrators', (schema) => {
    for (const field of fields) schema.remove(field);
  });
}

async function replace(house: House, definition: KubeObject): Promise<void> {
  const { metadata } = await house.cluster.get(toAddress(definition));
  await house.cluster.update({ ...definition, metadata });
  await house.advance(3_000); // until the copies are read anew
}

async function deploy(house: House, revision: string, count: number): Promise<void> {
  await house.apply(aRevision(revision, count));
}

describe('a rollout where the cluster’s definition would drop its policy', () => {
  it.each(OLD)(
    '[rollout 14.1] %s: an application’s rollout has its policy in an annotation, and holds at its gate',
    async (_what, fields) => {
      await using house = await startHouse({ before: [await anOldDefinition(fields)], watched: true });
      await house.apply(aStorefront(GATED));
      await untilAtRest(house, 'web-v1');
      await house.apply(aStorefront(NEXT));
      await untilShared(house);
      await house.advance(120_000);
      expect(await replicas(house)).toEqual([2, 2]);
      const rollout = await rolloutOf(house);
      expect(readField(rollout, 'spec', 'control')).toBeUndefined();
      expect(JSON.parse(rollout?.metadata.annotations?.['slipway.dev/control'] ?? '')).toMatchObject({ gates: 'every-stage' });
    },
  );

  it('[rollout 14.1] goes back to fields once the definition is fixed, and leaves no second policy behind', async () => {
    await using house = await startHouse({ before: [await anOldDefinition(['spec.control.gates'])], watched: true });
    await house.apply(aStorefront(GATED));
    await untilAtRest(house, 'web-v1');
    await replace(house, await aDefinition('rolloutorchestrators'));
    await house.apply(aStorefront(NEXT));
    await untilShared(house);
    const rollout = await rolloutOf(house);
    expect(readField(rollout, 'spec', 'control')).toMatchObject({ gates: 'every-stage' });
    expect(rollout?.metadata.annotations?.['slipway.dev/control']).toBeUndefined();
  });

  it('[issue 9.3] one made by kubectl never starts, for nobody can tell which gates were dropped; the annotation tells', async () => {
    await using house = await startHouse({ before: [await anOldDefinition(['spec.control.gates'])], watched: true });
    await deploy(house, 'web-v1', 4);
    await deploy(house, 'web-v2', 0);
    await untilAtRest(house, 'web-v1');
    const made = await house.apply(BY_KUBECTL);
    expect(readField(made, 'spec', 'control')).toEqual({});
    await house.advance(120_000);
    expect(await replicas(house)).toEqual([4, 0]);
    const annotations = { 'slipway.dev/control': JSON.stringify({ gates: 'every-stage' }) };
    await house.apply({ ...BY_KUBECTL, metadata: { name: 'web', annotations } });
    await house.advance(120_000);
    expect(await replicas(house), 'what is left of the field would be read first').toEqual([4, 0]);
    const { control: _dropped, ...spec } = readFields(BY_KUBECTL, 'spec');
    await house.apply({ ...BY_KUBECTL, metadata: { name: 'web', annotations }, spec });
    await untilShared(house);
    await house.advance(120_000);
    expect(await replicas(house)).toEqual([2, 2]);
  });

  it('[issue 9.3] nor does it once the definition is fixed, for what was dropped does not come back; it starts when it is applied again', async () => {
    await using house = await startHouse({ before: [await anOldDefinition(['spec.control.gates'])], watched: true });
    await deploy(house, 'web-v1', 4);
    await deploy(house, 'web-v2', 0);
    await untilAtRest(house, 'web-v1');
    await house.apply(BY_KUBECTL);
    await house.advance(20_000);
    await replace(house, await aDefinition('rolloutorchestrators'));
    await house.restart();
    await house.advance(120_000);
    expect(await replicas(house)).toEqual([4, 0]);
    const held = await rolloutOf(house);
    expect(held && lostPolicyReason(held, () => null)).toMatch(
      /^it is unknown whether this rollout has gates: it was written while .* apply it again with its gates/,
    );
    await house.apply(BY_KUBECTL);
    await untilShared(house);
    await house.advance(120_000);
    expect(await replicas(house)).toEqual([2, 2]);
  });

  it('[issue 9.3] one that was looked at before goes on once the definition is fixed: nothing of it was written meanwhile', async () => {
    await using house = await startHouse({ watched: true });
    await deploy(house, 'web-v1', 4);
    await deploy(house, 'web-v2', 0);
    await untilAtRest(house, 'web-v1');
    await house.apply(BY_KUBECTL);
    await untilShared(house);
    await house.advance(10_000);
    await replace(house, await anOldDefinition(['spec.control.gates']));
    await house.restart(); // and looked at again
    await house.advance(20_000);
    await replace(house, await aDefinition('rolloutorchestrators'));
    await house.advance(20_000);
    expect(readString(await decide(house, 'web', 'approve', { stage: 1 }), 'status', 'phase')).toBe('Accepted');
    await untilAtRest(house, 'web-v2');
  });

  it.each([
    ['by its definition', true],
    ['by the answer of the write, where nobody reads definitions', false],
  ])(
    '[rollout 14.1] a memory that would be kept in part, as is told %s, is kept whole in an annotation of the status',
    async (_what, watched) => {
      const closed = await aDefinition('rolloutorchestrators', (schema) => delete schema.at('status.control')[OPEN]);
      await using house = await startHouse({ before: [closed], watched });
      await deploy(house, 'web-v1', 4);
      await deploy(house, 'web-v2', 0);
      await untilAtRest(house, 'web-v1');
      await house.apply(BY_KUBECTL);
      await untilShared(house);
      await house.advance(10_000);
      const approved = await decide(house, 'web', 'approve', { stage: 1 });
      expect(readString(approved, 'status', 'message')).not.toContain('has changed');
      await untilAtRest(house, 'web-v2');
      expect(readField(await rolloutOf(house), 'status', 'control')).toBeUndefined();
    },
  );
});

describe('a rollout where definitions may not be read', () => {
  const NO_RIGHT = { verb: 'get', kind: 'CustomResourceDefinition' } as const;
  const SAID = 'the definition of RolloutOrchestrator cannot be read, so it is unknown what it keeps: injected 403';

  /** Engines that are started without the right to read definitions, on a cluster that has one of last month. */
  async function aBlindHouse(fields: readonly string[]): Promise<House> {
    const house = await startHouse({ before: [await anOldDefinition(fields)], watched: true });
    house.faults.fail(NO_RIGHT, 403, { times: Number.POSITIVE_INFINITY });
    await house.restart();
    return house;
  }

  it.each(OLD)(
    '[issue 9.3] %s: an application’s rollout holds at its gate, for its policy is where every definition keeps it',
    async (_what, fields) => {
      await using house = await aBlindHouse(fields);
      await house.apply(aStorefront(GATED));
      await untilAtRest(house, 'web-v1');
      await house.apply(aStorefront(NEXT));
      await untilShared(house);
      await house.advance(120_000);
      expect(await replicas(house)).toEqual([2, 2]);
      const rollout = await rolloutOf(house);
      expect(JSON.parse(rollout?.metadata.annotations?.['slipway.dev/control'] ?? '')).toMatchObject({ gates: 'every-stage' });
      expect(readField(rollout, 'status', 'control')).toBeUndefined();
      expect(readString(rollout, 'status', 'annotations', 'slipway.dev/control-status')).toBeDefined();
    },
  );

  it('[issue 9.3] one made by kubectl, whose gates were dropped, never starts; doctor and Engine say why, with the command that fixes it', async () => {
    await using house = await aBlindHouse(['spec.control.gates']);
    await deploy(house, 'web-v1', 4);
    await deploy(house, 'web-v2', 0);
    await untilAtRest(house, 'web-v1');
    await house.apply(BY_KUBECTL);
    await house.advance(120_000);
    expect(await replicas(house)).toEqual([4, 0]);
    expect(readField(await rolloutOf(house), 'status'), 'nobody knows of a loss that would outlast the blindness').toBeUndefined();
    expect(house.installation.dropped('RolloutOrchestrator', 'spec.control')).toBe(
      `${SAID}; kubectl apply -f deploy/rbac/server.yaml fixes it`,
    );
    const found = house.installation.findings().filter(({ subject }) => subject === 'RolloutOrchestrator');
    expect(found).toEqual([
      { area: 'definitions', subject: 'RolloutOrchestrator', sentence: SAID, remedy: 'kubectl apply -f deploy/rbac/server.yaml' },
    ]);
  });

  it('[issue 9.3] a right that is removed while the server runs makes what was read before no proof any more', async () => {
    await using house = await startHouse({ watched: true });
    expect(house.installation.dropped('RolloutOrchestrator', 'spec.control')).toBeNull();
    const given = house.faults.fail(NO_RIGHT, 403, { times: Number.POSITIVE_INFINITY });
    house.faults.cutWatches({ kind: 'CustomResourceDefinition' });
    await house.advance(60_000);
    expect(house.installation.dropped('RolloutOrchestrator', 'spec.control')).toContain(SAID);
    given();
    await house.advance(120_000);
    expect(house.installation.dropped('RolloutOrchestrator', 'spec.control')).toBeNull();
  });
});

/** The versions of everything that engines write; leases and events aside nothing else changes them. */
async function versions(house: House): Promise<readonly string[]> {
  const kinds = [KINDS.application, KINDS.rolloutOrchestrator, KINDS.stagePodAutoscaler, KINDS.deployment, KINDS.resourceTracker];
  const objects = (await Promise.all(kinds.map((type) => house.list(type)))).flat();
  return objects.map(({ kind, metadata }) => `${kind}/${metadata.name} ${metadata.resourceVersion}`).sort();
}

describe('a controller of the same kind beside ours', () => {
  it('[issue 9.3] ends every write of the engine within 60 s, in mid-rollout too, and it goes on once the other is gone for good', async () => {
    await using house = await startHouse({ watched: true });
    await house.apply(aStorefront(GATED));
    await untilAtRest(house, 'web-v1');
    await house.apply(aStorefront(NEXT));
    await untilShared(house);
    const foreign = await house.cluster.create(aController('progressive-rollout', 'registry.example.com/serving-progressive-rollout:1'));
    await house.advance(LOOK_MS);
    const { uid } = (await rolloutOf(house))?.metadata ?? {};
    const before = await versions(house);
    const decision = {
      rolloutRef: { name: 'web', uid },
      verb: 'abort',
      revision: 'web-v2',
      reason: 'errors',
      actor: { user: 'ann', groups: ['slipway:operators'] },
    };
    const made = await house.cluster
      .as({ user: 'ann', groups: ['slipway:operators'] })
      .create({ ...KINDS.stageDecision, metadata: { generateName: 'web-', namespace: house.ns }, spec: decision });
    await house.advance(120_000);
    expect(await versions(house)).toEqual(before);
    // Nobody else would answer it, and hours later it would be carried out.
    expect((await house.get(KINDS.stageDecision, made.metadata.name ?? ''))?.status).toMatchObject({
      phase: 'Rejected',
      message: expect.stringMatching(/^Deployment .* drives rollouts in this cluster; Slipway only observes$/),
    });
    await house.cluster.delete(toAddress(foreign));
    await house.advance(7 * LOOK_MS);
    expect(await replicas(house)).toEqual([2, 2]);
    expect(readString(await decide(house, 'web', 'abort'), 'status', 'phase')).toBe('Accepted');
    await house.until('the stable revision carries everything', async () => (await replicas(house)).join() === '4,0');
  });

  it('[design 2] one that is there at the start is left alone with what it drives', async () => {
    await using house = await startHouse({ before: [aController('kubevela-vela-core', 'oamdev/vela-core:v1.9.11')], watched: true });
    await house.apply(aStorefront());
    await house.advance(120_000);
    expect(await house.list(KINDS.applicationRevision)).toEqual([]);
    expect(readField(await house.get(KINDS.application, 'web'), 'status')).toBeUndefined();
  });
});

describe('what engines write', () => {
  it('[issue 9.3] stands in our definitions field by field, or in a place that keeps everything', async () => {
    const definitions = await readManifests('deploy/crds');
    await using house = await startHouse({ watched: true });
    await house.apply(aStorefront({ ...GATED, configMaps: ['a', 'b'] }));
    await untilAtRest(house, 'web-v1');
    await house.apply(aStorefront({ ...NEXT, configMaps: ['b'] }));
    await untilShared(house);
    await decide(house, 'web', 'abort', { reason: 'errors' });
    await house.until('it is back', async () => (await replicas(house)).join() === '4,0');
    await decide(house, 'web', 'retry');
    await untilShared(house);
    await decide(house, 'web', 'promote-full', { reason: 'it was the network' });
    await untilAtRest(house, 'web-v2');
    for (const definition of definitions) {
      const kind = readString(definition, 'spec', 'names', 'kind') ?? '';
      if (kind.endsWith('HelmRelease') || kind === 'ReleaseDecision') continue; // the house of chart sync looks at those: Helm is needed for them
      const apiVersion = `${readString(definition, 'spec', 'group')}/${readString(definition, 'spec', 'versions', 0, 'name')}`;
      const scope = readString(definition, 'spec', 'scope') === 'Cluster' ? {} : { namespace: house.ns };
      const found: KubeObject[] = [];
      for await (const page of house.cluster.list({ apiVersion, kind, ...scope })) found.push(...page.items);
      expect(found.length, kind).toBeGreaterThan(0);
      for (const object of found) expect(unlistedFields(definition, object), kind).toEqual([]);
    }
  });
});
