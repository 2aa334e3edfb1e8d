// Finds a Chromium for the browser tests: SLIPWAY_CHROMIUM, the PATH, the system's package manager where it may install, or a build from npm.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const NPM_BUILD = '@sparticuz/chromium@147.0.0';

/** The path of a browser that starts, and where it came from; throws a sentence when none can be had. */
export async function findChromium() {
  const named = process.env.SLIPWAY_CHROMIUM;
  if (named) return { path: named, from: 'SLIPWAY_CHROMIUM' };
  const onPath = which();
  if (onPath) return { path: onPath, from: 'the PATH' };
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.error('tests: no Chromium on the PATH; installing it with apt-get');
    spawnSync('apt-get', ['update', '-qq'], { stdio: 'ignore' });
    spawnSync('apt-get', ['install', '-y', '-qq', 'chromium'], {
      stdio: 'ignore',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    const installed = which();
    if (installed) return { path: installed, from: 'apt-get' };
  }
  return { path: await fromNpm(), from: NPM_BUILD };
}

function which() {
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    for (const name of NAMES) {
      const file = path.join(folder, name);
      if (existsSync(file) && starts(file)) return file;
    }
  }
  return undefined;
}

function starts(file) {
  return spawnSync(file, ['--version'], { stdio: 'ignore', timeout: 20_000 }).status === 0;
}

async function fromNpm() {
  const folder = path.join(process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache'), 'slipway-chromium');
  const entry = path.join(folder, 'node_modules/@sparticuz/chromium/build/index.js');
  if (!existsSync(entry)) {
    console.error(`tests: fetching ${NPM_BUILD}`);
    mkdirSync(folder, { recursive: true });
    execFileSync('npm', ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', NPM_BUILD], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  const { default: chromium } = await import(pathToFileURL(entry).href);
  const file = await chromium.executablePath();
  if (!starts(file)) throw new Error(`tests: no Chromium was found, and ${NPM_BUILD} does not start here; name one in SLIPWAY_CHROMIUM`);
  return file;
}
