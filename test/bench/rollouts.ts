import { readField, readNumber } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { Cluster, Informers, Store } from '@/server/kube';
import { createMetrics, createRandom, realClock, systemIds } from '@/server/platform';
import { createRolloutEngine, indexStores, observe } from '@/server/rollout';
import { decide } from '@/server/rollout/decide';
import { liveStatusOf } from '../support/live-status';
import type { NotedWrite } from '../support/noted-writes';
import { notingWrites } from '../support/noted-writes';
import { silentLog } from '../support/silent-log';
import type { Figure } from './figure';
import { prepare, startInformers, startSimulator } from './ground';
import { cpuTimed, forEachAtOnce, heapInUse } from './measure';
import type { Turns } from './turns';
import { measureTurns, turnFigures } from './turns';

const IN_FLIGHT = 500;
const FEW = 100;
const REPLICAS = 4;
const NS = 'shop';
const LIMIT_MS = 10 * 60_000;
const AT_ONCE = 16;

/** Many rollouts at once on the simulated cluster, pods that start in a second: what a pass costs, who waits, what is written, what it holds. */
export async function benchRollouts(): Promise<readonly Figure[]> {
  const few = await fly(FEW);
  const { turns, passMs, firstPassMs, boundsWrites, boundsChanges, actMs, heapEach } = await fly(IN_FLIGHT);
  const what = `${IN_FLIGHT} rollouts in flight`;
  const [longest, mean] = [Math.max(...firstPassMs), firstPassMs.reduce((sum, ms) => sum + ms, 0) / firstPassMs.length];
  return [
    { what: `${what}: until all are through`, value: turns.seconds, unit: 's' },
    { what: `${what}: processor time of a pass beside its calls`, value: passMs, unit: 'ms', limit: { of: 'value', atMost: 5 } },
    {
      what: `${what}: longest wait for a first pass`,
      value: longest,
      unit: 'ms',
      beside: { what: 'mean', value: mean },
      limit: { of: 'ratio', atMost: 3 },
    },
    {
      what: `${what}: writes of the bounds of StagePodAutoscalers`,
      value: boundsWrites,
      unit: '',
      beside: { what: 'that changed', value: boundsChanges },
      limit: { of: 'ratio', atMost: 1 },
    },
    { what: `${what}: an abort takes effect after`, value: actMs, unit: 'ms', limit: { of: 'value', atMost: 1000 } },
    // Told, not judged: three quarters of them are the simulated cluster, which the server shares its loop with here.
    ...turnFigures(`${what}, the cluster in the same process`, turns).map(({ limit, ...told }) => told),
    { what: 'memory of a rollout with its pods', value: heapEach, unit: 'KB', beside: { what: `of ${FEW}`, value: few.heapEach } },
  ];
}

interface Flight {
  readonly turns: Turns;
  readonly passMs: number;
  readonly firstPassMs: readonly number[];
  readonly boundsWrites: number;
  readonly boundsChanges: number;
  readonly actMs: number;
  readonly heapEach: number;
}

async function fly(count: number): Promise<Flight> {
  await using simulator = await startSimulator({ nodes: 20 });
  const { cluster } = simulator;
  await prepare(cluster, [NS]);
  const names = Array.from({ length: count }, (_, at) => `web-${at}`);
  await using informers = startInformers(cluster);
  const noted: NotedWrite[] = [];
  await using engine = startEngine(notingWrites(cluster, noted), informers);
  await engine.start();
  const before = heapInUse();
  await forEachAtOnce(names, AT_ONCE, async (name) => {
    await cluster.create(aDeployment(name, 1, REPLICAS));
    await cluster.create(aDeployment(name, 2, 0));
  });
  await until('the old pods are ready', async () => (await readyOf(cluster, '-v1')) === count * REPLICAS);
  const watch = watchRollouts(informers);
  let passMs = 0;
  let actMs = 0;
  let heapEach = 0;
  const turns = await measureTurns(async () => {
    await forEachAtOnce(names, AT_ONCE, async (name) => {
      watch.asked.set(name, performance.now());
      await cluster.create(aRollout(name));
    });
    await until('half of the first stages are through', async () => watch.under() >= count && watch.through(1) >= count / 2);
    passMs = await costOfPass(informers, names);
    actMs = await timeToAbort(cluster, watch, names.at(-1) ?? '');
    await until('all are through', async () => watch.done.size === count);
  });
  heapEach = (heapInUse() - before) / 1024 / count;
  const autoscalers = watch.autoscalers.list(NS);
  const boundsChanges = autoscalers.reduce((sum, { metadata }) => sum + (metadata.generation ?? 1) - 1, 0);
  const boundsWrites = noted.filter(({ verb, what }) => verb === 'patch' && what === 'StagePodAutoscaler').length;
  return { turns, passMs, firstPassMs: [...watch.firstPassMs.values()], boundsWrites, boundsChanges, actMs, heapEach };
}

function startEngine(cluster: Cluster, informers: Informers) {
  const deps = { cluster, informers, clock: realClock, random: createRandom(9), ids: systemIds, log: silentLog, metrics: createMetrics() };
  return createRolloutEngine(
    { ...deps, mayAct: () => true, record: async () => undefined },
    { status: liveStatusOf(informers, realClock), noRollbackReason: () => null },
  );
}

/** What the copies tell of the rollouts, as they tell it. */
function watchRollouts(informers: Informers) {
  const { store } = informers.open(KINDS.rolloutOrchestrator);
  const asked = new Map<string, number>();
  const firstPassMs = new Map<string, number>();
  const done = new Set<string>();
  const stateOf = (name: string) => readField(store.get(toObjectKey({ namespace: NS, name })), 'status', 'control', 'state');
  store.subscribe(({ after }) => {
    const name = after?.metadata.name ?? '';
    const state = readField(after, 'status', 'control', 'state');
    if (state !== undefined && !firstPassMs.has(name)) firstPassMs.set(name, performance.now() - (asked.get(name) ?? 0));
    if (state === 'done' || state === 'aborted') done.add(name);
  });
  return {
    asked,
    firstPassMs,
    done,
    stateOf,
    autoscalers: informers.open(KINDS.stagePodAutoscaler).store as Store,
    under: () => firstPassMs.size,
    through: (stage: number) =>
      store
        .list(NS)
        .filter((object) => (readNumber(object, 'status', 'control', 'stage') ?? 0) > stage || done.has(object.metadata.name ?? '')).length,
  };
}

/** What a pass computes, for every rollout in the middle of its way. */
async function costOfPass(informers: Informers, names: readonly string[]): Promise<number> {
  const open = (type: (typeof KINDS)[keyof typeof KINDS]) => informers.open(type).store;
  const stores = {
    rollouts: open(KINDS.rolloutOrchestrator),
    autoscalers: open(KINDS.stagePodAutoscaler),
    deployments: open(KINDS.deployment),
    horizontalAutoscalers: open(KINDS.horizontalPodAutoscaler),
    pods: open(KINDS.pod),
    decisions: open(KINDS.stageDecision),
  };
  indexStores(stores);
  const status = liveStatusOf(informers, realClock);
  const now = realClock.now();
  const cost = await cpuTimed(() => {
    for (const name of names) {
      const seen = observe({ ...stores, status }, toObjectKey({ namespace: NS, name }), now);
      if (seen !== null) decide(seen, now);
    }
  });
  return cost / names.length;
}

async function timeToAbort(cluster: Cluster, watch: ReturnType<typeof watchRollouts>, name: string): Promise<number> {
  const { metadata } = await cluster.get({ ...KINDS.rolloutOrchestrator, namespace: NS, name });
  const startedAt = performance.now();
  const spec = {
    rolloutRef: { name, uid: metadata.uid },
    verb: 'abort',
    revision: `${name}-v2`,
    reason: 'measured',
    actor: { user: 'bench', groups: [] },
  };
  await cluster.create({ ...KINDS.stageDecision, metadata: { name: `abort-${name}`, namespace: NS }, spec });
  await until('the abort takes effect', async () => ['returning', 'aborted'].includes(String(watch.stateOf(name))), 10);
  return performance.now() - startedAt;
}

async function readyOf(cluster: Cluster, suffix: string): Promise<number> {
  let ready = 0;
  for await (const { items } of cluster.list({ ...KINDS.deployment, namespace: NS }))
    for (const one of items) if (one.metadata.name?.endsWith(suffix)) ready += readNumber(one, 'status', 'readyReplicas') ?? 0;
  return ready;
}

async function until(what: string, isSo: () => Promise<boolean>, everyMs = 200): Promise<void> {
  for (const end = performance.now() + LIMIT_MS; !(await isSo()); await realClock.sleep(everyMs)) {
    if (performance.now() > end) throw new Error(`waited ${LIMIT_MS / 1000} s in vain until ${what}`);
  }
}

function aDeployment(name: string, version: number, replicas: number): KubeObject {
  const revision = `${name}-v${version}`;
  const labels = { 'serving.knative.dev/service': name, 'serving.knative.dev/revision': revision };
  const template = {
    metadata: { labels, annotations: { 'sim.slipway.dev/start': '1s' } },
    spec: { containers: [{ name: 'web', image: `registry.example.com/web:${version}` }] },
  };
  return {
    ...KINDS.deployment,
    metadata: { name: revision, namespace: NS, labels },
    spec: { replicas, selector: { matchLabels: labels }, template },
  };
}

function aRollout(name: string): KubeObject {
  const entry = (version: number) => ({ revisionName: `${name}-v${version}`, percent: 100, minScale: REPLICAS, maxScale: REPLICAS });
  return {
    ...KINDS.rolloutOrchestrator,
    metadata: { name, namespace: NS },
    spec: { initialRevisions: [entry(1)], targetRevisions: [entry(2)], rolloutStrategy: 'availability', overConsumptionRatio: 25 },
  };
}
