import { mkdir, realpath, rm } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '@/lib/contract/app-error';
import { formatCount, formatNumber } from '@/lib/words/figures';
import { shortRevision } from '@/lib/words/format-release';
import type { GitBinary } from './git-binary';

const MAX_FILES = 50_000;
const MIB = 1024 * 1024;
const MAX_BYTES = 512 * MIB;
const LINK = '120000';

interface Export {
  readonly git: GitBinary;
  readonly mirror: string;
  readonly revision: string;
  readonly folder: string;
}

interface Exported {
  /** What its files take. */
  readonly bytes: number;
  readonly links: readonly string[];
  readonly removed: readonly string[];
}

/**
 * Writes the tree of a commit into a folder. By an index of its own and not by an archive, which leaves out what attributes say; links that lead out
 * of the folder are removed, so that no chart reads what is not in its repository; answers the paths of all links, and of those that were removed.
 */
export async function exportCommit({ git, mirror, revision, folder }: Export, signal: AbortSignal): Promise<Exported> {
  const { bytes, links } = await measure({ git, mirror, revision }, signal);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const index = `${folder}.index`;
  const run = (...args: string[]) =>
    git.run({
      args: [`--git-dir=${mirror}`, `--work-tree=${folder}`, '-c', 'core.bare=false', ...args],
      cwd: folder,
      signal,
      env: { GIT_INDEX_FILE: index },
    });
  try {
    await run('read-tree', revision);
    await run('checkout-index', '--all', '--force', '--quiet');
    return { bytes, links, removed: await confine(folder, links) };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  } finally {
    await rm(index, { force: true });
  }
}

/** Refuses what is too large before anything is written; answers what it takes, and the paths of links. */
async function measure({ git, mirror, revision }: Omit<Export, 'folder'>, signal: AbortSignal): Promise<Omit<Exported, 'removed'>> {
  const listing = await git.run({
    args: [`--git-dir=${mirror}`, 'ls-tree', '-r', '-l', '-z', '--full-tree', revision],
    cwd: mirror,
    signal,
  });
  const links: string[] = [];
  let files = 0;
  let bytes = 0;
  for (const entry of listing.split('\0')) {
    const read = /^(\d+) \w+ [0-9a-f]+ +(\d+|-)\t(.*)$/s.exec(entry);
    if (read === null) continue;
    const [, mode, size, file = ''] = read;
    files++;
    bytes += size === '-' ? 0 : Number(size);
    if (mode === LINK) links.push(file);
  }
  requireAtMost(MAX_FILES, files, { revision, called: formatCount(files, 'file') });
  requireAtMost(MAX_BYTES, bytes, { revision, called: `${formatNumber(Math.ceil(bytes / MIB))} MiB`, unit: MIB });
  return { bytes, links };
}

interface Measured {
  readonly revision: string;
  /** How much it is, for people. */
  readonly called: string;
  readonly unit?: number;
}

function requireAtMost(limit: number, found: number, { revision, called, unit = 1 }: Measured): void {
  if (found <= limit) return;
  const most = `${formatNumber(limit / unit)}${unit === MIB ? ' MiB' : ''}`;
  const what = `the repository has ${called} at ${shortRevision(revision)}, and at most ${most} are exported`;
  throw new AppError('too-large', `${what}; keep the charts in a repository of their own`);
}

async function confine(folder: string, links: readonly string[]): Promise<readonly string[]> {
  const root = await realpath(folder);
  const removed: string[] = [];
  for (const link of links) {
    const at = path.join(folder, link);
    const target = await realpath(at).catch(() => undefined); // one that leads nowhere goes as well
    if (target !== undefined && (target === root || target.startsWith(`${root}${path.sep}`))) continue;
    await rm(at, { force: true });
    removed.push(link);
  }
  return removed;
}
