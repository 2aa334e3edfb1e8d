import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

const PAGE = 'docs/measured/faults.md';
const TITLE = '# Faults';

/** Writes one section of the page of faults anew; the others stay as they were measured. */
export async function writeSection(heading: string, lines: readonly string[]): Promise<void> {
  const former = await readFile(PAGE, 'utf8').catch(() => '');
  const sections = former.split(/^(?=## )/m).filter((one) => one.startsWith('## '));
  const others = sections.filter((one) => !one.startsWith(`## ${heading}\n`));
  const own = [`## ${heading}`, '', ...lines, ''].join('\n');
  console.log(own);
  await mkdir(path.dirname(PAGE), { recursive: true });
  await writeFile(PAGE, [TITLE, ...[...others, own].sort().map((one) => one.trim())].join('\n\n').concat('\n'));
}
