import { expect, it, vi } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { ExtendedRelease } from '@/server/chartsync/model/declared';
import { readDeclared } from '@/server/chartsync/model/declared';
import type { ChartSources } from '@/server/chartsync/ports';
import type { RetainedExports } from '@/server/chartsync/sync/git-charts';
import { GitCharts } from '@/server/chartsync/sync/git-charts';
import { Harness } from '../../cases/chartsync/harness';
import type { World } from '../../cases/chartsync/world';
import { ManualClock } from '../../support/manual-clock';
import { silentLog } from '../../support/silent-log';

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
    resources: [
      {
        kind: 'HelmRelease',
        namespace: 'pay',
        name: 'ledger',
        spec: { chart: { git: 'repo', ref: 'main', path: 'charts/ledger' }, values: {} },
      },
    ],
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

it('[X-SRC-1] an export that waits for its removal is handed out to nobody', async () => {
  const removed: string[] = [];
  let isBlocked = true;
  let exports = 0;
  const mirror = {
    id: 'repo',
    revision: async () => 'head',
    export: async (revision: string) => {
      const folder = `/${revision}-${exports++}`;
      const remove = async () => {
        await vi.waitFor(() => expect(isBlocked).toBe(false));
        removed.push(folder);
      };
      return { revision, folder, kindOf: async () => 'folder', hasLinks: () => false, remove };
    },
  };
  const sources = { mirrorOf: () => mirror } as unknown as ChartSources; // no more is asked of it
  const charts = new GitCharts({ isGated: () => true, sources, defaultRef: 'main', clock: new ManualClock(), log: silentLog });
  const chart = {
    kind: 'git',
    url: 'repo',
    ref: 'main',
    path: 'a',
    secret: undefined,
    skipDepUpdate: false,
    dependencySecrets: [],
  } as const;
  const take = (name: string, commit: string, holding: RetainedExports = new Set()) => {
    const resource = readDeclared({
      ...KINDS.helmRelease,
      metadata: { namespace: 'pay', name },
      spec: { chart: { git: 'repo', path: 'a' } },
    });
    return charts.chartOf(resource as ExtendedRelease, { chart, commit, holding }, new AbortController().signal);
  };
  for (const [name, commit] of [
    ['one', 'c1'],
    ['two', 'c2'],
    ['one', 'c3'],
    ['two', 'c3'],
  ] as const)
    await take(name, commit);
  const removing = charts.clear();
  await charts.holding(async (holding) => {
    const { folder } = await take('two', 'c2', holding);
    isBlocked = false;
    await removing;
    expect(removed).not.toContain(folder.replace(/\/a$/, ''));
  });
});

it('[X-SRC-1] an export that went with its mirror is made anew, once for all who ask', async () => {
  const there = new Set<string>();
  let exports = 0;
  const mirror = {
    id: 'repo',
    revision: async () => 'head',
    export: async (revision: string) => {
      const folder = `/${revision}-${exports++}`;
      there.add(folder);
      return { revision, folder, kindOf: async () => (there.has(folder) ? 'folder' : undefined), hasLinks: () => false };
    },
  };
  const sources = { mirrorOf: () => mirror } as unknown as ChartSources; // no more is asked of it
  const charts = new GitCharts({ isGated: () => false, sources, defaultRef: 'main', clock: new ManualClock(), log: silentLog });
  const take = async (name: string) => {
    const spec = { chart: { git: 'repo', path: 'a' } };
    const resource = readDeclared({ ...KINDS.helmRelease, metadata: { namespace: 'pay', name }, spec }) as ExtendedRelease;
    const chart = {
      kind: 'git',
      url: 'repo',
      ref: 'main',
      path: 'a',
      secret: undefined,
      skipDepUpdate: false,
      dependencySecrets: [],
    } as const;
    return (await charts.chartOf(resource, { chart, commit: undefined, holding: new Set() }, new AbortController().signal)).folder;
  };
  expect([await take('one'), await take('two')]).toEqual(['/head-0/a', '/head-0/a']);
  there.clear();
  expect(await Promise.all([take('one'), take('two')])).toEqual(['/head-1/a', '/head-1/a']);
});

it('[X-SRC-1] a signal has git asked once for all releases of a chart, and not again with the next one', async () => {
  const asked: string[] = [];
  let [head, isGone] = ['a', false];
  const mirror = {
    id: 'repo',
    revision: async () => head,
    isGone: () => isGone,
    export: async (revision: string) => ({
      revision,
      folder: '/x',
      kindOf: async () => 'folder',
      hasLinks: () => false,
      remove: async () => undefined,
    }),
    commitsBetween: async ({ from, to, path }: Readonly<Record<'from' | 'to' | 'path', string>>) => {
      asked.push(`${from}..${to} ${path}`);
      return path === 'charts/moved' ? ['c'] : [];
    },
  };
  const sources = { mirrorOf: () => mirror } as unknown as ChartSources; // no more is asked of it
  const charts = new GitCharts({ isGated: () => false, sources, defaultRef: 'main', clock: new ManualClock(), log: silentLog });
  const releaseOf = (name: string, path: string) =>
    readDeclared({ ...KINDS.helmRelease, metadata: { namespace: 'pay', name }, spec: { chart: { git: 'repo', path } } }) as ExtendedRelease;
  const releases = ['one', 'two', 'three'].map((name) => releaseOf(name, 'charts/ledger')).concat(releaseOf('four', 'charts/moved'));
  const signal = new AbortController().signal;
  const take = async () => (await charts.takeSignal(releases, new Set(['repo']), signal)).map(({ at: { name } }) => name);
  expect(await take()).toEqual(['one', 'two', 'three', 'four']);
  head = 'b';
  expect(await take()).toEqual(['four']);
  expect(await take()).toEqual([]);
  // That the branch is gone, and that it is back, is told at once.
  for (isGone of [true, false]) expect([(await take()).length, await take()]).toEqual([4, []]);
  expect(asked).toEqual(['a..b charts/ledger', 'b..a charts/ledger', 'a..b charts/moved']);
});

it('[issue 12.3] a signal concerns a release whose chart has links wherever its branch moved: what they lead to is no commit of its path', async () => {
  let head = 'a';
  const mirror = {
    id: 'repo',
    revision: async () => head,
    isGone: () => false,
    export: async (revision: string) => ({
      ...{ revision, folder: '/x', kindOf: async () => 'folder', remove: async () => undefined },
      hasLinks: (path: string) => path === 'charts/linked' && revision !== 'c',
    }),
    commitsBetween: async () => [],
  };
  const sources = { mirrorOf: () => mirror } as unknown as ChartSources; // no more is asked of it
  const charts = new GitCharts({ isGated: () => false, sources, defaultRef: 'main', clock: new ManualClock(), log: silentLog });
  const releases = ['plain', 'linked'].map((name) => {
    const spec = { chart: { git: 'repo', ref: 'main', path: `charts/${name}` } };
    return readDeclared({ ...KINDS.helmRelease, metadata: { namespace: 'pay', name }, spec }) as ExtendedRelease;
  });
  const signal = new AbortController().signal;
  const take = async () => {
    const touched = await charts.takeSignal(releases, new Set(['repo']), signal);
    for (const one of touched) {
      const { chart } = one.spec;
      if (chart.kind === 'git') await charts.chartOf(one, { chart, commit: undefined, holding: new Set() }, signal);
    }
    return touched.map(({ at }) => at.name);
  };
  expect(await take()).toEqual(['plain', 'linked']);
  for (head of ['b', 'c']) expect(await take()).toEqual(['linked']);
  // There the links are gone.
  head = 'd';
  expect(await take()).toEqual([]);
});

it('[issue 12.1] a signal concerns a gated release where its branch moved, was deleted, or could not be asked before', async () => {
  let [head, isGone] = ['a', false];
  const mirror = { id: 'repo', revision: async () => head, isGone: () => isGone };
  const sources = { mirrorOf: () => mirror } as unknown as ChartSources; // no more is asked of it
  const charts = new GitCharts({ isGated: () => true, sources, defaultRef: 'main', clock: new ManualClock(), log: silentLog });
  const spec = { chart: { git: 'repo', path: 'charts/ledger' } };
  const releases = [readDeclared({ ...KINDS.helmRelease, metadata: { namespace: 'pay', name: 'one' }, spec }) as ExtendedRelease];
  const take = async () => (await charts.takeSignal(releases, new Set(['repo']), new AbortController().signal)).length;
  expect([await take(), await take()]).toEqual([1, 0]);
  head = 'b';
  expect([await take(), await take()]).toEqual([1, 0]);
  isGone = true;
  expect([await take(), await take()]).toEqual([1, 0]);
  expect(charts.withoutChart(releases, new Set(['repo']))).toEqual([]);
  expect([await take(), await take()]).toEqual([1, 0]);
});
