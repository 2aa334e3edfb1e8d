import { setMaxListeners } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { KubeObject } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import { createRemoteCluster } from '@/server/kube';
import { createRandom, realClock } from '@/server/platform';
import { silentLog } from '../support/silent-log';
import type { Figure } from './figure';
import { startSimulator } from './ground';
import { forEachAtOnce, median, percentile, repeated, timed } from './measure';
import { aConfigMap, objectsOf, populate } from './workloads';

const RUNS = 5;
const WRITES = 2000;
const PODS = 10_000;
const WATCHERS = 100;
const CHANGES = 50;
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };

/** The figures of the simulated cluster (cluster T3). */
export async function benchEmbedded(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'slipway-bench-'));
  try {
    return [
      ...(await benchWrites(folder)),
      ...(await benchPods()),
      await benchWatchers(),
      await benchStart(),
      ...(await benchPrivateWrites()),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes while the folder keeps them, as when it serves. */
async function benchWrites(folder: string): Promise<readonly Figure[]> {
  await using simulator = await startSimulator({ controllers: false, dataDir: folder });
  await simulator.serve();
  const source = { kind: 'kubeconfig', path: path.join(folder, 'kubeconfig') } as const;
  const fast = { qps: 100_000, burst: 100_000 };
  await using remote = createRemoteCluster({ source, clock: realClock, random: createRandom(3), log: silentLog, rates: { engine: fast } });
  await write(simulator.cluster, 'warm-up', 8);
  await write(remote, 'warm-up-http', 8);
  const inProcess = await repeated(RUNS, (run) => write(simulator.cluster, `in-process-${run}`, 1));
  const http = await repeated(RUNS, (run) => write(remote, `http-${run}`, 16));
  return [
    { what: 'writes in process, one after the other', value: median(inProcess), unit: 'writes/s', limit: { of: 'value', atLeast: 2000 } },
    { what: 'writes over HTTP, 16 at once', value: median(http), unit: 'writes/s', limit: { of: 'value', atLeast: 500 } },
  ];
}

/** Creates per second. */
async function write(cluster: Cluster, prefix: string, atOnce: number): Promise<number> {
  const objects = Array.from({ length: WRITES }, (_, at) => aConfigMap('default', `${prefix}-${at}`));
  const ms = await timed(() => forEachAtOnce(objects, atOnce, (object) => cluster.create(object)));
  return (WRITES * 1000) / ms;
}

async function benchPods(): Promise<readonly Figure[]> {
  await using simulator = await startSimulator({ controllers: false });
  const { cluster } = simulator;
  const population = { namespace: 'default', deployments: Math.ceil(PODS / 3), configMaps: 0 };
  const pods = [...objectsOf(population)].filter(({ kind }) => kind === 'Pod').slice(0, PODS);
  await populate(cluster, pods);
  const all = async () => {
    const found: KubeObject[] = [];
    for await (const { items } of cluster.list({ apiVersion: 'v1', kind: 'Pod' }, { limit: 0 })) found.push(...items);
    if (found.length !== PODS) throw new Error(`the list tells ${found.length} pods of ${PODS}`);
    return found;
  };
  const listed = await all();
  const bytes = async () => {
    const { body } = await cluster.request({ path: '/api/v1/pods' });
    for await (const _chunk of body);
  };
  return [
    {
      what: `list of ${PODS} pods in process`,
      value: median(await repeated(RUNS, () => timed(all))),
      unit: 'ms',
      limit: { of: 'value', atMost: 400 },
    },
    {
      what: `list of ${PODS} pods as JSON`,
      value: median(await repeated(RUNS, () => timed(bytes))),
      unit: 'ms',
      beside: { what: 'JSON.stringify of them', value: median(await repeated(RUNS, () => timed(() => JSON.stringify(listed)))) },
      limit: { of: 'value', atMost: 400 },
    },
  ];
}

/** From the start of a write to the last of the watchers that hears of it. */
async function benchWatchers(): Promise<Figure> {
  await using simulator = await startSimulator({ controllers: false });
  const { cluster } = simulator;
  const stop = new AbortController();
  setMaxListeners(0, stop.signal); // a listener per watcher is no leak
  let heard = 0;
  let lastAt = 0;
  let opened = 0;
  const watching = Array.from({ length: WATCHERS }, async () => {
    try {
      for await (const { type } of cluster.watch(
        { ...CONFIG_MAP, namespace: 'default' },
        { signal: stop.signal, onOpen: () => void opened++ },
      )) {
        if (type !== 'ADDED') continue;
        heard++;
        lastAt = performance.now();
      }
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    }
  });
  while (opened < WATCHERS) await realClock.sleep(5);
  await realClock.sleep(200); // what was there before has been told
  const delays: number[] = [];
  for (let change = 0; change < CHANGES; change++) {
    heard = 0;
    const startedAt = performance.now();
    await cluster.create(aConfigMap('default', `heard-${change}`));
    while (heard < WATCHERS) await realClock.sleep(0);
    delays.push(lastAt - startedAt);
  }
  stop.abort();
  await Promise.all(watching);
  return {
    what: `change to the last of ${WATCHERS} watchers, p95 of ${CHANGES}`,
    value: percentile(delays, 0.95),
    unit: 'ms',
    beside: { what: 'median', value: median(delays) },
    limit: { of: 'value', atMost: 20 },
  };
}

/** A private instance, as a rehearsal takes one. */
async function benchStart(): Promise<Figure> {
  const start = () =>
    timed(async () => {
      const simulator = await startSimulator();
      started.push(simulator);
    });
  const started: AsyncDisposable[] = [];
  const times = await repeated(RUNS * 2, start);
  for (const simulator of started) await simulator[Symbol.asyncDispose]();
  return { what: 'start of a private instance', value: median(times), unit: 'ms', limit: { of: 'value', atMost: 50 } };
}

/** Writes to an instance that keeps nothing, as in a rehearsal; an apply reads what was there and settles whose it is. */
async function benchPrivateWrites(): Promise<readonly Figure[]> {
  await using simulator = await startSimulator({ controllers: false });
  const { cluster } = simulator;
  await write(cluster, 'warm-up', 1);
  const created = median(await repeated(RUNS, (run) => write(cluster, `private-${run}`, 1)));
  const names = Array.from({ length: WRITES }, (_, at) => ({ ...CONFIG_MAP, namespace: 'default', name: `private-0-${at}` }));
  const body = ({ name, namespace }: { readonly name: string; readonly namespace: string }, run: number) => ({
    ...CONFIG_MAP,
    metadata: { name, namespace },
    data: { run: String(run) },
  });
  const apply = (run: number) =>
    timed(() =>
      forEachAtOnce(names, 1, (at) => cluster.patch(at, { type: 'apply', body: body(at, run) }, { fieldManager: 'bench', force: true })),
    );
  const applied = (WRITES * 1000) / median(await repeated(RUNS, apply));
  return [
    { what: 'writes to a private instance', value: created, unit: 'writes/s', limit: { of: 'value', atLeast: 2000 } },
    { what: 'server-side applies to a private instance', value: applied, unit: 'writes/s', beside: { what: 'creates', value: created } },
  ];
}
