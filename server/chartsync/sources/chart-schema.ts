import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError, messageOf } from '@/lib/contract/app-error';
import type { Fields } from '@/lib/kube/fields';
import { isFields, readString } from '@/lib/kube/fields';
import type { ChartAt } from '../model/release';

const FILE = 'values.schema.json';
export const SCHEMA_FILE = /(^|\/)values\.schema\.json$/;
/** What Helm knows without asking anybody. */
const KNOWN_DRAFTS = /^https?:\/\/json-schema\.org\/(draft-0[4-7]|draft\/20(19-09|20-12))\/schema#?$/;
/** Far more than schemas have that Helm stores with the release; what is read of a larger one takes many times its bytes. */
const MAX_READ = 1024 * 1024;
/** What people get as help while they write; a larger one Helm judges alone. */
const MAX_SHOWN = 256 * 1024;
const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];

/**
 * Throws a sentence for a schema of values that refers to what does not stand in it. Helm would fetch an address, and read a file of this machine and
 * quote it in its error: both are asked for by whoever wrote the chart.
 */
export function requireSelfContainedSchema(bytes: Buffer, file: string): void {
  if (bytes.byteLength > MAX_READ)
    throw new AppError('too-large', `${file} of the chart has ${bytes.byteLength} bytes, more than the ${MAX_READ} that a schema may have`);
  let outside: string | undefined;
  try {
    outside = findOutside(JSON.parse(bytes.toString('utf8')));
  } catch {
    throw new AppError('invalid', `${file} of the chart is not valid JSON`);
  }
  if (outside === undefined) return;
  const what = JSON.stringify(outside.slice(0, 200));
  throw new AppError(
    'rejected',
    `${file} of the chart refers to ${what}, which it does not contain: Helm must not fetch anything, so include it`,
  );
}

/** The schema of values that a chart holds, for whoever writes them; undefined where it has none. Throws a sentence for one that cannot be shown. */
export async function readValuesSchema({ folder }: Pick<ChartAt, 'folder'>): Promise<Fields | undefined> {
  const file = path.join(folder, FILE);
  try {
    const { size } = await stat(file);
    if (size > MAX_SHOWN)
      throw new AppError(
        'too-large',
        `${FILE} of the chart has ${size} bytes, more than the ${MAX_SHOWN} that are shown; Helm still validates by it`,
      );
    return toSchema(await readFile(file, 'utf8'));
  } catch (error) {
    if (error instanceof AppError) throw error;
    const code = readString(error, 'code');
    if (code === 'ENOENT') return undefined;
    throw new AppError('invalid', `${FILE} of the chart cannot be read: ${code ?? messageOf(error)}`, { cause: error });
  }
}

function toSchema(text: string): Fields | undefined {
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    throw new AppError('invalid', `${FILE} of the chart is not valid JSON: ${messageOf(error)}`, { cause: error });
  }
  if (typeof schema === 'boolean') return undefined; // allowed, and says nothing
  if (isFields(schema)) return schema;
  throw new AppError(
    'invalid',
    `${FILE} of the chart must be a JSON object, found ${Array.isArray(schema) ? 'a list' : schema === null ? 'null' : `a ${typeof schema}`}`,
  );
}

function findOutside(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const isText = typeof member === 'string';
    if (isText && REFERENCES.includes(key) && !member.startsWith('#')) return member;
    if (isText && key === '$schema' && !KNOWN_DRAFTS.test(member)) return member;
    const found = findOutside(member);
    if (found !== undefined) return found;
  }
  return undefined;
}
