/** Commits of a branch, and a commit that they may contain. */
export interface ChartsQuestion {
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
