import { describe, expect, it } from 'vitest';
import { getCondition } from '@/lib/kube/condition';
import { readList, readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { ClusterKind, House } from '../support/house';
import { startHouse } from '../support/house';

const limit = (clusterKind: ClusterKind) => (clusterKind === 'embedded' ? 5 * 60_000 : undefined);
const replicas = async (house: House) => readNumber(await house.get(KINDS.deployment, 'front'), 'spec', 'replicas');
/** The revision that runs: only once one does is a change by others a drift. */
const runs = async (house: House) => readString(await house.get(KINDS.application, 'shop'), 'status', 'latestRevision', 'name');
const repairs = (house: House) =>
  [...house.record.values()].filter(
    ({ action, about }) => action === 'drift.repaired' && about.kind === 'Deployment' && about.namespace === house.ns,
  );

const ANNOTATION = 'cluster.x-k8s.io/paused';
const pauses = (house: House) =>
  [...house.record.values()].filter(({ action, about }) => /^object\.(paused|resumed)$/.test(action) && about.namespace === house.ns);

/** Somebody scales what an application has: it is put back, and on record with who had set it. */
export function defineDriftHouse(clusterKind: ClusterKind): void {
  describe(`state keep on the ${clusterKind} cluster`, () => {
    it('[dispatch 13] puts back what somebody changed, and records the field and its manager as the server notes it', async () => {
      await using house = await startHouse({ clusterKind });
      const component = {
        name: 'front',
        type: 'webservice',
        properties: { image: 'web:1' },
        traits: [{ type: 'scaler', properties: { replicas: 2 } }],
      };
      await house.apply({ ...KINDS.application, metadata: { name: 'shop' }, spec: { components: [component] } });
      await house.until('it is applied', async () => (await runs(house)) === 'shop-v1', limit(clusterKind));
      const at = { ...KINDS.deployment, namespace: house.ns, name: 'front' };
      await house.cluster.patch(at, { type: 'merge', body: { spec: { replicas: 5 } } }, { fieldManager: 'somebody' });
      await house.until('it is put back', async () => (await replicas(house)) === 2 && repairs(house).length > 0, limit(clusterKind));
      const [repair] = repairs(house);
      expect(repair?.message).toBe(`Deployment front in ${house.ns} was reverted: spec.replicas (set by somebody)`);
      expect(repair?.data).toMatchObject({
        fields: [{ path: 'spec.replicas', kind: 'changed', manager: 'somebody', since: expect.any(String) }],
      });
    });

    it('[dispatch 13] puts a port back that somebody gave another number, and leaves no second one beside it', async () => {
      await using house = await startHouse({ clusterKind });
      const service = {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'front' },
        spec: { selector: { app: 'front' }, ports: [{ port: 80, targetPort: 8080 }] },
      };
      const component = { name: 'net', type: 'k8s-objects', properties: { objects: [service] } };
      await house.apply({ ...KINDS.application, metadata: { name: 'shop' }, spec: { components: [component] } });
      const at = { apiVersion: 'v1', kind: 'Service', namespace: house.ns, name: 'front' };
      const ports = async () => readList(await house.get(at, 'front'), 'spec', 'ports').map((port) => readNumber(port, 'port'));
      await house.until('it is applied', async () => (await runs(house)) === 'shop-v1', limit(clusterKind));
      await house.cluster.patch(
        at,
        { type: 'merge', body: { spec: { ports: [{ port: 9999, targetPort: 8080, protocol: 'TCP' }] } } },
        { fieldManager: 'somebody' },
      );
      await house.until('it is put back', async () => (await ports())[0] === 80, limit(clusterKind));
      expect(await ports()).toEqual([80]);
      const told = () =>
        [...house.record.values()].filter(
          ({ action, about }) => action === 'drift.repaired' && about.kind === 'Service' && about.namespace === house.ns,
        );
      await house.until('it is on record', async () => told().length > 0, limit(clusterKind));
      expect(told()[0]?.message).toContain('spec.ports[port=9999] (set by somebody)');
    });

    it('[design 14] makes an object again that was deleted since no change could bring it back', async () => {
      await using house = await startHouse({ clusterKind });
      const settings = (mode: string) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'settings', namespace: house.ns },
        data: { mode },
        immutable: true,
      });
      await house.apply({
        ...KINDS.application,
        metadata: { name: 'shop' },
        spec: { components: [{ name: 'set', type: 'k8s-objects', properties: { objects: [settings('wanted')] } }] },
      });
      const at = { apiVersion: 'v1', kind: 'ConfigMap', namespace: house.ns, name: 'settings' };
      const mode = async () => readString(await house.get(at, 'settings'), 'data', 'mode');
      const applied = async () => getCondition((await house.get(KINDS.application, 'shop')) ?? {}, 'Applied');
      await house.until(
        'it is applied',
        async () => (await mode()) === 'wanted' && (await applied())?.status === 'True',
        limit(clusterKind),
      );
      const { metadata } = await house.cluster.get(at);
      await house.cluster.delete(at);
      const { uid: _uid, resourceVersion: _version, creationTimestamp: _created, managedFields: _managers, ...kept } = metadata;
      const taken = { ...settings('found'), metadata: kept };
      // Whoever is first makes it: the engine is quick, so an object of somebody else's is put in its place until it stays.
      await house.until(
        'somebody else makes it',
        async () => {
          if ((await mode()) === 'found') return true;
          await house.cluster.delete(at).catch(() => undefined);
          await house.cluster.create(taken).catch(() => undefined);
          return (await mode()) === 'found';
        },
        limit(clusterKind),
      );
      await house.until('the engine fails to change it', async () => (await applied())?.reason === 'DispatchFailed', limit(clusterKind));
      const { metadata: live } = await house.cluster.get(at);
      await house.cluster.delete(at, {
        preconditions: { uid: live.uid ?? '', resourceVersion: live.resourceVersion ?? '' },
        propagationPolicy: 'Background',
      });
      await house.until(
        'it is as specified',
        async () => (await mode()) === 'wanted' && (await applied())?.status === 'True',
        limit(clusterKind),
      );
    });

    it('[framework L4] records that an annotation holds an application, by which client, and that it goes on', async () => {
      await using house = await startHouse({ clusterKind });
      const objects = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: {} }];
      await house.apply({
        ...KINDS.application,
        metadata: { name: 'shop' },
        spec: { components: [{ name: 'set', type: 'k8s-objects', properties: { objects } }] },
      });
      const at = { ...KINDS.application, namespace: house.ns, name: 'shop' };
      const annotate = (value: string | null) =>
        house.cluster.patch(
          at,
          { type: 'merge', body: { metadata: { annotations: { [ANNOTATION]: value } } } },
          { fieldManager: 'somebody' },
        );
      await annotate('true');
      await house.until('the pause is on record', async () => pauses(house).length === 1, limit(clusterKind));
      await annotate(null);
      await house.until('it goes on', async () => pauses(house).length === 2, limit(clusterKind));
      expect(pauses(house)).toMatchObject([
        {
          actor: 'application',
          action: 'object.paused',
          about: { kind: 'Application', name: 'shop' },
          message: expect.stringMatching(
            /^Application shop in \S+ is paused by its annotation cluster\.x-k8s\.io\/paused, set by somebody at \S+Z or before; the person is not recorded$/,
          ),
          data: { manager: 'somebody' },
        },
        {
          action: 'object.resumed',
          message: expect.stringMatching(/ is resumed: its annotation cluster\.x-k8s\.io\/paused was removed, by whom is not recorded$/),
        },
      ]);
    });
  });
}
