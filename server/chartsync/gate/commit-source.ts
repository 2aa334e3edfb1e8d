import { baseChartPath, confinedPath } from '../model/chart-path';
import type { DeclaredRelease } from '../model/declared';
import type { ChartSources, Commit, GitQueries } from '../ports';

/** Where commits of a resource come from. */
export interface CommitSource {
  readonly mirror: GitQueries;
  readonly ref: string;
  /** Of the chart, within the repository. */
  readonly path: string;
}

export interface CommitSources {
  /** The mirror of the base kind. */
  readonly mirror: GitQueries;
  readonly sources: Pick<ChartSources, 'mirrorOf'>;
  /** The branch of a chart that names none. */
  readonly branch: string;
  readonly chartsPath: string;
}

/** The mirror, branch and path that a resource takes its chart from; undefined for a chart that is pulled, which has no commits. */
export function commitSourceOf(
  resource: DeclaredRelease,
  { mirror, sources, branch, chartsPath }: CommitSources,
): CommitSource | undefined {
  if (resource.profile === 'base') {
    return { mirror, ref: branch, path: baseChartPath({ name: resource.at.name, chartGitPath: resource.chartGitPath }, chartsPath) };
  }
  const { chart } = resource.spec;
  if (chart.kind !== 'git') return undefined;
  return { mirror: sources.mirrorOf(chart, resource.onBehalfOf), ref: chart.ref ?? branch, path: confinedPath(chart.path) };
}

/** The branch of a resource's chart, where it is gone upstream. */
export function goneBranchOf(resource: DeclaredRelease, sources: CommitSources): string | undefined {
  try {
    const source = commitSourceOf(resource, sources);
    return source?.mirror.isGone(source.ref) ? source.ref : undefined;
  } catch {
    return undefined; // what is wrong with its address or path is told of the look at it
  }
}

/** The newest commit up to a revision that touched the chart; undefined for a chart that is pulled, and for one that no commit touched. */
export async function commitAt(source: CommitSource | undefined, revision: string, signal: AbortSignal): Promise<Commit | undefined> {
  if (source === undefined) return undefined;
  return (await source.mirror.commitsOn({ head: revision, path: source.path, most: 1 }, signal))[0];
}
