import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { AppError } from '@/lib/contract/app-error';
import { readDependencySecrets } from '@/server/chartsync/model/dependency-secrets';
import { unpackChart } from '@/server/chartsync/sources/chart-archive';
import { Dependencies } from '@/server/chartsync/sources/dependencies';
import { newestIn, readRange } from '@/server/chartsync/sources/version-range';
import type { TarEntry } from '../../support/chart-archive';
import { packChart, packTar } from '../../support/chart-archive';
import { temporaryFolder } from '../../support/temporary-folder';

describe('the range of a version', () => {
  const versions = [
    '1.0.0',
    '1.2.3',
    '1.2.9',
    '1.9.0',
    '2.0.0-rc.1',
    '2.0.0',
    '2.1.0+build.7',
    'v3.0.0',
    '0.2.3',
    '0.2.9',
    '0.3.0',
    'latest',
    '',
  ];

  it.each([
    ['', 'v3.0.0'],
    ['*', 'v3.0.0'],
    ['1.2.3', '1.2.3'],
    ['v1.2.3', '1.2.3'],
    ['=1.2.3', '1.2.3'],
    ['1.2', '1.2.9'],
    ['1.x', '1.9.0'],
    ['1.2.*', '1.2.9'],
    ['~1.2.3', '1.2.9'],
    ['~1', '1.9.0'],
    ['^1.2.3', '1.9.0'],
    ['^0.2.3', '0.2.9'],
    ['^0.2', '0.2.9'],
    ['^0', '0.3.0'],
    ['>=1.0.0 <2.0.0', '1.9.0'],
    ['>=1.0.0, <1.9', '1.2.9'],
    ['>1.2 <2', '1.9.0'],
    ['<=1.2', '1.2.9'],
    ['1.0.0 - 1.2.5', '1.2.3'],
    ['<1.0.0 || >=2.0.0 <3', '2.1.0+build.7'],
    ['>=2.0.0-0 <2.0.0', '2.0.0-rc.1'],
    ['>= 1.0.0, != 1.9.0, < 2.0.0', '1.2.9'],
    ['2.1.0', '2.1.0+build.7'],
    ['>9', undefined],
    ['latest', undefined],
    ['1.2.3 ||', undefined],
    ['>', undefined],
  ])('[X-SRC-2] %j takes the newest that is in it: %s', (range, newest) => {
    expect(newestIn(range, versions)).toBe(newest);
  });

  it('[X-SRC-2] takes nothing that leads to a release where it does not speak of such', () => {
    const at = (range: string) => newestIn(range, ['1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-beta.2', '1.0.0-beta.11']);
    expect([at('*'), at('^1.0.0'), at('^1.0.0-0'), at('>=1.0.0-beta.3')]).toEqual([undefined, undefined, '1.0.0-beta.11', '1.0.0-beta.11']);
    expect(readRange('one')).toBeUndefined();
  });
});

describe('the archive of a chart', () => {
  const unpack = async (entries: readonly TarEntry[]) => {
    const folder = temporaryFolder();
    const chart = path.join(folder, 'chart');
    mkdirSync(chart);
    await unpackChart(packTar(entries), chart);
    return folder;
  };

  it('[X-SRC-2] is unpacked below the one folder that it holds, long names included', async () => {
    const long = `ledger/templates/${'a'.repeat(120)}.yaml`;
    const record = (text: string) => {
      const length = String(text.length + 4).length + text.length + 2;
      return `${length} ${text}\n`;
    };
    const folder = await unpack([
      { name: 'ledger/', type: '5' },
      { name: 'ledger/Chart.yaml', body: 'name: ledger\n' },
      { name: 'pax', type: 'x', body: record(`path=${long}`) },
      { name: 'short', body: 'long' },
      { name: '././@LongLink', type: 'L', body: `ledger/${'b'.repeat(120)}\0` },
      { name: 'short', body: 'longer' },
      { name: 'beside', body: 'no' },
    ]);
    const read = (name: string) => readFileSync(path.join(folder, 'chart', name), 'utf8');
    expect([read('Chart.yaml'), read(`templates/${'a'.repeat(120)}.yaml`), read('b'.repeat(120))]).toEqual([
      'name: ledger\n',
      'long',
      'longer',
    ]);
    expect(readdirSync(folder)).toEqual(['chart']);
  });

  it.each([
    ['ledger/../../out', '0'],
    ['../out', '0'],
    ['/etc/out', '0'],
    ['ledger/..\\out', '0'],
    ['C:/out/x', '0'],
    ['ledger/link', '2'],
    ['ledger/hard', '1'],
    ['ledger/device', '3'],
  ])('[issue 12, 5] that holds %j of type %s is refused, and nothing lies outside of its folder', async (name, type) => {
    const folder = temporaryFolder();
    const chart = path.join(folder, 'chart');
    mkdirSync(chart);
    await expect(unpackChart(packTar([{ name, type }]), chart)).rejects.toThrow('the chart archive is rejected');
    expect([readdirSync(folder), readdirSync(chart)]).toEqual([['chart'], []]);
  });

  it('[issue 12, 5] is bounded in files, bytes and folders, and in archives within it', async () => {
    const many = Array.from({ length: 20_001 }, (_, at) => ({ name: `ledger/${at}`, type: '5' }));
    await expect(unpack(many)).rejects.toThrow('a chart contains more than 20,000 files');
    await expect(unpack([{ name: 'ledger/bomb', body: Buffer.alloc(260 * 1024 * 1024) }])).rejects.toThrow(
      'a chart unpacks to more than 256 MiB',
    );
    await expect(unpack([{ name: `ledger/${'a/'.repeat(40)}x` }])).rejects.toThrow('more than 32 deep');
    let nested = packChart('inner', '1.0.0');
    for (let at = 0; at < 6; at++) nested = packChart('inner', '1.0.0', { 'charts/inner-1.0.0.tgz': nested });
    await expect(unpack([{ name: 'ledger/charts/inner-1.0.0.tgz', body: nested }])).rejects.toThrow('nests archives more than 5 deep');
  });

  it('[issue 12, 5] that is none is refused', async () => {
    const chart = temporaryFolder();
    await expect(unpackChart(Buffer.from('not packed'), chart)).rejects.toThrow(
      'the chart archive is rejected: it is not packed with gzip, or damaged',
    );
    await expect(unpackChart(packTar([{ name: 'ledger/a', body: 'a' }]).subarray(0, 60), chart)).rejects.toThrow(
      'the chart archive is rejected',
    );
  });
});

describe('dependencies of a chart of git', () => {
  function anExport(files: Readonly<Record<string, string>>) {
    const root = path.join(temporaryFolder(), 'export');
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
      writeFileSync(path.join(root, name), text);
    }
    return { root, chart: { folder: path.join(root, 'charts/ledger'), path: 'charts/ledger', revision: 'c1' } };
  }
  const declaring = (...dependencies: readonly object[]) =>
    `apiVersion: v2\nname: ledger\nversion: 1.0.0\ndependencies: ${JSON.stringify(dependencies)}\n`;
  const WHOLE = new AbortController().signal;
  const OPEN = { onBehalfOf: { namespace: 'pay', account: undefined }, secrets: [] };
  const nothing = { archive: () => Promise.reject(new Error('nothing is to be fetched')) };

  it('[X-DEP-1] are fetched once for all who release the chart, into a copy, in the version that the lock names', async () => {
    const cache = { name: 'cache', version: '^1.0.0', repository: 'https://charts.test/a' };
    const { root, chart } = anExport({
      'charts/ledger/Chart.yaml': declaring(cache),
      'charts/ledger/Chart.lock': `dependencies: ${JSON.stringify([{ ...cache, version: '1.1.0' }])}\n`,
      'shared/a.yaml': 'shared',
    });
    mkdirSync(path.join(chart.folder, 'templates'));
    symlinkSync('../../../shared/a.yaml', path.join(chart.folder, 'templates/a.yaml'));
    const asked: object[] = [];
    const bytes = packChart('cache', '1.1.0');
    const dependencies = new Dependencies(
      {
        archive: async (wanted) => {
          asked.push(wanted);
          return { version: '1.1.0', bytes };
        },
      },
      WHOLE,
    );
    const [one, other] = await Promise.all([dependencies.build(chart, OPEN), dependencies.build(chart, OPEN)]);
    expect(asked).toEqual([{ repository: 'https://charts.test/a', name: 'cache', version: '1.1.0', secret: undefined }]);
    expect(one).toEqual(other);
    expect(one).toMatchObject({ path: 'charts/ledger', revision: 'c1' });
    expect(readFileSync(path.join(one.folder, 'charts/cache-1.1.0.tgz'))).toEqual(bytes);
    expect(readFileSync(path.join(one.folder, 'templates/a.yaml'), 'utf8')).toBe('shared');
    expect(existsSync(path.join(chart.folder, 'charts'))).toBe(false);
    expect(path.dirname(one.folder)).toBe(`${root}.builds`);
  });

  it('[issue 12.1] that are still not those that were approved are looked for at each pass, and take the room of one copy', async () => {
    const cache = { name: 'cache', version: '1.0.0', repository: 'https://charts.test/a' };
    const { root, chart } = anExport({ 'charts/ledger/Chart.yaml': declaring(cache) });
    let bytes = packChart('cache', '1.0.0');
    const dependencies = new Dependencies({ archive: async () => ({ version: '1.0.0', bytes }) }, WHOLE);
    const approved = [{ name: 'cache', version: '1.0.0', digest: 'a'.repeat(64) }];
    const build = () => dependencies.build(chart, OPEN, approved);
    const first = await build();
    for (const _ of [1, 2, 3]) expect(await build()).toEqual(first);
    expect(readdirSync(`${root}.builds`)).toEqual([path.basename(first.folder)]);
    bytes = packChart('cache', '1.0.0', { 'values.yaml': 'moved: true\n' });
    const moved = await build();
    expect([moved.folder === first.folder, existsSync(first.folder)]).toEqual([false, true]); // a Helm may read it
  });

  it('[issue 12.1] that are others each time they are asked for take the room of a few copies, the newest', async () => {
    const cache = { name: 'cache', version: '1.0.0', repository: 'https://charts.test/a' };
    const { root, chart } = anExport({ 'charts/ledger/Chart.yaml': declaring(cache) });
    let times = 0;
    const dependencies = new Dependencies(
      {
        archive: async () => ({ version: '1.0.0', bytes: packChart('cache', '1.0.0', { 'values.yaml': `times: ${times++}\n` }) }),
      },
      WHOLE,
    );
    const approved = [{ name: 'cache', version: '1.0.0', digest: 'a'.repeat(64) }];
    const folders: string[] = [];
    for (let pass = 0; pass < 12; pass += 1) folders.push((await dependencies.build(chart, OPEN, approved)).folder);
    expect(readdirSync(`${root}.builds`).sort()).toEqual(
      folders
        .slice(-9)
        .map((folder) => path.basename(folder))
        .sort(),
    );
  });

  it('[issue 12, 1] are fetched with the Secret of the nearest address above them, as the account of the resource, and shared with nobody who names another', async () => {
    const at = (name: string, repository: string) => ({ name, version: '1.0.0', repository });
    const { chart } = anExport({
      'charts/ledger/Chart.yaml': declaring(
        at('cache', 'https://charts.test/team/private'),
        at('queue', 'https://charts.test/teams'),
        at('mail', 'https://charts.test:8443/team'),
        at('store', 'oci://charts.test/team'),
      ),
    });
    const asked: unknown[] = [];
    const dependencies = new Dependencies(
      {
        archive: async ({ name, secret }, who) => {
          asked.push([name, secret, who.account]);
          return { version: '1.0.0', bytes: packChart(name, '1.0.0') };
        },
      },
      WHOLE,
    );
    const secrets = readDependencySecrets(
      [{ url: 'https://charts.test', secretRef: { name: 'all' } }],
      'https://charts.test/team/=team, oci://charts.test/team=shared/registry',
    );
    const as = (account: string) => ({ onBehalfOf: { namespace: 'pay', account }, secrets });
    const one = await dependencies.build(chart, as('ann'));
    expect(asked).toEqual([
      ['cache', { name: 'team' }, 'ann'],
      ['queue', { name: 'all' }, 'ann'],
      ['mail', undefined, 'ann'],
      ['store', { name: 'registry', namespace: 'shared' }, 'ann'],
    ]);
    expect((await dependencies.build(chart, as('ann'))).folder).toBe(one.folder);
    expect(asked.length).toBe(4);
    const others = [await dependencies.build(chart, as('bob')), await dependencies.build(chart, OPEN)];
    expect(new Set([one, ...others].map(({ folder }) => folder)).size).toBe(3);
    expect(asked.slice(8)).toEqual(['cache', 'queue', 'mail', 'store'].map((name) => [name, undefined, undefined]));
  });

  it('[issue 12, 1] are built no further once the session has ended, and leave nothing behind', async () => {
    const two = ['a', 'b'].map((name) => ({ name, version: '1.0.0', repository: 'https://charts.test' }));
    const { root, chart } = anExport({ 'charts/ledger/Chart.yaml': declaring(...two) });
    const [ending, asked] = [new AbortController(), [] as string[]];
    const archive = async ({ name }: { readonly name: string }) => {
      asked.push(name);
      ending.abort(new Error('the session has ended'));
      return { version: '1.0.0', bytes: packChart(name, '1.0.0') };
    };
    const dependencies = new Dependencies({ archive }, ending.signal);
    await expect(dependencies.build(chart, OPEN)).rejects.toThrow('the session has ended');
    await expect(dependencies.build(chart, OPEN)).rejects.toThrow('the session has ended');
    expect([asked, readdirSync(`${root}.builds`)]).toEqual([['a'], []]);
  });

  it.each(['charts.test=team', 'https://ann:pw@charts.test=team', 'https://charts.test', 'file:///charts=team', 'https://charts.test='])(
    '[issue 12, 1] are not fetched while their credentials are named by %j',
    async (annotation) => {
      const { chart } = anExport({
        'charts/ledger/Chart.yaml': declaring({ name: 'cache', version: '1.0.0', repository: 'https://charts.test' }),
      });
      const access = { ...OPEN, secrets: readDependencySecrets([], annotation) };
      const building = new Dependencies(nothing, WHOLE).build(chart, access);
      await expect(building).rejects.toThrow(
        'need an https, http or oci address without credentials in it, and the name of a Secret, found',
      );
      await expect(building).rejects.not.toThrow('ann:pw');
    },
  );

  it('[issue 12, 1] that are refused say where the credentials are named', async () => {
    const { chart } = anExport({
      'charts/ledger/Chart.yaml': declaring({ name: 'cache', version: '1.0.0', repository: 'https://charts.test' }),
    });
    const refusing = { archive: () => Promise.reject(new AppError('forbidden', 'charts.test answered 401')) };
    await expect(new Dependencies(refusing, WHOLE).build(chart, OPEN)).rejects.toThrow(
      'charts.test answered 401; name a Secret for it in spec.chart.dependencySecrets, or in annotation slipway.dev/dependency-secrets',
    );
  });

  it('[X-DEP-1] of the same repository are copied, and never from outside of it', async () => {
    const local = (repository: string) => declaring({ name: 'common', version: '1.0.0', repository });
    const files = { 'charts/common/Chart.yaml': 'apiVersion: v2\nname: common\nversion: 1.0.0\n' };
    const { chart } = anExport({ ...files, 'charts/ledger/Chart.yaml': local('file://../common') });
    expect(readdirSync(path.join((await new Dependencies(nothing, WHOLE).build(chart, OPEN)).folder, 'charts/common'))).toEqual([
      'Chart.yaml',
    ]);
    for (const [repository, sentence] of [
      ['file://../../..', 'is outside the repository'],
      ['file:///etc', 'is outside the repository'],
      ['file://../none', 'is not at file://../none'],
    ] as const) {
      const { chart: other } = anExport({ ...files, 'charts/ledger/Chart.yaml': local(repository) });
      await expect(new Dependencies(nothing, WHOLE).build(other, OPEN)).rejects.toThrow(sentence);
    }
    const { chart: linked } = anExport({ ...files, 'charts/ledger/Chart.yaml': local('file://../common') });
    symlinkSync('/etc/hostname', path.join(linked.folder, '../common/stolen'));
    await expect(new Dependencies(nothing, WHOLE).build(linked, OPEN)).rejects.toThrow('"stolen" of a chart points outside its repository');
  });

  it.each([
    [{ name: 'cache', version: '1.0.0' }, 'neither names a repository nor lies in its charts folder'],
    [
      { name: 'cache', version: '1.0.0', repository: '@stable' },
      'needs a repository with https://, http://, oci:// or file://, found "@stable"',
    ],
    [{ name: '../../cache', version: '1.0.0', repository: 'https://charts.test' }, 'is not a valid name of a chart dependency'],
    [
      { name: 'cache', version: '1.0.0', repository: 'https://charts.test' },
      'dependency cache of chart charts/ledger: nothing is to be fetched',
    ],
  ])('[X-DEP-2] that cannot be had are a sentence, and tried again: %j', async (dependency, sentence) => {
    const { chart, root } = anExport({ 'charts/ledger/Chart.yaml': declaring(dependency) });
    const dependencies = new Dependencies(nothing, WHOLE);
    for (let time = 0; time < 2; time++) await expect(dependencies.build(chart, OPEN)).rejects.toThrow(sentence);
    expect(readdirSync(`${root}.builds`, { recursive: true })).toEqual([]);
  });

  it('[X-DEP-1] whose lock does not say what the chart says are not built', async () => {
    const { chart } = anExport({
      'charts/ledger/Chart.yaml': declaring({ name: 'cache', version: '^2.0.0', repository: 'https://charts.test' }),
      'charts/ledger/Chart.lock': 'dependencies:\n- { name: cache, version: 1.1.0, repository: "https://charts.test" }\n',
    });
    await expect(new Dependencies(nothing, WHOLE).build(chart, OPEN)).rejects.toThrow(
      'Chart.lock does not match dependency cache of Chart.yaml',
    );
  });
});
