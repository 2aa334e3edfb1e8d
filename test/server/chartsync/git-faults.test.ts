import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readGitAddress } from '@/server/chartsync/git/address';
import { BinaryRepository } from '@/server/chartsync/git/binary-repository';
import { GitBinary } from '@/server/chartsync/git/git-binary';
import { realClock } from '@/server/platform';
import { aChart, ChartRepository } from '../../support/chart-repository';
import { smallDisk } from '../../support/small-disk';

const NEVER = new AbortController().signal;

function aRepository(): { readonly repository: ChartRepository; readonly git: BinaryRepository; readonly mirror: string } {
  const repository = new ChartRepository();
  onTestFinished(() => repository[Symbol.dispose]());
  const folder = path.join(repository.folder, 'copy');
  const git = new BinaryRepository({
    address: readGitAddress(repository.url, repository.folder),
    git: new GitBinary({ scheme: 'file', home: repository.folder, clock: realClock }),
    contacts: { run: (_, task) => task({ env: {}, secrets: [] }) },
    folder,
    clock: realClock,
  });
  return { repository, git, mirror: path.join(folder, 'mirror.git') };
}

it('[issue 12.3] of a git that was killed neither locks nor half-received packs stay in the mirror, which is completed and not created again', async () => {
  const { repository, git, mirror } = aRepository();
  repository.commitChart('ledger', aChart());
  await git.clone(NEVER);
  const left = ['packed-refs.lock', 'config.lock', 'refs/heads/main.lock', 'objects/pack/tmp_pack_x1y2z3'].map((name) =>
    path.join(mirror, name),
  );
  for (const file of left) writeFileSync(file, '');
  const own = path.join(mirror, 'made-once');
  writeFileSync(own, '');
  const next = repository.commitChart('ledger', { 'values.yaml': 'replicas: 2\n' });
  await expect(git.fetch(NEVER)).rejects.toThrow(/lock/);
  await git.clone(NEVER);
  expect(await git.revision('main', NEVER)).toBe(next);
  expect([left.filter(existsSync), existsSync(own)]).toEqual([[], true]);
});

it('[issue 12.3] a chart whose path is a file, a link that leads out or nowhere, or gone by now is no folder', async () => {
  const { repository, git } = aRepository();
  repository.commitChart('ledger', aChart());
  const root = repository.git('rev-parse', '--show-toplevel').trim();
  symlinkSync('../../../..', path.join(root, 'charts', 'outside'));
  symlinkSync('nowhere', path.join(root, 'charts', 'dangling'));
  symlinkSync('ledger', path.join(root, 'charts', 'inside'));
  const head = repository.commit({ 'charts/file': 'no folder' });
  await git.clone(NEVER);
  const copy = await git.export(head, NEVER);
  const kinds = { ledger: 'folder', inside: 'folder', outside: 'link', 'outside/below': 'link', dangling: 'link', file: 'file' };
  for (const [name, kind] of Object.entries(kinds)) expect([name, await copy.kindOf(`charts/${name}`)]).toEqual([name, kind]);
  for (const name of ['file/below', 'gone']) expect([name, await copy.kindOf(`charts/${name}`)]).toEqual([name, undefined]);
  const later = repository.commit({ 'charts/ledger': null });
  await git.fetch(NEVER);
  expect(await (await git.export(later, NEVER)).kindOf('charts/ledger')).toBeUndefined();
});

it('[issue 12.3] a chart that a link in the repository leads to is the one that is there, and is known to have links', async () => {
  const { repository, git } = aRepository();
  repository.commitChart('ledger', aChart());
  const root = repository.git('rev-parse', '--show-toplevel').trim();
  symlinkSync('ledger', path.join(root, 'charts', 'inside'));
  symlinkSync('Chart.yaml', path.join(root, 'charts', 'ledger', 'again.yaml'));
  const head = repository.commitChart('other', aChart({}, 'other'));
  await git.clone(NEVER);
  const copy = await git.export(head, NEVER);
  const paths = ['charts/ledger', 'charts/inside', 'charts/inside/templates', 'charts/ledger/templates', 'charts/other', 'charts', '.'];
  expect(paths.filter((each) => copy.hasLinks(each))).toEqual(['charts/ledger', 'charts/inside', 'charts/inside/templates', 'charts', '.']);
  const chartAt = async (at: string) => (await git.facts({ commit: head, head, path: at }, NEVER))?.chart;
  expect(await chartAt('charts/inside')).toBe(await chartAt('charts/ledger'));
  expect(await chartAt('charts/inside')).toBeDefined();
});

const NO_ROOM = 'the disk of the server is full';

it('[issue 12.3] a disk that is full in clone, fetch or export is told, keeps the last good commit, leaves nothing half-made, and is used again once it has room', async () => {
  const { repository, git, mirror } = aRepository();
  const commitBig = (name: string) => repository.commit({ [`charts/ledger/${name}`]: randomBytes(300_000).toString('base64') });
  const first = commitBig('one');
  const disk = smallDisk();
  disk.full();
  await expect(git.clone(NEVER)).rejects.toThrow(NO_ROOM);
  expect([mirror, `${mirror}.new`].filter(existsSync)).toEqual([]);
  disk.free();
  await git.clone(NEVER);

  const second = commitBig('two');
  disk.full();
  await expect(git.fetch(NEVER)).rejects.toThrow(NO_ROOM);
  expect(await git.revision('main', NEVER)).toBe(first);
  await expect(git.export(first, NEVER)).rejects.toThrow('it could not be written to the disk of the server, which may be full');
  expect(readdirSync(path.join(mirror, '..', 'exports'))).toEqual([]);
  disk.free();
  expect(await (await git.export(first, NEVER)).kindOf('charts/ledger')).toBe('folder');
  await git.clone(NEVER);
  expect(await git.revision('main', NEVER)).toBe(second);
  expect(readdirSync(path.join(mirror, 'objects', 'pack')).filter((name) => name.startsWith('tmp_'))).toEqual([]);
});

it('[issue 12.3] a repository that is not where it was is told in one sentence, without the stops of git', async () => {
  const { repository, git } = aRepository();
  repository.commitChart('ledger', aChart());
  await git.clone(NEVER);
  renameSync(repository.bare, `${repository.bare}.away`);
  await expect(git.fetch(NEVER)).rejects.toThrow(/does not appear to be a git repository; Could not read from remote repository$/);
});

it('[issue 12.5] a commit that is larger than is exported is refused before anything is written: its files or its bytes, and the limit, at its short hash', async () => {
  const { repository, git } = aRepository();
  repository.commitChart('ledger', aChart());
  const make = (input: string | Buffer, ...args: readonly string[]) =>
    execFileSync('git', [`--git-dir=${repository.bare}`, ...args], { input, encoding: 'utf8' }).trim();
  const blob = make(Buffer.alloc(1024 * 1024), 'hash-object', '-w', '--stdin');
  const treeOf = (of: string, files: number) => make(Array.from({ length: files }, (_, at) => `${of}\t${at}\n`).join(''), 'mktree');
  const commitOf = (tree: string) => {
    const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
    const commit = make('', ...author, 'commit-tree', '-m', 'large', tree);
    make('', 'update-ref', 'refs/heads/main', commit);
    return commit;
  };
  const heavy = commitOf(treeOf(`100644 blob ${blob}`, 513));
  const few = treeOf(`100644 blob ${make('a', 'hash-object', '-w', '--stdin')}`, 101);
  const many = commitOf(make(`040000 tree ${treeOf(`040000 tree ${few}`, 500)}\tmany\n`, 'mktree'));
  make('', 'update-ref', 'refs/heads/heavy', heavy);
  await git.clone(NEVER);
  const refused = async (commit: string) => {
    const told: unknown = await git.export(commit, NEVER).catch((error: unknown) => error);
    return told instanceof Error ? told.message : 'exported';
  };
  expect(await refused(heavy)).toBe(
    `the repository has 513 MiB at ${heavy.slice(0, 8)}, and at most 512 MiB are exported; keep the charts in a repository of their own`,
  );
  expect(await refused(many)).toBe(
    `the repository has 50,500 files at ${many.slice(0, 8)}, and at most 50,000 are exported; keep the charts in a repository of their own`,
  );
});
