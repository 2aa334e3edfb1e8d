// Finds or gets a Helm: SLIPWAY_HELM, the PATH, .tools, the official download, or a build by Go. For `npm run helm` and for the tests.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const VERSIONS = { 4: 'v4.3.1', 3: 'v3.22.0' };
const FOLDER = '.tools';
const DOWNLOAD_LIMIT_MS = 30_000;

/** Found once per process: each look starts the programs that it finds. */
const obtained = new Map();

/** The Helm to use and where it came from; what is not there is fetched into .tools. Throws a sentence when none can be had. */
export async function obtainHelm(major = 4) {
  if (!obtained.has(major)) obtained.set(major, await findOrInstall(major));
  return obtained.get(major);
}

async function findOrInstall(major) {
  const found = [
    [process.env.SLIPWAY_HELM, 'SLIPWAY_HELM'],
    ...(process.env.PATH ?? '').split(path.delimiter).map((folder) => [path.join(folder, 'helm'), 'the PATH']),
    [placeOf(major), FOLDER],
  ].find(([file]) => file && isOf(file, major));
  if (found) return { path: path.resolve(found[0]), from: found[1] };
  return installHelm(major);
}

/** Puts a Helm into .tools and says where from: the official download, else a build by Go. */
export async function installHelm(major = 4) {
  const version = VERSIONS[major];
  mkdirSync(FOLDER, { recursive: true });
  const place = path.resolve(placeOf(major));
  const tries = [];
  for (const [from, get] of [
    [`get.helm.sh, ${version}`, () => download(version, place)],
    [`go install helm.sh/helm/v${major}/cmd/helm@${version}`, () => build(major, version, place)],
  ]) {
    try {
      await get();
      if (isOf(place, major)) return { path: place, from };
      tries.push(`${from}: what came is no Helm ${major}`);
    } catch (error) {
      tries.push(`${from}: ${error.message}`);
    }
  }
  throw new Error(`Helm ${version} could not be had. ${tries.join('. ')}. Name one in SLIPWAY_HELM.`);
}

// The server looks for .tools/helm; the other major is for tests only.
function placeOf(major) {
  return path.join(FOLDER, major === 4 ? 'helm' : `helm${major}`);
}

function isOf(file, major) {
  if (!existsSync(file)) return false;
  const { status, stdout } = spawnSync(file, ['version', '--template', '{{.Version}}'], { encoding: 'utf8', timeout: 20_000 });
  return status === 0 && stdout.startsWith(`v${major}.`);
}

async function download(version, place) {
  const system = { linux: 'linux', darwin: 'darwin' }[process.platform];
  const processor = { x64: 'amd64', arm64: 'arm64' }[process.arch];
  if (!system || !processor) throw new Error(`there is no build for ${process.platform} on ${process.arch}`);
  const name = `helm-${version}-${system}-${processor}.tar.gz`;
  const [archive, sums] = await Promise.all([
    fetchBytes(`https://get.helm.sh/${name}`),
    fetchBytes(`https://get.helm.sh/${name}.sha256sum`),
  ]);
  const sum = createHash('sha256').update(archive).digest('hex');
  if (!sums.toString('utf8').startsWith(sum)) throw new Error(`${name} is not what its checksum says`);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'slipway-helm-'));
  try {
    writeFileSync(path.join(folder, name), archive);
    const unpacked = spawnSync('tar', ['-xzf', name, `${system}-${processor}/helm`], { cwd: folder, encoding: 'utf8' });
    if (unpacked.status !== 0) throw new Error(`tar: ${unpacked.stderr}`);
    put(path.join(folder, `${system}-${processor}`, 'helm'), place);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fetchBytes(address) {
  const answer = await fetch(address, { signal: AbortSignal.timeout(DOWNLOAD_LIMIT_MS) });
  if (!answer.ok) throw new Error(`${address} answered ${answer.status}`);
  return Buffer.from(await answer.arrayBuffer());
}

function build(major, version, place) {
  const go = ['go', '/usr/local/go/bin/go'].find((name) => spawnSync(name, ['version'], { stdio: 'ignore' }).status === 0);
  if (!go) throw new Error('Go is not on the PATH');
  const folder = mkdtempSync(path.join(os.tmpdir(), 'slipway-helm-'));
  try {
    console.error(`building Helm ${version} with Go; the first time takes minutes`);
    const module = `helm.sh/helm/v${major}`;
    const flags = ['-trimpath', `-ldflags=-s -w -X ${module}/internal/version.version=${version}`];
    const env = { ...process.env, GOBIN: folder, CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false' };
    const built = spawnSync(go, ['install', ...flags, `${module}/cmd/helm@${version}`], { env, encoding: 'utf8' });
    if (built.status !== 0) throw new Error((built.stderr ?? '').trim().split('\n').at(-1));
    put(path.join(folder, 'helm'), place);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// Under another name first: a server that looks meanwhile must not find half of it.
function put(file, place) {
  cpSync(file, `${place}.new`);
  chmodSync(`${place}.new`, 0o755);
  renameSync(`${place}.new`, place);
}
