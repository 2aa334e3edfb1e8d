// Adds lock entries for optional platform packages that npm left out of the lock, so that `npm ci` passes everywhere, and the integrity of
// each as the registry tells it of exactly this version. No `resolved` is written: whoever installs asks their own registry.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const OS = ['android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32', 'aix'];
const CPU = ['arm64', 'x64', 'ia32', 'arm', 'ppc64', 'riscv64', 's390x', 'loong64', 'mips64el', 'wasm32'];
let n = 0;
for (const [at, p] of Object.entries({ ...lock.packages })) {
  for (const [name, range] of Object.entries(p.optionalDependencies ?? {})) {
    if (!/^\d/.test(range)) continue;
    const nested = `${at ? `${at}/` : ''}node_modules/${name}`,
      top = `node_modules/${name}`;
    if (lock.packages[nested] || lock.packages[top]?.version === range) continue;
    const os = OS.find((o) => new RegExp(`(^|[-/])${o}([-]|$)`).test(name)) ?? (name.includes('linux') ? 'linux' : undefined);
    const cpu = CPU.find((c) => new RegExp(`[-]${c}([-]|$)`).test(name));
    const key = lock.packages[top] ? nested : top;
    lock.packages[key] = {
      version: range,
      ...(cpu ? { cpu: [cpu] } : {}),
      ...(p.dev ? { dev: true } : {}),
      optional: true,
      ...(os ? { os: [os] } : {}),
      ...(/musl/.test(name) ? { libc: ['musl'] } : {}),
    };
    n++;
  }
}
const unproven = Object.entries(lock.packages).filter(([at, entry]) => at !== '' && !entry.link && !entry.integrity);
const known = readIntegrity(unproven.map(([at, { version }]) => `npm:${nameOf(at)}@${version}`));
for (const [at, entry] of unproven) {
  const integrity = known.get(`${nameOf(at)}@${entry.version}`);
  if (integrity) entry.integrity = integrity;
}
for (const entry of Object.values(lock.packages)) delete entry.resolved;
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
const left = unproven.filter(([, { integrity }]) => !integrity).map(([at, { version }]) => `${nameOf(at)}@${version}`);
console.log(`added ${n} entries, and the integrity of ${unproven.length - left.length}`);
if (left.length > 0) console.log(`the registry does not know ${left.length}, run this again where one does: ${left.join(' ')}`);

function nameOf(at) {
  return at.split('node_modules/').pop();
}

/** Lets npm resolve the packages in a folder of their own, all at once, and reads what it writes into the lock there. */
function readIntegrity(packages) {
  if (packages.length === 0) return new Map();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'slipway-lock-'));
  try {
    const optionalDependencies = Object.fromEntries(packages.map((name, at) => [`package-${at}`, name]));
    writeFileSync(
      path.join(folder, 'package.json'),
      JSON.stringify({ name: 'lock', version: '1.0.0', private: true, optionalDependencies }),
    );
    spawnSync('npm', ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund', '--force'], {
      cwd: folder,
      stdio: 'ignore',
    });
    const found = JSON.parse(readFileSync(path.join(folder, 'package-lock.json'), 'utf8')).packages;
    return new Map(
      Object.values(found).flatMap(({ name, version, integrity }) => (name && integrity ? [[`${name}@${version}`, integrity]] : [])),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
