import { expect, it } from 'vitest';
import type { StrayRow } from '@/lib/contract/tracker-rows';
import { KINDS } from '@/lib/kube/kinds';
import { aStorefront } from '../../support/applications';
import { startHouse } from '../../support/house';
import type { Rows } from './rig';
import { openRows } from './rig';

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
const labelled = (ns: string, application: string) => ({ 'app.oam.dev/name': application, 'app.oam.dev/namespace': ns });
const straysOf = (rows: Rows, visibility?: readonly string[]) =>
  (rows.see({ kind: 'strays', query: {} }, visibility)?.rows ?? []) as readonly StrayRow[];
const namesOf = (rows: Rows) => straysOf(rows).map(({ kind, name }) => `${kind}/${name}`);

it('[design 13 G] lists what carries the labels of an application and is in no tracker, and nothing that is', async () => {
  await using house = await startHouse();
  await using rows = await openRows(house);
  await house.apply(aStorefront({ configMaps: ['settings'] }));
  await house.until('all pods run', async () => (await house.ready('web-v1')) === 4);
  expect(namesOf(rows)).toEqual([]);

  await house.apply({ ...CONFIG_MAP, metadata: { name: 'forgotten', labels: labelled(house.ns, 'web') } });
  await house.apply({ ...CONFIG_MAP, metadata: { name: 'orphan', labels: labelled(house.ns, 'newsletter') } });
  await house.apply({ ...CONFIG_MAP, metadata: { name: 'foreign' } });
  await house.until('both are told', () => namesOf(rows).length === 2);
  expect(straysOf(rows)).toMatchObject([
    {
      name: 'orphan',
      application: 'newsletter',
      state: 'gone',
      why: 'its application is gone, no tracker lists it and none owns it',
      command: `kubectl delete ConfigMap orphan -n ${house.ns}`,
    },
    { name: 'forgotten', application: 'web', state: 'there' },
  ]);
  expect(straysOf(rows, ['elsewhere'])).toEqual([]);
});

it('[design 8] the command that deletes a stray holds whatever name it was given, and there is none for a name with signs that nobody sees', async () => {
  await using house = await startHouse();
  await using rows = await openRows(house);
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', rules: [] };
  const managedResources = [{ apiVersion: role.apiVersion, kind: role.kind, name: 'readers', namespace: house.ns }];
  const tracker = { ...KINDS.resourceTracker, metadata: { name: 'web-v1', labels: labelled(house.ns, 'web') } };
  await house.cluster.create({ ...tracker, spec: { type: 'versioned', applicationGeneration: 1, managedResources } });
  const names = ['$(touch owned)', "it's; id", 'a\nid'];
  for (const name of names) await house.apply({ ...role, metadata: { name, labels: labelled(house.ns, 'newsletter') } });
  await house.until('all are told', () => namesOf(rows).length === names.length);
  const commands = Object.fromEntries(straysOf(rows).map(({ name, command }) => [name, command]));
  expect(commands).toEqual({
    '$(touch owned)': `kubectl delete Role.v1.rbac.authorization.k8s.io '$(touch owned)' -n ${house.ns}`,
    "it's; id": `kubectl delete Role.v1.rbac.authorization.k8s.io 'it'\\''s; id' -n ${house.ns}`,
    'a\nid': null,
  });
});

it('[design 13 G] what loses its tracker becomes a stray, and what is removed is none', async () => {
  await using house = await startHouse();
  await using rows = await openRows(house);
  const managedResources = [{ ...CONFIG_MAP, name: 'settings', namespace: house.ns }];
  const tracker = { ...KINDS.resourceTracker, metadata: { name: 'ghost-v1', labels: labelled(house.ns, 'ghost') } };
  await house.cluster.create({ ...tracker, spec: { type: 'versioned', applicationGeneration: 1, managedResources } });
  await house.apply({ ...CONFIG_MAP, metadata: { name: 'settings', labels: labelled(house.ns, 'ghost') } });
  await house.until('the tracker is told', () => rows.see({ kind: 'tracker', name: 'ghost-v1' }) !== undefined);
  await house.advance(1000);
  expect(namesOf(rows)).toEqual([]);

  await house.cluster.delete({ ...KINDS.resourceTracker, name: 'ghost-v1' }, { propagationPolicy: 'Orphan' });
  await house.until('it is told', () => namesOf(rows).length === 1);
  await house.cluster.delete({ ...CONFIG_MAP, namespace: house.ns, name: 'settings' });
  await house.until('it is gone from the list', () => namesOf(rows).length === 0);
});
