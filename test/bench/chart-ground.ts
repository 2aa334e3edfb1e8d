import { execFile, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import { createRemoteCluster } from '@/server/kube';
import { createRandom, realClock } from '@/server/platform';
import { obtainHelm } from '../../scripts/helm-binary.mjs';
import { aChart, ChartRepository } from '../support/chart-repository';
import { silentLog } from '../support/silent-log';
import type { Serving } from './chart-cluster';
import { forEachAtOnce } from './measure';

export const NAMESPACE = 'pay';
const SECRET = { apiVersion: 'v1', kind: 'Secret' } as const;

/** A cluster in a process of its own, a repository of charts, and programs that note each time they run. */
export interface ChartGround extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly kubeconfig: string;
  readonly repository: ChartRepository;
  /** Helm, by a program that notes how it was called. */
  readonly helm: string;
  /** The folder of a chart as it was committed last. */
  chartFolder(chart: string): string;
  /** How git and Helm were called since the start, a line for each. */
  calls(): readonly string[];
  /** Runs commands one after the other in a shell, as a person at the cluster would. */
  shell(commands: readonly string[]): Promise<void>;
}

/** Opens it with charts of these names committed. */
export async function openChartGround(charts: readonly string[]): Promise<ChartGround> {
  const child = fork(path.join(import.meta.dirname, 'chart-cluster.ts'), { execArgv: ['--import', 'tsx'] });
  const repository = new ChartRepository();
  const [{ kubeconfig }] = (await once(child, 'message')) as [Serving];
  const cluster = createRemoteCluster({
    source: { kind: 'kubeconfig', path: kubeconfig },
    clock: realClock,
    random: createRandom(5),
    log: silentLog,
  });
  await cluster.create({ ...KINDS.namespace, metadata: { name: NAMESPACE } });
  const files = charts.flatMap((chart) => Object.entries(aChart({}, chart)).map(([file, text]) => [`charts/${chart}/${file}`, text]));
  repository.commit(Object.fromEntries(files));
  const log = path.join(repository.folder, 'calls');
  const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const helm = noting({ name: 'helm', real: (await obtainHelm()).path, log, folder: repository.folder });
  noting({ name: 'git', real: git, log, folder: repository.folder });
  const before = process.env.PATH;
  process.env.PATH = `${path.dirname(helm)}${path.delimiter}${before}`;
  return {
    cluster,
    kubeconfig,
    repository,
    helm,
    chartFolder: (chart) => path.join(repository.folder, 'checkout', 'charts', chart),
    calls: () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : []),
    async shell(commands) {
      const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: repository.folder };
      await promisify(execFile)('sh', ['-e', '-c', commands.join('\n')], { env, maxBuffer: 64 * 1024 * 1024 });
    },
    async [Symbol.asyncDispose]() {
      process.env.PATH = before;
      await cluster[Symbol.asyncDispose]();
      child.disconnect();
      repository[Symbol.dispose]();
    },
  };
}

function noting({
  name,
  real,
  log,
  folder,
}: {
  readonly name: string;
  readonly real: string;
  readonly log: string;
  readonly folder: string;
}): string {
  const file = path.join(folder, 'programs', name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho "${name} $*" >> "${log}"\nexec "${real}" "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}

/** A release, by the number of its copy and the chart that it is of. */
export interface Copied {
  readonly name: string;
  readonly chart: string;
}

/**
 * Installs each chart once by Helm, and makes further releases of it by copying what that made, renamed: Helm's own Secret, whose payload is unpacked for
 * that, and the Deployment. Helm and chart sync take them for what they are.
 */
export async function copyReleases(ground: ChartGround, releases: readonly Copied[]): Promise<void> {
  const { cluster, helm, shell, chartFolder } = ground;
  const charts = [...new Set(releases.map(({ chart }) => chart))];
  const original = (chart: string) => `the-original-${chart}`;
  await shell(charts.map((chart) => `"${helm}" install ${original(chart)} "${chartFolder(chart)}" --namespace ${NAMESPACE} > /dev/null`));
  await forEachAtOnce(charts, 4, async (chart) => {
    const from = original(chart);
    const stored = await cluster.get({ ...SECRET, namespace: NAMESPACE, name: storageOf(from) });
    const live = await cluster.get({ ...KINDS.deployment, namespace: NAMESPACE, name: from });
    for (const { name } of releases.filter((release) => release.chart === chart)) {
      await cluster.create(renamedSecret(stored, from, name));
      // As Helm would have applied it: fields of another manager would be a conflict.
      const body = renamed(live, from, name);
      await cluster.patch(
        { ...KINDS.deployment, namespace: NAMESPACE, name },
        { type: 'apply', body },
        { fieldManager: 'helm', force: true },
      );
    }
  });
}

/** The Secret that Helm keeps the first revision of a release in. */
function storageOf(release: string): string {
  return `sh.helm.release.v1.${release}.v1`;
}

/** The Secret of one release as that of another. */
export function renamedSecret(stored: KubeObject, from: string, to: string): KubeObject {
  const packed = Buffer.from(Buffer.from(readString(stored, 'data', 'release') ?? '', 'base64').toString('latin1'), 'base64');
  const payload = gzipSync(gunzipSync(packed).toString('utf8').replaceAll(from, to)).toString('base64');
  return { ...renamed(stored, from, to), data: { release: Buffer.from(payload).toString('base64') } };
}

function renamed(object: KubeObject, from: string, to: string): KubeObject {
  const { uid: _uid, resourceVersion: _version, managedFields: _fields, creationTimestamp: _at, ...metadata } = object.metadata;
  const { status: _status, data: _data, ...rest } = object;
  return JSON.parse(JSON.stringify({ ...rest, metadata }).replaceAll(from, to)) as KubeObject; // what was an object before is one still
}
