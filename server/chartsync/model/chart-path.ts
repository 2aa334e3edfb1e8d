import path from 'node:path';
import { AppError } from '@/lib/contract/app-error';

const OUTER_SLASHES = /^\/+|\/+$/g;

/** The chart's path from the root of the repository; throws one sentence for a path that is empty or leaves it (R-TYPE-3, R-TYPE-5). */
export function baseChartPath({ name, chartGitPath }: { readonly name: string; readonly chartGitPath: string }, chartsPath: string): string {
  if (isEmptyPath(chartGitPath)) throw new AppError('invalid', `Chart deploy configuration (${name}) has empty Chart git path`);
  return confinedPath(path.posix.join(chartsPath, chartGitPath.replace(OUTER_SLASHES, '')));
}

/** The path by which commits are looked for; of an empty one that is the folder of all charts. Undefined for one that leaves the repository. */
export function watchedPath(chartGitPath: string, chartsPath: string): string | undefined {
  const joined = clean(path.posix.join(chartsPath, chartGitPath.replace(OUTER_SLASHES, '')));
  return leaves(joined) ? undefined : joined;
}

/** A path within the repository, cleaned; throws one sentence when it leaves it. */
export function confinedPath(written: string): string {
  const cleaned = clean(written);
  if (leaves(cleaned)) throw new AppError('invalid', `a chart path must be within the repository, found ${JSON.stringify(written)}`);
  return cleaned;
}

function isEmptyPath(written: string): boolean {
  return written.replace(OUTER_SLASHES, '') === '';
}

function clean(written: string): string {
  return path.posix.normalize(written.replace(OUTER_SLASHES, '') || '.').replace(OUTER_SLASHES, '');
}

function leaves(cleaned: string): boolean {
  return cleaned === '..' || cleaned.startsWith('../') || cleaned.includes('\0');
}
