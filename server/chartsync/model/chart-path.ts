import path from 'node:path';
import { AppError } from '@/lib/contract/app-error';
import { stripBoth } from '@/lib/std/text/strip';

/** The chart's path from the root of the repository; throws one sentence for a path that is empty or leaves it (R-TYPE-3, R-TYPE-5). */
export function baseChartPath(
  { name, chartGitPath }: { readonly name: string; readonly chartGitPath: string },
  chartsPath: string,
): string {
  if (isEmptyPath(chartGitPath)) throw new AppError('invalid', `Chart deploy configuration (${name}) has empty Chart git path`);
  return confinedPath(path.posix.join(chartsPath, stripBoth(chartGitPath, '/')));
}

/** The path by which commits are looked for; of an empty one that is the folder of all charts. Undefined for one that leaves the repository. */
export function watchedPath(chartGitPath: string, chartsPath: string): string | undefined {
  const joined = clean(path.posix.join(chartsPath, stripBoth(chartGitPath, '/')));
  return leaves(joined) ? undefined : joined;
}

/** A path within the repository, cleaned; throws one sentence when it leaves it. */
export function confinedPath(written: string): string {
  const cleaned = clean(written);
  if (leaves(cleaned)) throw new AppError('invalid', `a chart path must be within the repository, found ${JSON.stringify(written)}`);
  return cleaned;
}

/** What lies where a chart should, to follow a sentence that no folder does. */
export function describeFoundInstead(kind: 'file' | 'link' | undefined): string {
  if (kind === undefined) return '';
  return kind === 'file' ? '; it is a file there' : '; it is a link there that points outside the repository or to nothing';
}

function isEmptyPath(written: string): boolean {
  return stripBoth(written, '/') === '';
}

function clean(written: string): string {
  return stripBoth(path.posix.normalize(stripBoth(written, '/') || '.'), '/');
}

function leaves(cleaned: string): boolean {
  return cleaned === '..' || cleaned.startsWith('../') || cleaned.includes('\0');
}
