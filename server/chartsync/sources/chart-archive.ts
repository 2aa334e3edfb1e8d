import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '@/lib/contract/app-error';
import { requireSelfContainedSchema, SCHEMA_FILE } from './chart-schema';
import { Budget, readPackedTar } from './tar';

/** Far more than charts have, and what a server can hold. */
const LIMITS = { files: 20_000, bytes: 256 * 1024 * 1024 };
const MAX_NESTED = 5;
const MAX_FOLDERS = 32;
const SUBCHART = /(^|\/)charts\/[^/]+\.(tgz|tar\.gz)$/;

/** Writes the chart of a packed archive into a folder that is there; everything in it and in the archives within it is bounded. */
export async function unpackChart(packed: Buffer, folder: string): Promise<void> {
  const budget = new Budget(LIMITS);
  for await (const { name, body } of readPackedTar(packed, budget)) {
    const within = pathWithin(name);
    if (within === undefined) continue;
    const file = path.join(folder, within);
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, body, { mode: 0o600 });
    await requireSafeChart({ within, body }, budget);
  }
}

/** Unpacks an archive, and those within it, only to see that Helm may: it will do it again. Throws a sentence for too much, and for what Helm would go out for. */
export async function measureArchive(packed: Buffer): Promise<void> {
  await measure(packed, new Budget(LIMITS), 1);
}

/** A file in an archive by its path within its chart. */
interface ArchivedFile {
  readonly within: string;
  readonly body: Buffer;
}

/** The files of an archive and of those within it, each by its path within its own chart; throws a sentence for too much. */
export async function* filesInArchive(packed: Buffer, budget = new Budget(LIMITS), depth = 1): AsyncGenerator<ArchivedFile> {
  if (depth > MAX_NESTED) throw new AppError('too-large', `a chart nests archives more than ${MAX_NESTED} deep`);
  for await (const { name, body } of readPackedTar(packed, budget)) {
    const within = pathWithin(name);
    if (within === undefined) continue;
    yield { within, body };
    if (SUBCHART.test(within)) yield* filesInArchive(body, budget, depth + 1);
  }
}

async function measure(packed: Buffer, budget: Budget, depth: number): Promise<void> {
  for await (const file of filesInArchive(packed, budget, depth)) requireSafeFile(file);
}

async function requireSafeChart(file: ArchivedFile, budget: Budget): Promise<void> {
  if (SUBCHART.test(file.within)) await measure(file.body, budget, 1);
  else requireSafeFile(file);
}

function requireSafeFile({ within, body }: ArchivedFile): void {
  if (SCHEMA_FILE.test(within)) requireSelfContainedSchema(body, within);
}

/** The path below the one folder that an archive holds, which is whatever comes first, as Helm has it; undefined for what lies beside it. Throws a sentence for one that leads out. */
function pathWithin(name: string): string | undefined {
  const refused = new AppError(
    'invalid',
    `the chart archive is rejected: ${JSON.stringify(name.slice(0, 100))} in it points outside the archive`,
  );
  if (name.includes('\0') || name.includes('\\') || path.posix.isAbsolute(name) || /^[A-Za-z]:/.test(name)) throw refused;
  const parts = name.split('/');
  if (parts.includes('..')) throw refused;
  const within = parts.slice(1).filter((part) => part !== '' && part !== '.');
  if (within.length >= MAX_FOLDERS) throw new AppError('too-large', `a chart nests folders more than ${MAX_FOLDERS} deep`);
  return within.length === 0 ? undefined : within.join('/');
}
