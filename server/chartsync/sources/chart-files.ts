import { copyFile, mkdir, readdir, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError, isAppError } from '@/lib/contract/app-error';
import { measureArchive } from './chart-archive';
import { requireSelfContainedSchema, SCHEMA_FILE } from './chart-schema';

/** A file of a chart as Helm reads it: links are followed. */
interface ChartFileAt {
  readonly file: string;
  /** Its path within the chart. */
  readonly within: string;
  readonly bytes: number;
}

const MAX_FILES = 50_000;
const MAX_BYTES = 512 * 1024 * 1024;
const MAX_FOLDERS = 32;
const SUBCHART = /(^|\/)charts\/[^/]+\.(tgz|tar\.gz)$/;

/** The files of a chart in the order of their names, links followed as Helm follows them; throws a sentence where there is no end of them. */
export async function listChartFiles(folder: string): Promise<readonly ChartFileAt[]> {
  const found: ChartFileAt[] = [];
  let entries = 0;
  let bytes = 0;
  const walk = async (at: string, depth: number): Promise<void> => {
    if (depth > MAX_FOLDERS) throw new AppError('too-large', `a chart nests folders more than ${MAX_FOLDERS} deep`);
    for (const name of (await readdir(path.join(folder, at))).sort()) {
      const within = at === '' ? name : `${at}/${name}`;
      if (++entries > MAX_FILES) throw new AppError('too-large', `a chart contains more than ${MAX_FILES} files and folders`);
      const about = await stat(path.join(folder, within)).catch(() => undefined); // a link that leads nowhere is nothing
      if (about?.isDirectory()) await walk(within, depth + 1);
      if (!about?.isFile()) continue;
      bytes += about.size;
      if (bytes > MAX_BYTES) throw new AppError('too-large', `a chart contains more than ${MAX_BYTES} bytes`);
      found.push({ file: path.join(folder, within), within, bytes: about.size });
    }
  };
  await walk('', 0);
  return found;
}

/** Throws a sentence where an archive in a chart unpacks to more than may be, for Helm unpacks all of them, and where a schema would have Helm go out. */
export async function requireSafeChart(files: readonly ChartFileAt[]): Promise<void> {
  for (const { file, within } of files) {
    if (SCHEMA_FILE.test(within)) requireSelfContainedSchema(await readFile(file), within);
    if (!SUBCHART.test(within)) continue;
    await measureArchive(await readFile(file)).catch((error: unknown) => {
      throw isAppError(error) ? new AppError(error.code, `${within}: ${error.message}`, { cause: error }) : error;
    });
  }
}

/** Copies a chart with what its links lead to; throws a sentence where one leads out of the root. */
export async function copyChart(
  from: string,
  to: string,
  { root, signal }: { readonly root: string; readonly signal: AbortSignal },
): Promise<void> {
  const whole = await realpath(root);
  for (const { file, within } of await listChartFiles(from)) {
    signal.throwIfAborted();
    const real = await realpath(file);
    if (!real.startsWith(`${whole}${path.sep}`))
      throw new AppError('invalid', `${JSON.stringify(within)} of a chart points outside its repository`);
    const copy = path.join(to, within);
    await mkdir(path.dirname(copy), { recursive: true, mode: 0o700 });
    await copyFile(real, copy);
  }
}
