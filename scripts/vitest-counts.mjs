// Runs vitest and keeps count over several runs, also across processes (SLIPWAY_COUNTS names a file to add up in).
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

let passedTests = 0;
let failedTests = 0;

/** Runs one vitest configuration; true when everything passed and something ran. */
export function runVitest(config, args = [], env = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'slipway-vitest-'));
  const report = path.join(folder, 'report.json');
  try {
    const run = spawnSync(
      process.execPath,
      ['node_modules/vitest/vitest.mjs', 'run', '--config', config, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...args],
      { stdio: 'inherit', env: { ...process.env, ...env } },
    );
    if (!existsSync(report)) return false;
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'));
    passedTests += numPassedTests;
    failedTests += numFailedTests;
    if (process.env.SLIPWAY_COUNTS) appendFileSync(process.env.SLIPWAY_COUNTS, `${numPassedTests} ${numFailedTests}\n`);
    return run.status === 0 && numPassedTests > 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What all runs of this process came to. */
export function readCounts() {
  return { passedTests, failedTests };
}
