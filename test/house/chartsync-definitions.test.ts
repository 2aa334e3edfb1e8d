import { expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { createReleaseReader } from '@/server/chartsync';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import { openChartHouse } from './chartsync-house';

const aDefinition = (plural: string, properties: string) => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ${plural}.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { kind: ${plural}, plural: ${plural} }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, properties: { spec: { type: object, properties: { ${properties} } } } } }
`;

it('[issue 12.3] definitions in the crds folder of a chart are told by name where what is installed is not what the chart has, since Helm upgrades none', async () => {
  const repository = new ChartRepository();
  const first = aDefinition('things', 'size: { type: integer }');
  const initial = repository.commitChart('ledger', aChart({ 'crds/things.yaml': first, 'crds/notes.md': 'no definition' }));
  await using house = await openChartHouse(repository);
  await using reader = createReleaseReader(house.reading);
  const stale = () => reader.staleDefinitions({ namespace: 'pay', name: 'pay-ledger' });
  expect(await stale()).toEqual([]);
  await house.declare('ledger', { chart: { git: repository.url, ref: 'main', path: 'charts/ledger' } }, KINDS.helmRelease);
  const released = (revision: number) => () => house.tell('ledger', KINDS.helmRelease)?.lastAct?.storedRevision === revision;
  await until('it is installed', released(1));
  expect(await stale()).toEqual([]);
  const second = repository.commitChart('ledger', {
    'crds/things.yaml': aDefinition('things', 'size: { type: integer }, colour: { type: string }'),
    'crds/others.yaml': aDefinition('others', ''),
  });
  await until('it is upgraded', released(2));
  expect([...(await stale())].sort()).toEqual(['others.example.com', 'things.example.com']);

  const at = { ...KINDS.helmRelease, namespace: 'pay', name: 'ledger', release: { namespace: 'pay', name: 'pay-ledger' } };
  const definitionsOf = async (commit: string) => (await reader.compareCommit(at, { commit, maySeeValues: true })).definitions;
  expect([await definitionsOf(initial), [...(await definitionsOf(second))].sort()]).toEqual([
    [],
    ['others.example.com', 'things.example.com'],
  ]);
});
