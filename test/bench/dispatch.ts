import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { KubeObject, ObjectAddress, TypeRef } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { CacheReader } from '@/server/dispatch';
import { AppManifestsDispatcher } from '@/server/dispatch';
import type { Cluster, Informers } from '@/server/kube';
import { createRemoteCluster } from '@/server/kube';
import { createRandom, realClock, systemIds } from '@/server/platform';
import { silentLog } from '../support/silent-log';
import type { Figure } from './figure';
import { counting, prepare, startInformers } from './ground';
import { median, repeated, timed } from './measure';
import { aConfigMap, aDeployment } from './workloads';

const run = promisify(execFile);
const SCRIPTS = path.resolve(import.meta.dirname, '../cluster');
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const OBJECTS = 1000;
const FEW = 50;
const RUNS = 3;
const AT_ONCE = 16;
const TRACKER = { apiVersion: 'core.oam.dev/v1beta1', kind: 'ResourceTracker' };
const WATCHED: readonly TypeRef[] = [{ apiVersion: 'v1', kind: 'ConfigMap' }, { apiVersion: 'apps/v1', kind: 'Deployment' }, TRACKER];

/** Dispatching 1000 objects to a real API server, beside `kubectl apply -f` of the same objects there. */
export async function benchDispatch(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'slipway-bench-'));
  const onSignal = () => {
    spawnSync(path.join(SCRIPTS, 'down'), ['--dir', folder, '--delete']);
    process.exit(1);
  };
  for (const signal of SIGNALS) process.once(signal, onSignal);
  try {
    const { stdout } = await run(path.join(SCRIPTS, 'up'), ['--dir', folder, '--nodes', '0']);
    const assets = /^export KUBEBUILDER_ASSETS=(.*)$/m.exec(stdout)?.[1] ?? '';
    const kubeconfig = path.join(folder, 'admin.kubeconfig');
    await hold(folder, 'SIGSTOP');
    return await measure({ kubeconfig, folder, kubectl: path.join(assets, 'kubectl') });
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
    await hold(folder, 'SIGCONT');
    await run(path.join(SCRIPTS, 'down'), ['--dir', folder, '--delete']);
    await rm(folder, { recursive: true, force: true });
  }
}

/** The controllers stand still meanwhile: what they make of a thousand objects would fall into somebody else's measurement. */
async function hold(folder: string, signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
  const pid = await readFile(path.join(folder, 'kube-controller-manager.pid'), 'utf8').catch(() => undefined);
  if (pid !== undefined) process.kill(Number(pid), signal);
}

interface Ground {
  readonly kubeconfig: string;
  readonly kubectl: string;
  readonly folder: string;
}

async function measure(ground: Ground): Promise<readonly Figure[]> {
  const source = { kind: 'kubeconfig', path: ground.kubeconfig } as const;
  await using cluster = createRemoteCluster({ source, clock: realClock, random: createRandom(5), log: silentLog });
  await using informers = startInformers(cluster);
  await prepare(cluster, []);
  for (const type of WATCHED) await informers.open(type).store.synced();
  const all = { ...ground, cluster, informers };
  await measureRound('warm-up', FEW, all); // what is compiled and opened on the way is not what is measured
  return toFigures(await repeated(RUNS, (round) => measureRound(`round-${round}`, OBJECTS, all)));
}

interface Round {
  readonly peer: Rates;
  readonly inOrder: Rates;
  readonly atOnce: Rates;
  /** Requests for single objects that the unchanged dispatches sent. */
  readonly idleWrites: number;
  readonly idleReads: number;
}

/** Objects per second. */
interface Rates {
  readonly created: number;
  readonly unchanged: number;
}

async function measureRound(
  name: string,
  count: number,
  ground: Ground & { readonly cluster: Cluster; readonly informers: Informers },
): Promise<Round> {
  const { cluster, informers } = ground;
  for (const who of ['peer', 'order', 'once']) {
    await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: `${name}-${who}` } });
  }
  const peer = await measureKubectl(manifestsOf(`${name}-peer`, count), ground);
  const inOrder = await measureDispatcher(manifestsOf(`${name}-order`, count), { cluster, informers, concurrency: 1 });
  const atOnce = await measureDispatcher(manifestsOf(`${name}-once`, count), { cluster, informers, concurrency: AT_ONCE });
  return { peer, inOrder, atOnce, idleWrites: inOrder.writes + atOnce.writes, idleReads: inOrder.reads + atOnce.reads };
}

/** Half ConfigMaps, half Deployments. */
function manifestsOf(namespace: string, count: number): readonly KubeObject[] {
  return Array.from({ length: count }, (_, at) => {
    if (at % 2 === 0) return aConfigMap(namespace, `settings-${at}`);
    const { status: _status, ...deployment } = aDeployment(namespace, `web-${at}`);
    return deployment;
  });
}

/** What the process of kubectl takes to start and to discover is not held against it. */
async function measureKubectl(manifests: readonly KubeObject[], { kubectl, kubeconfig, folder }: Ground): Promise<Rates> {
  const file = path.join(folder, 'manifests.json');
  await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests }));
  const call = (...args: string[]) => timed(() => run(kubectl, ['--kubeconfig', kubeconfig, ...args], { maxBuffer: 64 * 1024 * 1024 }));
  const startMs = await call('get', 'namespace', 'default');
  const createdMs = (await call('apply', '-f', file)) - startMs;
  const unchangedMs = (await call('apply', '-f', file)) - startMs;
  return { created: toRate(createdMs, manifests), unchanged: toRate(unchangedMs, manifests) };
}

interface Target {
  readonly cluster: Cluster;
  readonly informers: Informers;
  readonly concurrency: number;
}

async function measureDispatcher(manifests: readonly KubeObject[], { cluster, informers, concurrency }: Target) {
  const counted = counting(cluster);
  const namespace = manifests[0]?.metadata.namespace ?? '';
  const cache = copiesIn(informers);
  const dispatch = () =>
    new AppManifestsDispatcher(
      counted.cluster,
      { name: 'shop-v1', namespace },
      {
        merge: { dropTrackerOwners: true },
        tracking: { missingPrevious: 'ignore', record: 'beforeApply', strictNames: true },
        writing: { skipUnchanged: true, concurrency, secretKey: systemIds.secret() },
        tools: { cache },
      },
    ).dispatch(manifests);
  const createdMs = await timed(dispatch);
  await untilCopied(informers, manifests, namespace);
  const before = { writes: counted.writes(), reads: counted.requests.get };
  const unchangedMs = await timed(dispatch);
  return {
    created: toRate(createdMs, manifests),
    unchanged: toRate(unchangedMs, manifests),
    writes: counted.writes() - before.writes,
    reads: counted.requests.get - before.reads,
  };
}

const toRate = (ms: number, manifests: readonly KubeObject[]) => (manifests.length * 1000) / ms;

/** The watched copies, as the application engine hands them to the dispatcher. */
function copiesIn(informers: Informers): CacheReader {
  const storeOf = (at: ObjectAddress) => informers.all().find(({ scope }) => scope.apiVersion === at.apiVersion && scope.kind === at.kind);
  return {
    read: (at) => storeOf(at)?.get(toObjectKey(at)),
    lacks: (at) => at.kind !== TRACKER.kind && storeOf(at)?.get(toObjectKey(at)) === undefined,
  };
}

async function untilCopied(informers: Informers, manifests: readonly KubeObject[], namespace: string): Promise<void> {
  const copies = copiesIn(informers);
  const trackerIsWhole = () => {
    const tracker = copies.read({ ...TRACKER, name: `shop-v1-${namespace}` });
    return (tracker?.metadata.generation ?? 0) >= 2;
  };
  const isCopied = ({ apiVersion, kind, metadata: { name = '' } }: KubeObject) =>
    copies.read({ apiVersion, kind, namespace, name }) !== undefined;
  while (!manifests.every(isCopied) || !trackerIsWhole()) await realClock.sleep(50);
  await realClock.sleep(500); // the last record write
}

function toFigures(rounds: readonly Round[]): readonly Figure[] {
  const of = (pick: (round: Round) => number) => median(rounds.map(pick));
  const peer = { what: 'kubectl apply -f', value: of(({ peer }) => peer.created) };
  const idlePeer = { what: 'kubectl apply -f', value: of(({ peer }) => peer.unchanged) };
  const atLeast = (least: number) => ({ of: 'ratio', atLeast: least }) as const;
  const unit = 'objects/s';
  return [
    { what: `${OBJECTS} new objects in order`, value: of(({ inOrder }) => inOrder.created), unit, beside: peer, limit: atLeast(1) },
    {
      what: `${OBJECTS} new objects, ${AT_ONCE} at once`,
      value: of(({ atOnce }) => atOnce.created),
      unit,
      beside: peer,
      limit: atLeast(2),
    },
    { what: 'unchanged again, in order', value: of(({ inOrder }) => inOrder.unchanged), unit, beside: idlePeer, limit: atLeast(20) },
    { what: 'unchanged again, writes', value: of(({ idleWrites }) => idleWrites), unit: 'requests', limit: { of: 'value', atMost: 0 } },
    {
      what: 'unchanged again, reads of single objects',
      value: of(({ idleReads }) => idleReads),
      unit: 'requests',
      limit: { of: 'value', atMost: 0 },
    },
  ];
}
