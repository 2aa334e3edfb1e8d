import { expect, it } from 'vitest';
import type { ApplicationRow } from '@/lib/contract/application-rows';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { rolloutDigest } from '@/server/rollout';
import { aStorefront } from '../../support/applications';
import type { House } from '../../support/house';
import { startHouse } from '../../support/house';
import { bringToGate, openRows } from './rig';

const ANNOTATION = 'operatorkit.giantswarm.io/paused';

const annotate = (house: House, type: typeof KINDS.application | typeof KINDS.rolloutOrchestrator, value: string | null) =>
  house.cluster.patch(
    { ...type, namespace: house.ns, name: 'web' },
    { type: 'merge', body: { metadata: { annotations: { [ANNOTATION]: value } } } },
  );

it('[framework L4] an annotation holds a rollout and its decisions, the screen says so, and what was decided is done when it goes', async () => {
  await using house = await startHouse();
  await using rows = await openRows(house);
  await bringToGate(house, rows);
  await annotate(house, KINDS.rolloutOrchestrator, 'true');
  await house.until('the screen says that it is held', () => rows.rollout().activity === 'held');
  expect(rows.rollout().wait.sentence).toContain(`annotation ${ANNOTATION} pauses this rollout`);

  const rollout = await house.get(KINDS.rolloutOrchestrator, 'web');
  if (rollout === undefined) throw new Error('the rollout is gone');
  const user = 'ann';
  const decision = await house.cluster.as({ user, groups: ['slipway:operators'] }).create({
    ...KINDS.stageDecision,
    metadata: { generateName: 'web-', namespace: house.ns },
    spec: {
      rolloutRef: { name: 'web', uid: rollout.metadata.uid },
      verb: 'abort',
      revision: 'web-v2',
      reason: 'errors',
      actor: { user, groups: ['slipway:operators'] },
      seen: { rollout: rolloutDigest(rollout) },
    },
  });
  const phase = async () => readString(await house.get(KINDS.stageDecision, decision.metadata.name ?? ''), 'status', 'phase') ?? 'Pending';
  await house.advance(60_000);
  expect(await phase()).toBe('Pending');
  expect((await house.get(KINDS.rolloutOrchestrator, 'web'))?.status).toEqual(rollout.status);

  await annotate(house, KINDS.rolloutOrchestrator, null);
  await house.until('the abort is carried out', async () => (await phase()) === 'Accepted');
  await house.until('the screen says so', () => ['aborting', 'aborted'].includes(rows.rollout().activity));
});

it('[framework L4] an annotation holds an application: a change waits, its row says why', async () => {
  await using house = await startHouse();
  await using rows = await openRows(house);
  await house.apply(aStorefront({ configMaps: ['kept'] }));
  const row = () => rows.see({ kind: 'applications', query: {} })?.rows[0] as ApplicationRow | undefined; // JSON on the wire
  await house.until('it is at rest', () => row()?.activity === 'idle' && row()?.health === 'Current');
  await annotate(house, KINDS.application, 'true');
  await house.until('the row says that it is suspended', () => row()?.activity === 'suspended');
  expect(row()?.message).toContain(ANNOTATION);
  await house.cluster.patch(
    { ...KINDS.application, namespace: house.ns, name: 'web' },
    { type: 'merge', body: { spec: aStorefront({ configMaps: ['kept', 'more'] }).spec } },
  );
  const more = () => house.get({ apiVersion: 'v1', kind: 'ConfigMap' }, 'more');
  await house.advance(60_000);
  expect(await more()).toBeUndefined();
  await annotate(house, KINDS.application, null);
  await house.until('the change is carried out', async () => (await more()) !== undefined);
});

it('[issue 9] a deletion that a rule holds waits for a person and fails nothing: what runs goes on running', async () => {
  await using house = await startHouse();
  await using rows = await openRows(house);
  const MANY = ['a', 'b', 'c', 'd', 'e', 'f'];
  const application = (names: readonly string[]) => ({
    ...KINDS.application,
    metadata: { name: 'web' },
    spec: {
      components: [
        {
          name: 'set',
          type: 'k8s-objects',
          properties: { objects: names.map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: {} })) },
        },
      ],
    },
  });
  const row = () => rows.see({ kind: 'applications', query: {} })?.rows[0] as ApplicationRow | undefined; // JSON on the wire
  await house.apply(application(MANY));
  await house.until('it is applied', () => row()?.revision === 'web-v1' && row()?.objects === MANY.length);
  await house.apply(application(['a']));
  await house.until('its deletion waits', () => typeof row()?.waits === 'string');
  expect(row()).toMatchObject({
    health: 'InProgress',
    activity: 'held',
    message: expect.stringContaining('5'),
    waits: expect.stringContaining('5'),
  });
});
