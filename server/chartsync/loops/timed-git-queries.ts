import type { Clock } from '@/server/platform';
import { withTimeout } from '@/server/platform';
import type { GitQueries, WorkingCopy } from '../ports';

/** How long one question of the engine to git may take. */
const GIT_LIMIT_MS = 30_000;

/** What the engine asks of a mirror; no question takes longer than its limit. */
export class TimedGitQueries {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The commit that a branch, a tag or a commit names. */
  headOf(mirror: GitQueries, ref: string, signal: AbortSignal): Promise<string> {
    return this.#ask('resolving the branch', signal, (limit) => mirror.revision(ref, limit));
  }

  /** The files at a commit, in a folder of their own. */
  export(mirror: GitQueries, revision: string, signal: AbortSignal): Promise<WorkingCopy> {
    return this.#ask('exporting the commit', signal, (limit) => mirror.export(revision, limit));
  }

  /** Whether commits of a range touched a path. */
  async hasCommits(mirror: GitQueries, range: Parameters<GitQueries['commitsBetween']>[0], signal: AbortSignal): Promise<boolean> {
    return (await this.#ask('looking for commits', signal, (limit) => mirror.commitsBetween(range, limit))).length > 0;
  }

  #ask<Answer>(what: string, signal: AbortSignal, task: (limit: AbortSignal) => Promise<Answer>): Promise<Answer> {
    return withTimeout({ clock: this.#clock, ms: GIT_LIMIT_MS, signal, what }, task);
  }
}
