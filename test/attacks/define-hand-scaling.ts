import { describe, expect, it } from 'vitest';
import { readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { startAtGate } from '../support/at-gate';
import { decide } from '../support/decisions';
import type { ClusterKind, House } from '../support/house';
import { toldOf } from '../support/told';

const replicasOf = async (house: House, name: string) => readNumber(await house.get(KINDS.deployment, name), 'spec', 'replicas');

/** Scales as `kubectl scale` does, and waits until that is put back. */
async function scale(house: House, name: string, replicas: number): Promise<void> {
  const at = { ...KINDS.deployment, namespace: house.ns, name };
  const body = { spec: { replicas } };
  await house.cluster.patch(at, { type: 'merge', body }, { subresource: 'scale', fieldManager: 'kubectl' });
  await house.until('it is put back', async () => (await replicasOf(house, name)) !== replicas);
}

const told = ({ record, ns }: House) =>
  [...record.values()]
    .filter(({ action, about }) => action === 'rollout.scaled-by-hand' && about.namespace === ns)
    .map(({ message }) => message);
const isHeld = async (house: House) => readString(await house.get(KINDS.rolloutOrchestrator, 'web'), 'status', 'control', 'pausedBecause');

/** Replicas that somebody writes past the stages of a rollout. */
export function defineHandScaling(clusterKind: ClusterKind): void {
  describe(`scaling by hand on the ${clusterKind} cluster`, () => {
    it('[rollout 13.2] is put back in the next pass and named; twice within a minute holds the rollout until somebody resumes it', async () => {
      await using house = await startAtGate(clusterKind);
      await scale(house, 'web-v2', 9);
      expect(await replicasOf(house, 'web-v2')).toBe(2);
      await house.until('it is on record', () => told(house).length === 1);
      expect(told(house)).toEqual(['web-v2 was scaled from 2 to 9 by kubectl, and is being reverted']);
      expect(await isHeld(house)).toBeUndefined();
      await scale(house, 'web-v1', 1);
      expect(await replicasOf(house, 'web-v1')).toBe(2);
      await house.until('it is held', async () => (await isHeld(house)) !== undefined);
      const rollout = await house.get(KINDS.rolloutOrchestrator, 'web');
      const because = 'web-v1 was scaled from 2 to 1 by kubectl, and is being reverted, for the second time within a minute';
      expect(toldOf(rollout)?.waitsFor.message).toEqual({ id: 'wait.held', because });
      expect(readString(await decide(house, 'web', 'approve', { stage: 1 }), 'status', 'phase')).toBe('Rejected');
      expect(readString(await decide(house, 'web', 'resume'), 'status', 'phase')).toBe('Accepted');
      await house.until('it is held no more', async () => (await isHeld(house)) === undefined);
      expect(readString(await decide(house, 'web', 'approve', { stage: 1 }), 'status', 'phase')).toBe('Accepted');
      await house.until('it goes on', async () => (await house.ready('web-v2')) === 4);
    });
  });
}
