import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { formatList } from '@/lib/words/figures';
import type { Clock } from '@/server/platform';
import type { RunInMirror } from '../gate/kept-commits';
import { deleteForeignKeptRefs, FETCHED, keepCommit, readCharts, readCommit, readCommits, readKept } from '../gate/kept-commits';
import type { Commit, CommitFacts, CommitQuery, WorkingCopy } from '../ports';
import { buildsOf } from '../sources/dependencies';
import type { GitAddress } from './address';
import { boundedSize, packedBytes } from './bounded-size';
import { exportCommit } from './export-commit';
import type { GitBinary, GitCall } from './git-binary';
import type { GitConnections } from './git-connection';
import type { GitRepository } from './mirror';

const COMMIT = /^[0-9a-f]{40,64}$/;
/** What no name of a branch has: it makes a question of it, such as `main~1`. */
const QUESTION = /[~^:?*[\\ ]|\.\.|@\{/;
/** Enough to show, and all that the engine asks is whether there is one. */
const MAX_COMMITS = 1000;
/** Named in place of one that is missing. */
const MAX_BRANCHES = 8;
const MAX_BYTES = 4 * 1024 ** 3;

interface BinaryRepositoryDeps {
  readonly address: GitAddress;
  readonly git: GitBinary;
  readonly contacts: Pick<GitConnections, 'run'>;
  /** A folder of its own: the mirror and its exports. */
  readonly folder: string;
  /** How much of upstream is mirrored at most; 4 GiB when absent. */
  readonly maxBytes?: number;
  /** Why mirrors may not grow, since they take too much together; undefined where they may. */
  readonly crowded?: (() => Promise<string | undefined>) | undefined;
  readonly clock: Clock;
}

/** A repository through the git binary: a bare mirror on disk, and one folder per exported commit. */
export class BinaryRepository implements GitRepository {
  /** Of all in this process: another copy may have been in the same folder, and who reads its exports, or knows something of them, goes by their names. */
  static #exports = 0;
  readonly #address: GitAddress;
  readonly #git: GitBinary;
  readonly #contacts: Pick<GitConnections, 'run'>;
  readonly #mirror: string;
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #crowded: (() => Promise<string | undefined>) | undefined;
  readonly #clock: Clock;
  /** What the mirror took when all was well last; undefined before. */
  #letBytes: number | undefined;
  /** What is on disk was found whole, and nothing failed in it since. */
  #isSound = false;
  /** The last fetch failed: what is on disk was looked at then, and is not again before one succeeds. */
  #isOut = false;
  /** The branches that upstream had at the last fetch; undefined before one, since a clone has no others. */
  #upstream: ReadonlySet<string> | undefined;
  /** The branches that were asked for. */
  readonly #asked = new Set<string>();
  /** What refs name, as long as nothing comes that could move them. */
  #heads = new Map<string, string>();

  constructor({ address, git, contacts, folder, clock, crowded, maxBytes = MAX_BYTES }: BinaryRepositoryDeps) {
    this.#address = address;
    this.#git = git;
    this.#contacts = contacts;
    this.#clock = clock;
    this.#maxBytes = maxBytes;
    this.#crowded = crowded;
    this.#folder = folder;
    this.#mirror = path.join(folder, 'mirror.git');
  }

  async isThere(): Promise<boolean> {
    return (await stat(this.#mirror).catch(() => undefined)) !== undefined;
  }

  /** What an outage left is kept and completed; only a mirror that is broken is made anew. */
  clone(signal: AbortSignal): Promise<void> {
    return this.#movingHeads(() => this.#clone(signal));
  }

  async #clone(signal: AbortSignal): Promise<void> {
    await this.#removeLeft();
    if (await this.#isWhole(signal)) {
      try {
        await this.#doubting(this.#run(['remote', 'set-url', 'origin', '--', this.#address.url], signal));
        return await this.#fetch(signal);
      } catch (error) {
        if (await this.#isWhole(signal)) throw error;
      }
    }
    const fresh = `${this.#mirror}.new`;
    // Nobody reads a mirror that is broken, and what it takes counts.
    for (const old of [this.#mirror, fresh]) await rm(old, { recursive: true, force: true });
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    try {
      const args = ['clone', '--quiet', '--mirror', '--end-of-options', this.#address.url, fresh];
      await this.#receive(fresh, { args, cwd: this.#folder, signal });
      await deleteForeignKeptRefs(this.#within(signal, fresh));
    } catch (error) {
      await rm(fresh, { recursive: true, force: true });
      throw error;
    }
    await rename(fresh, this.#mirror);
    this.#isSound = true;
    this.#upstream = undefined;
  }

  /** Nothing is written upstream, so that it can be read is all there is to check. */
  async check(signal: AbortSignal): Promise<void> {
    await this.#run(['rev-parse', '--is-bare-repository'], signal);
  }

  /** What could not be read from the mirror may be missing there, which a fetch does not notice: then it is made anew. */
  async fetch(signal: AbortSignal): Promise<void> {
    if (!(await this.#isWhole(signal))) throw new Error('the mirror on disk is corrupt');
    await this.#movingHeads(() => this.#fetch(signal));
  }

  /** What is read of heads meanwhile may be of before or after: it is not kept. */
  async #movingHeads(task: () => Promise<void>): Promise<void> {
    this.#heads = new Map();
    try {
      await task();
    } finally {
      this.#heads = new Map();
    }
  }

  /** Never prunes: a branch that is gone upstream stays where it was last. */
  async #fetch(signal: AbortSignal): Promise<void> {
    const args = [`--git-dir=${this.#mirror}`, 'fetch', '--quiet', '--tags', '--force', 'origin', ...FETCHED];
    await this.#receive(this.#mirror, { args, cwd: this.#mirror, signal }).catch((error: unknown) => {
      if (error instanceof Error && /couldn't find remote ref/i.test(error.message)) return;
      if (!this.#isOut) this.#isSound = false;
      this.#isOut = true;
      throw error;
    });
    this.#isOut = false;
    const noted = readFile(path.join(this.#mirror, 'FETCH_HEAD'), 'utf8');
    this.#upstream = await noted.then(branchesIn, () => undefined); // a git that notes nothing says of no branch that it is gone
  }

  /** Asks git once per ref and fetch, however many releases follow it. */
  async revision(ref: string, signal: AbortSignal): Promise<string> {
    const heads = this.#heads;
    const known = heads.get(ref);
    if (known !== undefined) return known;
    const revision = await this.#revision(ref, signal);
    heads.set(ref, revision);
    return revision;
  }

  async #revision(ref: string, signal: AbortSignal): Promise<string> {
    // What is no branch may be a tag or a commit.
    const branch = this.#resolve(`refs/heads/${ref}`, signal).then((head) => {
      if (!QUESTION.test(ref)) this.#asked.add(ref);
      return head;
    });
    const reading = branch.catch(() => this.#resolve(ref, signal));
    const revision = (await reading.catch((error: unknown) => this.#explainMissing(ref, { error, signal }))).trim();
    if (!COMMIT.test(revision)) throw new Error(`unknown revision ${ref}`);
    return revision;
  }

  isGone(ref: string): boolean {
    return this.#asked.has(ref) && this.#upstream?.has(ref) === false;
  }

  /** Throws what there is in place of a branch that is not there; git's own words where the mirror cannot say even that. */
  async #explainMissing(ref: string, { error, signal }: { readonly error: unknown; readonly signal: AbortSignal }): Promise<never> {
    signal.throwIfAborted();
    const listing = this.#run(['for-each-ref', `--count=${MAX_BRANCHES + 1}`, '--format=%(refname:lstrip=2)', 'refs/heads'], signal);
    const branches = (await listing.catch(() => Promise.reject(error))).split('\n').filter((line) => line !== '');
    if (branches.includes(ref)) throw error;
    const some = branches.length > MAX_BRANCHES ? [...branches.slice(0, MAX_BRANCHES), 'others'] : branches;
    const there =
      branches.length === 0 ? 'it has no branches' : `its ${branches.length === 1 ? 'only branch is' : 'branches are'} ${formatList(some)}`;
    throw new Error(`${this.#address.shown} has no branch, tag or commit ${ref}; ${there}`, { cause: error });
  }

  async commitsBetween(
    { from, to, path: within }: Parameters<GitRepository['commitsBetween']>[0],
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    if (!COMMIT.test(from) || !COMMIT.test(to)) throw new Error(`a range needs two commits, found ${from}..${to}`);
    const args = ['log', `--max-count=${MAX_COMMITS}`, '--format=%H', '--end-of-options', `${from}..${to}`, '--', within];
    return (await this.#doubting(this.#run(args, signal))).split('\n').filter((line) => line !== '');
  }

  commitsOn(question: Parameters<GitRepository['commitsOn']>[0], signal: AbortSignal): Promise<readonly Commit[]> {
    return this.#doubting(readCommits(this.#within(signal), question));
  }

  async export(revision: string, signal: AbortSignal): Promise<WorkingCopy> {
    if (!COMMIT.test(revision)) throw new Error(`an export needs a commit, found ${revision}`);
    const folder = path.join(this.#folder, 'exports', `${revision}-${BinaryRepository.#exports++}`);
    const { bytes, links, removed } = await this.#doubting(
      exportCommit({ git: this.#git, mirror: this.#mirror, revision, folder }, signal),
    );
    return {
      revision,
      folder,
      bytes,
      kindOf: async (within) => {
        if (removed.some((link) => isAtOrBelow(within, link))) return 'link';
        const found = await stat(path.join(folder, within)).catch(() => undefined); // a path that leads through a file is nothing
        if (found?.isDirectory()) return 'folder';
        return found?.isFile() ? 'file' : undefined;
      },
      hasLinks: (within) => links.some((link) => isAtOrBelow(within, link) || isAtOrBelow(link, within)),
      remove: async () => {
        for (const each of [folder, buildsOf(folder)]) await rm(each, { recursive: true, force: true });
      },
    };
  }

  facts(question: CommitQuery, signal: AbortSignal): Promise<CommitFacts | undefined> {
    return readCommit(this.#within(signal), question);
  }

  charts(question: Parameters<GitRepository['charts']>[0], signal: AbortSignal): ReturnType<GitRepository['charts']> {
    return readCharts(this.#within(signal), question);
  }

  kept(name: string, signal: AbortSignal): Promise<string | undefined> {
    return readKept(this.#within(signal), name);
  }

  keep(name: string, commit: string, signal: AbortSignal): Promise<void> {
    return keepCommit(this.#within(signal), name, commit);
  }

  /** Talks to upstream, with what that wants, as long as what comes has room. */
  async #receive(repository: string, call: GitCall): Promise<string> {
    // What a process finds on disk is let be, also what was refused to the one before when it had come whole.
    const letBytes = repository === this.#mirror ? (this.#letBytes ?? (await packedBytes(repository))) : 0;
    if (repository === this.#mirror) this.#letBytes = letBytes;
    const limits = { maxBytes: this.#maxBytes, crowded: this.#crowded, letBytes };
    const bound = { repository, ...limits, clock: this.#clock, signal: call.signal };
    const said = await boundedSize(bound, (signal) => this.#contacts.run(signal, (terms) => this.#git.run({ ...call, signal, ...terms })));
    this.#letBytes = await packedBytes(repository);
    return said;
  }

  /** Asked of git once, and again after something failed in it: it takes long where there is much. */
  async #isWhole(signal: AbortSignal): Promise<boolean> {
    if (!(await this.isThere())) return false; // it is cloned anew, which says what is wrong with the place
    this.#isSound ||= await this.#run(['fsck', '--connectivity-only', '--no-progress', '--no-dangling'], signal).then(
      () => true,
      () => {
        signal.throwIfAborted();
        return false; // whatever fsck found, it is cloned anew
      },
    );
    return this.#isSound;
  }

  async #doubting<Result>(reading: Promise<Result>): Promise<Result> {
    try {
      return await reading;
    } catch (error) {
      this.#isSound = false;
      throw error;
    }
  }

  /** A git that was killed leaves locks, which bar every later one, and packs that it had not received whole. Nobody writes to the mirror now. */
  async #removeLeft(): Promise<void> {
    const within = async (folder: string, recursive: boolean) =>
      (await readdir(path.join(this.#mirror, folder), { recursive }).catch(() => [])).map((name) => path.join(folder, name)); // not there yet
    const names = [...(await within('.', false)), ...(await within('refs', true)), ...(await within('objects/pack', false))];
    for (const name of names)
      if (/\.lock$|\/tmp_[^/]*$/.test(name)) await rm(path.join(this.#mirror, name), { recursive: true, force: true });
  }

  #resolve(ref: string, signal: AbortSignal): Promise<string> {
    return this.#run(['rev-list', '--max-count=1', '--end-of-options', ref, '--'], signal);
  }

  #run(args: readonly string[], signal: AbortSignal): Promise<string> {
    return this.#within(signal)(args);
  }

  #within(signal: AbortSignal, mirror = this.#mirror): RunInMirror {
    return (args, input) =>
      this.#git.run({ args: [`--git-dir=${mirror}`, ...args], cwd: mirror, signal, ...(input === undefined ? {} : { input }) });
  }
}

const isAtOrBelow = (within: string, folder: string) => folder === '.' || `${within}/`.startsWith(`${folder}/`);

/** The branches that git names in what it notes of a fetch, a line each. */
function branchesIn(noted: string): ReadonlySet<string> {
  return new Set(noted.split('\n').flatMap((line) => /\tbranch '(\S+)' of /.exec(line)?.[1] ?? []));
}
