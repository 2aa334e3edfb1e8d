import { AppError } from '@/lib/contract/app-error';
import { isFields, readList, readString } from '@/lib/kube/fields';
import { YamlFault } from '@/lib/std/yaml/documents';
import { readYaml } from '@/lib/std/yaml/read-yaml';
import { formatNumber } from '@/lib/words/figures';
import { newestIn } from '../version-range';
import type { JsonIndex } from './json-index';
import { MAX_VERSIONS, readJsonIndex } from './json-index';

/** A version of a chart as the index of a repository has it. */
export interface IndexEntry {
  readonly version: string;
  readonly url: string;
  /** SHA-256 of the archive; undefined where the index gives none. */
  readonly digest: string | undefined;
}

/** Characters of an index, or of an entry of one, that is in flow style and so is parsed whole: about a tenth of a second. */
const MAX_FLOW = 256 * 1024;

/** An index as it is kept: its text, or what was read of it where that is many megabytes of JSON. */
export type HelmIndex = string | JsonIndex;

/** Makes ready what a repository has served: versions are found in it without anybody having to wait. */
export async function prepareIndex(text: string, signal: AbortSignal): Promise<HelmIndex> {
  if (text.length <= MAX_FLOW || !isJson(text)) return text;
  return readJsonIndex(text, (fault) => unreadable(lineOfJson(text, fault), 'it is not valid JSON'), signal);
}

const isJson = (text: string) => /^\s*\{/.test(text);

/**
 * Finds the newest version of a chart that is in a range. An index may have tens of megabytes and a parser of YAML takes seconds for them, so the
 * lines of the one entry are cut out first: nothing of a block stands at the indentation of its key but the next key. Helm writes its index so; what
 * is written otherwise is parsed whole up to `MAX_FLOW`.
 */
export function findInIndex(index: HelmIndex, { name, range }: { readonly name: string; readonly range: string }): IndexEntry {
  const items = typeof index === 'string' ? itemsOfText(index, name) : itemsIn(readVersions(index, name));
  if (items.length > MAX_VERSIONS)
    throw new AppError(
      'too-large',
      `the repository has more than ${formatNumber(MAX_VERSIONS)} versions of chart ${name}, which are not looked through`,
    );
  if (items.length === 0) throw new AppError('not-found', `the repository has no chart ${name}`);
  const version = newestIn(
    range,
    items.map((item) => item.version),
  );
  const item = items.find((each) => each.version === version);
  if (item === undefined) throw new AppError('not-found', `the repository has no version of chart ${name} for ${JSON.stringify(range)}`);
  return entryOf(item.read(), { name, version: item.version });
}

interface Item {
  readonly version: string;
  readonly read: () => unknown;
}

/** A piece of an index, and where in it that begins. */
interface Piece {
  readonly index: string;
  readonly at: number;
  readonly text: string;
}

function readVersions(index: JsonIndex, name: string): readonly unknown[] {
  return JSON.parse(index.get(name) ?? '[]') as readonly unknown[]; // it was written from a list
}

function itemsOfText(index: string, name: string): readonly Item[] {
  return isJson(index) ? itemsIn(readList(readJson(index), 'entries', name)) : itemsOfYaml(index, name);
}

/** Flow style of YAML without quotes looks like JSON at first. */
function readJson(index: string): unknown {
  try {
    return JSON.parse(index);
  } catch {
    return readFlow({ index, at: 0, text: index });
  }
}

function itemsOfYaml(index: string, name: string): readonly Item[] {
  const entries = /^entries:[ \t]*(\S?)/m.exec(index);
  if (entries === null)
    throw new AppError('invalid', `the index of the repository has no entries${/^\s*</.test(index) ? ': it is a web page' : ''}`);
  if (entries[1] === '{' || entries[1] === '[') return itemsIn(readList(readFlow({ index, at: 0, text: index }), 'entries', name));
  const block = blockOf(index, name);
  return block === undefined ? [] : itemsOf(block);
}

const itemsIn = (list: readonly unknown[]): readonly Item[] =>
  list.map((item) => ({ version: readString(item, 'version') ?? '', read: () => item }));

/** The value of a key of `entries`, which ends where the next key begins. */
function blockOf(index: string, name: string): Piece | undefined {
  const entries = /^entries:.*$/m.exec(index);
  if (entries === null) return undefined;
  const from = entries.index + entries[0].length;
  const body = index.slice(from);
  const indent = /\n( +)\S/.exec(body)?.[1] ?? '  ';
  const key = `\n${indent}${name}:`;
  const quotedKey = `\n${indent}"${name}":`;
  const found = [key, quotedKey].find((text) => body.includes(text));
  if (found === undefined) return undefined;
  const begin = body.indexOf(found) + found.length;
  const rest = body.slice(begin);
  const end = new RegExp(`\\n {0,${indent.length}}[^ \\t\\n\\r-]`).exec(rest)?.index ?? rest.length;
  return { index, at: from + begin, text: rest.slice(0, end) };
}

/** The members of a list: in block style each with its version cut out. */
function itemsOf(block: Piece): readonly Item[] {
  const [before = '', dash] = /^\s*?\n( *)-(?= )/.exec(block.text) ?? [];
  const texts = dash === undefined ? [] : block.text.split(`\n${dash}- `, MAX_VERSIONS + 2); // what is before the first is none
  if (before === '' || texts.slice(1).some((text) => /^\s*["'{&*!?]/.test(text))) {
    const list = readFlow(block);
    return itemsIn(Array.isArray(list) ? list : []);
  }
  const versionIn = new RegExp(`^${dash}  version:[ \\t]*["']?([^"'\\s]+)`, 'm');
  let { at } = block;
  return texts
    .map((text) => {
      const item = { index: block.index, at, text: `${dash}  ${text}` };
      at += text.length + `\n${dash}- `.length;
      return { version: versionIn.exec(item.text)?.[1] ?? '', read: () => readPiece(item) };
    })
    .slice(1);
}

/** What is in flow style cannot be cut: it is parsed whole, where that does not take long. */
function readFlow(piece: Piece): unknown {
  if (piece.text.length <= MAX_FLOW) return readPiece(piece);
  throw new AppError(
    'invalid',
    `the index of the repository is written in YAML flow style and has more than ${formatNumber(MAX_FLOW)} characters; write it with "helm repo index"`,
  );
}

function readPiece({ index, at, text }: Piece): unknown {
  try {
    return readYaml(text, { mostAliases: 0 });
  } catch (error) {
    const fault = error instanceof YamlFault ? error : { line: 1, message: 'it is not valid YAML' };
    throw unreadable(newlinesIn(index, at) + fault.line, fault.message);
  }
}

/** The parser says why, and quotes nothing of the index. */
const unreadable = (line: number | undefined, why: string) =>
  new AppError(
    'invalid',
    `the index of the repository cannot be read${line === undefined ? '' : ` at line ${formatNumber(line)}`}: ${why}`,
  );

/** Where the parser of JSON stopped; it tells no place for a sign that it did not expect. */
function lineOfJson(index: string, fault: string): number | undefined {
  const at = /at position (\d+)/.exec(fault)?.[1];
  return at === undefined ? undefined : newlinesIn(index, Number(at)) + 1;
}

function newlinesIn(text: string, end: number): number {
  let found = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) found++;
  return found;
}

function entryOf(read: unknown, { name, version }: { readonly name: string; readonly version: string }): IndexEntry {
  const url = readList(read, 'urls').find((each) => typeof each === 'string');
  if (!isFields(read) || typeof url !== 'string')
    throw new AppError('invalid', `the index of the repository has no URL for chart ${name} ${version}`);
  const digest = readString(read, 'digest')?.replace(/^sha256:/, '');
  return { version, url, digest: digest || undefined };
}
