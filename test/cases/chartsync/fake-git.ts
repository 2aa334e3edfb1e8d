import type { GitRepository } from '@/server/chartsync/git/mirror';
import type { CommitFacts, WorkingCopy } from '@/server/chartsync/ports';
import type { Faults } from './faults';
import type { Action, Chart, Commit, GivenGit } from './world';

type Tree = ReadonlyMap<string, Chart>;

/** A repository of charts: upstream, and the bare copy of it. */
export class FakeGit implements GitRepository {
  /** The commits whose exports were removed. */
  readonly removed: string[] = [];
  upstream: string;
  head: string;
  /** Why the next clone, check or fetch fails, once. */
  failNext: string | undefined;
  readonly #commits = new Map<string, Commit & { readonly parent?: string; readonly tree: Tree }>();
  readonly #faults: Faults;
  readonly #record: (action: Action) => void;

  constructor(given: GivenGit, faults: Faults, record: (action: Action) => void) {
    let previous: string | undefined;
    for (const commit of given.commits) {
      const parent = commit.parent ?? previous;
      const tree = new Map(parent === undefined ? [] : this.treeAt(parent));
      for (const [path, chart] of Object.entries(commit.charts ?? {})) {
        if (chart === null) tree.delete(path);
        else tree.set(path, chart);
      }
      this.#commits.set(commit.id, { ...commit, ...(parent === undefined ? {} : { parent }), tree });
      previous = commit.id;
    }
    this.upstream = given.upstreamHead ?? previous ?? '';
    this.head = given.mirrorHead ?? this.upstream;
    this.#faults = faults;
    this.#record = record;
  }

  treeAt(revision: string): Tree {
    return this.#commits.get(revision)?.tree ?? new Map();
  }

  async isThere(): Promise<boolean> {
    return true;
  }

  async clone(): Promise<void> {
    this.#failOnce();
    this.head = this.upstream;
  }

  async check(): Promise<void> {
    this.#failOnce();
  }

  async fetch(): Promise<void> {
    this.#failOnce();
    this.#faults.meet('gitFetch');
    this.head = this.upstream;
  }

  async revision(): Promise<string> {
    this.#faults.meet('gitRevision');
    return this.head;
  }

  async fetched(): Promise<void> {
    return; // what is there was fetched
  }

  isGone(): boolean {
    return false; // no case deletes a branch
  }

  async commitsBetween({
    from,
    to,
    path,
  }: {
    readonly from: string;
    readonly to: string;
    readonly path: string;
  }): Promise<readonly string[]> {
    this.#faults.meet('gitLog', { path });
    const known = new Set(this.#ancestors(from));
    return this.#ancestors(to).filter((id) => !known.has(id) && this.#touches(id, path));
  }

  async export(revision: string): Promise<WorkingCopy> {
    const fault = this.#faults.find('gitExport');
    this.#record({ do: 'export', rev: revision, ok: fault === undefined });
    if (fault !== undefined) throw new Error(fault.error);
    const paths = [...this.treeAt(revision).keys()];
    return {
      revision,
      folder: `/export/${revision}`,
      bytes: 1,
      kindOf: async (path) => (path === '.' || paths.some((each) => each === path || each.startsWith(`${path}/`)) ? 'folder' : undefined),
      hasLinks: () => false,
      remove: async () => void this.removed.push(revision),
    };
  }

  // No case gates a release or looks at its page, so nothing is asked of single commits.
  async commitsOn(): Promise<readonly never[]> {
    return [];
  }

  async facts(): Promise<CommitFacts | undefined> {
    return undefined;
  }

  async charts(): Promise<readonly never[]> {
    return [];
  }

  async kept(): Promise<string | undefined> {
    return undefined;
  }

  async keep(): Promise<void> {
    throw new Error('no case keeps a commit');
  }

  #ancestors(id: string): readonly string[] {
    const found: string[] = [];
    for (let at: string | undefined = id; at !== undefined; at = this.#commits.get(at)?.parent) {
      if (!this.#commits.has(at)) throw new Error(`bad revision '${at}'`);
      found.push(at);
    }
    return found;
  }

  #touches(id: string, path: string): boolean {
    const commit = this.#commits.get(id);
    const touched = [...Object.keys(commit?.charts ?? {}), ...(commit?.touches ?? [])];
    return touched.some((each) => path === '.' || each === path || each.startsWith(`${path}/`));
  }

  #failOnce(): void {
    const error = this.failNext;
    this.failNext = undefined;
    if (error !== undefined) throw new Error(error);
  }
}
