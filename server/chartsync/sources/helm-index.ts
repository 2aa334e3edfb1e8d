import { AppError } from '@/lib/contract/app-error';
import { isFields, readList, readString } from '@/lib/kube/fields';
import { readYaml } from '@/lib/std/yaml/read-yaml';
import { newestIn } from './version-range';

/** A version of a chart as the index of a repository has it. */
export interface IndexEntry {
  readonly version: string;
  readonly url: string;
  /** SHA-256 of the archive; undefined where the index gives none. */
  readonly digest: string | undefined;
}

/**
 * Finds the newest version of a chart that is in a range. An index may have tens of megabytes and a parser of YAML takes seconds for them, so the
 * lines of the one entry are cut out first: nothing of a block stands at the indentation of its key but the next key.
 */
export function findInIndex(index: string, { name, range }: { readonly name: string; readonly range: string }): IndexEntry {
  const items = index.trimStart().startsWith('{') ? itemsOfJson(index, name) : itemsOf(blockOf(index, name));
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
  try {
    const list = readList(JSON.parse(index), 'entries', name);
    return list.map((item) => ({ version: readString(item, 'version') ?? '', read: () => item }));
  } catch {
    throw new AppError('invalid', 'the index of the repository is neither YAML nor JSON');
  }
}

/** The lines below one key of `entries`. */
function blockOf(index: string, name: string): string {
  const entries = /^entries:[ \t]*\r?$/m.exec(index);
  if (entries === null) {
    if (/^entries:\s*\{\s*\}/m.test(index)) return '';
    throw new AppError('invalid', 'the index of the repository has no entries');
  }
  const body = index.slice(entries.index + entries[0].length);
  const indent = /\n( +)\S/.exec(body)?.[1] ?? '  ';
  const key = `\n${indent}${name}:`;
  const quotedKey = `\n${indent}"${name}":`;
  const at = [key, quotedKey].map((text) => body.indexOf(text)).find((found) => found >= 0);
  if (at === undefined) return '';
  const start = body.indexOf('\n', at + 1);
  const rest = start < 0 ? '' : body.slice(start);
  const end = new RegExp(`\\n {0,${indent.length}}[^ \\n\\r-]`).exec(rest)?.index ?? rest.length;
  return rest.slice(0, end);
}

/** The members of a list in block style, each with its version cut out. */
function itemsOf(block: string): readonly Item[] {
  const dash = /\n( *)- /.exec(block)?.[1];
  if (dash === undefined) return [];
  const texts = block.split(`\n${dash}- `).slice(1);
  return texts.map((text) => {
    const item = `${dash}  ${text}`;
    const version = new RegExp(`^${dash}  version:[ \\t]*["']?([^"'\\s]+)`, 'm').exec(item)?.[1] ?? '';
    return { version, read: () => readItem(item) };
  });
}

function readItem(text: string): unknown {
  try {
    return readYaml(text, { mostAliases: 0 });
  } catch {
    throw new AppError('invalid', 'an entry of the index of the repository cannot be read');
  }
}

function entryOf(read: unknown, { name, version }: { readonly name: string; readonly version: string }): IndexEntry {
  const url = readList(read, 'urls').find((each) => typeof each === 'string');
  if (!isFields(read) || typeof url !== 'string')
    throw new AppError('invalid', `the index of the repository has no URL for chart ${name} ${version}`);
  const digest = readString(read, 'digest')?.replace(/^sha256:/, '');
  return { version, url, digest: digest || undefined };
}
