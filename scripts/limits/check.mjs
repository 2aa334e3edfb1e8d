// Holds the limits of docs/style.md that a tool can count: parameters of a function, lines of a function, files in a folder, width of a
// comment; that of code is the formatter's. What is over a limit stands in exceptions.mjs with its reason and how many there are. More are
// refused, and so is an entry that could be lower: the list holds what is so today.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { EXCEPTIONS } from './exceptions.mjs';

const ROOTS = ['app', 'components', 'lib', 'server', 'scripts'];
const RULES = { parameters: 'complexity/useMaxParams', 'lines of a function': 'complexity/noExcessiveLinesPerFunction' };
const MAX_FILES = 12;
const MAX_WIDTH = 140;
const WIDTH = 'width of a comment';

const files = listFiles();
const found = { ...countFunctions(), 'files in a folder': countFiles(), [WIDTH]: countWide() };
const faults = [];
for (const [limit, places] of Object.entries(found)) {
  const allowed = Object.assign({}, ...EXCEPTIONS.filter((each) => each.limit === limit).map(({ places: listed }) => listed));
  for (const [place, count] of Object.entries(places)) {
    const most = allowed[place] ?? 0;
    if (count > most) faults.push(`${place}: ${limit}: ${count} over the limit, ${most} of them listed as exceptions; make it smaller`);
    // Several people write comments of a room at a time, so its number may lag behind.
    if (count < most && limit !== WIDTH)
      faults.push(`${place}: ${limit}: ${count} over the limit by now, ${most} listed; lower it in scripts/limits/exceptions.mjs`);
  }
  for (const place of Object.keys(allowed)) {
    if (places[place] === undefined)
      faults.push(`${place}: ${limit}: nothing is over the limit by now; remove it from scripts/limits/exceptions.mjs`);
  }
}
for (const { limit, reason, places } of EXCEPTIONS) {
  if (found[limit] === undefined || reason === '')
    faults.push(`exceptions.mjs: "${limit}" of ${Object.keys(places)[0]} needs the name of a limit and a reason`);
}
for (const fault of faults) console.log(fault);
process.exitCode = faults.length === 0 ? 0 : 1;

/** How many functions of each file are over each limit, as Biome counts them. */
function countFunctions() {
  const only = Object.values(RULES).map((rule) => `--only=${rule}`);
  const { stdout } = spawnSync('node_modules/.bin/biome', ['lint', ...only, '--reporter=json', '--max-diagnostics=none', ...ROOTS], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const { diagnostics } = JSON.parse(stdout);
  return Object.fromEntries(
    Object.entries(RULES).map(([limit, rule]) => [
      limit,
      count(diagnostics.filter(({ category }) => category === `lint/${rule}`).map(({ location }) => location.path)),
    ]),
  );
}

/** How many files each folder with too many of them has. Generated ones do not count. */
function countFiles() {
  return Object.fromEntries(Object.entries(count(files.map((file) => path.dirname(file)))).filter(([, most]) => most > MAX_FILES));
}

/** How many lines of comments each room has that are too wide: the formatter leaves them as they are. */
function countWide() {
  const isWide = (line) => line.length > MAX_WIDTH && /^\s*(\/\/|\/?\*)/.test(line);
  const roomOf = (file) => file.split('/').slice(0, -1).slice(0, 2).join('/');
  return count(
    files.flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter(isWide)
        .map(() => roomOf(file)),
    ),
  );
}

function listFiles() {
  return ROOTS.flatMap((root) => readdirSync(root, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.(ts|tsx|mjs|cjs|css)$/.test(entry.name) && !/\.(generated|d)\./.test(entry.name))
    .map((entry) => path.join(path.relative('.', entry.parentPath ?? entry.path), entry.name));
}

function count(names) {
  const counted = {};
  for (const name of names) counted[name] = (counted[name] ?? 0) + 1;
  return counted;
}
