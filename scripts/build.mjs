// Builds what is missing or older than its sources: the pages (.next) and the server (dist/server.mjs).
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const STAMP = 'dist/built';
const SOURCES = [
  'app',
  'components',
  'lib',
  'server',
  'public',
  'next.config.js',
  'postcss.config.mjs',
  'proxy.ts',
  'package-lock.json',
  'scripts/build.mjs',
  'scripts/pages/no-json-schema.cjs',
];

const ENTRIES = [
  'server/main.ts',
  'server/chartsync/process/launcher-process.mjs',
  'server/commands/editor/parse-worker.ts',
  'server/status/lua/lua-worker.mjs',
  'server/store/postgres-thread.mjs',
  'server/cli/slipway.ts',
];

/** Builds when a source is newer than the last build, or always when forced. */
export async function buildWhatIsMissing({ force = false } = {}) {
  if (!force && existsSync(STAMP) && existsSync('.next/BUILD_ID') && newest(SOURCES) <= statSync(STAMP).mtimeMs) return false;
  const started = Date.now();
  console.error('slipway: building pages and server (once, until the sources change)');
  const env = { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' };
  execFileSync(process.execPath, ['node_modules/next/dist/bin/next', 'build'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  mkdirSync('dist', { recursive: true });
  await bundle(ENTRIES, 'dist');
  makeTemplate();
  writeFileSync(STAMP, '');
  console.error(`slipway: built in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  return true;
}

/** An empty database, which a first start copies instead of computing for seconds. */
function makeTemplate() {
  const [draft, place] = ['dist/postgres-draft', 'dist/postgres-template'];
  for (const folder of [draft, place]) rmSync(folder, { recursive: true, force: true });
  execFileSync(process.execPath, ['dist/postgres-thread.mjs', draft], { stdio: ['ignore', 'ignore', 'inherit'] });
  // PGlite lets everybody write its files, and whoever could write here would write into every store that is made from it.
  for (const file of readdirSync(draft, { recursive: true, withFileTypes: true }))
    chmodSync(path.join(file.parentPath, file.name), file.isDirectory() ? 0o755 : 0o644);
  renameSync(draft, place);
}

/** Puts each program, with what it imports, into one file of a folder below which packages are found. */
export async function bundle(entryPoints, outdir) {
  const { build } = await import('esbuild'); // a start that builds nothing does without
  await build({
    entryPoints,
    entryNames: '[name]',
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // One file loads in three quarters of the time that a few hundred take. Packages that are outside bring files of their own, are loaded
    // only where they are needed, or must be the ones that the pages have.
    external: [
      'next',
      'react',
      'react-dom',
      '@electric-sql/pglite',
      '@kubernetes/client-node',
      'undici',
      'wasmoon',
      'tsx',
      'pg-native',
      'bufferutil',
      'utf-8-validate',
    ],
    banner: { js: "import { createRequire as requireHere } from 'node:module'; const require = requireHere(import.meta.url);" },
    sourcemap: true,
    logLevel: 'warning',
  });
}

function newest(paths) {
  let latest = 0;
  for (const at of paths) {
    if (!existsSync(at)) continue;
    const found = statSync(at);
    latest = Math.max(latest, found.isDirectory() ? newest(readdirSync(at).map((name) => path.join(at, name))) : found.mtimeMs);
  }
  return latest;
}

if (import.meta.url === `file://${path.resolve(process.argv[1] ?? '')}`)
  await buildWhatIsMissing({ force: process.argv.includes('--force') });
