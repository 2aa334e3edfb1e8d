import { describe, expect, it, vi } from 'vitest';
import type { RetainedCharts } from '@/server/chartsync/exports/shared-exports';
import { SharedExports } from '@/server/chartsync/exports/shared-exports';
import type { GatePort } from '@/server/chartsync/ports';
import { Harness } from '../../cases/chartsync/harness';
import type { Chart, World } from '../../cases/chartsync/world';
import { toContent } from '../../cases/chartsync/world';

const SAID = 'ada cancelled it; it is not retried until something changes or someone syncs it';
const [OLD, NEW] = [{ version: '1.0.0' }, { version: '1.0.1' }];
const BASE = { kind: 'FluxHelmRelease', spec: { chartGitPath: 'ledger', values: {} } } as const;
const LATER = { kind: 'HelmRelease', spec: { chart: { git: 'repo', ref: 'main', path: 'charts/ledger' }, values: {} } } as const;

/** A release at an older chart, whose upgrade to `c1` somebody cancelled; then came `c2`, which touches another folder, and `c3`, which touches the chart. */
function given({ kind, spec }: typeof BASE | typeof LATER, upstreamHead: string): World {
  const status = {
    observedGeneration: 1,
    lastAttemptedRevision: 'c1',
    cancelled: { revision: 'c1', chart: treeOf(NEW), generation: 1, message: SAID },
  };
  return {
    git: {
      upstreamHead,
      commits: [
        { id: 'c0', charts: { 'charts/ledger': OLD } },
        { id: 'c1', charts: { 'charts/ledger': NEW } },
        { id: 'c2', touches: ['README.md'] },
        { id: 'c3', charts: { 'charts/ledger': { version: '1.0.2' } } },
        { id: 'forced', parent: 'c0', charts: { 'charts/ledger': NEW } },
        { id: 'back', parent: 'c0', charts: { 'charts/ledger': { version: '0.9.0' } } },
      ],
    },
    cluster: {
      namespaces: ['pay'],
      resources: [{ kind, namespace: 'pay', name: 'ledger', spec, status }],
      helm: [
        { namespace: 'pay', name: 'pay-ledger', revisions: [{ revision: 1, status: 'deployed', chartPath: 'charts/ledger', chart: OLD }] },
      ],
    },
  };
}

/** As the fake of Helm tells the content of a chart. */
const treeOf = (chart: Chart) => JSON.stringify(toContent(chart, 'charts/ledger'));

const acts = ({ actions }: Harness) =>
  actions.flatMap(({ do: act, rev }) => (act === 'upgrade' || act === 'install' ? [`${act} ${rev}`] : []));

describe.each([BASE, LATER])('[issue 12.1] a chart whose release was cancelled, of a $kind', (resource) => {
  it.each([
    ['stays where a process begins at a commit that left the chart as it is', 'c2', []],
    ['stays where the branch was rewritten and the chart is the same', 'forced', []],
    ['goes to a commit that changed the chart', 'c3', ['upgrade c3']],
    ['goes to what a force push brought back', 'back', ['upgrade back']],
  ])('%s', async (_what, head, expected) => {
    const harness = new Harness({ given: given(resource, head) });
    await harness.prepare();
    await harness.play({ do: 'resourceAdded', key: 'pay/ledger' });
    await harness.play({ do: 'tick' });
    expect(acts(harness)).toEqual(expected);
  });

  it('stays where such a commit comes while the process runs', async () => {
    const harness = new Harness({ given: given(resource, 'c1') });
    await harness.prepare();
    await harness.play({ do: 'push', head: 'c2' });
    await harness.play({ do: 'fetch' });
    await harness.play({ do: 'tick' });
    expect(acts(harness)).toEqual([]);
    await harness.play({ do: 'push', head: 'c3' });
    await harness.play({ do: 'fetch' });
    await harness.play({ do: 'tick' });
    expect(acts(harness)).toEqual(['upgrade c3']);
  });
});

it('[issue 12.1] what people approved after a cancel is tried although its chart is the same, also by a process that begins after that', async () => {
  const gate: GatePort = {
    commitFor: async () => 'c2',
    dependenciesFor: () => undefined,
    archiveFor: async (_resource, { found }) => ({ chart: found }),
    isGated: () => true,
    requireCommit: async () => undefined,
    lostWhileHeld: async () => undefined,
    forget: () => undefined,
  };
  for (const resource of [BASE, LATER]) {
    const harness = new Harness({ given: given(resource, 'c2') }, { gate });
    await harness.prepare();
    await harness.play({ do: 'resourceAdded', key: 'pay/ledger' });
    expect(acts(harness)).toEqual(['upgrade c2']);
  }
});

it('[issue 12.1] other values than those that were cancelled are tried, also where a process begins that did not see them change', async () => {
  const world = given(LATER, 'c2');
  const [resource] = world.cluster.resources;
  Object.assign(resource?.status ?? {}, { lastAttemptedValues: { replicas: 2 } });
  const harness = new Harness({ given: world });
  await harness.prepare();
  await harness.play({ do: 'resourceAdded', key: 'pay/ledger' });
  expect(acts(harness)).toEqual(['upgrade c2']);
});

it.each([BASE, LATER])(
  '[issue 12.1] Helm is told for which spec of a $kind it is run, for the log that outlives the server',
  async (resource) => {
    const world = given(resource, 'c3');
    Object.assign(world.cluster.resources[0] ?? {}, { generation: 3 });
    const harness = new Harness({ given: world });
    const upgrade = vi.spyOn(harness.helm, 'upgrade');
    await harness.prepare();
    await harness.play({ do: 'resourceAdded', key: 'pay/ledger' });
    expect(upgrade.mock.calls.map(([{ generation, chart }]) => [generation, chart.revision])).toEqual([[3, 'c3']]);
  },
);

it('[issue 12.1] the archive that people approved is held while Helm waits for its turn, though the range leads to another by then', async () => {
  const gate: GatePort = {
    commitFor: async () => undefined,
    dependenciesFor: () => undefined,
    archiveFor: async (_resource, { found }) => ({ chart: { ...found, folder: '/pulled/approved/ledger' } }),
    isGated: () => true,
    requireCommit: async () => undefined,
    lostWhileHeld: async () => undefined,
    forget: () => undefined,
  };
  const harness = new Harness({ given: given(LATER, 'c3') }, { gate });
  const holdings: RetainedCharts[] = [];
  const { holding } = SharedExports.prototype;
  using spied = vi.spyOn(SharedExports.prototype, 'holding').mockImplementation(function held(this: SharedExports, task) {
    return holding.call(this, (one) => {
      holdings.push(one);
      return task(one);
    }) as never;
  });
  const read: string[] = [];
  vi.spyOn(harness.helm, 'upgrade').mockImplementation(async () => {
    read.push(...holdings.flatMap(({ folders }) => [...folders]));
    throw new Error('seen');
  });
  await harness.prepare();
  await harness.play({ do: 'resourceAdded', key: 'pay/ledger' });
  expect(spied).toHaveBeenCalled();
  expect(read).toContain('/pulled/approved/ledger');
});
