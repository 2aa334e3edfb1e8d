import { describe, expect, it } from 'vitest';
import { getCondition } from '@/lib/kube/condition';
import { readField, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { ChangePlan } from '@/server/application';
import { withPreviewedPlan } from '@/server/application/plan/previewed-plan';
import type { ClusterKind, House } from '../support/house';
import { driven, startHouse } from '../support/house';

const TEST_LIMIT_MS = 300_000;
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
const ADA = { user: 'ada', groups: ['ops'] };

const configMap = (name: string, from: string) => ({ ...CONFIG_MAP, metadata: { name }, data: { from } });
const holding = (...objects: readonly object[]): KubeObject => ({
  ...KINDS.application,
  metadata: { name: 'maps' },
  spec: { components: [{ name: 'set', type: 'k8s-objects', properties: { objects } }] },
});

async function stored(house: House): Promise<KubeObject> {
  const found = await house.get(KINDS.application, 'maps');
  if (found === undefined) throw new Error('the application is not there');
  return found;
}

const latest = async (house: House) => readString(await stored(house), 'status', 'latestRevision', 'name');
const from = async (house: House, name: string) => readField(await house.get(CONFIG_MAP, name), 'data', 'from');
const planOf = async (house: House, { spec }: KubeObject) => house.plan({ ...(await stored(house)), spec });

/** Asks for a change by the plan that was shown for it; once more where the engine wrote the application in between. */
async function applySeen(house: House, { spec }: KubeObject, { digest }: ChangePlan, act: string): Promise<void> {
  await house.until('the change is written', async () => {
    const next = withPreviewedPlan({ ...(await stored(house)), spec }, { digest, act }, ADA);
    return driven(house.clock, house.cluster.update(next)).then(
      () => true,
      () => false,
    );
  });
}

/** What becomes of a change whose plan is another by the time that it is asked for, on either cluster. */
export function defineMovedPlanHouse(clusterKind: ClusterKind): void {
  describe(`a plan that has moved, on the ${clusterKind} cluster`, () => {
    it('[issue 9.4] is not carried out: nothing is written, and what it would do now is done once that is asked for', {
      timeout: TEST_LIMIT_MS,
    }, async () => {
      await using house = await startHouse({ clusterKind });
      await house.apply(holding(configMap('a', 'git')));
      await house.until('the first revision is applied', async () => (await latest(house)) === 'maps-v1');
      const next = holding(configMap('a', 'elsewhere'), configMap('b', 'git'));
      const shown = await planOf(house, next);
      const labels = { 'app.oam.dev/name': 'maps', 'app.oam.dev/namespace': house.ns };
      const somebodys = await house.apply({ ...configMap('b', 'somebody'), metadata: { name: 'b', labels } });
      // The plan is made from watched copies, and those follow a moment later.
      await house.until('the plan is another', async () => (await planOf(house, next)).digest !== shown.digest);
      await applySeen(house, next, shown, 'act-1');
      const reason = async () => getCondition(await stored(house), 'Applied')?.reason;
      await house.until('the change is held', async () => (await reason()) === 'PlanMoved');
      expect([await from(house, 'a'), await from(house, 'b')]).toEqual(['git', 'somebody']);
      expect(await house.get(KINDS.applicationRevision, 'maps-v2')).toBeUndefined();

      await applySeen(house, next, await planOf(house, next), 'act-2');
      await house.until('the second revision is applied', async () => (await latest(house)) === 'maps-v2');
      expect([await from(house, 'a'), await from(house, 'b')]).toEqual(['elsewhere', 'git']);
      expect((await house.get(CONFIG_MAP, 'b'))?.metadata.uid).toBe(somebodys.metadata.uid);
    });
  });
}
