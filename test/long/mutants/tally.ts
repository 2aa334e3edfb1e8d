import { z } from 'zod';
import type { Equivalent } from './equivalents';
import { isWithin } from './rooms';

const place = z.object({ line: z.number(), column: z.number() });
const mutant = z.object({
  mutatorName: z.string(),
  replacement: z.string(),
  status: z.string(),
  location: z.object({ start: place, end: place }),
  /** True for what a module makes as it is loaded. */
  static: z.boolean().optional(),
  testsCompleted: z.number().optional(),
});
const report = z.object({ files: z.record(z.string(), z.object({ source: z.string(), mutants: z.array(mutant) })) });

/** What Stryker writes of a run, as far as it is counted. */
export type Report = z.infer<typeof report>;
type Mutant = z.infer<typeof mutant>;

/** A mutant that no test told from the original. */
export interface Survivor {
  readonly file: string;
  readonly line: number;
  /** The line as it is, without its margin. */
  readonly text: string;
  /** What becomes of which part of it. */
  readonly from: string;
  readonly to: string;
  readonly covered: boolean;
  /** Why nothing could tell it apart, where somebody found out. */
  readonly equivalent: string | undefined;
}

/** What became of the mutants of one slice. */
export interface Tally {
  readonly mutants: number;
  readonly killed: number;
  readonly timeout: number;
  readonly survived: number;
  readonly uncovered: number;
  readonly survivors: readonly Survivor[];
}

/** Reads a report of Stryker. */
export function readReport(text: string): Report {
  return report.parse(JSON.parse(text));
}

/** Counts the mutants of the files that belong to a slice; those of words are left out, and those that do not run are none. */
export function tallyOf({ files }: Report, path: string, equivalents: readonly Equivalent[]): Tally {
  const inSlice = Object.entries(files).filter(([file]) => file === path || file.startsWith(`${path}/`));
  const found = inSlice.flatMap(([file, { source, mutants }]) => mutants.map((one) => ({ file, lines: source.split('\n'), one })));
  const counted = found.filter(
    ({ one }) => one.mutatorName !== 'StringLiteral' && ['Killed', 'Timeout', 'Survived', 'NoCoverage'].includes(one.status),
  );
  const count = (status: string) => counted.filter(({ one }) => statusOf(one) === status).length;
  return {
    mutants: counted.length,
    killed: count('Killed'),
    timeout: count('Timeout'),
    survived: count('Survived'),
    uncovered: count('NoCoverage'),
    survivors: counted
      .filter(({ one }) => ['Survived', 'NoCoverage'].includes(statusOf(one)))
      .map(({ file, lines, one }) => toSurvivor(file, lines, one, equivalents)),
  };
}

/** Stryker asks all tests about what a module makes as it is loaded; where none of their files can be loaded any more, it sees no test that failed. */
function statusOf({ status, static: isMadeAtLoad, testsCompleted }: Mutant): string {
  return status === 'Survived' && isMadeAtLoad === true && testsCompleted === 0 ? 'Killed' : status;
}

function toSurvivor(
  file: string,
  lines: readonly string[],
  { replacement, status, location }: Mutant,
  equivalents: readonly Equivalent[],
): Survivor {
  const text = lines[location.start.line - 1]?.trim() ?? '';
  const [from, to] = [inOneLine(cut(lines, location)), inOneLine(replacement)];
  const equivalent = equivalents.find((known) => known.file === file && known.line === text && known.from === from && known.to === to)?.why;
  return { file, line: location.start.line, text, from, to, covered: status === 'Survived', equivalent };
}

function cut(lines: readonly string[], { start, end }: Mutant['location']): string {
  const taken = lines.slice(start.line - 1, end.line);
  return taken
    .map((line, at) => line.slice(at === 0 ? start.column - 1 : 0, at === taken.length - 1 ? end.column - 1 : undefined))
    .join('\n');
}

function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** What is named as equivalent in a slice and did not survive: a test notices it by now, or its line reads otherwise. */
export function unmetOf({ survivors }: Pick<Tally, 'survivors'>, path: string, equivalents: readonly Equivalent[]): readonly Equivalent[] {
  const met = ({ file, line, from, to }: Equivalent) =>
    survivors.some((one) => one.file === file && one.text === line && one.from === from && one.to === to);
  return equivalents.filter((known) => isWithin(known.file, path) && !met(known));
}

/** The share of mutants that a test noticed. */
export function scoreOf({ mutants, killed, timeout }: Pick<Tally, 'mutants' | 'killed' | 'timeout'>): number {
  return mutants === 0 ? 1 : (killed + timeout) / mutants;
}
