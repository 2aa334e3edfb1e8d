import { messageOf } from '@/lib/contract/app-error';
import type { Log } from '@/server/platform';
import type { TimedGitQueries } from '../loops/timed-git-queries';
import type { GitQueries, WorkingCopy } from '../ports';

/** What one sync reads; nothing of it is removed before it ends. */
export interface RetainedCharts {
  /** By mirror and commit. */
  readonly exports: Set<string>;
  /** Where they lie, and charts that were pulled. */
  readonly folders: Set<string>;
}

interface SharedExportsDeps {
  readonly git: TimedGitQueries;
  /** The exports that releases are at. */
  readonly named: () => ReadonlySet<string>;
  /** How much they may take on disk together, but for what is read. */
  readonly maxBytes: number;
  readonly log: Log;
}

/**
 * Exports of commits, each for all who share it. One that no release is at goes when nobody reads it any more; of the others those that were used longest ago
 * go when all of them take too much, and are made again when they are asked for.
 */
export class SharedExports {
  readonly #deps: SharedExportsDeps;
  /** The one that was used longest ago first. */
  readonly #exports = new Map<string, Promise<WorkingCopy>>();
  /** What each takes that is there. */
  readonly #bytes = new Map<string, number>();
  readonly #holdings = new Set<RetainedCharts>();
  /** Whether one may be there that no release is at. */
  #isOwed = false;

  constructor(deps: SharedExportsDeps) {
    this.#deps = deps;
  }

  /** Whether a sync reads something below a folder. */
  isRead(folder: string): boolean {
    return [...this.#holdings].some(({ folders }) => [...folders].some((read) => `${read}/`.startsWith(`${folder}/`)));
  }

  /** Runs a task, and removes no export that it takes a chart from before it has ended: Helm reads from there while the head may move on. */
  async holding<Result>(task: (holding: RetainedCharts) => Promise<Result>): Promise<Result> {
    const holding: RetainedCharts = { exports: new Set(), folders: new Set() };
    this.#holdings.add(holding);
    try {
      return await task(holding);
    } finally {
      this.#holdings.delete(holding);
      if (this.#isOwed) await this.removeUnused();
      await this.#makeRoom();
    }
  }

  /** A release is at another commit than before. */
  moved(): void {
    this.#isOwed = true;
  }

  /** The export of a commit for one who reads it. */
  async at(mirror: GitQueries & { readonly id: string }, revision: string, { holding, signal }: Reading): Promise<WorkingCopy> {
    const key = exportKey(mirror.id, revision);
    holding.exports.add(key);
    const copy = await this.#copyOf(key, () => this.#deps.git.export(mirror, revision, signal));
    holding.folders.add(copy.folder);
    return copy;
  }

  /** Removes those that no release is at and nobody reads. */
  async removeUnused(): Promise<void> {
    const [named, held] = [this.#deps.named(), this.#held()];
    this.#isOwed = [...held].some((key) => !named.has(key));
    await this.#remove([...this.#exports.keys()].filter((key) => !named.has(key) && !held.has(key)));
  }

  async #copyOf(key: string, make: () => Promise<WorkingCopy>): Promise<WorkingCopy> {
    for (let known = this.#exports.get(key); known !== undefined; known = this.#exports.get(key)) {
      const copy = await known;
      const isThere = (await copy.kindOf('.')) === 'folder';
      if (this.#exports.get(key) !== known) continue;
      this.#exports.delete(key);
      if (isThere) {
        this.#exports.set(key, known); // it is the newest now
        return copy;
      }
      this.#bytes.delete(key); // it went with its mirror, which no resource named meanwhile
    }
    const making = make();
    this.#exports.set(key, making);
    making.catch(() => this.#exports.delete(key)); // whoever waits hears of it; the next one tries again
    const copy = await making;
    this.#bytes.set(key, copy.bytes);
    await this.#makeRoom();
    return copy;
  }

  async #makeRoom(): Promise<void> {
    let over = [...this.#bytes.values()].reduce((sum, each) => sum + each, 0) - this.#deps.maxBytes;
    if (over <= 0) return;
    const held = this.#held();
    const going: string[] = [];
    for (const key of this.#exports.keys()) {
      const bytes = held.has(key) ? undefined : this.#bytes.get(key);
      if (bytes === undefined || over <= 0) continue;
      over -= bytes;
      going.push(key);
    }
    await this.#remove(going);
  }

  #held(): ReadonlySet<string> {
    return new Set([...this.#holdings].flatMap(({ exports }) => [...exports]));
  }

  /** All of them at once: what waits for its removal is handed out to nobody meanwhile. */
  async #remove(keys: readonly string[]): Promise<void> {
    const going = keys.map((key) => [key, this.#exports.get(key)] as const);
    for (const key of keys) {
      this.#exports.delete(key);
      this.#bytes.delete(key);
    }
    for (const [key, exported] of going) {
      const copy = await exported?.catch(() => undefined); // a failed export left nothing; who asked for it heard of it
      await copy
        ?.remove()
        .catch((error: unknown) => this.#deps.log.warn({ export: key, error: messageOf(error) }, 'an export could not be removed'));
    }
  }
}

interface Reading {
  readonly holding: RetainedCharts;
  readonly signal: AbortSignal;
}

export const exportKey = (source: string, revision: string) => `${source}@${revision}`;
