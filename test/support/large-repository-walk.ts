import { readdirSync } from 'node:fs';
import path from 'node:path';
import { readGitAddress } from '@/server/chartsync/git/address';
import { BinaryRepository } from '@/server/chartsync/git/binary-repository';
import { GitBinary } from '@/server/chartsync/git/git-binary';
import { realClock } from '@/server/platform';
import { CHART, makeLargeRepository } from './large-repository';

const NEVER = new AbortController().signal;
const MORE = 20;

/** What mirroring a large repository took, step by step, and what was found. */
export interface Walked {
  readonly bytes: number;
  readonly steps: readonly { readonly what: string; readonly ms: number }[];
  /** Commits that touched the chart since the head of before, newest first; the last that was added first. */
  readonly found: readonly string[];
  readonly added: string;
  /** Subjects of the newest commits that touched the chart, newest first. */
  readonly subjects: readonly string[];
  /** Names in the folder of the chart, as it was exported at the new head. */
  readonly exported: readonly string[];
}

/** Mirrors a repository of so many commits and bytes as chart sync does: clones and checks it, fetches what is added, and asks what the loops ask. */
export async function walkLargeRepository(size: { readonly commits: number; readonly bytes: number }): Promise<Walked> {
  const steps: { what: string; ms: number }[] = [];
  const time = async <Result>(what: string, work: () => Promise<Result>) => {
    const began = performance.now();
    const result = await work();
    steps.push({ what, ms: Math.round(performance.now() - began) });
    return result;
  };
  using repository = await time('made by git fast-import', () => makeLargeRepository(size));
  const { folder } = repository;
  const git = new BinaryRepository({
    address: readGitAddress(repository.url, folder),
    git: new GitBinary({ scheme: 'file', home: folder, clock: realClock }),
    contacts: { run: (_, task) => task({ env: {}, secrets: [] }) },
    folder: path.join(folder, 'copy'),
    clock: realClock,
  });
  await time('clone', () => git.clone(NEVER));
  await time('check', () => git.check(NEVER));
  const from = await time('head of the branch', () => git.revision('main', NEVER));
  const added = await repository.add(MORE);
  await time('fetch of 20 commits', () => git.fetch(NEVER));
  const to = await git.revision('main', NEVER);
  const found = await time('commits since that touched the chart', () => git.commitsBetween({ from, to, path: CHART }, NEVER));
  const commits = await time('the newest 50 that touched the chart', () => git.commitsOn({ head: to, path: CHART, most: 50 }, NEVER));
  await time('what is known of one commit', () => git.facts({ commit: from, head: to, path: CHART }, NEVER));
  const copy = await time('export of the head', () => git.export(to, NEVER));
  const exported = readdirSync(path.join(copy.folder, CHART)).sort();
  return { bytes: repository.bytes(), steps, found, added, subjects: commits.map(({ subject }) => subject), exported };
}
