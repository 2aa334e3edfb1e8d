// npm run test:cluster: contract and house tests against a real control plane: the one of KUBECONFIG, or two that are started here and ended here,
// each with half of the files, since most of them wait for a cluster most of the time.
// After all of its files, what they used of the server's rights is compared with its roles (test/cluster/README.md).
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { buildWhatIsMissing } from './build.mjs';
import { findChromium } from './chromium.mjs';
import { obtainHelm } from './helm-binary.mjs';
import { makeRunFolder } from './test-run/run-folder.mjs';
import { readCounts, runVitest } from './test-run/vitest-counts.mjs';

const files = process.argv.slice(2);
const audit = process.env.SLIPWAY_CLUSTER_AUDIT ?? mkdtempSync(path.join(os.tmpdir(), 'slipway-audit-'));
const env = { SLIPWAY_CLUSTER_AUDIT: audit };
const folders = [];
const down = () => {
  for (const folder of folders.splice(0)) spawnSync('test/cluster/down', ['--dir', folder, '--delete'], { stdio: 'inherit' });
};
const up = () => {
  const folder = makeRunFolder('slipway-cluster-');
  folders.push(folder);
  const lines = execFileSync('test/cluster/up', ['--dir', folder, '--nodes', '3'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  return Object.fromEntries([...lines.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
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
  // Charts are released by both majors; what is built takes longer than a test may.
  for (const major of [4, 3]) {
    const helm = await obtainHelm(major);
    console.log(`tests: Helm ${major} is ${helm.path} (from ${helm.from})`);
  }
  passed = await runAll();
  const why = notEvaluatedReason();
  if (why === undefined) passed = (await runVitest('vitest.rights.config.ts', [], env)) && passed;
  else console.log(`tests: which rights of the server nothing used was not judged: ${why}`);
} finally {
  down();
  if (process.env.SLIPWAY_CLUSTER_AUDIT === undefined) rmSync(audit, { recursive: true, force: true });
}
const { passedTests, failedTests } = readCounts();
console.log(`${passedTests} passed, ${failedTests + (!passed && failedTests === 0 ? 1 : 0)} failed`);
process.exitCode = passed ? 0 : 1;

async function runAll() {
  if (process.env.KUBECONFIG) return runVitest('vitest.real.config.ts', files, env);
  if (files.length > 0) return runVitest('vitest.real.config.ts', files, { ...env, ...up() });
  const planes = [up(), up()];
  const halves = planes.map((plane, at) =>
    runVitest('vitest.real.config.ts', [`--shard=${at + 1}/${planes.length}`], { ...env, ...plane }),
  );
  return (await Promise.all(halves)).every((half) => half);
}

/** Why what was used does not tell what nothing uses. */
function notEvaluatedReason() {
  if (files.length > 0) return 'only some files ran';
  return folders.length === 0 ? 'the control plane of KUBECONFIG was not started here' : undefined;
}
