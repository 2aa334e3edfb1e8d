import { expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { Cluster } from '@/server/kube';
import { isConflict } from '@/server/kube';
import type { House } from '../support/house';
import { applied, configMap, peopleOf, refusal, startPermissionHouse } from './permission-start';

const holding = (objects: readonly object[]) => ({ components: [{ name: 'set', type: 'k8s-objects', properties: { objects } }] });

/** Writes what an application holds as somebody, over whatever its engine writes meanwhile. */
async function hold({ cluster, ns }: House, as: Cluster, objects: readonly object[]): Promise<void> {
  for (;;) {
    const held = await cluster.get({ ...KINDS.application, namespace: ns, name: 'web' });
    try {
      await as.update({ ...held, spec: holding(objects) });
      return;
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
}

it('[design 8] a change that only takes something away needs the right to delete it, though nothing is written', async () => {
  await using house = await startPermissionHouse('embedded');
  const { ann, root } = peopleOf(house);
  const there = { apiVersion: 'v1', kind: 'ConfigMap', namespace: `${house.ns}-other`, name: 'there' };
  const [here, other] = [configMap('here', { a: '1' }), configMap('there', { a: '1' }, there.namespace)];
  const metadata = { name: 'web', namespace: house.ns };
  await house.cluster.as(root).create({ ...KINDS.application, metadata, spec: holding([here, other]) });
  await applied(house, 'web-v1');
  await hold(house, house.cluster.as(ann), [here]);
  expect(await refusal(house)).toContain(`${ann.user} may not delete ConfigMap there in ${there.namespace}`);
  expect(await house.get(KINDS.applicationRevision, 'web-v2')).toBeUndefined();
  expect(await house.cluster.get(there)).toMatchObject({ data: { a: '1' } });
  await hold(house, house.cluster.as(root), [configMap('here', { a: '2' })]);
  await applied(house, 'web-v2');
});
