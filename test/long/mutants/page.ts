import type { Equivalent } from './equivalents';
import { isWithin } from './rooms';
import type { Tally } from './tally';
import { scoreOf } from './tally';

/** One row of the page. */
export interface Row {
  readonly path: string;
  readonly date: string;
  readonly tally: Tally;
}

const HEAD = '| slice | on | mutants | killed | timeout | survived | no test runs it | equivalent | score |';

/** The page with the rows of a run in place of the former ones of the same slices and of parts of them; the others stay as they are. */
export function toPage(former: string, rows: readonly Row[], equivalents: readonly Equivalent[]): string {
  const [figures = ''] = former.split('\n## ');
  const kept = figures
    .split('\n')
    .filter((line) => /^\| (components|server)\//.test(line) && !rows.some(({ path }) => isWithin(pathOf(line), path)));
  const table = [...kept, ...rows.map(toLine)].sort();
  const named = equivalents.map(({ file, line, from, to, why }) => `| ${[file, code(line), code(from), code(to), why].join(' | ')} |`);
  return [
    '# Mutants',
    '',
    'Made by `npm run test:long -- mutants [FOLDER | FILE …]`: Stryker changes one thing of the code at a time and runs the tests of that room',
    '(`test/long/mutants/rooms.ts`). A change that no test notices survives. Words are left out. Aimed at: a score of 85% in each room.',
    'The score is killed and timed out of all; equivalent ones, which nothing could notice, count against it like any other survivor.',
    'Killed is also what no test file can be loaded with. A folder or file that has no row was not run yet. Where a row says *in one process*, the',
    'same changes were made in turn in a process that had loaded the tests once; each test that reaches a change ran until one failed, and a change of',
    'what a module makes as it is loaded had a run of its own.',
    '',
    HEAD,
    `|${' --- |'.repeat(9)}`,
    ...table,
    '',
    '## Survivors that no test could notice',
    '',
    ...(named.length === 0
      ? ['None has been named yet.']
      : ['| file | line | of it | becomes | why nothing can tell |', `|${' --- |'.repeat(5)}`, ...named]),
    '',
  ].join('\n');
}

function toLine({ path, date, tally }: Row): string {
  const equivalent = tally.survivors.filter((survivor) => survivor.equivalent !== undefined).length;
  const figures = [tally.mutants, tally.killed, tally.timeout, tally.survived, tally.uncovered, equivalent];
  return `| ${[path, date, ...figures, `${(100 * scoreOf(tally)).toFixed(1)}%`].join(' | ')} |`;
}

function pathOf(line: string): string {
  return line.split('|')[1]?.trim() ?? '';
}

function code(text: string): string {
  return text === '' ? 'nothing' : `\`${text.replaceAll('|', '\\|')}\``;
}
