// npm run check: format, lint, types, import rules, dead code, what production reaches, generated pages. Runs all, then says what failed.
import { spawnSync } from 'node:child_process';

const bin = (name) => `node_modules/.bin/${name}`;
const CHECKS = [
  ['format and lint', bin('biome'), ['check', '.']],
  ['types', bin('tsc'), ['--noEmit']],
  [
    'import rules',
    process.execPath,
    ['-r', './scripts/swc-tsx.cjs', bin('depcruise'), '--config', '.dependency-cruiser.cjs', 'app', 'components', 'lib', 'server'],
  ],
  ['dead code', bin('knip'), []],
  ['reached by production', process.execPath, ['scripts/reach/check.mjs']],
  ['one source', process.execPath, ['scripts/one-source/check.mjs']],
  ['file length', process.execPath, ['scripts/check-length.mjs']],
  ['generated pages', process.execPath, ['scripts/write-docs.mjs', '--check']],
];

const failed = [];
for (const [what, command, args] of CHECKS) {
  const started = Date.now();
  const run = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(`${run.status === 0 ? 'ok  ' : 'FAIL'} ${what} (${seconds} s)`);
  if (run.status !== 0) {
    failed.push(what);
    console.log(run.stdout, run.stderr);
  }
}
if (failed.length > 0) console.log(`check failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
