import type { RepositoryChart } from '../model/extended-spec';
import type { ChartAt } from '../model/release';
import { newestIn } from '../sources/version-range';

/** A revision of a registry ends with the digest that its tag led to. */
const DIGEST = /\+[0-9a-f]{12}$/;

/** What a release of a chart that is pulled was last attempted at. */
export interface Attempted {
  readonly revision: string | undefined;
  /** SHA-256 of the archive; undefined where that was not told. */
  readonly digest: string | undefined;
}

/** Whether a version leads elsewhere than at the last attempt; unknown where it is the same version in another archive, which may hold the same chart. */
export function pulledChange({ revision, digest }: Attempted, chart: ChartAt): 'yes' | 'no' | 'unknown' {
  if (revision !== chart.revision) return 'yes';
  return digest === undefined || digest === chart.digest ? 'no' : 'unknown';
}

/**
 * Why a chart that is pulled may not be released where changes of it want approval; undefined where it may. It has no commit that somebody could
 * approve, so what its version leads to is followed only where the resource was changed: the version that was released is not what it asks for any more.
 */
export function whyPinned({ version }: Pick<RepositoryChart, 'version'>, chart: ChartAt, attempted: Attempted): string | undefined {
  if (attempted.revision === undefined || pulledChange(attempted, chart) === 'no') return undefined;
  if (newestIn(version, [attempted.revision.replace(DIGEST, '')]) === undefined) return undefined;
  const [now, before] =
    attempted.revision === chart.revision
      ? [`archive ${shortDigest(chart.digest)} of ${chart.revision}`, `archive ${shortDigest(attempted.digest)}`]
      : [chart.revision, attempted.revision];
  return (
    `version ${JSON.stringify(version)} now leads to ${now} and no longer to ${before}; ` +
    'approvals are required, and only commits can be approved: change the resource to release it'
  );
}

const shortDigest = (digest = '') => `sha256:${digest.slice(0, 12)}`;
