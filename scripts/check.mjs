// npm run check: format, lint, types, import rules, dead code, what production reaches, limits, generated pages. Runs all, then says what failed.
import { execFile } from 'node:child_process';

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
  ['limits', process.execPath, ['scripts/limits/check.mjs']],
  ['generated pages', process.execPath, ['scripts/write-docs.mjs', '--check']],
];

const failed = [];
const left = [...CHECKS];

async function runChecks() {
  for (let check = left.shift(); check !== undefined; check = left.shift()) await runCheck(check);
}

async function runCheck([what, command, args]) {
  const started = Date.now();
  const { code, stdout, stderr } = await run(command, args);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${what} (${seconds} s)`);
  if (code === 0) return;
  failed.push(what);
  console.log(stdout, stderr);
}

function run(command, args) {
  return new Promise((resolve) => {
    execFile(command, args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({
        code: error === null ? 0 : 1,
        stdout,
        stderr: error?.signal ? `${stderr}\n${command} was ended by ${error.signal}` : stderr,
      }),
    );
  });
}

// Most of them compute on one processor, so two run side by side.
await Promise.all([runChecks(), runChecks()]);
if (failed.length > 0) console.log(`check failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
