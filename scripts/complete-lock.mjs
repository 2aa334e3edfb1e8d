// Adds lock entries for optional platform packages that npm left out of the lock, so that `npm ci` passes everywhere.
import { readFileSync, writeFileSync } from 'node:fs';

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
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
console.log('added', n);
