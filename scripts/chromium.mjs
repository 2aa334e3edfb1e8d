// Finds a headless Chromium for the browser tests: SLIPWAY_CHROMIUM, a headless shell from the PATH or npm, a whole Chromium from the PATH or apt.
// A whole Chromium draws its own windows too, even where nobody sees them, and takes four times the processor time for a page (record 0067).
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const SHELLS = ['chromium-headless-shell', 'chrome-headless-shell'];
const WHOLE = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const NPM_BUILD = '@sparticuz/chromium@147.0.0';
const FETCH_LIMIT_MS = 300_000;

/** The path of a browser that starts, and where it came from; throws a sentence when none can be had. */
export async function findChromium() {
  const named = process.env.SLIPWAY_CHROMIUM;
  if (named) return { path: named, from: 'SLIPWAY_CHROMIUM' };
  const found = onPath(SHELLS, 'a headless shell on the PATH') ?? (await fromNpm()) ?? onPath(WHOLE, 'the PATH') ?? fromApt();
  if (found) return found;
  throw new Error(`tests: no Chromium was found, and ${NPM_BUILD} does not start here; name one in SLIPWAY_CHROMIUM`);
}

function onPath(names, from) {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const file = folders.flatMap((folder) => names.map((name) => path.join(folder, name))).find((each) => existsSync(each) && starts(each));
  return file && { path: file, from };
}

function starts(file) {
  return spawnSync(file, ['--version'], { stdio: 'ignore', timeout: 20_000 }).status === 0;
}

/** A headless shell in the user's cache; undefined where npm cannot be reached or the system lacks its libraries. */
async function fromNpm() {
  const folder = path.join(process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache'), 'slipway-chromium');
  const file = path.join(folder, 'bin', 'chromium');
  try {
    if (!existsSync(file)) await fetchShell(folder);
  } catch (error) {
    console.error(`tests: ${NPM_BUILD} cannot be had: ${String(error.message).split('\n', 1)[0]}`);
  }
  return existsSync(file) && starts(file) ? { path: file, from: NPM_BUILD } : undefined;
}

async function fetchShell(folder) {
  console.error(`tests: fetching ${NPM_BUILD}`);
  mkdirSync(folder, { recursive: true });
  execFileSync('npm', ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', NPM_BUILD], {
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: FETCH_LIMIT_MS,
  });
  const { default: chromium } = await import(pathToFileURL(path.join(folder, 'node_modules/@sparticuz/chromium/build/esm/index.js')).href);
  // It unpacks into the folder for temporary files, where anybody on this machine could have put another program, and is in place once it is whole.
  const unpacked = mkdtempSync(path.join(folder, 'unpacking-'));
  const { TMPDIR } = process.env;
  process.env.TMPDIR = unpacked;
  try {
    await chromium.executablePath();
    rmSync(path.join(folder, 'bin'), { recursive: true, force: true });
    renameSync(unpacked, path.join(folder, 'bin'));
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
}

function fromApt() {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined;
  console.error('tests: no Chromium on the PATH; installing one with apt-get');
  const settings = { stdio: 'ignore', timeout: FETCH_LIMIT_MS, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
  spawnSync('apt-get', ['update', '-qq'], settings);
  for (const name of [SHELLS[0], WHOLE[0]]) {
    spawnSync('apt-get', ['install', '-y', '-qq', name], settings);
    const installed = onPath([name], 'apt-get');
    if (installed) return installed;
  }
  return undefined;
}
