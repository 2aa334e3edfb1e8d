import { AppError } from '@/lib/contract/app-error';
import { isFields, readList, readString } from '@/lib/kube/fields';
import { readYaml } from '@/lib/std/yaml/read-yaml';
import { formatNumber } from '@/lib/words/figures';
import { newestIn } from './version-range';

/** A version of a chart as the index of a repository has it. */
export interface IndexEntry {
  readonly version: string;
  readonly url: string;
  /** SHA-256 of the archive; undefined where the index gives none. */
  readonly digest: string | undefined;
}

/** Characters of an index, or of an entry of one, that is in flow style and so is parsed whole: about a tenth of a second. */
const MAX_FLOW = 256 * 1024;

/**
 * Finds the newest version of a chart that is in a range. An index may have tens of megabytes and a parser of YAML takes seconds for them, so the
 * lines of the one entry are cut out first: nothing of a block stands at the indentation of its key but the next key. Helm writes its index so; what
 * is written otherwise is parsed whole up to `MAX_FLOW`.
 */
export function findInIndex(index: string, { name, range }: { readonly name: string; readonly range: string }): IndexEntry {
  const items = index.trimStart().startsWith('{') ? itemsOfJson(index, name) : itemsOfYaml(index, name);
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

function itemsOfJson(index: string, name: string): readonly Item[] {
  let read: unknown;
  try {
    read = JSON.parse(index);
  } catch {
    // Flow style without quotes looks the same at first.
    read = readWhole(index, 'the index of the repository is neither YAML nor JSON');
  }
  return itemsIn(readList(read, 'entries', name));
}

function itemsOfYaml(index: string, name: string): readonly Item[] {
  const entries = /^entries:[ \t]*(\S?)/m.exec(index);
  if (entries === null) throw new AppError('invalid', 'the index of the repository has no entries');
  if (entries[1] === '{') return itemsIn(readList(readWhole(index, 'the index of the repository cannot be read'), 'entries', name));
  return itemsOf(blockOf(index, name));
}

const itemsIn = (list: readonly unknown[]): readonly Item[] =>
  list.map((item) => ({ version: readString(item, 'version') ?? '', read: () => item }));

/** The value of a key of `entries`, which ends where the next key begins. */
function blockOf(index: string, name: string): string {
  const entries = /^entries:.*$/m.exec(index);
  if (entries === null) return '';
  const body = index.slice(entries.index + entries[0].length);
  const indent = /\n( +)\S/.exec(body)?.[1] ?? '  ';
  const key = `\n${indent}${name}:`;
  const quotedKey = `\n${indent}"${name}":`;
  const found = [key, quotedKey].find((text) => body.includes(text));
  if (found === undefined) return '';
  const rest = body.slice(body.indexOf(found) + found.length);
  const end = new RegExp(`\\n {0,${indent.length}}[^ \\n\\r-]`).exec(rest)?.index ?? rest.length;
  return rest.slice(0, end);
}

/** The members of a list: in block style each with its version cut out. */
function itemsOf(block: string): readonly Item[] {
  const [before = '', dash] = /^\s*?\n( *)-(?= )/.exec(block) ?? [];
  const texts = dash === undefined ? [] : block.split(`\n${dash}- `).slice(1);
  if (before === '' || texts.some((text) => /^\s*["'{&*!?]/.test(text))) {
    const list = readWhole(block, 'an entry of the index of the repository cannot be read');
    return itemsIn(Array.isArray(list) ? list : []);
  }
  return texts.map((text) => {
    const item = `${dash}  ${text}`;
    const version = new RegExp(`^${dash}  version:[ \\t]*["']?([^"'\\s]+)`, 'm').exec(item)?.[1] ?? '';
    return { version, read: () => readItem(item) };
  });
}

const readItem = (text: string) => readText(text, 'an entry of the index of the repository cannot be read');

function readWhole(text: string, otherwise: string): unknown {
  if (text.length > MAX_FLOW)
    throw new AppError(
      'invalid',
      `the index of the repository is written in YAML flow style and has more than ${formatNumber(MAX_FLOW)} characters; write it with "helm repo index"`,
    );
  return readText(text, otherwise);
}

function readText(text: string, otherwise: string): unknown {
  try {
    return readYaml(text, { mostAliases: 0 });
  } catch {
    throw new AppError('invalid', otherwise);
  }
}

function entryOf(read: unknown, { name, version }: { readonly name: string; readonly version: string }): IndexEntry {
  const url = readList(read, 'urls').find((each) => typeof each === 'string');
  if (!isFields(read) || typeof url !== 'string')
    throw new AppError('invalid', `the index of the repository has no URL for chart ${name} ${version}`);
  const digest = readString(read, 'digest')?.replace(/^sha256:/, '');
  return { version, url, digest: digest || undefined };
}
