import { readFile } from 'node:fs/promises';
import { isAboutSecret, namesSecret } from '@/lib/kube/mask';
import { filesInArchive } from '../../sources/chart-archive';
import { listChartFiles } from '../../sources/chart-files';

/** Larger ones are no values that somebody wrote. */
const MAX_BYTES = 1024 * 1024;
/** Of a chart, and of those that lie in it. */
const VALUES = /^(?:charts\/[^/]+\/)*values\.yaml$/;
const ARCHIVE = /^(?:charts\/[^/]+\/)*charts\/[^/]+\.(?:tgz|tar\.gz)$/;
const LINE = /^( *)((?:- +)*)(?:["']?([\w.-]+)["']? *:(?= |$))?(.*)$/;
/** Members of a map that is written in one line. */
const WITHIN = /(?<![\w.-])([\w.-]+)["']? *: *("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'{}[\],][^{}[\],]*)/g;

/** What stands under the name of a secret in the values with which a chart and its subcharts come. */
export async function secretDefaults(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  const take = (within: string, body: Buffer) => {
    if (VALUES.test(within) && body.byteLength <= MAX_BYTES) found.push(...secretsInText(body.toString('utf8')));
  };
  for (const { file, within, bytes } of await listChartFiles(folder)) {
    if (VALUES.test(within) && bytes <= MAX_BYTES) take(within, await readFile(file));
    if (!ARCHIVE.test(within)) continue;
    for await (const inner of filesInArchive(await readFile(file))) take(inner.within, inner.body);
  }
  return found;
}

/**
 * The same of one text, line by line: it may be no YAML, and reading it as such takes a second for 256 KiB, which is what large charts have, and everybody would
 * wait for that.
 */
export function secretsInText(text: string): readonly string[] {
  const scan = new Scan();
  for (const line of text.split(/\r?\n/)) scan.take(line);
  return scan.found.filter((one) => one !== '');
}

class Scan {
  readonly found: string[] = [];
  /** The indent of the secret whose lines follow; -1 outside of one. */
  #block = -1;
  /** The indent of the variable that is called like a secret. */
  #variable = -1;

  take(line: string): void {
    const [, spaces = '', dashes = '', name, rest = ''] = LINE.exec(line) ?? [];
    const value = toScalar(rest);
    if (line.trim() === '' || (name === undefined && value === '' && dashes === '')) return;
    if (this.#isWithin(spaces.length, dashes !== '')) {
      if (name === undefined || !isAboutSecret(name)) this.found.push(value, line.trim());
      return;
    }
    this.#block = -1;
    for (const [, member = '', written = ''] of rest.matchAll(WITHIN)) if (namesSecret(member)) this.found.push(toScalar(written));
    if (name !== undefined) this.#takeMember(name, value, spaces.length + dashes.length);
  }

  #isWithin(spaces: number, isItem: boolean): boolean {
    return this.#block >= 0 && (spaces > this.#block || (spaces === this.#block && isItem));
  }

  #takeMember(name: string, value: string, indent: number): void {
    const isOfVariable = name === 'value' && indent === this.#variable;
    if (name === 'name') this.#variable = namesSecret(value) ? indent : -1;
    if (!namesSecret(name) && !isOfVariable) return;
    if (value === '' || /^[|>&!]/.test(value)) this.#block = indent;
    else this.found.push(value);
  }
}

/** A scalar as it is meant, without its quotes and what follows it. */
function toScalar(text: string): string {
  const written = text.trim();
  const [, double, single] = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)')/.exec(written) ?? [];
  if (double !== undefined) return double.replace(/\\(["\\])/g, '$1');
  if (single !== undefined) return single.replaceAll("''", "'");
  return written.replace(/(?:^|\s)#.*$/, '').trim();
}
