import { mkdir, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { Stryker } from '@stryker-mutator/core';
import { toKubeTime } from '@/lib/std/instant';
import { realClock } from '@/server/platform';
import { EQUIVALENTS } from './equivalents';
import type { Row } from './page';
import { toPage } from './page';
import type { Slice } from './rooms';
import { slicesOf } from './rooms';
import type { Report } from './tally';
import { readReport, scoreOf, tallyOf, unmetOf } from './tally';

const PAGE = 'docs/measured/mutants.md';
/** Ignored by git; what is kept here lets the next run look only at what changed. */
const KEPT = '.tools/mutants';
const AIM = 0.85;

/** Changes the code of each slice one thing at a time, and counts what the tests of its room notice. */
export async function testMutants(args: readonly string[]): Promise<boolean> {
  const rows: Row[] = [];
  os.setPriority(os.constants.priority.PRIORITY_LOW);
  for (const slice of slicesOf(args)) {
    const report = await runSlice(slice);
    const found = slice.paths.map((path) => ({
      path,
      date: toKubeTime(realClock.now()).slice(0, 10),
      tally: tallyOf(report, path, EQUIVALENTS),
    }));
    rows.push(...found);
    await writeFile(PAGE, toPage(await readFile(PAGE, 'utf8').catch(() => ''), rows, EQUIVALENTS));
    for (const row of found) formatLeft(row);
  }
  return rows.every(({ tally }) => scoreOf(tally) >= AIM);
}

async function runSlice({ name, paths, tests }: Slice): Promise<Report> {
  const kept = `${KEPT}/${name.replaceAll('/', '-')}`;
  const fileName = `${kept}.report.json`;
  await mkdir(KEPT, { recursive: true });
  // vitest.mutants.config.ts reads it, in processes that Stryker starts.
  process.env.SLIPWAY_MUTANTS_TESTS = JSON.stringify(tests);
  await new Stryker({
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'vitest.mutants.config.ts', related: false },
    mutate: paths.map((path) => (/\.tsx?$/.test(path) ? path : `${path}/**/*.{ts,tsx}`)),
    mutator: { excludedMutations: ['StringLiteral'] },
    coverageAnalysis: 'perTest',
    concurrency: 1,
    // Long, since what a busy machine does not finish in time would count as noticed.
    timeoutMS: 60_000,
    // TypeScript 7 has not the functions that Stryker reads a tsconfig with; one that is absent it does not read.
    tsconfigFile: 'tsconfig.absent.json',
    disableTypeChecks: false,
    incremental: true,
    incrementalFile: `${kept}.json`,
    tempDirName: `${KEPT}/sandbox`,
    cleanTempDir: 'always',
    ignorePatterns: ['/.next', '/.tools', '/dist', '/docs/images', '/test-results', '/.slipway'],
    reporters: ['progress-append-only', 'json'],
    jsonReporter: { fileName },
    allowConsoleColors: false,
  }).runMutationTest();
  return readReport(await readFile(fileName, 'utf8'));
}

function formatLeft({ path, tally }: Row): void {
  for (const { file, line, from, to, covered, equivalent } of tally.survivors) {
    const why = equivalent === undefined ? '' : ` (equivalent: ${equivalent})`;
    console.log(`${file}:${line} ${from} → ${to}${covered ? '' : ' (no test runs it)'}${why}`);
  }
  for (const { file, line, from, to } of unmetOf(tally, path, EQUIVALENTS))
    console.log(`${file}: named as equivalent, and no survivor: ${from} → ${to} in ${line}`);
  console.log(`${path}: ${(100 * scoreOf(tally)).toFixed(1)}% of ${tally.mutants}, ${tally.survivors.length} left`);
}
