import { describe, expect, it } from 'vitest';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { aStorefront } from '../support/applications';
import type { House } from '../support/house';
import { startHouse } from '../support/house';
import { isWaitingAt } from '../support/told';
import { defineHandScaling } from './define-hand-scaling';

defineHandScaling('embedded');

const told = ({ record }: House) =>
  [...record.values()].filter(({ action }) => action === 'rollout.scaled-by-hand').map(({ message }) => message);

async function patch(house: House, body: object, subresource?: 'scale'): Promise<void> {
  const at = { ...KINDS.deployment, namespace: house.ns, name: 'web-v2' };
  await house.cluster.patch(at, { type: 'merge', body }, { fieldManager: 'kubectl-edit', ...(subresource ? { subresource } : {}) });
  await house.advance(2_000);
}

async function startAtGate(): Promise<House> {
  const house = await startHouse();
  await house.apply(aStorefront({ gates: 'every-stage' }));
  await house.until('it carries everything', async () => (await house.ready('web-v1')) === 4);
  await house.apply(aStorefront({ gates: 'every-stage', image: 'registry.example.com/web:2' }));
  await house.until('it waits at its gate', async () => isWaitingAt(await house.get(KINDS.rolloutOrchestrator, 'web'), 1));
  return house;
}
const isHeld = async (house: House) =>
  readString(await house.get(KINDS.rolloutOrchestrator, 'web'), 'status', 'control', 'pausedBecause') !== undefined;

describe('what scales a rollout', () => {
  it('[rollout 13.2] is no hand where a stage does, and whoever changes something else is not named', async () => {
    await using house = await startAtGate();
    await patch(house, { metadata: { annotations: { any: 'one' } } });
    await patch(house, { metadata: { annotations: { any: 'other' } } });
    expect([told(house), await isHeld(house)]).toEqual([[], false]);
  });

  it('[rollout 13.2] by hand holds nothing when it comes to itself twice in more than a minute', async () => {
    await using house = await startAtGate();
    await patch(house, { spec: { replicas: 9 } });
    await house.advance(61_000);
    await patch(house, { spec: { replicas: 9 } }, 'scale');
    expect(told(house)).toEqual(Array(2).fill('web-v2 was scaled from 2 to 9 by kubectl-edit, and is being reverted'));
    expect(await isHeld(house)).toBe(false);
  });

  it('[rollout 13.2] for ever is put back for ever, and fills no record', async () => {
    await using house = await startAtGate();
    for (let time = 1; time <= 8; time++) await patch(house, { spec: { replicas: 9 } }, 'scale');
    expect(told(house)).toHaveLength(2);
    expect(await isHeld(house)).toBe(true);
    expect((await house.get(KINDS.deployment, 'web-v2'))?.spec).toMatchObject({ replicas: 2 });
  });
});
