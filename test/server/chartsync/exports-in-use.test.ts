import { expect, it, vi } from 'vitest';
import { Harness } from '../../cases/chartsync/harness';
import type { World } from '../../cases/chartsync/world';

const CHART = { templates: [['templates/all.yaml', 'A']] } as const;
const NEXT = { templates: [['templates/all.yaml', 'B']] } as const;
const GIVEN: World = {
  git: {
    commits: [
      { id: 'c1', charts: { 'charts/ledger': CHART } },
      { id: 'c2', charts: { 'charts/ledger': NEXT } },
    ],
    upstreamHead: 'c1',
    engineRevision: null, // the base kind has an export of its own
  },
  cluster: {
    namespaces: ['pay'],
    resources: [{ kind: 'HelmRelease', namespace: 'pay', name: 'ledger', spec: { chart: { git: 'repo', ref: 'main', path: 'charts/ledger' }, values: {} } }],
    helm: [],
  },
};

it('[X-SRC-1] an export that Helm reads stays while the head moves on, and goes once Helm has ended', async () => {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const harness = new Harness({ given: GIVEN }, { takes: () => ended });
  await harness.prepare();
  const work = harness.engine.reconcile((await harness.resources.listResources('pay'))[0] as never);
  await vi.waitFor(() => expect(harness.actions.map(({ do: act }) => act)).toContain('export'));
  await vi.waitFor(async () => expect((await harness.resources.listResources('pay'))[0]?.status).toMatchObject({ phase: 'Installing' }));
  harness.git.upstream = 'c2';
  await harness.play({ do: 'fetch' });
  expect(harness.git.removed).toEqual([]);
  end();
  await work;
  await harness.finish();
  expect(harness.git.removed).toEqual(['c1']);
});
