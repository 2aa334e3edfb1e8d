import { describe, expect, it } from 'vitest';
import { readNumber } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { Ground, House } from '../support/house';
import { startHouse } from '../support/house';

const limit = (ground: Ground) => (ground === 'embedded' ? 5 * 60_000 : undefined);
const replicas = async (house: House) => readNumber(await house.get(KINDS.deployment, 'front'), 'spec', 'replicas');
const repairs = (house: House) =>
  [...house.record.values()].filter(({ action, about }) => action === 'drift.repaired' && about.kind === 'Deployment' && about.namespace === house.ns);

/** Somebody scales what an application has: it is put back, and on record with who had set it. */
export function defineDriftHouse(ground: Ground): void {
  describe(`state keep on ${ground} ground`, () => {
    it('[dispatch 13] puts back what somebody changed, and records the field and its manager as the server notes it', async () => {
      await using house = await startHouse({ ground });
      const component = { name: 'front', type: 'webservice', properties: { image: 'web:1' }, traits: [{ type: 'scaler', properties: { replicas: 2 } }] };
      await house.apply({ ...KINDS.application, metadata: { name: 'shop' }, spec: { components: [component] } });
      await house.until(
        'it is applied',
        async () => {
          const status = (await house.get(KINDS.application, 'shop'))?.status as { latestRevision?: { name?: string } } | undefined;
          return status?.latestRevision?.name === 'shop-v1';
        },
        limit(ground),
      );
      const at = { ...KINDS.deployment, namespace: house.ns, name: 'front' };
      await house.cluster.patch(at, { type: 'merge', body: { spec: { replicas: 5 } } }, { fieldManager: 'somebody' });
      await house.until('it is put back', async () => (await replicas(house)) === 2 && repairs(house).length > 0, limit(ground));
      const [repair] = repairs(house);
      expect(repair?.message).toBe(`Deployment front in ${house.ns} is put back: spec.replicas (set by somebody)`);
      expect(repair?.data).toMatchObject({ fields: [{ path: 'spec.replicas', kind: 'changed', manager: 'somebody', since: expect.any(String) }] });
    });
  });
}
