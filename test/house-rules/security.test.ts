import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { SECURITY_ROWS } from './security-rows';

const PAGE = readFileSync('docs/security.md', 'utf8');
/** What takes too long for CI is run by name. */
const LONG = /`npm run test:long -- (\w+)/;
const SUITES = ['test/attacks', 'test/real'];

interface Row {
  readonly attack: string;
  readonly cell: string;
  readonly files: readonly string[];
}

/** The rows whose last column names a test; "the same" stands for those of the row above. */
function readRows(text: string): readonly Row[] {
  const rows: Row[] = [];
  let isOfTests = false;
  for (const line of text.split('\n')) {
    if (!line.startsWith('|')) continue;
    const [attack = '', , cell = ''] = line
      .split('|')
      .slice(1, -1)
      .map((part) => part.trim());
    if (['attack', 'fault', 'asset', 'who'].includes(attack)) isOfTests = cell === 'test';
    else if (isOfTests && attack !== '---') {
      const named = [...cell.matchAll(/`(test\/[^`]+)`/g)].map(([, file = '']) => file);
      const above = /^(the same|as above)/.test(cell) ? (rows.at(-1)?.files ?? []) : [];
      rows.push({ attack, cell, files: [...above, ...named] });
    }
  }
  return rows;
}

/** The text of a test file, with that of the files beside it that define its tests. */
function readTests(file: string): string {
  const text = readFileSync(file, 'utf8');
  const defined = [...text.matchAll(/import \{ define\w+ \} from '(\.[^']+)'/g)].map(
    ([, from = '']) => `${path.join(path.dirname(file), from)}.ts`,
  );
  return [text, ...defined.map((one) => readFileSync(one, 'utf8'))].join('\n');
}

const rows = readRows(PAGE);
const textOf = ({ files }: Row) => files.filter(existsSync).map(readTests).join('\n');
const knownOf = ({ attack }: Row) => SECURITY_ROWS.find(([begin]) => attack.startsWith(begin));

describe('the rows of docs/security.md', () => {
  it('[issue 10] are those whose tests are known here, in the same order', () => {
    expect(rows.length).toBeGreaterThan(80);
    expect(rows.map((row) => knownOf(row)?.[0] ?? `unknown: ${row.attack}`)).toEqual(SECURITY_ROWS.map(([begin]) => begin));
  });

  it.each(rows.map((row) => [row.attack, row] as const))('[issue 10] name tests that are there: %s', (_attack, row) => {
    const missing = row.files.filter((file) => !existsSync(file) || !/\.test\.tsx?$/.test(file));
    expect(missing).toEqual([]);
    expect(row.files.length > 0 || LONG.test(row.cell), row.cell).toBe(true);
  });

  it.each(rows.map((row) => [row.attack, row, knownOf(row)] as const))(
    '[issue 10] are held by a test that attacks, and one in which the legitimate use works: %s',
    (_attack, row, known) => {
      const [, attacked = '', works = ''] = known ?? [];
      if (row.files.length === 0) return expect([attacked, works]).toEqual(['', '']);
      const text = textOf(row);
      for (const title of [attacked, works])
        expect(title !== '' && text.includes(title), `${row.files.join(', ')} has no test "${title}"`).toBe(true);
    },
  );

  it('[issue 10] leave out no test that attacks, and the same on the real control plane where there is one', () => {
    const named = new Set(rows.flatMap(({ files }) => files));
    const attacks = readdirSync('test/attacks').filter((file) => file.endsWith('.test.ts'));
    const [ours, real] = SUITES.map((folder) => attacks.map((file) => `${folder}/${file}`).filter(existsSync));
    expect([...(ours ?? []), ...(real ?? [])].filter((file) => !named.has(file))).toEqual([]);
  });

  it('[issue 10] name long tests that there are', () => {
    const registry = readFileSync('test/long/registry.ts', 'utf8');
    const names = [...PAGE.matchAll(/`npm run test:long -- (\w+)/g)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(registry).toMatch(new RegExp(`^ {2}${name}: `, 'm'));
  });
});
