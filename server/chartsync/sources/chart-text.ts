import { readFile, stat } from 'node:fs/promises';
import { AppError, messageOf } from '@/lib/contract/app-error';
import { readString } from '@/lib/kube/fields';

/** Of `Chart.yaml` and `Chart.lock`: far more than they have. */
export const MAX_CHART_FILE = 128 * 1024;
/** There is none, and by a name that is too long there could be none. */
const NONE = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'];

/**
 * The text of a chart's file that is parsed in one piece, which keeps everybody waiting: undefined where there is no such file. Throws a sentence for one that is
 * too large for that, and for one that could not be read, of which nobody may think that it is not there.
 */
export async function readChartText(
  file: string,
  { within, maxBytes }: { readonly within: string; readonly maxBytes: number },
): Promise<string | undefined> {
  try {
    const about = await stat(file);
    if (!about.isFile()) return undefined;
    const { size } = about;
    if (size > maxBytes)
      throw new AppError('too-large', `${within} of the chart has ${size} bytes, more than the ${maxBytes} that are read`);
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof AppError) throw error;
    const code = readString(error, 'code');
    if (NONE.includes(code ?? '')) return undefined;
    throw new AppError('unavailable', `${within} of the chart could not be read: ${code ?? messageOf(error)}`, { cause: error });
  }
}
