import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { toPage } from './page';
import { PARTS, ROOMS, slicesOf } from './rooms';
import { readReport, scoreOf, tallyOf, unmetOf } from './tally';

const SOURCE = ['export function mayGo(many: number) {', '  if (many > 5) {', '    return false;', '  }', '  return true;', '}'].join('\n');
const at = (startLine: number, start: number, endLine: number, end: number) => ({
  start: { line: startLine, column: start },
  end: { line: endLine, column: end },
});
const mutant = (status: string, replacement: string, location = at(2, 7, 2, 15), mutatorName = 'EqualityOperator') => ({
  mutatorName,
  replacement,
  status,
  location,
});
const report = readReport(
  JSON.stringify({
    files: {
      'server/auth/bound.ts': {
        source: SOURCE,
        mutants: [
          mutant('Killed', 'many < 5'),
          mutant('Timeout', 'true'),
          mutant('Survived', 'many >= 5'),
          mutant('NoCoverage', '{}', at(2, 17, 4, 4), 'BlockStatement'),
          mutant('Survived', '""', at(2, 7, 2, 8), 'StringLiteral'),
          mutant('RuntimeError', 'false'),
          mutant('Ignored', 'false'),
        ],
      },
      'server/authority/other.ts': { source: SOURCE, mutants: [mutant('Survived', 'false')] },
    },
  }),
);
const known = { file: 'server/auth/bound.ts', line: 'if (many > 5) {', from: 'many > 5', to: 'many >= 5', why: 'five never come' };

/** Each of the files that a pattern with braces names. */
function inBraces(pattern: string): readonly string[] {
  const [before = '', inside, after = ''] = pattern.split(/[{}]/);
  return inside === undefined ? [before] : inside.split(',').map((one) => `${before}${one}${after}`);
}

describe('the report of mutants', () => {
  it('[issue 10, 7] counts those of the slice that ran, without those of words, and names who survived where', () => {
    const tally = tallyOf(report, 'server/auth', [known]);
    expect(tally).toMatchObject({ mutants: 4, killed: 1, timeout: 1, survived: 1, uncovered: 1 });
    expect(scoreOf(tally)).toBe(0.5);
    expect(tally.survivors).toEqual([
      { file: known.file, line: 2, text: known.line, from: known.from, to: known.to, covered: true, equivalent: known.why },
      { file: known.file, line: 2, text: known.line, from: '{ return false; }', to: '{}', covered: false, equivalent: undefined },
    ]);
  });

  it('[issue 10, 7] counts what no test file can be loaded with as noticed, and nothing else of which a test is asked', () => {
    const one = (name: string, rest: object) => ({ ...mutant('Survived', name), ...rest });
    const mutants = [
      one('unloadable', { static: true, testsCompleted: 0 }),
      one('loadable', { static: true, testsCompleted: 4 }),
      one('unasked', { static: false, testsCompleted: 0 }),
      one('untold', {}),
    ];
    const tally = tallyOf(
      readReport(JSON.stringify({ files: { 'server/auth/bound.ts': { source: SOURCE, mutants } } })),
      'server/auth',
      [],
    );
    expect(tally).toMatchObject({ mutants: 4, killed: 1, survived: 3 });
    expect(tally.survivors.map(({ to }) => to)).toEqual(['loadable', 'unasked', 'untold']);
  });

  it('[issue 10, 7] tells which names of the slice no survivor bears any more', () => {
    const tally = tallyOf(report, 'server/auth', [known]);
    const [reformatted, elsewhere] = [
      { ...known, line: 'if (5 < many) {' },
      { ...known, file: 'server/authority/other.ts' },
    ];
    expect(unmetOf(tally, 'server/auth', [known, reformatted, elsewhere])).toEqual([reformatted]);
  });

  it('[issue 10, 7] takes the mutants of another change on the same line for no equivalent', () => {
    const tally = tallyOf(report, 'server/auth/bound.ts', [{ ...known, to: 'many <= 5' }]);
    expect(tally.survivors.map(({ equivalent }) => equivalent)).toEqual([undefined, undefined]);
  });

  it('[issue 10, 7] keeps the rows of other slices, and puts a room in place of its parts', () => {
    const tally = tallyOf(report, 'server/auth', []);
    const first = toPage(
      '',
      [
        { path: 'server/auth/bound.ts', date: '2026-11-01', tally },
        { path: 'server/authority', date: '2026-11-01', tally },
        { path: 'components/rollouts/rail.tsx', date: '2026-11-01', tally },
      ],
      [],
    );
    const rowsOf = (page: string) => page.split('\n').filter((line) => /^\| (components|server)\//.test(line));
    const second = toPage(first, [{ path: 'server/auth', date: '2026-11-02', tally }], [known]);
    expect(rowsOf(second)).toEqual([
      '| components/rollouts/rail.tsx | 2026-11-01 | 4 | 1 | 1 | 1 | 1 | 0 | 50.0% |',
      '| server/auth | 2026-11-02 | 4 | 1 | 1 | 1 | 1 | 0 | 50.0% |',
      '| server/authority | 2026-11-01 | 4 | 1 | 1 | 1 | 1 | 0 | 50.0% |',
      '| server/auth/bound.ts | `if (many > 5) {` | `many > 5` | `many >= 5` | five never come |',
    ]);
    expect(toPage(second, [], [known])).toBe(second);
  });

  it('[issue 10, 7] runs files of one room at once, those of a part by its own tests, and each room where none is named', () => {
    const asked = ['server/auth/', 'components/rollouts/a.tsx', 'components/rollouts/b.tsx'];
    expect(slicesOf(asked)).toMatchObject([
      { name: 'server/auth', paths: ['server/auth'] },
      { name: 'components/rollouts', paths: ['components/rollouts/a.tsx', 'components/rollouts/b.tsx'] },
    ]);
    expect(slicesOf(['server/auth/cookie.ts'])).toMatchObject([{ name: 'server/auth/cookie.ts', paths: ['server/auth/cookie.ts'] }]);
    const parts = slicesOf(['server/auth/oidc/provider.ts', 'server/auth/cookie.ts', 'server/auth/oidc/groups.ts']);
    expect(parts.map(({ name, paths, tests }) => [name, paths.length, tests])).toEqual([
      ['server/auth/oidc', 2, PARTS['server/auth/oidc']],
      ['server/auth/cookie.ts', 1, PARTS['server/auth/']],
    ]);
    expect(PARTS['server/auth/oidc']).not.toEqual(PARTS['server/auth/']);
    expect(slicesOf([]).map(({ name, paths }) => [name, ...paths])).toEqual(Object.keys(ROOMS).map((room) => [room, room]));
  });

  it('[issue 10, 7] asks tests that are there, of parts that are there', () => {
    const named = [...Object.values(ROOMS), ...Object.values(PARTS)].flatMap((tests) => tests.flatMap(inBraces));
    const there = (file: string) => existsSync(file.includes('*') ? path.dirname(file) : file);
    expect(named.filter((file) => !there(file))).toEqual([]);
    const parts = [...Object.keys(ROOMS), ...Object.keys(PARTS)];
    const begins = (part: string) => readdirSync(path.dirname(part)).some((name) => name.startsWith(path.basename(part)));
    expect(parts.filter((part) => !begins(part))).toEqual([]);
  });

  it('[issue 10, 7] refuses a folder that is in none of the rooms, by name', () => {
    expect(() => slicesOf(['server/auth', 'server/authority'])).toThrow(
      /^mutants needs folders and files of server\/.*, found server\/authority$/,
    );
  });
});
