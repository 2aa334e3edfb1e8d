import { messageOf } from '@/lib/contract/app-error';
import type { Log } from '@/server/platform';
import type { GitQueries, WorkingCopy } from '../ports';

interface PinnedExportsDeps {
  readonly mirror: Pick<GitQueries, 'export'>;
  readonly log: Log;
}

/** Exports of the commits that gated releases are kept at: one per commit, for as long as a release is at it. Whoever asks is alone on its release. */
export class PinnedExports {
  readonly #deps: PinnedExportsDeps;
  readonly #commits = new Map<string, string>();
  readonly #exports = new Map<string, Promise<WorkingCopy>>();

  constructor(deps: PinnedExportsDeps) {
    this.#deps = deps;
  }

  /** The export of the commit that a release is kept at now; the one it was kept at before goes, unless another release is there. */
  async at(uid: string, commit: string, signal: AbortSignal): Promise<WorkingCopy> {
    this.#commits.set(uid, commit);
    await this.#removeUnused();
    const known = this.#exports.get(commit);
    if (known !== undefined) return known;
    const exporting = this.#deps.mirror.export(commit, signal);
    this.#exports.set(commit, exporting);
    exporting.catch(() => this.#exports.delete(commit)); // whoever waits hears of it; the next one tries again
    return exporting;
  }

  /** Lets go of what a release was kept at. */
  async release(uid: string): Promise<void> {
    if (this.#commits.delete(uid)) await this.#removeUnused();
  }

  /** Removes every export. */
  async clear(): Promise<void> {
    this.#commits.clear();
    await this.#removeUnused();
  }

  async #removeUnused(): Promise<void> {
    const used = new Set(this.#commits.values());
    for (const [commit, exported] of [...this.#exports]) {
      if (used.has(commit)) continue;
      this.#exports.delete(commit);
      const copy = await exported.catch(() => undefined); // a failed export left nothing; who asked for it heard of it
      await copy
        ?.remove()
        .catch((error: unknown) => this.#deps.log.warn({ commit, error: messageOf(error) }, 'could not remove a working copy'));
    }
  }
}
