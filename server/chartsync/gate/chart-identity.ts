import { createHash } from 'node:crypto';
import { toStableJson } from '@/lib/std/stable-json';
import type { DeclaredRelease } from '../model/declared';
import type { ChartAt, FetchedDependency } from '../model/release';
import type { HelmPort } from '../ports';
import type { CommitSource } from './commit-source';

const SEPARATOR = '+';

/** What is approved of a commit: the content of its chart as git names it, and the dependencies that were fetched for it, where it does not hold them. */
export function identifyChart(tree: string, dependencies: readonly FetchedDependency[] | undefined): string {
  if (dependencies === undefined || dependencies.length === 0) return tree;
  return `${tree}${SEPARATOR}${digestOf(dependencies)}`;
}

/** What a chart holds beside what its revision says: the archive that it was pulled from, or the dependencies that were fetched for it; undefined where the revision says all. */
export function contentDigest({ digest, dependencies }: Pick<ChartAt, 'digest' | 'dependencies'>): string | undefined {
  return digest ?? (dependencies && digestOf(dependencies));
}

function digestOf(dependencies: readonly FetchedDependency[]): string {
  return createHash('sha256').update(toStableJson(dependencies)).digest('hex');
}

/** The content of the chart alone. */
export function treeOf(identity: string): string {
  return identity.split(SEPARATOR, 1)[0] ?? '';
}

/** Finds what charts at commits of git depend on and do not hold. */
export type FindDependencies = (
  resource: DeclaredRelease,
  at: Pick<CommitSource, 'mirror' | 'path'> & { readonly commit: string },
  signal: AbortSignal,
) => Promise<readonly FetchedDependency[] | undefined>;

interface FinderDeps {
  readonly helm: Pick<HelmPort, 'lacksDependencies' | 'buildDependencies'>;
  /** Whether dependencies are built that do not lie in the chart, per profile. */
  readonly updateDeps: { readonly base: boolean; readonly extended: boolean };
  /** Keeps answers for a while: where a range leads is asked as seldom as where a version of a chart does. */
  readonly memoize: (key: string, ask: () => ReturnType<FindDependencies>) => ReturnType<FindDependencies>;
}

/** By an export of the commit, which is removed again. */
export function createDependencyFinder({ helm, updateDeps, memoize }: FinderDeps): FindDependencies {
  return async (resource, { mirror, path, commit }, signal) => {
    if (resource.profile === 'base' || resource.spec.chart.kind !== 'git') return undefined;
    const { url, skipDepUpdate, dependencySecrets: secrets } = resource.spec.chart;
    if (!updateDeps.extended || skipDepUpdate) return undefined;
    const access = { onBehalfOf: resource.onBehalfOf, secrets };
    return memoize(JSON.stringify([url, path, commit, access]), async () => {
      const copy = await mirror.export(commit, signal);
      try {
        const chart = { folder: `${copy.folder}/${path}`, path, revision: commit };
        return (await helm.lacksDependencies(chart)) ? (await helm.buildDependencies(chart, access)).dependencies : undefined;
      } finally {
        await copy.remove();
      }
    });
  };
}
