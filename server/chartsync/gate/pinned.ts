import type { RepositoryChart } from '../model/extended-spec';
import type { ChartAt } from '../model/release';
import { newestIn } from '../sources/version-range';

/** A revision of a registry ends with the digest that its tag led to. */
const DIGEST = /\+[0-9a-f]{12}$/;

/** What a release of a chart that is pulled was last attempted at. */
export interface Attempted {
  readonly revision: string | undefined;
  /** SHA-256 of the archive, or of the dependencies that were fetched for a chart from git; undefined where that was not told. */
  readonly digest: string | undefined;
}

/** Whether a version leads elsewhere than at the last attempt; unknown where it is the same version in another archive, which may hold the same chart. */
export function pulledChange({ revision, digest }: Attempted, chart: Pick<ChartAt, 'revision' | 'digest'>): 'yes' | 'no' | 'unknown' {
  if (revision !== chart.revision) return 'yes';
  return digest === undefined || digest === chart.digest ? 'no' : 'unknown';
}

/** The version that a revision counts as. */
export function versionOf(revision: string): string {
  return revision.replace(DIGEST, '');
}

/**
 * Whether a chart that is pulled may not be released by itself where changes of it want approval: what its version leads to is followed only where
 * the resource was changed, and the version that was released is not what it asks for any more.
 */
export function isPinned({ version }: Pick<RepositoryChart, 'version'>, chart: ChartAt, attempted: Attempted): boolean {
  if (attempted.revision === undefined || pulledChange(attempted, chart) === 'no') return false;
  return newestIn(version, [versionOf(attempted.revision)]) !== undefined;
}
