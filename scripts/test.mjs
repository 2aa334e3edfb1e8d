// npm test: the gate, unit and house tests with the complete domains' cases, then the browser tests on the built server.
import { spawnSync } from 'node:child_process';
import { findChromium } from './chromium.mjs';
import { obtainHelm } from './helm-binary.mjs';
import { findPostgres } from './postgres.mjs';
import { readCounts, reportFailures, runVitest } from './test-run/vitest-counts.mjs';

const steps = [];
const step = (name, run) => steps.push([name, run]);
const extra = process.argv.slice(2);

step('check', () => {
  const { status, stdout } = spawnSync(process.execPath, ['scripts/check.mjs'], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['inherit', 'pipe', 'inherit'],
  });
  process.stdout.write(stdout);
  if (status !== 0)
    reportFailures([
      {
        title: 'check',
        text: stdout
          .split('\n')
          .filter((line) => !line.startsWith('ok '))
          .join('\n'),
      },
    ]);
  return status === 0;
});
step('unit, cases and house tests', async () => {
  const postgres = findPostgres();
  console.log(`tests: Postgres is in ${postgres.folder} (from ${postgres.from})`);
  const helm = await obtainHelm();
  console.log(`tests: Helm is ${helm.path} (from ${helm.from})`);
  return runVitest('vitest.config.ts', extra, { SLIPWAY_POSTGRES: postgres.folder, SLIPWAY_HELM: helm.path });
});
step('browser tests', async () => {
  const browser = await findChromium();
  console.log(`tests: Chromium is ${browser.path} (from ${browser.from})`);
  const helm = await obtainHelm();
  return runVitest('vitest.e2e.config.ts', extra, { SLIPWAY_CHROMIUM: browser.path, SLIPWAY_HELM: helm.path });
});

let failed = false;
for (const [name, run] of steps) {
  const started = Date.now();
  console.log(`\n— ${name}`);
  const passed = await run();
  console.log(`— ${name}: ${passed ? 'passed' : 'FAILED'} in ${Math.round((Date.now() - started) / 1000)} s`);
  failed ||= !passed;
}
const { passedTests, failedTests } = readCounts();
console.log(`${passedTests} passed, ${failedTests + (failed && failedTests === 0 ? 1 : 0)} failed`);
process.exitCode = failed ? 1 : 0;
