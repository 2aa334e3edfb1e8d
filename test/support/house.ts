import { setMaxListeners } from 'node:events';
import type { DeletionPolicy } from '@/lib/contract/acts/application-deletion';
import type { Finding } from '@/lib/contract/finding';
import type { RecordEntry } from '@/lib/contract/record-entry';
import { readNumber } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import type { ChangePlan, DeletionPlan } from '@/server/application';
import { createApplicationEngine, createChangePlanner } from '@/server/application';
import { createEngines } from '@/server/engines';
import type { Engine } from '@/server/framework';
import type { Installation } from '@/server/installation';
import { installMissing, watchInstallation } from '@/server/installation';
import type { Cluster, Informers } from '@/server/kube';
import { createInformers, createOwnRights, createRemoteCluster, isConflict, isNotFound } from '@/server/kube';
import type { Clock } from '@/server/platform';
import { createMetrics, createRandom, Lifetimes, realClock, systemIds } from '@/server/platform';
import { createRolloutEngine, FIELDS_WITH_ANNOTATIONS } from '@/server/rollout';
import type { PolledKind } from '@/server/status';
import { PolledKinds } from '@/server/status';
import { ManualClock } from '@/test/support/manual-clock';
import { readDeployed } from './definitions';
import { FaultDoor } from './faults';
import { reachAsEngines } from './house-cluster';
import { liveStatusOf } from './live-status';
import { createSeededIds } from './seeded-ids';
import { silentLog } from './silent-log';

/** Which cluster a house stands on: the simulator with a manual clock, or a real control plane with the real one. */
export type ClusterKind = 'embedded' | 'real';

const STEP_MS = 100;
const POLL_MS = 10_000;
const MANUAL_LIMIT_MS = 10 * 60_000;
/** Far longer than anything takes: controllers of a real cluster look every 15 s, and come back up to a minute after the API server was away. */
const REAL_LIMIT_MS = 120_000;

/** The engines on a cluster, as one test sees them. */
export interface House extends AsyncDisposable {
  readonly clusterKind: ClusterKind;
  /** A namespace of this test's own. */
  readonly ns: string;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly informers: Informers;
  /** What goes wrong on the cluster when a test says so; embedded cluster only. */
  readonly faults: FaultDoor;
  /** What the engines put on record, each id once. */
  readonly record: ReadonlyMap<string, RecordEntry>;
  /** Kinds that are polled, of a house that has the rights of a server. */
  polled(): readonly PolledKind[];
  /** How many passes each controller has begun, by its name. */
  passes(): Readonly<Record<string, number>>;
  /** What the engines tell the doctor. */
  findings(): readonly Finding[];
  /** What the installation is found to be; of a watched house only. */
  readonly installation: Installation;
  /** Waits until it is so: moves the manual clock, or awaits what the real cluster tells. */
  until(what: string, isSo: () => boolean | Promise<boolean>, limitMs?: number): Promise<void>;
  /** Lets time pass; embedded cluster only. */
  advance(ms: number): Promise<void>;
  get(type: TypeRef, name: string, namespace?: string): Promise<KubeObject | undefined>;
  list(type: TypeRef): Promise<readonly KubeObject[]>;
  apply(object: KubeObject): Promise<KubeObject>;
  /** What applying it would do, by the plan that the engine compares with. */
  plan(object: KubeObject): Promise<ChangePlan>;
  /** What deleting it would do, with its objects or without them. */
  planDeletion(object: KubeObject, fate: DeletionPolicy): Promise<DeletionPlan>;
  /** Stops the engines as a crash would, and starts new ones on the same cluster. */
  restart(): Promise<void>;
  /** Bounds of a revision now. */
  bounds(revision: string): Promise<{ readonly min: number | undefined; readonly max: number | undefined } | undefined>;
  /** Ready replicas of a workload now, 0 when it is absent. */
  ready(workload: string): Promise<number>;
}

export interface HouseOptions {
  readonly clusterKind?: ClusterKind;
  readonly nodes?: number;
  /** What is on the cluster before anything is installed or started. */
  readonly before?: readonly KubeObject[];
  /** What the engines reach the cluster through; the cluster itself when absent. */
  readonly through?: (cluster: Cluster) => Cluster;
  /** Where the engines put acts on record, made anew with them; a table of the house when absent. */
  readonly recordBy?: (clock: Clock) => (entry: RecordEntry) => Promise<void>;
  /** Where the embedded cluster keeps its objects; in memory when absent. */
  readonly dataDir?: string;
  /** A house that stood on the same folder and ended: this one goes on with what it left, at its time. */
  readonly after?: Pick<House, 'ns' | 'clock'>;
  /** True for engines that have the rights of the deployed server and nothing else. */
  readonly asServer?: boolean | 'without the reader';
  /** The time of the engines on a real cluster; the real one when absent. */
  readonly clock?: Clock;
  /** Why nothing ties names to people, as when policies cannot be read; nothing keeps them apart when absent. */
  readonly decisionsBlockedReason?: () => string | null;
  /** True for engines that heed what the installation is found to be, as in the product. */
  readonly watched?: boolean;
}

/** Starts the engines on a cluster of their own, or on the one of KUBECONFIG. */
export async function startHouse(options: HouseOptions = {}): Promise<House> {
  const clusterKind = options.clusterKind ?? 'embedded';
  const lifetimes = new Lifetimes(silentLog);
  const clock = clusterKind === 'embedded' ? (options.after?.clock ?? new ManualClock()) : (options.clock ?? realClock);
  const random = createRandom(options.after === undefined ? 7 : 8); // no identity is given out twice
  const ids = clusterKind === 'embedded' ? createSeededIds(random) : systemIds;
  let faults: FaultDoor | undefined;
  const cluster = await openCluster();
  const drive = <T>(work: Promise<T>): Promise<T> => driven(clock, work);
  for (const object of options.before ?? []) await drive(cluster.create(object));
  const roles = [
    ...(await readDeployed('deploy/rbac/people.yaml')),
    ...(options.asServer ? await readDeployed('deploy/rbac/server.yaml') : []),
  ];
  const definitions = await readDeployed('deploy/crds');
  const installed = options.asServer === 'without the reader' ? roles.filter(({ metadata }) => metadata.name !== 'slipway:readers') : roles;
  await drive(installMissing([...definitions, ...installed], { cluster, clock, log: silentLog }));
  const ns = options.after?.ns ?? `house-${ids.suffix(6)}`;
  if (options.after === undefined) await drive(cluster.create({ ...KINDS.namespace, metadata: { name: ns } }));
  lifetimes.defer('namespace', () => (clusterKind === 'real' ? cluster.delete({ ...KINDS.namespace, name: ns }) : undefined));
  const record = new Map<string, RecordEntry>();
  const theirs = await reachCluster();
  const reached = options.through?.(theirs) ?? theirs;
  const ownRights = options.asServer ? { ownRights: createOwnRights(reached, clock) } : {};
  let watching: AbortController | undefined;
  let running = await startEngines();

  async function openCluster(): Promise<Cluster> {
    if (clock instanceof ManualClock) {
      const { startEmbedded } = await import('@/server/embedded');
      faults = new FaultDoor(clock);
      const kept = options.dataDir === undefined ? {} : { dataDir: options.dataDir };
      const starting = startEmbedded({ clock, random, ids, log: silentLog, nodes: options.nodes ?? 3, interference: faults, ...kept });
      return lifetimes.use('cluster', await driven(clock, starting)).cluster;
    }
    const path = process.env.KUBECONFIG;
    if (path === undefined) throw new Error('a house on a real cluster needs KUBECONFIG');
    return lifetimes.use('cluster', createRemoteCluster({ source: { kind: 'kubeconfig', path }, clock, random, log: silentLog }));
  }

  async function reachCluster(): Promise<Cluster> {
    if (clusterKind === 'real')
      return reachAsEngines(cluster, { clock, lifetimes, asServer: options.asServer !== undefined && options.asServer !== false });
    return options.asServer ? cluster.as({ user: 'slipway', groups: ['slipway:servers'] }) : cluster;
  }

  async function startEngines(): Promise<{
    readonly informers: Informers;
    readonly engines: readonly Engine[];
    readonly installation: Installation | undefined;
    readonly polled: PolledKinds | undefined;
  }> {
    const informers = createInformers({ cluster: reached, clock, random, log: silentLog });
    const deps = {
      cluster: reached,
      informers,
      clock,
      random,
      ids,
      log: silentLog,
      metrics: createMetrics(),
      mayAct: () => true,
      ...(options.decisionsBlockedReason === undefined ? {} : { decisionsBlockedReason: options.decisionsBlockedReason }),
      record:
        options.recordBy?.(clock) ??
        (async (entry: RecordEntry) => {
          if (!record.has(entry.id)) record.set(entry.id, entry);
        }),
    };
    const status = liveStatusOf(informers, clock);
    const polled = options.asServer
      ? new PolledKinds({ informers, status, clock, cluster: reached, log: silentLog, pollIntervalMs: POLL_MS })
      : undefined;
    polled?.start();
    const installation = options.watched ? await drive(watch(informers)) : undefined;
    const engines =
      installation === undefined
        ? [
            createApplicationEngine(deps, { status, ...ownRights }),
            createRolloutEngine(deps, { status, noRollbackReason: () => null, ...ownRights }),
          ]
        : createEngines(
            installation.stateOf,
            {
              ...deps,
              decisionsBlockedReason: installation.decisionsBlockedReason,
              dropped: installation.dropped,
              isDefinitionRead: installation.isDefinitionRead,
            },
            { status },
          );
    await drive(Promise.all(engines.map((engine) => engine.start())));
    return { informers, engines, installation, polled };
  }

  function watch(informers: Informers): Promise<Installation> {
    const { store: deployments } = informers.open(KINDS.deployment);
    watching = new AbortController();
    setMaxListeners(0, watching.signal); // as the server has it: each definition is followed until the end
    return watchInstallation({
      cluster,
      deployments,
      deployed: [...definitions, ...roles],
      needsPolicies: false,
      clock,
      log: silentLog,
      signal: watching.signal,
      untrustedFields: FIELDS_WITH_ANNOTATIONS,
      relist: (type) => informers.relist(type),
    });
  }

  async function stopEngines(): Promise<void> {
    watching?.abort();
    await drive(Promise.all([...running.engines.map((engine) => engine[Symbol.asyncDispose]()), running.polled?.[Symbol.asyncDispose]()]));
    await drive(Promise.resolve(running.informers[Symbol.asyncDispose]()));
  }

  async function removeApplications(): Promise<void> {
    await cluster.deleteCollection({ ...KINDS.application, namespace: ns });
    await untilReal(
      running.informers,
      'the applications are gone',
      async () => (await listAll(cluster, KINDS.application, ns)).length === 0,
    );
  }

  const house: House = {
    clusterKind,
    ns,
    cluster,
    clock,
    get informers() {
      return running.informers;
    },
    get faults() {
      if (faults === undefined) throw new Error('nothing can be made to fail on a real cluster');
      return faults;
    },
    record,
    polled: () => running.polled?.all() ?? [],
    passes: () =>
      Object.fromEntries(running.engines.flatMap(({ controllers }) => controllers.map((one) => [one.name, one.stats().passes]))),
    findings: () => running.engines.flatMap((engine) => engine.findings?.() ?? []),
    get installation() {
      if (running.installation === undefined) throw new Error('nobody watches the installation of this house');
      return running.installation;
    },
    until: (what, isSo, limitMs) =>
      clock instanceof ManualClock ? untilManual(clock, what, isSo, limitMs) : untilReal(running.informers, what, isSo, limitMs),
    async advance(ms) {
      if (!(clock instanceof ManualClock)) throw new Error('time moves by itself on a real cluster');
      await clock.advance(ms);
    },
    get: (type, name, namespace = ns) =>
      drive(
        cluster.get({ ...type, namespace, name }).catch((error: unknown) => {
          if (isNotFound(error)) return undefined;
          throw error;
        }),
      ),
    list: (type) => drive(listAll(cluster, type, ns)),
    apply: (object) => drive(applyObject(cluster, object, ns)),
    async plan(object) {
      using planner = createChangePlanner({
        cluster: options.asServer ? reached : cluster,
        informers: running.informers,
        clock,
        ...ownRights,
      });
      return await drive(planner.plan(object));
    },
    async planDeletion(object, fate) {
      using planner = createChangePlanner({
        cluster: options.asServer ? reached : cluster,
        informers: running.informers,
        clock,
        ...ownRights,
      });
      return await drive(planner.planDeletion(object, fate));
    },
    async restart() {
      await stopEngines();
      running = await startEngines();
    },
    async bounds(revision) {
      const autoscaler = await house.get(KINDS.stagePodAutoscaler, revision);
      return autoscaler && { min: readNumber(autoscaler, 'spec', 'stageMinScale'), max: readNumber(autoscaler, 'spec', 'stageMaxScale') };
    },
    async ready(workload) {
      return readNumber(await house.get(KINDS.deployment, workload), 'status', 'readyReplicas') ?? 0;
    },
    async [Symbol.asyncDispose]() {
      // Applications carry finalizers that only a running engine removes; what stayed would be taken up by the next house.
      if (clusterKind === 'real') await removeApplications();
      await stopEngines();
      await drive(lifetimes[Symbol.asyncDispose]());
    },
  };
  return house;
}

/** Awaits work whose timers only run when the manual clock is settled. */
export async function driven<T>(clock: Clock, work: Promise<T>): Promise<T> {
  if (!(clock instanceof ManualClock)) return work;
  let done = false;
  const finished = work.finally(() => {
    done = true;
  });
  finished.catch(() => undefined); // awaited below; this only keeps it from counting as unhandled meanwhile
  for (let moved = 0; !done && moved < MANUAL_LIMIT_MS; moved += STEP_MS) {
    await clock.settle();
    if (!done) await clock.advance(STEP_MS);
  }
  return finished;
}

async function untilManual(
  clock: ManualClock,
  what: string,
  isSo: () => boolean | Promise<boolean>,
  limitMs = MANUAL_LIMIT_MS,
): Promise<void> {
  await clock.settle();
  for (let moved = 0; moved <= limitMs; moved += STEP_MS) {
    if (await isSo()) return;
    await clock.advance(STEP_MS);
  }
  throw new Error(`waited ${limitMs} ms of manual time in vain until ${what}`);
}

async function untilReal(
  informers: Informers,
  what: string,
  isSo: () => boolean | Promise<boolean>,
  limitMs = REAL_LIMIT_MS,
): Promise<void> {
  const limit = AbortSignal.timeout(limitMs);
  while (!(await isSo())) {
    if (limit.aborted) throw new Error(`waited ${limitMs} ms in vain until ${what}`);
    await nextChange(informers, limit);
  }
}

/** The next change that any open store hears of, at the latest a second from now since not every kind asked about is watched. */
function nextChange(informers: Informers, limit: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const releases = informers.all().map((store) => store.subscribe(() => done()));
    const late = AbortSignal.any([limit, AbortSignal.timeout(1000)]);
    const done = () => {
      late.removeEventListener('abort', done);
      for (const release of releases) release();
      resolve();
    };
    late.addEventListener('abort', done, { once: true });
  });
}

async function listAll(cluster: Cluster, type: TypeRef, namespace: string): Promise<readonly KubeObject[]> {
  const items: KubeObject[] = [];
  for await (const page of cluster.list({ ...type, namespace })) items.push(...page.items);
  return items;
}

/** Creates an object in the namespace, or replaces the spec of the one that is there; again when somebody else wrote in between, as a person would. */
async function applyObject(cluster: Cluster, object: KubeObject, ns: string): Promise<KubeObject> {
  const wanted = { ...object, metadata: { ...object.metadata, namespace: ns } };
  const at = { apiVersion: object.apiVersion, kind: object.kind, namespace: ns, name: object.metadata.name ?? '' };
  for (;;) {
    const found = await cluster.get(at).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    try {
      if (found === undefined) return await cluster.create(wanted);
      return await cluster.update({ ...found, ...wanted, metadata: { ...found.metadata, ...wanted.metadata }, status: found.status });
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
}
