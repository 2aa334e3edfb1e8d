// npm run test:cluster: contract and house tests against a real control plane: the one of KUBECONFIG, or one started here and ended here.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { buildWhatIsMissing } from './build.mjs';
import { findChromium } from './chromium.mjs';
import { readCounts, runVitest } from './vitest-counts.mjs';

const env = {};
let folder;
const down = () => {
  if (folder === undefined) return;
  spawnSync('test/cluster/down', ['--dir', folder, '--delete'], { stdio: 'inherit' });
  folder = undefined;
};
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    down();
    process.exit(1);
  });
}

let passed = false;
try {
  await buildWhatIsMissing();
  const browser = await findChromium();
  console.log(`tests: Chromium is ${browser.path} (from ${browser.from})`);
  env.SLIPWAY_CHROMIUM = browser.path;
  if (!process.env.KUBECONFIG) {
    folder = mkdtempSync(path.join(os.tmpdir(), 'slipway-cluster-'));
    const lines = execFileSync('test/cluster/up', ['--dir', folder, '--nodes', '3'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
    for (const [, name, value] of lines.matchAll(/^export (\w+)=(.*)$/gm)) env[name] = value;
  }
  passed = runVitest('vitest.real.config.ts', process.argv.slice(2), env);
} finally {
  down();
}
const { passedTests, failedTests } = readCounts();
console.log(`${passedTests} passed, ${failedTests + (!passed && failedTests === 0 ? 1 : 0)} failed`);
process.exitCode = passed ? 0 : 1;
