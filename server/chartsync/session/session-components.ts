import path from 'node:path';
import type { ReleaseDecisionSpec } from '@/lib/contract/release-decision';
import { KINDS } from '@/lib/kube/kinds';
import type { Instant } from '@/lib/std/instant';
import { Semaphore } from '@/lib/std/semaphore';
import type { EngineDeps } from '@/server/framework';
import type { Store } from '@/server/kube';
import { createAccessReviewer, describeRight, ignoreNotFound } from '@/server/kube';
import type { Release } from '@/server/platform';
import { memoizeFor } from '@/server/platform';
import { LiveObjects } from '../cluster/live-objects';
import { Resources } from '../cluster/resources';
import { ComparisonDigests } from '../compare/comparison-digests';
import type { CancelReport } from '../decisions/cancellations';
import { createCancel } from '../decisions/cancellations';
import type { CausingDecision } from '../decisions/causing-decision';
import type { RollbackChange } from '../decisions/permit-rollback';
import { missingRollbackRight } from '../decisions/permit-rollback';
import { inheritedSince } from '../describe/helm-operations';
import { isGone } from '../describe/reconcile-history';
import { LiveCopies } from '../drift/cached-objects';
import { Drift } from '../drift/drift';
import { DriftWatch } from '../drift/drift-watch';
import { createDependencyFinder } from '../gate/chart-identity';
import { CommitGate } from '../gate/commit-gate';
import { commitAt, commitSourceOf, goneBranchOf } from '../gate/commit-source';
import type { Gates } from '../gate/gates';
import { readReleasedCommit } from '../gate/released-commit';
import type { Mirror } from '../git/mirror';
import { Decoder } from '../helm/decoder';
import type { FoundHelm } from '../helm/find-helm';
import { HelmBinary } from '../helm/helm-binary';
import { withoutValues } from '../helm/masking/hidden-values';
import { HelmStorage } from '../helm/storage';
import { StoredReleases } from '../helm/stored-releases';
import { markFailed } from '../helm/unlock';
import { ChartSync } from '../loops/chart-sync';
import type { DeclaredRelease, ExtendedRelease } from '../model/declared';
import { readDeclared } from '../model/declared';
import type { Impersonation } from '../model/impersonation';
import type { FetchedDependency, ReleaseRef, RevisionEntry } from '../model/release';
import type { ChartSyncOptions } from '../options';
import { ReleasePlanner } from '../plan/planner';
import { PreviewedPlans } from '../plan/previewed-plans';
import type { ApprovableCommit, GrantPort, ObjectsPort, Trigger } from '../ports';
import { ChartRenderer } from '../preview/chart-renderer';
import type { RequestedCommit } from '../preview/charts-of-commits';
import { Interrupted } from '../process/interrupted';
import { readChartText } from '../sources/chart-text';
import type { UndeclaredActs } from '../undeclared/acts';
import { createUndeclaredActs } from '../undeclared/acts';
import { fetchText, MAX_VALUES } from '../values/fetch-text';
import { recoverFromCrash } from './crash-recovery';
import type { ChartSyncMetrics } from './metrics';
import { openSources } from './open-sources';
import { ReconcileRecorder } from './record-reconciles';

/** The real parts of one session. */
export interface SessionComponents extends AsyncDisposable {
  /** The mirror of the base kind. */
  readonly mirror: Mirror;
  readonly sync: ChartSync;
  /** What Helm stores of declared releases, as it is watched. */
  readonly stored: StoredReleases;
  /** What commits would make of releases. */
  readonly renderDesk: ChartRenderer;
  readonly onFetched: (handler: (mirror: Mirror, returned: boolean) => void) => Release;
  /** Hears of each pass that has ended. */
  readonly passed: ChartSyncMetrics['passed'];
  /** True while the chart of a resource is being fetched for the first time by this process. */
  readonly isComing: (resource: ExtendedRelease) => boolean;
  /** Asks for a fetch of what a resource takes its chart from, now. */
  readonly refresh: (resource: DeclaredRelease) => void;
  /** The first right that a person lacks to what going back writes; undefined where they have them all. */
  missingRollbackRight(resource: DeclaredRelease, back: RollbackChange, actor: ReleaseDecisionSpec['actor']): Promise<string | undefined>;
  /** What is known of a commit that somebody approves; undefined where there is none. */
  lookAtCommit(resource: DeclaredRelease, commit: string): Promise<ApprovableCommit | undefined>;
  /** The same, with the dependencies of its chart. */
  approvable(resource: DeclaredRelease, commit: string): Promise<ApprovableCommit | undefined>;
  readHistory(release: ReleaseRef): Promise<readonly RevisionEntry[]>;
  /** Why the server may not act on a release yet, with the command that grants it; undefined where it may. */
  ungranted(resource: DeclaredRelease): Promise<string | undefined>;
  /** The right on Helm's storage that a person lacks to write there; undefined where they have it. */
  lackedStorageRight(resource: DeclaredRelease, actor: ReleaseDecisionSpec['actor']): Promise<string | undefined>;
  /** Marks a pending revision as failed. */
  markFailed(resource: DeclaredRelease, revision: number): Promise<void>;
  /** Ends what Helm does to a release now; answers which command that was. */
  cancel(resource: DeclaredRelease, by: string): Promise<string | undefined>;
  /** When the Helm began that works on a release and was begun by an earlier process of the server; undefined where none does. */
  inheritedSince(resource: DeclaredRelease): Instant | undefined;
  /** Acts on releases that no resource declares. */
  readonly undeclared: UndeclaredActs;
  /** Finds what an earlier server left running or pending; comes before the first act. */
  recoverFromCrash(): Promise<void>;
  /** Begins to look for drift. */
  watchDrift(): void;
  /** Asks every Helm and git that runs to end. */
  endProcesses(): void;
}

interface PartsOf {
  readonly stores: readonly Store[];
  readonly helm: FoundHelm;
  readonly metrics: ChartSyncMetrics;
  readonly isHeld: (resource: DeclaredRelease) => boolean;
  /** The decision that made the engine act on a release, where one did. */
  readonly behind: (resource: DeclaredRelease) => CausingDecision | undefined;
  readonly gates: Gates;
  readonly grants: GrantPort;
  /** Since when a namespace is being deleted; undefined where it is not. */
  readonly namespaceDeletedAt: (namespace: string) => Instant | undefined;
  /** Has a resource looked at by the queue. */
  readonly enqueue: (resource: DeclaredRelease, by: Trigger) => void;
}

/** What waits takes next to none; rendering ten thousand templates takes some seconds. */
const HELM_PROCESSOR_MS = 120_000;

/** Puts git, Helm and the cluster behind the ports of chart sync. */
export function createSessionComponents(
  deps: EngineDeps,
  options: ChartSyncOptions,
  { stores, helm: found, metrics, isHeld, behind, gates, grants, namespaceDeletedAt, enqueue }: PartsOf,
): SessionComponents {
  const { cluster, clock, log } = deps;
  const { identities, folder } = options;
  const ending = new AbortController();
  const decoder = new Decoder();
  const clusterFor = (who: Impersonation) => identities.clusterFor(who);
  const storage = new HelmStorage(cluster, decoder);
  const kept = new ComparisonDigests({ file: path.join(folder, 'equal.json'), clock, log });
  const stored = new StoredReleases({ informers: deps.informers, stores });
  const live = new LiveObjects({ storage, clusterFor, cluster, clock });
  const copies = new LiveCopies({ informers: deps.informers, places: stored.places, clock });
  const drift = new Drift({ objects: live, copies, clusterFor });
  const objects: ObjectsPort = {
    mark: (act, mark) => withoutValues(storage, act, () => live.mark(act, mark)),
    readMark: (act, annotation) => live.readMark(act, annotation),
    findDrift: (act) => drift.find(act),
    correctDrift: (act, deviations) => withoutValues(storage, act, () => drift.correct(act, deviations)),
  };
  const resources = new Resources({ ...deps, clusterFor, stores });
  const driftWatch = new DriftWatch({
    ...deps,
    drift,
    copies,
    stored,
    stores,
    resources,
    journal: options.journal,
    enqueue: (resource) => enqueue(resource, 'drift'),
  });
  const sources = openSources(deps, { options, readData: resources.readData.bind(resources), signal: ending.signal });
  const { mirror, dependencies } = sources;
  const homes = {
    folder: path.join(folder, 'helm'),
    slots: new Semaphore(options.helmAtOnce, metrics.waiting),
    dryRunSlots: new Semaphore(1),
    maxMemory: options.helmMemory,
    maxProcessorMs: HELM_PROCESSOR_MS,
    signal: ending.signal,
  };
  const helm = new HelmBinary({
    found,
    storage,
    stored,
    decoder,
    identities,
    dependencies,
    hasNamespace: async (name) => (await ignoreNotFound(cluster.get({ ...KINDS.namespace, name }))) !== undefined,
    works: options.journal.works,
    ran: metrics.ran,
    clock,
    ...homes,
  });
  mirror.onSignal(() => metrics.fetched(clock.now() / 1000));
  options.journal.followMirrors(sources.mirrors);
  metrics.followMirrors(() =>
    sources.mirrors().map(({ state, since, fetchedAt }) => ({ state, ageMs: clock.now() - (fetchedAt ?? since) })),
  );
  const values = {
    readData: resources.readData.bind(resources),
    fetchText: (url: string) => fetchText(options.outbound, url, ending.signal),
    // Whoever names the file says that the chart does not hold it.
    readChartFile: async ({ folder: chart }: { readonly folder: string }, file: string) =>
      readChartText(path.join(chart, file), { within: file, maxBytes: MAX_VALUES }),
    readLongValues: options.readLongValues,
  };
  const review = createAccessReviewer(cluster, clock);
  const { branch, chartsPath, logDiffs, alwaysCompare, intervalMs, listTimeoutMs, mirrorsBytes: exportsBytes } = options;
  const loops = { branch, chartsPath, logDiffs, alwaysCompare, intervalMs, listTimeoutMs, exportsBytes };
  const config = { ...loops, updateDeps: { base: false, extended: true } };
  const origin = { mirror, sources: sources.charts, branch, chartsPath };
  const commitOf = async (resource: DeclaredRelease, revision: string, signal: AbortSignal) =>
    commitAt(commitSourceOf(resource, origin), revision, signal);
  const notes = new ReconcileRecorder({
    ...deps,
    journal: options.journal,
    helm,
    resources,
    identities,
    behind,
    commitOf,
    signal: ending.signal,
  });
  const memoize = memoizeFor<readonly FetchedDependency[] | undefined>(options.pollMs, clock);
  const dependenciesOf = createDependencyFinder({ helm, updateDeps: config.updateDeps, memoize });
  const releasedAt = (resource: DeclaredRelease) => readReleasedCommit(resource, helm);
  const gate = new CommitGate({ gates, ...origin, dependenciesOf, releasedAt, clock, log });
  const lookAtCommits = (resource: DeclaredRelease, commits: readonly string[]) =>
    gate.lookAtAll(resource, { commits, approved: gates.of(resource)?.approved?.commit }, ending.signal);
  const approvable = (resource: DeclaredRelease, { isWhole, ...asked }: RequestedCommit, signal = ending.signal) => {
    const at = { ...asked, approved: gates.of(resource)?.approved?.commit };
    return isWhole ? gate.approvable(resource, at, signal) : gate.look(resource, at, signal);
  };
  const planner = new ReleasePlanner({ helm, live, identities, key: options.valuesKey });
  const plans = new PreviewedPlans({ planner, resources, helm, cluster, record: deps.record, clock, signal: ending.signal });
  const notify = (told: CancelReport) => {
    metrics.looked(told);
    const lostBranch = isGone(told) ? undefined : goneBranchOf(told.resource, origin);
    notes.take(lostBranch === undefined ? told : { ...told, lostBranch });
  };
  const sync = new ChartSync({
    mirror,
    mirrorLookOf: sources.mirrorLookOf,
    isComing: sources.isComing,
    noteNextFetch: (resource, next) => options.journal.noteNextFetch(resource.at, next),
    sources: sources.charts,
    helm,
    objects,
    resources,
    values,
    isHeld,
    gate,
    plans,
    grants,
    namespaceDeletedAt,
    kept,
    config,
    clock,
    log,
    notify,
  });
  return {
    mirror,
    stored,
    renderDesk: new ChartRenderer({
      ...origin,
      helm,
      live,
      values,
      planner,
      gate,
      lookAtCommits,
      approvable,
      grants,
      updateDeps: config.updateDeps,
      clock,
      signal: ending.signal,
    }),
    sync,
    recoverFromCrash: () =>
      recoverFromCrash({ folder, helm, sync, storage, declared: stores.flatMap((store) => store.list().map(readDeclared)), clock, log }),
    lookAtCommit: (resource, commit) => approvable(resource, { commit, isWhole: false }),
    approvable: (resource, commit) => approvable(resource, { commit, isWhole: true }),
    refresh: sources.refresh,
    missingRollbackRight: ({ release, onBehalfOf }, back, actor) =>
      missingRollbackRight({ release, onBehalfOf }, back, { actor, deps: { objects: live, clusterFor, review } }),
    readHistory: (release) => storage.readHistory(release),
    ungranted: (resource) => grants.why(resource),
    lackedStorageRight: async ({ release }, { user, groups = [] }) => {
      const right = { verb: 'update', group: '', resource: 'secrets', namespace: release.namespace };
      return (await review({ user, groups }, right)) ? undefined : describeRight(right);
    },
    markFailed: ({ release, onBehalfOf }, revision) => markFailed(release, revision, { cluster: clusterFor(onBehalfOf), clock }),
    cancel: createCancel({ helm, works: options.journal.works, cancels: sync.cancels, resources, notify, log }),
    inheritedSince: ({ release }) => inheritedSince(options.journal.works.of(release)),
    undeclared: createUndeclaredActs({ helm, storage, live, cluster, clusterFor, accountOf: identities.accountOf, review, grants }),
    onFetched: sources.onFetched,
    passed: metrics.passed,
    isComing: sources.isComing,
    watchDrift: () => driftWatch.start(),
    endProcesses: () => ending.abort(new Interrupted('interrupted, since the server that ran it stopped acting on releases')),
    [Symbol.asyncDispose]: async () => {
      ending.abort(new Error('chart sync ended'));
      options.journal.followMirrors(() => []);
      metrics.followMirrors(() => []);
      await driftWatch[Symbol.asyncDispose]();
      copies[Symbol.dispose]();
      await notes[Symbol.asyncDispose]();
      await kept[Symbol.asyncDispose]();
      await sources[Symbol.asyncDispose]();
      stored[Symbol.dispose]();
      await decoder[Symbol.asyncDispose]();
    },
  };
}
