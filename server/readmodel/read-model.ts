import { AppError, messageOf } from '@/lib/contract/app-error';
import type { WaitingPage } from '@/lib/contract/change-rows';
import type { Freshness } from '@/lib/contract/live';
import type { RecordEntry } from '@/lib/contract/record-entry';
import type { EngineMode } from '@/lib/contract/system-rows';
import type { GarbageView } from '@/lib/contract/tracker-rows';
import { FLUX_KINDS } from '@/lib/kube/flux-kinds';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress, ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { Identities, OwnRepository, ReconcileHistory } from '@/server/chartsync';
import type { DesiredObject, NotCompared } from '@/server/dispatch';
import type { Discovery, Informers } from '@/server/kube';
import { whenReadRefused } from '@/server/kube';
import type { Clock, Log } from '@/server/platform';
import { FaultIsolation, supervise, waitAtMost, withTimeout } from '@/server/platform';
import type { LiveStatus } from '@/server/status';
import type { Approvals } from './applications/decider';
import { createApprovals } from './applications/decider';
import { createDrift } from './applications/drift';
import type { ApplicationLedger } from './applications/ledger';
import { openLedger } from './applications/ledger';
import type { ApplicationPods } from './applications/pods';
import { openPods } from './applications/pods';
import { TrackedObjects } from './applications/tracked';
import { ClusterView } from './cluster-view';
import { createFlux } from './flux/flux';
import { awaitServed } from './flux/served-kinds';
import type { Reachability, StaleData } from './freshness';
import { findBacklog, findPolled, findStaleData, toFreshness, toKnown } from './freshness';
import { RecordedRollouts } from './history/rollout-history';
import { Collections } from './ledger/collected';
import { Ledgers } from './ledger/ledgers';
import { toHealth } from './live-state';
import type { ObjectReader } from './objects/object-reader';
import { createObjectReader } from './objects/object-reader';
import type { AskOwnUser } from './own-user';
import type { Releases } from './releases/describe';
import { createReleases } from './releases/describe';
import { createRollouts } from './rollouts/describe';
import type { SampleStore } from './rollouts/scale-history';
import { keepHistory, ScaleHistory } from './rollouts/scale-history';
import { MAX_BEHIND_MS } from './row-table';
import type { ReadEntries } from './system/journal';
import { Journal } from './system/journal';
import type { ProcessFacts } from './system/status-row';
import { createSystemRows } from './system/system-rows';
import { createTables } from './tables';
import type { BlastRadiusOf } from './trackers/create-blast-radius';
import { createBlastRadius } from './trackers/create-blast-radius';
import { compareTrackers, viewRolloutGarbage } from './trackers/garbage-view';
import type { WaitingRequest } from './trackers/waiting';
import { viewWaiting } from './trackers/waiting';
import { createTrees } from './trees/trees';
import { tablesOf } from './views/topic-tables';
import type { ViewDeps } from './views/views';
import { toViewSource } from './views/views';
import type { ReadModel } from './views/window';
import { createWindows, toWindowVisibility } from './views/windows';
import { describeStaleness, watchStaleness } from './watch-staleness';

const STORES_LIMIT_MS = 30_000;

/** What the read model is built from. */
export interface ReadModelDeps {
  readonly bootId: string;
  readonly informers: Informers;
  /** Tells when the kinds of Flux are served. */
  readonly discovery: Pick<Discovery, 'resolveKind'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly facts: ProcessFacts;
  readonly reachability: () => Reachability;
  /** What the loops of chart sync of this process did. */
  readonly loops: ReconcileHistory;
  /** The repository of charts that the server was given; absent where there is none. */
  readonly ownRepository?: OwnRepository;
  /** As whom chart sync acts; as the server where it is absent. */
  readonly identities?: Pick<Identities, 'accountOf'>;
  readonly ownUser: AskOwnUser;
  /** The computed status of every object. */
  readonly status: Pick<LiveStatus, 'of' | 'subscribe'>;
  /** History of an earlier process; arrives when the store is open. */
  readonly samples: Promise<SampleStore>;
  /** Newest entries of the record, newest last. */
  readonly record: Promise<readonly RecordEntry[]>;
  /** Reads entries of the record with their data, oldest first. */
  readonly readEntries: ReadEntries;
}

/** The read model with what the rest of the server tells it. */
export interface OpenReadModel extends ReadModel, Approvals {
  /** Takes an entry in that is on record now. */
  recorded(entry: RecordEntry): void;
  /** What collecting one tracker against another does; throws AppError not-found. */
  compareTrackers(from: string, to: string): GarbageView;
  /** What the end of a rollout collects; throws AppError not-found. */
  garbageOfRollout(ns: string, name: string): GarbageView;
  /** What waits to be collected of an application; throws AppError not-found. */
  waitingOf(ns: string, name: string, request: WaitingRequest): WaitingPage;
  /** What is wanted of one object of an application, or why nothing is; throws AppError not-found. */
  desiredOf(application: { readonly ns: string; readonly name: string }, at: ObjectAddress): DesiredObject | NotCompared;
  readonly blastRadiusOf: BlastRadiusOf;
  /** The last weeks of rollouts, told from the record. */
  readonly history: Pick<RecordedRollouts, 'see'>;
  /** What is known of any object. */
  readonly objectReader: ObjectReader;
  /** What makes up the status of an application. */
  ledgerOf(application: ObjectKey): ApplicationLedger;
  /** The pods of an application; throws AppError not-found. */
  podsOf(application: { readonly ns: string; readonly name: string }): ApplicationPods;
  /** Why what a person decides about the gate of a release would not count; null where it would. */
  readonly notCountedReason: Releases['notCountedReason'];
  /** Why it would count for nothing beside what the same person decided. */
  readonly countedAlreadyReason: Releases['countedAlreadyReason'];
  /** Whether the cluster has the kinds of Flux. */
  servesFlux(): boolean;
  /** The application whose tracker has a name; undefined where there is none, or it says of none. */
  trackedBy(tracker: string): { readonly ns: string; readonly name: string } | undefined;
  /** What Helm stored of the releases that Flux drives, as `namespace/name`. */
  releasesOfFlux(): ReadonlySet<string>;
  /** How fresh statuses are now, those of one application or in general. */
  freshnessOf(application?: { readonly ns: string; readonly name: string }): Freshness;
  /** Why data may be out of date now, that of one application or in general; undefined while it is fresh. */
  trouble(application?: { readonly ns: string; readonly name: string }): StaleData | undefined;
}

/** Builds the projections over shared informers. Views open at once; rows come as stores sync. */
export function createReadModel(deps: ReadModelDeps): OpenReadModel {
  const { bootId, clock, log } = deps;
  const ending = new AbortController();
  const view = new ClusterView(deps.informers, clock);
  const contain = new FaultIsolation(log);
  const healthOf = (object: KubeObject) => toHealth(deps.status.of(object));
  const tracked = new TrackedObjects(view);
  const modeOf = (engine: string): EngineMode => deps.facts.engines()[engine] ?? { mode: 'drive', why: null };
  const { seeRollout, seeScales } = createRollouts({ view, clock, status: deps.status, dropped: deps.facts.dropped, contain });
  const drift = createDrift({ view, tracked, seeRollout, engine: () => modeOf('application'), contain });
  const identities = deps.identities ?? { accountOf: () => undefined };
  const releases = createReleases({
    view,
    clock,
    informers: deps.informers,
    journal: deps.loops,
    own: deps.ownRepository ?? { repository: undefined, repositorySecret: undefined },
    identities,
    engine: () => modeOf('chartsync'),
  });
  const history = new ScaleHistory(clock);
  const freshness = { view, reachability: deps.reachability, clock };
  const journal = new Journal();
  const flux = createFlux({ view, clock, contain, status: deps.status, healthOf, journal });
  const tables = createTables({
    view,
    tracked,
    status: deps.status,
    healthOf,
    drift,
    seeRollout,
    seeScales,
    history,
    releases,
    flux,
    clock,
    contain,
    ownUser: deps.ownUser,
    log,
  });
  // How engines and the record stand changes without an event too, and is on what is shown of everything that they drive.
  const aging = watchStaleness(
    () => `${describeStaleness(freshness)}\n${JSON.stringify([deps.facts.engines(), deps.facts.record?.()])}\n${releases.age()}`,
    clock,
  );
  // What is known of a rollout's pods, or no more, is on its rows, and becomes another by time alone.
  aging.onChange(() => {
    for (const { metadata } of view.open(KINDS.rolloutOrchestrator).list()) tables.rollouts.touch(toObjectKey(metadata));
    for (const page of releases.pages()) tables.releases.touch(page);
  });
  const system = createSystemRows({
    facts: deps.facts,
    view,
    clock,
    stores: () => deps.informers.all(),
    trouble: () => findStaleData(freshness),
    reachability: deps.reachability,
    applications: (visibility) => {
      const rows = tables.applications.rows();
      return visibility === 'all' ? rows.size : [...rows.values()].filter(({ ns }) => visibility.includes(ns)).length;
    },
  });
  const knownOf: ViewDeps['knownOf'] = (at) => toKnown(view.open(at), toObjectKey(at), clock.now());
  const onTouch = (listener: (key: ObjectKey) => void) => tables.applications.onTouch(listener);
  const trees = createTrees({ view, tracked, healthOf, drift, seeRollout, clock, knownOf, onTouch, onFreshness: aging.onChange });
  const collections = new Collections({ read: deps.readEntries, clock });
  const ledgers = new Ledgers({ view, tracked, collections, rowOf: (tracker) => tables.trackers.rows().get(tracker), clock, onTouch });
  const viewDeps: ViewDeps = {
    view,
    tracked,
    healthOf,
    drift,
    contain,
    clock,
    knownOf,
    tables,
    trees,
    ledgers,
    journal,
    history,
    seeRollout,
    releases,
    flux,
    engine: () => modeOf('rollout'),
    chartEngine: () => modeOf('chartsync'),
    system,
    freshness: (place, behind) =>
      toFreshness(findStaleData(freshness, place) ?? findBacklog(behind), clock, place && findPolled(freshness, place)),
    onFreshness: aging.onChange,
  };

  const troubleOf: OpenReadModel['trouble'] = (application) =>
    findStaleData(freshness, application && tracked.placeOf(toObjectKey({ namespace: application.ns, name: application.name })));

  let samples: SampleStore | undefined;
  return {
    bootId,
    trouble: troubleOf,
    freshnessOf: (application) => toFreshness(troubleOf(application), clock),
    ledgerOf: (application) => openLedger(application, { view, tracked, seeRollout, onTouch }),
    podsOf: ({ ns, name }) => openPods({ ns, name }, { view, tracked, onTouch }),
    desiredOf: ({ ns, name }, at) => {
      const application = view.get(KINDS.application, toObjectKey({ namespace: ns, name }));
      if (application === undefined) throw new AppError('not-found', `there is no application ${name} in namespace ${ns}`);
      return drift.desiredOf(application, at);
    },
    history: new RecordedRollouts({ read: deps.readEntries, clock }),
    objectReader: createObjectReader(viewDeps),
    blastRadiusOf: createBlastRadius({ view, tracked }),
    notCountedReason: releases.notCountedReason,
    countedAlreadyReason: releases.countedAlreadyReason,
    ...createApprovals({ view, tracked, seeRollout, ownUser: tables.ownUser }),
    releasesOfFlux: flux.stored,
    servesFlux: flux.isServed,
    trackedBy: (tracker) => tracked.applicationOf(tracker),
    recorded(entry) {
      journal.add([entry]);
      collections.recorded(entry);
    },
    compareTrackers: (from, to) => compareTrackers(view, from, to),
    waitingOf: (namespace, name, request) => viewWaiting(toObjectKey({ namespace, name }), request, { view, tracked }),
    garbageOfRollout: (namespace, name) => viewRolloutGarbage(toObjectKey({ namespace, name }), { view, tracked }),
    open: createWindows(bootId, (topic, visibility, beside) => toViewSource(topic, toWindowVisibility(visibility, beside), viewDeps), {
      flux: flux.isServed,
      older: () => view.serves(KINDS.olderHelmRelease),
    }),
    async whenComplete(topic) {
      const limit = { clock, ms: MAX_BEHIND_MS, signal: ending.signal, what: 'computing the rows' };
      const computing = withTimeout(limit, (signal) => Promise.all(tablesOf(topic, tables).map((table) => table.whenComplete(signal))));
      await computing.catch(() => undefined); // time is up, or all ends: the rows that are there tell their age
    },
    async start() {
      deps.samples.then(
        (store) => {
          samples = store;
        },
        () => undefined, // the store never opened: nothing is kept
      );
      void supervise('scale history', (signal) => keepHistory(deps.samples, history, clock, signal), { clock, log, signal: ending.signal });
      void deps.record.then(
        (entries) => journal.add(entries),
        (error: unknown) => log.error({ error: messageOf(error) }, 'the record could not be read'),
      );
      aging.start();
      const kinds = { discovery: deps.discovery, clock, types: Object.values(FLUX_KINDS), onServed: flux.open };
      void supervise('kinds of Flux', (signal) => awaitServed(kinds, signal), { clock, log, signal: ending.signal });
      await untilSynced(view, clock, ending.signal);
      await tables.complete(ending.signal).catch(() => undefined); // an end while it starts is no failure
    },
    async [Symbol.asyncDispose]() {
      ending.abort();
      aging.stop();
      trees.release();
      ledgers.release();
      tables.release();
      flux.release();
      releases.release();
      const rest = history.takeUnsaved();
      if (rest.length > 0)
        await samples?.append(rest).catch((error: unknown) => log.warn({ error: messageOf(error) }, 'samples were not kept'));
      await view[Symbol.asyncDispose]();
    },
  };
}

/** A kind that cannot be read within the limit is shown as a lost watch; the rest is served meanwhile. */
async function untilSynced(view: ClusterView, clock: Clock, signal: AbortSignal): Promise<void> {
  // What the server lets nobody read will not come: what does not depend on it is served without. Stores are not given a signal: each would listen to it, and there are dozens.
  const synced = Promise.all(view.stores().map((store) => Promise.race([store.synced().catch(() => undefined), whenReadRefused(store)])));
  await waitAtMost({ clock, ms: STORES_LIMIT_MS, signal, late: () => undefined }, synced);
}
