// Refuses what production cannot reach: knip with the real entries only (knip.production.json), and a walk that follows doors, dead callers and class members.
// What a seed's public surface keeps stands in docs/seed-surface.md with its reason. `--write` drops lines that are no longer needed.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { findUnreached } from './walk.mjs';

const LISTS = ['docs/seed-surface.md', 'docs/unreached.md'];
const PAGES = /^app\/.*\/?(page|layout|error|not-found|loading|global-error)\.tsx$/;
const ENTRIES = ['server/main.ts', 'server/cli/slipway.ts', 'server/commands/written/parse-worker.ts', 'proxy.ts'];

const files = ['app', 'components', 'lib', 'server'].flatMap(sources).sort();
const entries = [...ENTRIES, ...files.filter((file) => PAGES.test(file))];
const listed = new Map(LISTS.filter(existsSync).flatMap((list) => readList(list)));
const fileOf = (id) => id.split('#')[0];

// What the product reaches; and that with what is listed, and with what the pages made from code are made of.
const ofProduct = byId(findUnreached(files, entries));
const inAll = byId([
  ...findUnreached(files, entries, [...[...listed.keys()].filter((id) => !id.endsWith('#*')), ...madeFrom()]),
  ...(await readKnip()).filter(({ id }) => id.startsWith('package.json')),
]);
// `door#*` lets a door name what only tests ask it for; what stands behind the door is no less asked about.
const unlisted = [...inAll.values()].filter(({ id }) => !listed.has(`${fileOf(id)}#*`));
const needless = [...listed].filter(
  ([id]) =>
    ![...ofProduct.keys()].some((each) => each === id || fileOf(id) === each || `${fileOf(each)}#*` === id || (id.endsWith('/') && each.startsWith(id))),
);
const unexplained = [...listed].filter(([, { reason }]) => reason.length < 10);

if (process.argv.includes('--write')) drop(needless);
else {
  for (const { id, line } of unlisted) console.log(`${fileOf(id)}:${line}: only tests reach ${id.split('#')[1] ?? 'this file'}`);
  for (const [id, { list }] of needless) console.log(`${list}: ${id} is reached or gone; drop its line (node scripts/reach/check.mjs --write)`);
  for (const [id, { list }] of unexplained) console.log(`${list}: ${id} has no reason`);
  if (unlisted.length > 0) {
    console.log(`${unlisted.length} found. Wire it, delete it, move it to test/, or let tests import the file instead of the door.`);
    console.log(`What is a seed's public surface is listed in ${LISTS[0]}.`);
  }
  const stale = needless.filter(([, { list }]) => list === LISTS[0]); // what was wired leaves the other list with the next `--write`
  process.exitCode = unlisted.length + stale.length + unexplained.length > 0 ? 1 : 0;
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
  const run = promisify(execFile)('node_modules/.bin/knip', ['--production', '--config', 'knip.production.json', '--reporter', 'json', '--no-exit-code'], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse((await run).stdout).issues.flatMap(({ file, files: whole, ...kinds }) =>
    whole.length > 0
      ? [{ id: file, line: 1 }]
      : Object.values(kinds).flatMap((each) => each.map(({ name, line }) => ({ id: `${file}#${name}`, line: line ?? 1 }))),
  );
}

/** The rows of a list's tables: `| `file#name` | reason |`. */
function readList(list) {
  const rows = readFileSync(list, 'utf8').matchAll(/^\| `([^`]+)` +\| (.*) \|$/gm);
  return [...rows].map(([, id, reason]) => [id, { list, reason: reason.trim() }]);
}

function drop(rows) {
  for (const list of LISTS.filter(existsSync)) {
    const gone = rows.filter(([, row]) => row.list === list).map(([id]) => `| \`${id}\` |`);
    const lines = readFileSync(list, 'utf8').split('\n');
    writeFileSync(list, lines.filter((line) => !gone.some((start) => line.startsWith(start))).join('\n'));
  }
}
