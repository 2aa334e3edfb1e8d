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
  const results = path.join(folder, 'results.json');
  try {
    const run = spawn(
      process.execPath,
      [
        'node_modules/vitest/vitest.mjs',
        'run',
        '--config',
        config,
        '--reporter=default',
        '--reporter=./scripts/test-run/results-reporter.mjs',
        ...args,
      ],
      { stdio: 'inherit', env: { ...process.env, TMPDIR: folder, SLIPWAY_RESULTS: results, ...env } },
    );
    const end = () => run.kill();
    process.once('exit', end);
    const [status, signal] = await once(run, 'close');
    process.off('exit', end);
    if (!existsSync(results)) {
      reportFailures([{ title: config, text: `vitest ended (${signal ?? status}) and told no results` }]);
      return false;
    }
    const { passed, failed, failures } = JSON.parse(readFileSync(results, 'utf8'));
    passedTests += passed;
    failedTests += failed;
    if (process.env.SLIPWAY_COUNTS) appendFileSync(process.env.SLIPWAY_COUNTS, `${passed} ${failed}\n`);
    if (status !== 0 && failures.length === 0)
      failures.push({ title: config, text: `every test passed, and vitest ended with ${signal ?? status}` });
    reportFailures(failures);
    return status === 0 && passed > 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const LONGEST_TEXT = 1_500;

/**
 * Prints what failed as `{ title, text }`, and adds it to the file of SLIPWAY_COUNTS: one line of the title, then the text, indented, which is what a
 * reader of the last lines of a long log needs.
 */
export function reportFailures(failures) {
  for (const { title, text } of failures) {
    const lines = `FAILED ${title}\n${text.slice(0, LONGEST_TEXT).replace(/^/gm, '  | ')}`;
    console.log(lines);
    if (process.env.SLIPWAY_COUNTS) appendFileSync(process.env.SLIPWAY_COUNTS, `${lines}\n`);
  }
}

/** What all runs of this process came to. */
export function readCounts() {
  return { passedTests, failedTests };
}
