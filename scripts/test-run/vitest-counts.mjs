// Runs vitest and keeps count over several runs, also across processes (SLIPWAY_COUNTS names a file to add up in).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { makeRunFolder } from './run-folder.mjs';

let passedTests = 0;
let failedTests = 0;

/** Runs one vitest configuration; resolves to true when everything passed and something ran. */
export async function runVitest(config, args = [], env = {}) {
  const folder = makeRunFolder('slipway-');
  const report = path.join(folder, 'report.json');
  try {
    const run = spawn(
      process.execPath,
      [
        'node_modules/vitest/vitest.mjs',
        'run',
        '--config',
        config,
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${report}`,
        ...args,
      ],
      { stdio: 'inherit', env: { ...process.env, TMPDIR: folder, ...env } },
    );
    const end = () => run.kill();
    process.once('exit', end);
    const [status] = await once(run, 'close');
    process.off('exit', end);
    if (!existsSync(report)) return false;
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
    passedTests += numPassedTests;
    failedTests += numFailedTests;
    const failures = testResults.flatMap(describeFailures);
    for (const failure of failures) console.log(failure);
    if (process.env.SLIPWAY_COUNTS)
      appendFileSync(process.env.SLIPWAY_COUNTS, [`${numPassedTests} ${numFailedTests}`, ...failures, ''].join('\n'));
    return status === 0 && numPassedTests > 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const LONGEST_MESSAGE = 1_500;

// One line each of file and name, then the message, indented: what a reader of the last lines of a long log needs.
function describeFailures({ name, message, assertionResults }) {
  const file = path.relative(process.cwd(), name);
  const tests = assertionResults.filter((test) => test.status === 'failed');
  const found = tests.map((test) => [`${file} > ${test.fullName}`, test.failureMessages.join('\n')]);
  if (found.length === 0 && message) found.push([file, message]);
  return found.map(([title, text]) => `FAILED ${title}\n${text.slice(0, LONGEST_MESSAGE).replace(/^/gm, '  | ')}`);
}

/** What all runs of this process came to. */
export function readCounts() {
  return { passedTests, failedTests };
}
