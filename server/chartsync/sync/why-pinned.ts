import type { RepositoryChart } from '../model/extended-spec';
import type { ChartAt } from '../model/release';
import { newestIn } from '../sources/version-range';

/** A revision of a registry ends with the digest that its tag led to. */
const DIGEST = /\+[0-9a-f]{12}$/;

/**
 * Why a chart that is pulled may not be released where changes of it want approval; undefined where it may. It has no commit that somebody could
 * approve, so what its version leads to is followed only where the resource was changed: the version that was released is not what it asks for any more.
 */
export function whyPinned(
  { version }: Pick<RepositoryChart, 'version'>,
  chart: ChartAt,
  attempted: string | undefined,
): string | undefined {
  if (attempted === undefined || attempted === chart.revision) return undefined;
  if (newestIn(version, [attempted.replace(DIGEST, '')]) === undefined) return undefined;
  return (
    `version ${JSON.stringify(version)} now leads to ${chart.revision} and no longer to ${attempted}; ` +
    'approvals are required, and only commits can be approved: change the resource to release it'
  );
}
