// Refuses what production cannot reach: knip with the real entries only (knip.production.json), and a walk that follows doors, dead callers and class members.
// What a seed's public surface keeps stands in docs/seed-surface.md with its reason. `--write` drops lines that are no longer needed.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { findUnreached } from './walk.mjs';

const LIST = 'docs/seed-surface.md';
const PAGES = /^app\/.*\/?((page|layout|error|not-found|loading|global-error)\.tsx|route\.ts)$/;
const ENTRIES = ['server/main.ts', 'server/cli/slipway.ts', 'server/commands/editor/parse-worker.ts', 'proxy.ts'];

const files = ['app', 'components', 'lib', 'server'].flatMap(sources).sort();
const entries = [...ENTRIES, ...files.filter((file) => PAGES.test(file))];
const listed = new Map(readList());
const fileOf = (id) => id.split('#')[0];

// What the product reaches; and that with what is listed, and with what the pages made from code are made of.
const ofProduct = byId(findUnreached(files, entries));
const inAll = byId([
  ...findUnreached(files, entries, [...listed.keys(), ...madeFrom()]),
  ...(await readKnip()).filter(({ id }) => id.startsWith('package.json')),
]);
const unlisted = [...inAll.values()];
const needless = [...listed.keys()].filter((id) => ![...ofProduct.keys()].some((each) => each === id || fileOf(id) === each));
const unexplained = [...listed].filter(([, reason]) => reason.length < 10).map(([id]) => id);

if (process.argv.includes('--write')) drop(needless);
else {
  for (const { id, line } of unlisted) console.log(`${fileOf(id)}:${line}: only tests reach ${id.split('#')[1] ?? 'this file'}`);
  for (const id of needless) console.log(`${LIST}: ${id} is reached or gone; drop its line (node scripts/reach/check.mjs --write)`);
  for (const id of unexplained) console.log(`${LIST}: ${id} has no reason`);
  if (unlisted.length > 0) {
    console.log(`${unlisted.length} found. Wire it, delete it, move it to test/, or let tests import the file instead of the door.`);
    console.log(`What is a seed's public surface is listed in ${LIST}.`);
  }
  process.exitCode = unlisted.length + needless.length + unexplained.length > 0 ? 1 : 0;
}

/** Each by its name; what a file holds is not told again when the whole file is. */
function byId(found) {
  const all = new Map(found.map((each) => [each.id, each]));
  return new Map([...all].filter(([id]) => !id.includes('#') || !all.has(fileOf(id))));
}

/** The functions that scripts/write-docs.mjs makes pages with. */
function madeFrom() {
  const imports = readFileSync('scripts/write-docs.mjs', 'utf8').matchAll(/const \{([^}]*)\} = await import\('\.\.\/([^']+)'\)/g);
  return [...imports].flatMap(([, names, file]) => names.split(',').map((name) => `${file}#${name.trim()}`));
}

function sources(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts'))
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
}

/** What knip finds in production mode: dependencies that only tests use. Of files and exports the walk finds all that it does, and more. */
async function readKnip() {
  const run = promisify(execFile)(
    'node_modules/.bin/knip',
    ['--production', '--config', 'knip.production.json', '--reporter', 'json', '--no-exit-code'],
    {
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  return JSON.parse((await run).stdout).issues.flatMap(({ file, files: whole, ...kinds }) =>
    whole.length > 0
      ? [{ id: file, line: 1 }]
      : Object.values(kinds).flatMap((each) => each.map(({ name, line }) => ({ id: `${file}#${name}`, line: line ?? 1 }))),
  );
}

/** The rows of the list's tables: `| `file#name` | reason |`. */
function readList() {
  const rows = readFileSync(LIST, 'utf8').matchAll(/^\| `([^`]+)` +\| (.*) \|$/gm);
  return [...rows].map(([, id, reason]) => [id, reason.trim()]);
}

function drop(ids) {
  const gone = ids.map((id) => `| \`${id}\` |`);
  const lines = readFileSync(LIST, 'utf8').split('\n');
  writeFileSync(LIST, lines.filter((line) => !gone.some((start) => line.startsWith(start))).join('\n'));
}
