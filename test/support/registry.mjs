// A registry of the field (distribution) on loopback: from the PATH, from .tools, from the package of Debian, or built by Go.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';

const PLACE = path.resolve('.tools/registry');
const LIMIT_MS = 20_000;

/** The command of a registry; throws a sentence when none can be had. */
function obtainRegistry() {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const found = folders
    .flatMap((folder) => ['registry', 'docker-registry'].map((name) => path.join(folder, name)))
    .find((file) => existsSync(file));
  if (found ?? existsSync(PLACE)) return found ?? PLACE;
  mkdirSync(path.dirname(PLACE), { recursive: true });
  const folder = mkdtempSync(path.join(os.tmpdir(), 'slipway-registry-'));
  const run = (command, ...args) => execFileSync(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    try {
      run('apt-get', 'download', 'docker-registry');
      run('sh', '-c', 'dpkg -x docker-registry_*.deb unpacked');
      cpSync(path.join(folder, 'unpacked/usr/bin/docker-registry'), `${PLACE}.new`);
    } catch {
      execFileSync('go', ['install', 'github.com/distribution/distribution/v3/cmd/registry@v3.1.2'], {
        env: { ...process.env, GOBIN: folder, CGO_ENABLED: '0' },
      });
      cpSync(path.join(folder, 'registry'), `${PLACE}.new`);
    }
    chmodSync(`${PLACE}.new`, 0o755);
    renameSync(`${PLACE}.new`, PLACE);
    return PLACE;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts one that speaks https and lets in who brings a password; answers its port and how it ends. */
export async function startRegistry({ certificate, htpasswd, port }) {
  const command = obtainRegistry();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'slipway-registry-'));
  const at = (name) => path.join(folder, name);
  writeFileSync(at('tls.crt'), certificate.cert);
  writeFileSync(at('tls.key'), certificate.key, { mode: 0o600 });
  writeFileSync(at('htpasswd'), `${htpasswd}\n`);
  const config = {
    version: 0.1,
    log: { level: 'error' },
    storage: { filesystem: { rootdirectory: at('data') } },
    http: { addr: `127.0.0.1:${port}`, secret: 'test', tls: { certificate: at('tls.crt'), key: at('tls.key') } },
    auth: { htpasswd: { realm: 'test', path: at('htpasswd') } },
  };
  writeFileSync(at('config.yml'), JSON.stringify(config));
  const child = spawn(command, ['serve', at('config.yml')], { stdio: 'ignore', env: { PATH: process.env.PATH } });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const end = async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await untilServed(port, certificate.ca);
  } catch (error) {
    await end();
    throw error;
  }
  return { [Symbol.asyncDispose]: end };
}

async function untilServed(port, ca) {
  const deadline = performance.now() + LIMIT_MS;
  const ask = () =>
    new Promise((resolve) => {
      const request = https.get({ host: '127.0.0.1', port, path: '/v2/', ca }, (answer) => {
        answer.resume();
        resolve(answer.statusCode === 401);
      });
      request.on('error', () => resolve(false));
    });
  while (!(await ask())) {
    if (performance.now() > deadline) throw new Error('the registry did not start');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
