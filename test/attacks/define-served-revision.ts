import { describe, expect, it } from 'vitest';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { startAtGate } from '../support/at-gate';
import { decide } from '../support/decisions';
import type { ClusterKind, House } from '../support/house';

const MINE = 'registry.example.com/web:of-mine';

export const imageOf = async (house: House, name: string) =>
  readString(await house.get(KINDS.deployment, name), 'spec', 'template', 'spec', 'containers', 0, 'image');

/** Sets another image, as `kubectl set image` does. */
export async function setImage(house: House, name: string, image = MINE): Promise<void> {
  const at = { ...KINDS.deployment, namespace: house.ns, name };
  const body = { spec: { template: { spec: { containers: [{ name: 'web', image }] } } } };
  await house.cluster.patch(at, { type: 'strategic', body }, { fieldManager: 'kubectl-set' });
}

export const told = ({ record, ns }: House) =>
  [...record.values()].filter(({ action, about }) => action === 'drift.repaired' && about.namespace === ns).map(({ message }) => message);

/** Another version on the workload of a revision that a rollout serves, past its gate. */
export function defineServedRevision(clusterKind: ClusterKind): void {
  describe(`what a rollout serves at its gate on the ${clusterKind} cluster`, () => {
    it('[issue 10, 2] runs nothing else by hand, on the former revision as on the newest, and is scaled and approved as before', async () => {
      await using house = await startAtGate(clusterKind);
      for (const [name, image] of [['web-v1', 'registry.example.com/web:1'] as const, ['web-v2', 'registry.example.com/web:2'] as const]) {
        await setImage(house, name);
        await house.until(`${name} is reverted`, async () => (await imageOf(house, name)) === image);
      }
      await house.until('both are on record', () => told(house).length === 2);
      expect(told(house)[0]).toMatch(/^Deployment web-v1 in .* was reverted: .*image \(set by kubectl-set\)/);
      await decide(house, 'web', 'approve', { stage: 1 });
      await house.until('it goes on', async () => (await house.ready('web-v2')) === 4);
    });
  });
}
