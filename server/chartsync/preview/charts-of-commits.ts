/** Commits of a branch, and a commit that they may contain. */
export interface ChartsQuery {
  readonly commits: readonly string[];
  readonly head: string;
  readonly path: string;
  readonly base: string | undefined;
}

/** What a path holds at a commit, as git names it; undefined where it is no folder there. */
export interface ChartAtCommit {
  readonly commit: string;
  readonly chart: string | undefined;
  readonly containsBase: boolean;
}

/** A commit that somebody asks about before they approve it. */
export interface RequestedCommit {
  readonly commit: string;
  /** With what its chart depends on and does not hold, which has the commit exported and is fetched. */
  readonly isWhole: boolean;
  /** Aborts where whoever asks goes away. */
  readonly asking?: AbortSignal | undefined;
}
