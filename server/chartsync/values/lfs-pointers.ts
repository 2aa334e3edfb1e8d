import { readFile } from 'node:fs/promises';
import { AppError } from '@/lib/contract/app-error';

/** How every pointer begins; the content that it stands for is on a server of Git LFS. */
const BEGINNING = 'version https://git-lfs.github.com/spec/v1\n';
/** No pointer is larger. */
const MAX_BYTES = 1024;
/** What Helm itself reads of a chart. */
const READ_BY_HELM = /(^|\/)(Chart\.(yaml|lock)|values\.yaml|values\.schema\.json)$|(^|\/)(templates|crds|charts)\//;
const TEMPLATE = /(^|\/)templates\//;

/** Whether a file is a pointer of Git LFS and not what its name says. */
export function isLfsPointer(content: Buffer | string): boolean {
  return content.length <= MAX_BYTES && content.toString('utf8').startsWith(BEGINNING);
}

/**
 * Throws a sentence where pointers of Git LFS are among what Helm reads of a chart, or what its templates may read by `.Files`: they would be released in the
 * place of the content. Others, such as a picture for readers, reach no cluster.
 */
export async function requireNoPointers(
  pointers: readonly string[],
  files: readonly { readonly file: string; readonly within: string }[],
): Promise<void> {
  if (pointers.length === 0) return;
  const read = (await readsFiles(files)) ? pointers : pointers.filter((within) => READ_BY_HELM.test(within));
  if (read.length > 0) throw pointerError(read);
}

/** Says which files of a chart are pointers, and what mends that. */
export function pointerError([first = '', ...others]: readonly string[]): AppError {
  const what =
    others.length === 0
      ? `${first} of the chart is a Git LFS pointer`
      : `${first} and ${others.length} other ${others.length === 1 ? 'file' : 'files'} of the chart are Git LFS pointers`;
  return new AppError('rejected', `${what}: content in Git LFS is not fetched, so commit the content itself`);
}

async function readsFiles(files: readonly { readonly file: string; readonly within: string }[]): Promise<boolean> {
  for (const { file, within } of files) if (TEMPLATE.test(within) && (await readFile(file)).includes('.Files')) return true;
  return false;
}
