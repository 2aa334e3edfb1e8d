import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { GitCharts } from '@/server/chartsync/exports/git-charts';
import type { RetainedCharts } from '@/server/chartsync/exports/shared-exports';
import type { ExtendedRelease } from '@/server/chartsync/model/declared';
import { readDeclared } from '@/server/chartsync/model/declared';
import type { ChartSources } from '@/server/chartsync/ports';
import { Harness } from '../../cases/chartsync/harness';
import type { World } from '../../cases/chartsync/world';
import { ManualClock } from '../../support/manual-clock';
import { silentLog } from '../../support/silent-log';

const MIB = 1024 * 1024;
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

/** A chart at path `a` of one repository, taken for resources by name; each export is what the mirror answers. */
function openCharts(isGated: boolean, exportOf: (revision: string) => Promise<object>) {
  const mirror = { id: 'repo', revision: async () => 'head', export: exportOf };
  const sources = { mirrorOf: () => mirror } as unknown as ChartSources; // no more is asked of it
  const charts = new GitCharts({
    isGated: () => isGated,
    sources,
    defaultRef: 'main',
    maxExportsBytes: 2 * MIB,
    clock: new ManualClock(),
    log: silentLog,
  });
  const chart = {
    kind: 'git',
    url: 'repo',
    ref: 'main',
    path: 'a',
    secret: undefined,
    skipDepUpdate: false,
    dependencySecrets: [],
  } as const;
  const take = (name: string, commit?: string, holding: RetainedCharts = { exports: new Set(), folders: new Set() }) => {
    const spec = { chart: { git: 'repo', path: 'a' } };
    const resource = readDeclared({ ...KINDS.helmRelease, metadata: { namespace: 'pay', name }, spec });
    return charts.chartOf(resource as ExtendedRelease, { chart, commit, holding }, new AbortController().signal);
  };
  return { charts, take };
}

const AT = 'https://charts.example';
const PULLED: World = {
  ...GIVEN,
  chartRepos: { [AT]: { ledger: { '1.0.0': CHART } } },
  cluster: {
    ...GIVEN.cluster,
    resources: [
      {
        kind: 'HelmRelease',
        namespace: 'pay',
        name: 'ledger',
        spec: { chart: { repository: AT, name: 'ledger', version: '1.0.0' }, values: {} },
      },
    ],
  },
};

it.each([
  ['mirror goes with its exports while a sync reads one', GIVEN, '/export/c1'],
  ['chart goes that was pulled while a sync reads it', PULLED, `pulled:${AT}`],
])('[X-SRC-1] no %s, and others are let go of meanwhile', async (_what, given, folder) => {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const kept: boolean[][] = [];
  const onKeep = (isRead: (one: string) => boolean) => void kept.push([folder, path.dirname(folder), '/other'].map(isRead));
  const harness = new Harness({ given }, { takes: () => ended, onKeep });
  await harness.prepare();
  const work = harness.engine.reconcile((await harness.resources.listResources('pay'))[0] as never);
  await vi.waitFor(async () => expect((await harness.resources.listResources('pay'))[0]?.status).toMatchObject({ phase: 'Installing' }));
  await harness.play({ do: 'tick', background: true });
  end();
  await work;
  await harness.finish();
  await harness.engine.runSchedule();
  expect(kept).toEqual([
    [true, true, false],
    [false, false, false],
  ]);
});

it('[X-SRC-1] an export that waits for its removal is handed out to nobody', async () => {
  const removed: string[] = [];
  let isBlocked = true;
  let exports = 0;
  const { charts, take } = openCharts(true, async (revision) => {
    const folder = `/${revision}-${exports++}`;
    const remove = async () => {
      await vi.waitFor(() => expect(isBlocked).toBe(false));
      removed.push(folder);
    };
    return { revision, folder, kindOf: async () => 'folder', hasLinks: () => false, remove };
  });
  for (const [name, commit] of [
    ['one', 'c1'],
    ['two', 'c2'],
    ['one', 'c3'],
    ['two', 'c3'],
  ] as const)
    await take(name, commit);
  const removing = charts.clear();
  await charts.exports.holding(async (holding) => {
    const { folder } = await take('two', 'c2', holding);
    isBlocked = false;
    await removing;
    expect(removed).not.toContain(folder.replace(/\/a$/, ''));
  });
});

it('[X-SRC-1] an export that went with its mirror is made anew, once for all who ask', async () => {
  const there = new Set<string>();
  let exports = 0;
  const { take } = openCharts(false, async (revision) => {
    const folder = `/${revision}-${exports++}`;
    there.add(folder);
    return { revision, folder, kindOf: async () => (there.has(folder) ? 'folder' : undefined), hasLinks: () => false };
  });
  const foldersOf = async () => (await Promise.all([take('one'), take('two')])).map(({ folder }) => folder);
  expect(await foldersOf()).toEqual(['/head-0/a', '/head-0/a']);
  there.clear();
  expect(await foldersOf()).toEqual(['/head-1/a', '/head-1/a']);
});

/** Exports of a mebibyte each, of which some are on disk. */
function openExports() {
  const there = new Set<string>();
  let exports = 0;
  const { charts, take } = openCharts(true, async (revision) => {
    const folder = `/${revision}-${exports++}`;
    there.add(folder);
    const remove = async () => void there.delete(folder);
    return { revision, folder, bytes: MIB, kindOf: async () => (there.has(folder) ? 'folder' : undefined), hasLinks: () => false, remove };
  });
  /** One sync of a release that is kept at a commit. */
  const sync = (name: string, commit: string, during: () => Promise<void> = async () => undefined) =>
    charts.exports.holding(async (holding) => {
      await take(name, commit, holding);
      await during();
    });
  return { sync, left: () => [...there].sort() };
}

it('[issue 12.1] an export goes with the sync after which no release is at its commit any more', async () => {
  const { sync, left } = openExports();
  await sync('one', 'c1');
  await sync('two', 'c1');
  await sync('one', 'c2', async () => expect(left()).toEqual(['/c1-0', '/c2-1']));
  expect(left()).toEqual(['/c1-0', '/c2-1']);
  await sync('two', 'c2');
  expect(left()).toEqual(['/c2-1']);
});

it('[issue 12.5] exports take so much together: what was read longest ago goes first and is made again when it is needed, and what is read never goes', async () => {
  const { sync, left } = openExports(); // of which two have room
  await sync('one', 'c1');
  await sync('two', 'c2');
  await sync('one', 'c1');
  await sync('three', 'c3');
  expect(left()).toEqual(['/c1-0', '/c3-2']);
  await sync('one', 'c1', () =>
    sync('three', 'c3', () => sync('two', 'c2', async () => expect(left()).toEqual(['/c1-0', '/c2-3', '/c3-2']))),
  );
  await sync('four', 'c4');
  expect(left()).toHaveLength(2);
});
