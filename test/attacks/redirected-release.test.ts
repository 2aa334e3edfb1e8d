import { expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { createReleaseReader } from '@/server/chartsync';
import { openChartHouse } from '../house/chartsync-house';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';

const CANARY = 'canary-9917';

it('[issue 12.5] a resource that names the release of another namespace once somebody was permitted its own shows nothing of that one, in any of its comparisons', async () => {
  const repository = new ChartRepository();
  const told = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: told }\ndata: { greeting: {{ .Values.greeting }} }\n';
  const commit = repository.commitChart('ledger', aChart({ 'templates/told.yaml': told }));
  await using house = await openChartHouse(repository, { intervalMs: 3_600_000 });
  await using reader = createReleaseReader(house.reading);
  await house.cluster.create({ ...KINDS.namespace, metadata: { name: 'vault' } });
  const spec = (greeting: string) => ({ chart: { git: repository.url, ref: 'main', path: 'charts/ledger' }, values: { greeting } });
  await house.cluster.create({ ...KINDS.helmRelease, metadata: { namespace: 'vault', name: 'books' }, spec: spec(CANARY) });
  await house.declare('mine', spec('hello'), KINDS.helmRelease);
  await until('both are released', () =>
    [house.tell('books', KINDS.helmRelease, 'vault'), house.tell('mine', KINDS.helmRelease)].every(
      (one) => one?.lastAct?.outcome === 'installed',
    ),
  );
  const resource = { ...KINDS.helmRelease, namespace: 'pay', name: 'mine' };
  const permitted = { ...resource, release: { namespace: 'pay', name: 'pay-mine' } };
  const ways = (object: KubeObject, at = permitted) => ({
    content: () => reader.content(at, { revision: 1, maySeeValues: async () => true }),
    compare: () => reader.compare(at, { from: 1, to: 1, maySeeValues: true }),
    compareCommit: () => reader.compareCommit(at, { commit, maySeeValues: true }),
    compareThree: () => reader.compareThree(at, { maySeeValues: true }),
    plan: () => reader.plan({ object }, { release: at.release, maySeeValues: true }),
  });
  const mine = (await house.get(KINDS.helmRelease, 'mine')) as KubeObject; // it was declared
  for (const ask of Object.values(ways(mine))) expect(JSON.stringify(await ask())).not.toContain(CANARY);

  const moved = { ...spec('hello'), suspend: true, targetNamespace: 'vault', releaseName: 'vault-books' };
  await house.cluster.patch(resource, { type: 'merge', body: { spec: moved } });
  const object = (await house.get(KINDS.helmRelease, 'mine')) as KubeObject; // it was declared
  for (const [way, ask] of Object.entries(ways(object)))
    await expect(ask(), way).rejects.toThrow('HelmRelease mine in pay names another release than a moment ago; open it again');
  // To whoever is permitted that one it is shown.
  const there = { ...resource, release: { namespace: 'vault', name: 'vault-books' } };
  expect(JSON.stringify(await ways(object, there).content())).toContain(CANARY);
});
