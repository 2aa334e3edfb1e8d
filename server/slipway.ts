import { setMaxListeners } from 'node:events';
import path from 'node:path';
import { messageOf } from '@/lib/contract/app-error';
import { SERVER_NAMESPACE } from '@/lib/contract/grant';
import type { KubeObject } from '@/lib/kube/object';
import { AuditRecorder } from '@/server/audit-recorder';
import { chartSyncOptions } from '@/server/chart-sync-options';
import { makeRepository, ReconcileHistory, ReleasePreviews } from '@/server/chartsync';
import type { ChosenCluster } from '@/server/cluster-choice';
import { chooseCluster } from '@/server/cluster-choice';
import { installDemonstration, isEmpty } from '@/server/demonstration';
import { createEngines, findingsOf, statsOf } from '@/server/engines';
import type { Engine } from '@/server/framework';
import { describeWaits } from '@/server/framework';
import type { Installation } from '@/server/installation';
import type { Informers } from '@/server/kube';
import { createHealthProbe, createInformers, createOwnRights, describeSilence, RedefinedKinds, readServerIdentity } from '@/server/kube';
import type { Config } from '@/server/platform';
import {
  countUnhandled,
  createLog,
  createMetrics,
  createRandom,
  Lifetimes,
  lockDataFolder,
  realClock,
  supervise,
  systemIds,
} from '@/server/platform';
import type { OpenReadModel } from '@/server/readmodel';
import type { Replica } from '@/server/replicas';
import { joinReplicas } from '@/server/replicas';
import { ROLLOUT_STATUS_RULES, readRolloutFacts } from '@/server/rollout';
import type { Statuses } from '@/server/status';
import {
  createClusterFacts,
  createStatuses,
  describePolled,
  discoveryMapper,
  LiveStatus,
  logFaults,
  PolledKinds,
  StatusRules,
} from '@/server/status';
import type { StorePlace } from '@/server/store';
import { memoizedKey, OpeningStore, openPendingEntries, openStore } from '@/server/store';
import { auditHeadsInCluster } from './audit-heads-in-cluster';
import { openEndpoints } from './open-endpoints';
import { installPrerequisites, openInstallation, toStartupError } from './open-installation';
import { openReadModel } from './open-read-model';
import type { StartupContext, StartupOptions } from './startup-context';

/** A running Slipway. */
export interface Slipway extends AsyncDisposable {
  /** The address to open, with what signs the first person in. */
  readonly address: string;
  /** Sentences for the terminal. */
  readonly notes: readonly string[];
}

const ids = systemIds;
const random = createRandom(Number.parseInt(ids.uuid().slice(0, 8), 16));

/**
 * Starts everything, in this order: cluster, definitions, informers, read model, the port; then, in the background, store and engines.
 * The end comes in reverse. Whatever fails to start ends what was started.
 */
export async function startSlipway(config: Config, options: StartupOptions = { clock: realClock }): Promise<Slipway> {
  const { clock } = options;
  const log = createLog(config.logLevel);
  const lifetimes = new Lifetimes(log);
  for (const note of config.notes) log.warn({}, note);
  const ending = new AbortController();
  setMaxListeners(0, ending.signal); // everything that runs until the end listens for it, requests at the start all at once
  let notifyReady = (): void => undefined;
  const told = new Promise<void>((resolve) => {
    notifyReady = resolve;
  });
  const metrics = createMetrics({ process: true });
  const context: StartupContext = { ...options, config, log, metrics, lifetimes, ending: ending.signal, bootId: ids.uuid(), told };
  lifetimes.defer('unhandled errors', countUnhandled(process, log, metrics));
  try {
    lifetimes.use('data folder', await lockDataFolder(config.dataDir, ids));
    const statusRules = lifetimes.use('status rules', await StatusRules.open(config, clock, ROLLOUT_STATUS_RULES));
    const chosen = await chooseCluster({ ...context, ids });
    const opening = openStoreInBackground(context, chosen);
    const deployed = await toStartupError(chosen, installPrerequisites(context, chosen));
    const informers = lifetimes.use('informers', createInformers({ cluster: chosen.cluster, clock, random, log, metrics }));
    const status = new LiveStatus({
      informers,
      mapper: discoveryMapper(chosen.cluster.discovery),
      clock,
      log,
      options: statusRules.options,
    });
    logFaults(statusRules, log);
    statusRules.onChange(() => status.recompute(statusRules.options));
    statusRules.follow(informers, createClusterFacts({ cluster: chosen.cluster, informers, clock }));
    lifetimes.defer('status', async () => status[Symbol.dispose]());
    lifetimes.use('changes of definitions', new RedefinedKinds({ ...context, cluster: chosen.cluster, informers, random })).start();
    const polled = lifetimes.use(
      'polls',
      new PolledKinds({ ...context, informers, status, cluster: chosen.cluster, pollIntervalMs: config.pollInterval }),
    );
    polled.start();
    const [installation, identity] = await Promise.all([
      openInstallation(context, { chosen, deployed, informers }),
      readServerIdentity({ ...context, cluster: chosen.cluster }, ending.signal),
    ]);
    const { decisionsBlockedReason } = installation;
    const probe = lifetimes.use('probe', createHealthProbe({ cluster: chosen.cluster, clock, log }));
    probe.start();
    const ownRights = chosen.kind === 'embedded' ? undefined : createOwnRights(chosen.cluster, clock);
    const engines: Engine[] = [];
    const replica = joinReplicas({ ...context, chosen, shards: config.shards, random });
    const waiting = await openPendingEntries(path.join(config.dataDir, 'audit'));
    const auditRecorder = new AuditRecorder({ opening, waiting, clock, log, onRecorded: (entry) => readModel.recorded(entry) });
    lifetimes.defer('audit-recorder', async () => auditRecorder[Symbol.dispose]());
    void supervise('record watch', auditRecorder.watch, { clock, log, signal: ending.signal });
    const valuesKey = memoizedKey(opening, 'values');
    const loops = new ReconcileHistory(clock);
    const charts = chartSyncOptions(config, { chosen, clock, journal: loops, previews: new ReleasePreviews(clock), valuesKey, lifetimes });
    const facts = {
      loops,
      charts,
      chosen,
      identity,
      replica,
      installation,
      auditRecorder,
      informers,
      probe,
      opening,
      engines,
      statusRules,
      status,
      polled,
    };
    const readModel = openReadModel(context, facts);
    engines.push(
      ...createEngines(
        installation.stateOf,
        {
          ...replica.rights,
          informers,
          clock,
          random,
          ids,
          log,
          metrics,
          decisionsBlockedReason,
          dropped: installation.dropped,
          isDefinitionRead: installation.isDefinitionRead,
          ...auditRecorder.ofEngines,
        },
        {
          status,
          unattributed: config.unattributed,
          valuesKey,
          ...(ownRights === undefined ? {} : { ownRights }),
          chartSync: charts,
        },
      ),
    );
    const missing = new Set(['store', 'views', 'engines']);
    const statuses = openStatuses(context, { chosen, readModel, status });
    const edges = await openEndpoints({
      ...context,
      ids,
      chosen,
      informers,
      ownRights,
      readModel,
      charts,
      statuses,
      opening,
      valuesKey,
      auditRecorder,
      unready: () => [...missing],
      limits: () => [
        ...describePolled(polled.all()),
        ...describeWaits(statsOf(engines)),
        ...replica.troubles(),
        ...describeSilence(probe.state()),
      ],
      installation: {
        ...installation,
        examine: async (signal) => [...(await installation.examine(signal)), ...findingsOf(engines), ...polled.findings()],
      },
    });
    void opening.whenOpen.then(
      () => missing.delete('store'),
      () => undefined, // it stays missing, and the recorder tells why
    );
    for (const engine of engines) lifetimes.use(engine.name, engine);
    lifetimes.defer('background work', () => ending.abort());
    void supervise('engines', () => told.then(() => startEngines({ engines, replica, readModel, missing, ending: ending.signal })), {
      clock,
      log,
      signal: ending.signal,
    });
    await demonstrate(context, chosen, informers);
    clock.schedule(0, notifyReady); // in a turn of its own, so that the caller has the address by then
    return {
      address: edges.address,
      notes: notesOf(context, chosen, installation),
      [Symbol.asyncDispose]: () => lifetimes[Symbol.asyncDispose](),
    };
  } catch (error) {
    // Ending may wait for a store that is still being made; nobody should wonder meanwhile.
    log.error({ error: messageOf(error) }, 'startup failed; shutting down');
    ending.abort();
    notifyReady();
    await lifetimes[Symbol.asyncDispose]();
    throw error;
  }
}

/** The first opening takes seconds, and a page needs a session before it needs the store's history: nobody waits who need not. */
function openStoreInBackground({ config, clock, log, lifetimes, told }: StartupContext, { cluster, kind }: ChosenCluster): OpeningStore {
  const { databaseUrl: url, dataDir } = config;
  const place: StorePlace = url ? { kind: 'postgres', url } : { kind: 'folder', dataDir: path.join(dataDir, 'store') };
  // Replicas share a store and no folder: each must find the others' running head.
  const places = [
    auditHeadsInCluster(cluster, {
      namespace: kind === 'embedded' ? 'kube-system' : SERVER_NAMESPACE,
      keepsRunning: kind === 'remote' && place.kind === 'postgres',
    }),
  ];
  const signing = { folder: path.join(dataDir, 'audit'), keyFile: config.auditKey, places };
  const open = () => told.then(() => openStore(place, { clock, ids, log, signing }));
  return lifetimes.use('store', new OpeningStore(open, { clock, log }));
}

function openStatuses(
  { clock, log }: StartupContext,
  { chosen, readModel, status }: { readonly chosen: ChosenCluster; readonly readModel: OpenReadModel; readonly status: LiveStatus },
): Statuses {
  return createStatuses({
    cluster: chosen.cluster,
    clock,
    stream: status,
    ledgerOf: (application) => readModel.ledgerOf(application),
    onFailure: (error) => log.error({ error: messageOf(error) }, 'statuses are no longer followed'),
  });
}

interface Startable {
  readonly engines: readonly Engine[];
  readonly replica: Replica;
  readonly readModel: OpenReadModel;
  readonly missing: Set<string>;
  readonly ending: AbortSignal;
}

async function startEngines({ engines, replica, readModel, missing, ending }: Startable): Promise<void> {
  if (ending.aborted) return; // a signal that came during the start ends it as soon as the address is told
  await Promise.all([
    readModel.start().then(() => missing.delete('views')),
    Promise.all(engines.map((engine) => engine.start())).then(() => {
      missing.delete('engines');
      replica.start();
    }),
  ]);
}

const isComplete = (rollout: KubeObject) => readRolloutFacts(rollout).completeSince !== undefined;

/** Fills an empty embedded cluster; on any other nothing is ever installed unasked. */
async function demonstrate(
  { config, clock, log, ending }: StartupContext,
  { embedded, cluster }: ChosenCluster,
  informers: Informers,
): Promise<void> {
  if (embedded === undefined || config.demonstration === 'off' || !(await isEmpty(cluster))) return;
  const folder = path.join(config.dataDir, 'demonstration', 'charts.git');
  const install = (signal: AbortSignal) =>
    installDemonstration('deploy/demonstration', {
      cluster,
      informers,
      log,
      signal,
      isComplete,
      makeCharts: (commits) => makeRepository({ folder, commits, clock, signal }),
    });
  void supervise('demonstration', install, { clock, log, signal: ending });
}

function notesOf({ config }: StartupContext, chosen: ChosenCluster, installation: Installation): readonly string[] {
  const notes = [
    ...config.notes,
    chosen.kind === 'embedded'
      ? `a simulated cluster runs here; kubectl --kubeconfig ${chosen.kubeconfig} works on it`
      : `driving the cluster ${chosen.name}`,
    `data is kept in ${config.dataDir}`,
  ];
  for (const { sentence, remedy } of installation.findings()) notes.push(remedy === null ? sentence : `${sentence}; ${remedy} fixes it`);
  return notes;
}
