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
    await requireSafeChart({ within, body }, budget, 0);
  }
}

/** Unpacks an archive, and those within it, only to see that Helm may: it will do it again. Throws a sentence for too much, and for what Helm would go out for. */
export async function measureArchive(packed: Buffer): Promise<void> {
  await measure(packed, new Budget(LIMITS), 1);
}

async function measure(packed: Buffer, budget: Budget, depth: number): Promise<void> {
  if (depth > MAX_NESTED) throw new AppError('too-large', `a chart nests archives more than ${MAX_NESTED} deep`);
  for await (const { name, body } of readPackedTar(packed, budget)) {
    const within = pathWithin(name);
    if (within !== undefined) await requireSafeChart({ within, body }, budget, depth);
  }
}

async function requireSafeChart(
  { within, body }: { readonly within: string; readonly body: Buffer },
  budget: Budget,
  depth: number,
): Promise<void> {
  if (SUBCHART.test(within)) await measure(body, budget, depth + 1);
  else if (SCHEMA_FILE.test(within)) requireSelfContainedSchema(body.toString('utf8'), within);
}

/** The path below the one folder that an archive holds; undefined for what lies beside it. Throws a sentence for one that leads out. */
function pathWithin(name: string): string | undefined {
  const refused = new AppError(
    'invalid',
    `the chart archive is rejected: ${JSON.stringify(name.slice(0, 100))} in it points outside the archive`,
  );
  if (name.includes('\0') || name.includes('\\') || path.posix.isAbsolute(name) || /^[A-Za-z]:/.test(name)) throw refused;
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw refused;
  if (parts.length > MAX_FOLDERS) throw new AppError('too-large', `a chart nests folders more than ${MAX_FOLDERS} deep`);
  return parts.length < 2 ? undefined : parts.slice(1).join('/');
}
