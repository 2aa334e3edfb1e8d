import path from 'node:path';
import { AppError } from '@/lib/contract/app-error';
import type { Fields } from '@/lib/kube/fields';
import { isFields } from '@/lib/kube/fields';
import type { ReadValues } from '@/lib/std/yaml/read-values';
import { readValues } from '@/lib/std/yaml/read-values';
import type { Impersonation } from '../model/impersonation';
import type { ChartAt } from '../model/release';
import type { ValuesSource } from '../model/values-source';
import { isLfsPointer, pointerError } from './lfs-pointers';
import { mergeValues } from './merge';

/** A Secret or ConfigMap. */
export interface DataAddress {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly namespace: string;
  readonly name: string;
}

/** Where the texts of values come from. A reader answers undefined for what is not there, and throws for what could not be read. */
export interface ValuesReader {
  /** The entries of a Secret or ConfigMap as text, read as the account that acts for a resource. */
  readData(at: DataAddress, onBehalfOf: Impersonation): Promise<Readonly<Record<string, string>> | undefined>;
  fetchText(url: string): Promise<string | undefined>;
  readChartFile(chart: ChartAt, path: string): Promise<string | undefined>;
  /** Reads a long text where nobody waits for it; where there is no such place it is read here. */
  readonly readLongValues?: ((text: string) => Promise<ReadValues>) | undefined;
}

interface Declared {
  readonly onBehalfOf: Impersonation;
  readonly chart: ChartAt;
  readonly from: readonly ValuesSource[];
  readonly inline: Fields;
}

/** What is read in a turn of its own within some tens of milliseconds, whatever it holds. */
const MAX_AT_ONCE = 16 * 1024;

/** The user values of a release: its sources in order, later ones over earlier ones, what stands in the resource over all (X-VAL-1). */
export async function resolveValues({ onBehalfOf, chart, from, inline }: Declared, reader: ValuesReader): Promise<Fields> {
  let values: Fields = {};
  for (const source of from) {
    const text = await readText(source, { onBehalfOf, chart, reader });
    const read = await parseSource(text, source, reader);
    if (read !== undefined) values = mergeValues(values, read);
  }
  return mergeValues(values, inline);
}

interface ReadContext {
  readonly onBehalfOf: Impersonation;
  readonly chart: ChartAt;
  readonly reader: ValuesReader;
}

/** An error while reading is thrown for optional sources as well: that nothing could be read does not say that nothing is there (X-VAL-3). */
async function readText(source: ValuesSource, { onBehalfOf, chart, reader }: ReadContext): Promise<string | undefined> {
  switch (source.kind) {
    case 'Secret':
    case 'ConfigMap':
      return (
        await reader.readData({ kind: source.kind, namespace: source.namespace ?? onBehalfOf.namespace, name: source.name }, onBehalfOf)
      )?.[source.key];
    case 'url':
      if (!/^https?:\/\//.test(source.url))
        throw new AppError('invalid', `values from ${describe(source)} must be an http or https address`);
      return reader.fetchText(source.url);
    case 'chartFile':
      if (!isWithin(source.path)) throw new AppError('invalid', `values from ${describe(source)} must be a path within the chart`);
      return requireContent(await reader.readChartFile(chart, source.path), source.path);
  }
}

/** A pointer of Git LFS is in the place of the file, which is therefore no file that is missing. */
function requireContent(text: string | undefined, file: string): string | undefined {
  if (text !== undefined && isLfsPointer(text)) throw pointerError([file]);
  return text;
}

function isWithin(file: string): boolean {
  const cleaned = path.posix.normalize(file);
  return file !== '' && !path.posix.isAbsolute(cleaned) && cleaned !== '..' && !cleaned.startsWith('../');
}

/** The text itself never stands in an error: it may hold secrets. */
async function parseSource(text: string | undefined, source: ValuesSource, reader: ValuesReader): Promise<Fields | undefined> {
  if (text === undefined) {
    if (source.optional) return undefined;
    throw new AppError('not-found', `values from ${describe(source)} do not exist`);
  }
  const { readLongValues = readValues } = reader;
  const found = text.length > MAX_AT_ONCE ? await readLongValues(text) : readValues(text);
  if ('read' in found && isFields(found.read)) return found.read;
  if (source.optional) return undefined;
  const where = 'line' in found ? `; line ${found.line} cannot be read` : '';
  throw new AppError('invalid', `values from ${describe(source)} must be a YAML map${where}`);
}

function describe(source: ValuesSource): string {
  switch (source.kind) {
    case 'Secret':
    case 'ConfigMap':
      return `key ${source.key} of ${source.kind} ${source.name}${source.namespace ? ` in ${source.namespace}` : ''}`;
    case 'url':
      return 'an external source';
    case 'chartFile':
      return `file ${source.path} of the chart`;
  }
}
