import { mkdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { GitRepository, WorkingCopy } from '../ports';
import type { GitAddress } from './address';
import { exportCommit } from './export-commit';
import type { GitBinary } from './git-binary';

const COMMIT = /^[0-9a-f]{40,64}$/;
/** Enough to show, and all that the engine asks is whether there is one. */
const MOST_COMMITS = 1000;

interface BinaryRepositoryDeps {
  readonly address: GitAddress;
  readonly git: GitBinary;
  /** A folder of its own: the mirror and its exports. */
  readonly folder: string;
}

/** A repository through the git binary: a bare mirror on disk, and one folder per exported commit. */
export class BinaryRepository implements GitRepository {
  readonly #address: GitAddress;
  readonly #git: GitBinary;
  readonly #mirror: string;
  readonly #folder: string;
  #exports = 0;

  constructor({ address, git, folder }: BinaryRepositoryDeps) {
    this.#address = address;
    this.#git = git;
    this.#folder = folder;
    this.#mirror = path.join(folder, 'mirror.git');
  }

  /** What an outage left is kept and completed; only a mirror that is broken is made anew. */
  async clone(signal: AbortSignal): Promise<void> {
    if (await this.#isWhole(signal)) {
      await this.#run(['remote', 'set-url', 'origin', '--', this.#address.url], signal);
      await this.fetch(signal);
      return;
    }
    const fresh = `${this.#mirror}.new`;
    await rm(fresh, { recursive: true, force: true });
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    try {
      await this.#git.run({ args: ['clone', '--quiet', '--mirror', '--end-of-options', this.#address.url, fresh], cwd: this.#folder, signal });
    } catch (error) {
      await rm(fresh, { recursive: true, force: true });
      throw error;
    }
    await rm(this.#mirror, { recursive: true, force: true });
    await rename(fresh, this.#mirror);
  }

  /** Nothing is written upstream, so that it can be read is all there is to check. */
  async check(signal: AbortSignal): Promise<void> {
    await this.#run(['rev-parse', '--is-bare-repository'], signal);
  }

  /** Never prunes: a branch that is gone upstream stays where it was last. */
  async fetch(signal: AbortSignal): Promise<void> {
    await this.#run(['fetch', '--quiet', '--tags', '--force', 'origin'], signal).catch((error: unknown) => {
      if (error instanceof Error && /couldn't find remote ref/i.test(error.message)) return;
      throw error;
    });
  }

  async revision(ref: string, signal: AbortSignal): Promise<string> {
    const found = await this.#resolve(`refs/heads/${ref}`, signal).catch(() => this.#resolve(ref, signal));
    const revision = found.trim();
    if (!COMMIT.test(revision)) throw new Error(`unknown revision ${ref}`);
    return revision;
  }

  async commitsBetween({ from, to, path: within }: Parameters<GitRepository['commitsBetween']>[0], signal: AbortSignal): Promise<readonly string[]> {
    if (!COMMIT.test(from) || !COMMIT.test(to)) throw new Error(`a range wants two commits, found ${from}..${to}`);
    const args = ['log', `--max-count=${MOST_COMMITS}`, '--format=%H', '--end-of-options', `${from}..${to}`, '--', within];
    return (await this.#run(args, signal)).split('\n').filter((line) => line !== '');
  }

  async export(revision: string, signal: AbortSignal): Promise<WorkingCopy> {
    if (!COMMIT.test(revision)) throw new Error(`an export wants a commit, found ${revision}`);
    const folder = path.join(this.#folder, 'exports', `${revision}-${this.#exports++}`);
    await exportCommit({ git: this.#git, mirror: this.#mirror, revision, folder }, signal);
    return {
      revision,
      folder,
      hasFolder: async (within) => (await stat(path.join(folder, within)).catch(() => undefined))?.isDirectory() ?? false,
      remove: () => rm(folder, { recursive: true, force: true }),
    };
  }

  async #isWhole(signal: AbortSignal): Promise<boolean> {
    if ((await stat(this.#mirror).catch(() => undefined)) === undefined) return false;
    return this.#run(['fsck', '--connectivity-only', '--no-progress', '--no-dangling'], signal).then(
      () => true,
      () => {
        signal.throwIfAborted();
        return false;
      },
    );
  }

  #resolve(ref: string, signal: AbortSignal): Promise<string> {
    return this.#run(['rev-list', '--max-count=1', '--end-of-options', ref, '--'], signal);
  }

  #run(args: readonly string[], signal: AbortSignal): Promise<string> {
    return this.#git.run({ args: [`--git-dir=${this.#mirror}`, ...args], cwd: this.#mirror, signal });
  }
}
