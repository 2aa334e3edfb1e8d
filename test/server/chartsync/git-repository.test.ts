import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readGitAddress } from '@/server/chartsync/git/address';
import { BinaryRepository } from '@/server/chartsync/git/binary-repository';
import { GitBinary } from '@/server/chartsync/git/git-binary';
import type { GitRepository } from '@/server/chartsync/git/mirror';
import { realClock } from '@/server/platform';
import { FakeGit } from '../../cases/chartsync/fake-git';
import { Faults } from '../../cases/chartsync/faults';
import { aChart, ChartRepository } from '../../support/chart-repository';
import { use } from '../../support/use';

const NEVER = new AbortController().signal;

function aRepository(): ChartRepository {
  return use(new ChartRepository());
}

function mirrorOf(repository: ChartRepository): BinaryRepository {
  const address = readGitAddress(repository.url, repository.folder);
  return new BinaryRepository({
    address,
    git: new GitBinary({ scheme: 'file', home: repository.folder, clock: realClock }),
    contacts: { run: (_, task) => task({ env: {}, secrets: [] }) },
    folder: path.join(repository.folder, 'copy'),
    clock: realClock,
  });
}

interface Subject {
  readonly git: GitRepository;
  readonly commits: readonly string[];
}

/** Four commits: a chart, a sibling whose name begins alike, a file outside of charts, the chart again. */
const SUBJECTS: Readonly<Record<string, () => Promise<Subject>>> = {
  'the git binary': async () => {
    const repository = aRepository();
    const commits = [
      repository.commitChart('ledger', aChart()),
      repository.commitChart('ledger-admin', aChart({}, 'ledger-admin')),
      repository.commit({ 'docs/readme.md': 'hello' }),
      repository.commitChart('ledger', { 'values.yaml': 'replicas: 2\n' }),
    ];
    const git = mirrorOf(repository);
    await git.clone(NEVER);
    return { git, commits };
  },
  'the fake of the cases': async () => {
    const charts = [{ 'charts/ledger': {} }, { 'charts/ledger-admin': {} }, undefined, { 'charts/ledger': { version: '2.0.0' } }];
    const commits = charts.map((each, at) => ({
      id: `c${at + 1}`,
      ...(each === undefined ? { touches: ['docs/readme.md'] } : { charts: each }),
    }));
    const git = new FakeGit({ commits }, new Faults([]), () => undefined);
    await git.clone();
    return { git, commits: commits.map(({ id }) => id) };
  },
};

describe.each(Object.entries(SUBJECTS))('the port of a repository: %s', (_name, open) => {
  it('[chartsync 4] answers the head of the branch', async () => {
    const { git, commits } = await open();
    expect(await git.revision('main', NEVER)).toBe(commits[3]);
  });

  it('[R-2-3] finds the commits that touched a folder, newest first, and none of a sibling whose name begins alike', async () => {
    const { git, commits } = await open();
    const [from = '', , third = '', to = ''] = commits;
    expect(await git.commitsBetween({ from, to, path: 'charts/ledger' }, NEVER)).toEqual([to]);
    expect(await git.commitsBetween({ from, to: third, path: 'charts/ledger' }, NEVER)).toEqual([]);
    expect(await git.commitsBetween({ from: to, to: from, path: 'charts/ledger' }, NEVER)).toEqual([]);
  });

  it('[R-2-5] rejects a range whose beginning is not known', async () => {
    const { git, commits } = await open();
    await expect(git.commitsBetween({ from: 'f'.repeat(40), to: commits[3] ?? '', path: 'charts/ledger' }, NEVER)).rejects.toThrow();
  });

  it('[R-LOOP-1] exports a commit as it was', async () => {
    const { git, commits } = await open();
    const copy = await git.export(commits[0] ?? '', NEVER);
    expect(copy.revision).toBe(commits[0]);
    expect(await copy.kindOf('charts/ledger')).toBe('folder');
    expect(await copy.kindOf('charts/ledger-admin')).toBeUndefined();
    await copy.remove();
  });
});

describe('the git binary', () => {
  it('[chartsync 13] exports also what attributes leave out of archives', async () => {
    const repository = aRepository();
    const commit = repository.commit({ '.gitattributes': 'charts/** export-ignore\n', 'charts/ledger/Chart.yaml': 'name: ledger\n' });
    const git = mirrorOf(repository);
    await git.clone(NEVER);
    const copy = await git.export(commit, NEVER);
    expect(readFileSync(path.join(copy.folder, 'charts/ledger/Chart.yaml'), 'utf8')).toBe('name: ledger\n');
  });

  it('[issue 12, 5] keeps links that stay in the repository and removes those that lead out of it', async () => {
    const repository = aRepository();
    repository.commit({ 'charts/ledger/Chart.yaml': 'name: ledger\n' });
    const folder = repository.git('rev-parse', '--show-toplevel').trim();
    symlinkSync('Chart.yaml', path.join(folder, 'charts/ledger/inside.yaml'));
    symlinkSync('/etc/passwd', path.join(folder, 'charts/ledger/outside.yaml'));
    symlinkSync('../../../../../..', path.join(folder, 'charts/ledger/up'));
    const commit = repository.commit({});
    const git = mirrorOf(repository);
    await git.clone(NEVER);
    const copy = await git.export(commit, NEVER);
    const has = (name: string) => existsSync(path.join(copy.folder, 'charts/ledger', name));
    expect([has('inside.yaml'), has('outside.yaml'), has('up')]).toEqual([true, false, false]);
  });

  it('[issue 12.1] tells of several commits which chart each has, and which contain another', async () => {
    const repository = aRepository();
    const base = repository.commit({ 'charts/ledger/Chart.yaml': 'a' });
    const side = repository.commit({ 'charts/ledger/Chart.yaml': 'b' });
    repository.git('checkout', '--quiet', '-b', 'other', base);
    const approved = repository.commit({ 'charts/ledger/Chart.yaml': 'c' });
    repository.git('merge', '--quiet', '-s', 'ours', '-m', 'both', side);
    const merged = repository.git('rev-parse', 'HEAD').trim();
    repository.git('rm', '-rq', 'charts');
    const head = repository.commit({ readme: 'gone' });
    const git = mirrorOf(repository);
    await git.clone(NEVER);
    const commits = [head, merged, approved, side, base];
    const found = await git.charts({ commits, head, path: 'charts/ledger', base: approved }, NEVER);
    const tree = (commit: string) => repository.git('rev-parse', `${commit}:charts/ledger`).trim();
    expect(found).toEqual([
      { commit: head, chart: undefined, containsBase: true },
      { commit: merged, chart: tree(approved), containsBase: true },
      { commit: approved, chart: tree(approved), containsBase: true },
      { commit: side, chart: tree(side), containsBase: false },
      { commit: base, chart: tree(base), containsBase: false },
    ]);
    await expect(git.charts({ commits: ['--all'], head, path: '.', base }, NEVER)).rejects.toThrow('must be given in full');
  });

  it('[issue 12.1] tells of each commit its own chart where others have a link that leads nowhere, out of the repository or round, or a file', async () => {
    const repository = aRepository();
    const good = repository.commit({ 'charts/ledger/Chart.yaml': 'a' });
    const folder = repository.git('rev-parse', '--show-toplevel').trim();
    const commitInstead = (put: (at: string) => void): string => {
      repository.git('rm', '-rq', 'charts');
      mkdirSync(path.join(folder, 'charts'), { recursive: true });
      put(path.join(folder, 'charts/ledger'));
      return repository.commit({});
    };
    const forged = repository.git('rev-parse', `${good}:charts/ledger`).trim();
    const strange = [
      commitInstead((at) => symlinkSync('nowhere', at)),
      commitInstead((at) => symlinkSync('ledger', at)),
      commitInstead((at) => symlinkSync(`/etc\n${forged} tree`, at)),
      commitInstead((at) => symlinkSync(Buffer.from([0x2f, 0xff, 0x0a, 0xfe]), at)),
      commitInstead((at) => writeFileSync(at, 'a file')),
      commitInstead((at) => {
        mkdirSync(at);
        writeFileSync(path.join(at, 'Chart.yaml'), 'b');
      }),
    ];
    const git = mirrorOf(repository);
    await git.clone(NEVER);
    const head = strange.at(-1) ?? '';
    for (const at of ['charts/ledger', 'charts/ledger/Chart.yaml']) {
      const commits = [good, ...strange, good];
      const found = await git.charts({ commits, head, path: at, base: undefined }, NEVER);
      const alone = await Promise.all(commits.map((commit) => git.facts({ commit, head, path: at }, NEVER)));
      expect(found.map(({ chart }) => chart)).toEqual(alone.map((facts) => facts?.chart));
    }
    const found = await git.charts({ commits: [...strange, good], head, path: 'charts/ledger', base: undefined }, NEVER);
    const tree = (commit: string) => repository.git('rev-parse', `${commit}:charts/ledger`).trim();
    expect(found.map(({ chart }) => chart)).toEqual([...strange.slice(0, -1).map(() => undefined), tree(head), tree(good)]);
  });

  it('[chartsync 14.13] takes a path with magic and stars literally', async () => {
    const repository = aRepository();
    const from = repository.commit({ 'charts/ledger/Chart.yaml': 'a' });
    const to = repository.commit({ 'charts/ledger/Chart.yaml': 'b' });
    const git = mirrorOf(repository);
    await git.clone(NEVER);
    expect(await git.commitsBetween({ from, to, path: 'charts/*' }, NEVER)).toEqual([]);
    expect(await git.commitsBetween({ from, to, path: ':(top)charts/ledger' }, NEVER)).toEqual([]);
    await expect(git.revision('--all', NEVER)).rejects.toThrow();
  });

  it('[issue 9] names the repository, the branch that is missing and those that there are', async () => {
    const repository = aRepository();
    repository.commit({ 'charts/ledger/Chart.yaml': 'a' });
    const git = mirrorOf(repository);
    await git.clone(NEVER);
    const of = `${repository.url} has no branch, tag or commit`;
    await expect(git.revision('master', NEVER)).rejects.toThrow(new Error(`${of} master; its only branch is main`));
    for (let at = 1; at <= 9; at++) repository.git('push', '--quiet', 'origin', `HEAD:refs/heads/side-${at}`);
    await git.fetch(NEVER);
    const named = 'main, side-1, side-2, side-3, side-4, side-5, side-6, side-7 and others';
    await expect(git.revision('master', NEVER)).rejects.toThrow(new Error(`${of} master; its branches are ${named}`));
    const empty = mirrorOf(aRepository());
    await empty.clone(NEVER);
    await expect(empty.revision('main', NEVER)).rejects.toThrow(/has no branch, tag or commit main; it has no branches$/);
    // A mirror that cannot say what there is says what is wrong with it.
    rmSync(path.join(repository.folder, 'copy'), { recursive: true });
    await expect(git.revision('master', NEVER)).rejects.toThrow(/^(?!.*has no branch)/);
  });

  it('[issue 12, 1] keeps its objects through an outage, and is cloned again only when it is broken', async () => {
    const repository = aRepository();
    const first = repository.commit({ a: '1' });
    const git = mirrorOf(repository);
    await git.clone(NEVER);
    const mirror = path.join(repository.folder, 'copy', 'mirror.git');
    writeFileSync(path.join(mirror, 'kept'), '');
    await git.clone(NEVER);
    expect(existsSync(path.join(mirror, 'kept'))).toBe(true);
    rmSync(path.join(mirror, 'objects'), { recursive: true });
    await git.clone(NEVER);
    expect(existsSync(path.join(mirror, 'kept'))).toBe(false);
    expect(await git.revision('main', NEVER)).toBe(first);
  });

  it('[issue 12.5] tells no more of a commit than its first 200 letters, whatever its subject and its author are', async () => {
    const repository = aRepository();
    const plain = repository.commit({ a: '1' }, 'ledger: begin ');
    const message = path.join(repository.folder, 'message');
    writeFileSync(message, `${'x'.repeat(2_000_000)}\n\n${'y'.repeat(2_000_000)}`);
    repository.commit({ a: '2' });
    repository.git('commit', '--quiet', '--amend', '--author', `${'Ann'.repeat(10_000)} <ann@example.com>`, '--file', message);
    repository.push();
    const git = mirrorOf(repository);
    await git.clone(NEVER);
    const commits = await git.commitsOn({ head: await git.revision('main', NEVER), path: '.', most: 50 }, NEVER);
    expect(commits.map(({ subject, author }) => [subject.length, author.length <= 100])).toEqual([
      [200, true],
      ['ledger: begin'.length, true],
    ]);
    expect(commits[1]).toMatchObject({ commit: plain, subject: 'ledger: begin' });
  });

  it('[chartsync 4] follows a force push, and keeps a branch that is gone upstream where it was', async () => {
    const repository = aRepository();
    const first = repository.commit({ a: '1' });
    repository.commit({ a: '2' });
    const git = mirrorOf(repository);
    await git.clone(NEVER);
    repository.push(first);
    await git.fetch(NEVER);
    expect(await git.revision('main', NEVER)).toBe(first);
    repository.git('push', '--quiet', 'origin', 'HEAD:refs/heads/side');
    await git.fetch(NEVER);
    const side = await git.revision('side', NEVER);
    expect(git.isGone('side')).toBe(false);
    repository.git('push', '--quiet', 'origin', '--delete', 'side');
    await git.fetch(NEVER);
    expect(await git.revision('side', NEVER)).toBe(side);
    expect(['main', 'side', 'never'].map((branch) => git.isGone(branch))).toEqual([false, true, false]);
    // A question about a branch is none.
    expect([await git.revision('main~0', NEVER), git.isGone('main~0')]).toEqual([first, false]);
    // Whoever finds the mirror of an earlier process sees it as well, until the branch is back.
    const next = mirrorOf(repository);
    await next.clone(NEVER);
    expect([await next.revision('side', NEVER), next.isGone('side')]).toEqual([side, true]);
    repository.git('push', '--quiet', 'origin', `${first}:refs/heads/side`);
    await next.fetch(NEVER);
    expect([await next.revision('side', NEVER), next.isGone('side')]).toEqual([first, false]);
    // Of a repository without any branch git notes nothing at all.
    for (const branch of ['main', 'side']) repository.git('--git-dir', repository.bare, 'update-ref', '-d', `refs/heads/${branch}`);
    await next.fetch(NEVER);
    expect([await next.revision('side', NEVER), next.isGone('side')]).toEqual([first, true]);
  });
});

describe('an address of a repository', () => {
  it.each(['https://git.example.com/charts.git', 'ssh://git@git.example.com/charts.git', 'git@git.example.com:team/charts.git'])(
    '[issue 12, 5] may be %s',
    (url) => {
      expect(readGitAddress(url, undefined).url).toBe(url);
    },
  );

  it.each([
    'ext::sh -c id',
    'http://git.example.com/a.git',
    '/srv/charts.git',
    'file:///srv/charts.git',
    '--upload-pack=id',
    'git://example.com/a',
    '',
  ])('[issue 12, 5] is refused when it is %j', (url) => {
    expect(() => readGitAddress(url, undefined)).toThrow('must be https:// or ssh://');
  });

  it('[issue 12, 5] holds no password, and files lie below the folder of the server only', () => {
    expect(() => readGitAddress('https://ann:hunter2@example.com/a.git', undefined)).toThrow(/put credentials into a Secret/);
    expect(() => readGitAddress('file:///srv/data/../other/a.git', '/srv/data')).toThrow('must be https:// or ssh://');
    expect(readGitAddress('file:///srv/data/a.git', '/srv/data').scheme).toBe('file');
    expect(() => readGitAddress('file://srv/srv/data/a.git', '/srv/data')).toThrow('must be https:// or ssh://');
  });

  it('[issue 12.1] keeps a commit under a ref of ours through a force push and a clean-up, and takes none of upstream for it', async () => {
    const repository = aRepository();
    const [first, second] = [
      repository.commitChart('ledger', aChart(), 'one'),
      repository.commitChart('ledger', { 'values.yaml': 'replicas: 2\n' }, 'two'),
    ];
    repository.git('push', '--quiet', 'origin', `${first}:refs/slipway/forged`);
    const git = mirrorOf(repository);
    await git.clone(NEVER);
    expect(await git.kept('forged', NEVER)).toBeUndefined();
    await git.keep('some-uid', second, NEVER);
    const at = 'charts/ledger';
    const facts = await git.facts({ commit: second, head: second, path: at }, NEVER);
    expect(facts).toMatchObject({ isOnBranch: true, last: { commit: second, subject: 'two', author: 'Ada' } });
    repository.push(first);
    repository.git('push', '--quiet', 'origin', `${first}:refs/slipway/some-uid`);
    await git.fetch(NEVER);
    execFileSync('git', ['--git-dir', path.join(repository.folder, 'copy', 'mirror.git'), 'gc', '--quiet', '--prune=now']);
    expect(await git.kept('some-uid', NEVER)).toBe(second);
    expect(await git.facts({ commit: second, head: first, path: at }, NEVER)).toMatchObject({ isOnBranch: false, chart: facts?.chart });
    expect(await git.facts({ commit: first, head: first, path: 'charts/none' }, NEVER)).toMatchObject({
      chart: undefined,
      last: undefined,
    });
    expect(await git.facts({ commit: 'f'.repeat(40), head: first, path: at }, NEVER)).toBeUndefined();
    const copy = await git.export(second, NEVER);
    expect(readFileSync(`${copy.folder}/charts/ledger/values.yaml`, 'utf8')).toBe('replicas: 2\n');
    await expect(git.keep('../heads/main', second, NEVER)).rejects.toThrow('is not a valid name for a kept commit');
  });
});
