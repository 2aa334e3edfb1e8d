import type { ApplicationRow } from '@/lib/contract/application-rows';
import type { FluxSourceRow } from '@/lib/contract/flux-rows';
import type { Keyed } from '@/lib/contract/live';
import { releaseKindOf } from '@/lib/contract/release-kind';
import type { ReleaseRow } from '@/lib/contract/release-rows';
import type { RolloutRow } from '@/lib/contract/rollout-rows';
import type { StrayRow, TrackerRow } from '@/lib/contract/tracker-rows';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey, TypeRef } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { TrackerEntry } from '@/server/dispatch';
import type { Clock, FaultIsolation, Log, Release } from '@/server/platform';
import type { LiveStatus } from '@/server/status';
import { isSameStatus, WatchedSets } from '@/server/status';
import type { FactsDeps } from './applications/application-facts';
import { gatherFacts } from './applications/application-facts';
import { toApplicationRow } from './applications/application-row';
import { deciderOf } from './applications/decider';
import { brokenApplicationRow, brokenReleaseRow, brokenRolloutRow, brokenStrayRow, brokenTrackerRow } from './broken-rows';
import type { ViewChange } from './cluster-view';
import { APP_INDEX, applicationKeys, kindKey } from './cluster-view';
import type { Flux } from './flux/flux';
import type { AskOwnUser } from './own-user';
import { learnOwnUser } from './own-user';
import type { Releases } from './releases/describe';
import { toReleaseRow } from './releases/release-row';
import type { ReadScales } from './rollouts/describe';
import { toRolloutRow } from './rollouts/rollout-row';
import { sampleScales } from './rollouts/sample-scales';
import type { ScaleHistory } from './rollouts/scale-history';
import { RowTable } from './row-table';
import { isStrayCandidate, mayHoldStrays, strayKey, strayObject, toStrayRow } from './trackers/stray-row';
import { toTrackerRow } from './trackers/tracker-row';

const TRACKER = kindKey(KINDS.resourceTracker);
const APPLICATION = kindKey(KINDS.application);
const ROLLOUT = kindKey(KINDS.rolloutOrchestrator);
const AUTOSCALER = kindKey(KINDS.stagePodAutoscaler);
const RELEASE_DECISION = kindKey(KINDS.releaseDecision);

/** The rows of all lists, kept up to date by what changes in the cluster. */
export interface Tables {
  readonly applications: RowTable<ApplicationRow>;
  readonly rollouts: RowTable<RolloutRow>;
  readonly releases: RowTable<ReleaseRow>;
  readonly trackers: RowTable<TrackerRow>;
  readonly strays: RowTable<StrayRow>;
  /** Releases that Flux drives, and where it gets charts from. */
  readonly fluxReleases: RowTable<ReleaseRow>;
  readonly fluxSources: RowTable<FluxSourceRow>;
  /** Whom the API server takes this server for; undefined until it has answered. */
  readonly ownUser: () => string | undefined;
  /** Computes every row that was touched, table by table; rejects with the signal's reason when it aborts. */
  complete(signal: AbortSignal): Promise<void>;
  /** Stops listening and computing. */
  release(): void;
}

interface TablesDeps extends FactsDeps {
  readonly status: Pick<LiveStatus, 'subscribe'>;
  readonly history: ScaleHistory;
  readonly seeScales: ReadScales;
  readonly releases: Releases;
  readonly flux: Pick<Flux, 'releases' | 'sources'>;
  readonly clock: Clock;
  readonly contain: FaultIsolation;
  readonly ownUser: AskOwnUser;
  readonly log: Log;
}
type Rows = Pick<Tables, 'applications' | 'rollouts' | 'releases' | 'trackers' | 'strays'>;

/** Builds the tables; every change of the cluster touches the rows that rest on it, and nothing else. */
export function createTables(deps: TablesDeps): Tables {
  const { view, clock, contain } = deps;
  /** Rows of one kind, each made by itself: of an object that makes it fail there is a row that says so. */
  const rowsOf = <Row extends Keyed>(
    kind: TypeRef,
    make: (key: string) => Row | undefined,
    broken: (object: KubeObject, why: string) => Row,
  ) =>
    new RowTable((key) => {
      const object = view.get(kind, key);
      const subject = { what: 'row', kind: kind.kind, key, version: object?.metadata.resourceVersion } as const;
      return contain.attempt(
        subject,
        () => make(key),
        (why) => object && broken(object, why),
      );
    }, clock);
  const own = learnOwnUser(deps.ownUser, deps, () => touchDecided(applications));
  const make = makersOf(deps, own.user);
  const applications = rowsOf(KINDS.application, make.application, brokenApplicationRow);
  const rollouts = rowsOf(KINDS.rolloutOrchestrator, make.rollout, brokenRolloutRow);
  const trackers = rowsOf(KINDS.resourceTracker, make.tracker, brokenTrackerRow);
  const releases = releaseTable(deps);
  const strays = strayTable(deps);
  const rows: Rows = { applications, rollouts, releases, trackers, strays };
  const { releases: fluxReleases, sources: fluxSources } = deps.flux;
  const tables = [applications, rollouts, releases, trackers, strays, fluxReleases, fluxSources];
  const unlisten = listen(rows, deps);
  const unlistenReleases = listenReleases(releases, deps);
  const unsample = sampleScales({
    onTouch: (listener) => rollouts.onTouch(listener),
    seeScales: deps.seeScales,
    history: deps.history,
    clock,
  });
  return {
    ...rows,
    fluxReleases,
    fluxSources,
    ownUser: own.user,
    async complete(signal) {
      for (const table of tables) await table.whenComplete(signal);
    },
    release() {
      own.release();
      unlisten();
      unlistenReleases();
      unsample();
      for (const table of tables) table.release();
    },
  };
}

/** Rows by their keys; undefined where there is no such object. */
function makersOf(deps: TablesDeps, ownUser: () => string | undefined) {
  return {
    application: (key: string) => {
      const facts = gatherFacts(key, deps);
      return facts && { ...toApplicationRow(facts), ...deciderOf(facts, key, { ...deps, ownUser }) };
    },
    rollout: (key: string) => {
      const rollout = deps.seeRollout(key);
      return rollout && toRolloutRow(rollout);
    },
    tracker: (key: string) => {
      const tracker = deps.view.get(KINDS.resourceTracker, key);
      return tracker && toTrackerRow(tracker, deps);
    },
  };
}

/** Computes once more whom those rows name that wait for somebody. */
function touchDecided(applications: RowTable<ApplicationRow>): void {
  for (const [key, { decider }] of applications.rows()) if (decider !== undefined) applications.touch(key);
}

/** Rows of strays: their key names the kind as well, since objects of any kind may be some. */
function strayTable(deps: TablesDeps): RowTable<StrayRow> {
  return new RowTable((key) => {
    const object = strayObject(key, deps.view);
    const subject = { what: 'row', kind: object?.kind ?? '', key, version: object?.metadata.resourceVersion } as const;
    return deps.contain.attempt(
      subject,
      () => toStrayRow(key, deps),
      (why) => object && brokenStrayRow(object, key, why),
    );
  }, deps.clock);
}

/** Rows of releases: their key names the kind as well, since two kinds declare them. */
function releaseTable({ releases, contain, clock }: TablesDeps): RowTable<ReleaseRow> {
  return new RowTable((page) => {
    const object = releases.objectOf(page);
    const subject = { what: 'row', kind: object?.kind ?? '', key: page, version: object?.metadata.resourceVersion } as const;
    return contain.attempt(
      subject,
      () => {
        const listed = releases.list(page);
        return listed && toReleaseRow(listed);
      },
      (why) => object && brokenReleaseRow(object, why),
    );
  }, clock);
}

/** Touches rows of releases as their resources change, and those that name the same release, and as loops look at them. */
function listenReleases(table: RowTable<ReleaseRow>, { view, releases }: TablesDeps): Release {
  const releaseReconciles = releases.onReconcile((page) => table.touch(page));
  const releaseChange = view.onChange(({ type, before, after }) => {
    if (kindKey(type) === RELEASE_DECISION) {
      for (const decision of [before, after]) if (decision !== undefined) table.touch(releases.pageOfDecision(decision));
    }
    if (releaseKindOf(type) === undefined) return;
    const pages = [before, after].flatMap((object) => (object === undefined ? [] : releases.pagesOf(object)));
    for (const page of new Set(pages)) table.touch(page);
  });
  return () => {
    releaseReconciles();
    releaseChange();
  };
}

/** Touches rows as the cluster changes, until it is released. */
function listen({ applications, rollouts, trackers, strays }: Rows, deps: TablesDeps): Release {
  const { view, tracked, history, status, clock } = deps;
  const touchStrays = (objects: Iterable<KubeObject>) => {
    for (const object of objects) if (isStrayCandidate(object)) strays.touch(strayKey(object));
  };
  const touchListed = (entries: readonly TrackerEntry[]) => {
    for (const entry of entries) {
      const object = view.get(entry, toObjectKey(entry));
      if (object !== undefined && isStrayCandidate(object)) strays.touch(strayKey(object));
    }
  };
  const touchApplication = (key: ObjectKey) => {
    applications.touch(key);
    if (view.get(KINDS.rolloutOrchestrator, key) !== undefined) rollouts.touch(key);
    for (const tracker of tracked.trackersOf(key)) trackers.touch(tracker.metadata.name ?? '');
  };
  // What is well and was not read by any row changes none; what is not there is read by none either.
  const watched = new WatchedSets(status, (key, told, before) => {
    if (before === undefined ? told.status !== 'Current' : !isSameStatus(before, told)) touchApplication(key);
  });
  const unwatched = new Set<ObjectKey>();
  let cancelWatching: Release | undefined;
  const watchNext = () => {
    cancelWatching = undefined;
    const [key] = unwatched;
    if (key === undefined) return;
    unwatched.delete(key);
    watched.set(
      key,
      tracked.trackersOf(key).flatMap(({ metadata }) => tracked.entriesOf(metadata.name ?? '')),
    );
    touchApplication(key); // a row that was read before had nobody to hear of what changed since
    if (unwatched.size > 0) cancelWatching = clock.schedule(0, watchNext);
  };
  // A record of thousands takes a turn of its own, beside the one that its change takes.
  const watchListed = (tracker: KubeObject | undefined) => {
    for (const key of tracker === undefined ? [] : applicationKeys(tracker)) unwatched.add(key);
    cancelWatching ??= clock.schedule(0, watchNext);
  };

  const hearTracker = (change: ViewChange) => {
    touchListed(tracked.observe(change));
    for (const tracker of [change.before, change.after]) watchListed(tracker);
    trackers.touch(change.key);
  };

  // Whether what we do not find is absent or unknown depends on how its kind is watched.
  const releaseHealth = view.onHealth((type) => {
    for (const key of tracked.lacking(type)) touchApplication(key);
    // While the trackers or the applications are being listed, nothing is called a stray.
    if (kindKey(type) !== TRACKER && kindKey(type) !== APPLICATION) return;
    for (const store of view.stores()) if (mayHoldStrays(store.scope)) touchStrays(store.list());
  });
  const releaseChange = view.onChange((change) => {
    const kind = kindKey(change.type);
    if (kind === TRACKER) hearTracker(change);
    if (kind === APPLICATION && (change.before === undefined) !== (change.after === undefined))
      for (const store of view.stores()) if (mayHoldStrays(store.scope)) touchStrays(store.byIndex(APP_INDEX, change.key));
    touchStrays([change.before, change.after].flatMap((object) => object ?? []));
    if (kind === AUTOSCALER && change.after === undefined) history.gone(change.key);
    if (kind === ROLLOUT) rollouts.touch(change.key);
    for (const key of affected(kind, change, deps)) touchApplication(key);
  });
  return () => {
    releaseHealth();
    releaseChange();
    cancelWatching?.();
    watched.release();
  };
}

/** Keys of the applications whose rows rest on a changed object. */
function affected(kind: string, change: ViewChange, { tracked }: FactsDeps): ReadonlySet<ObjectKey> {
  const keys = new Set<ObjectKey>();
  if (kind === APPLICATION || kind === ROLLOUT) keys.add(change.key);
  for (const object of [change.before, change.after]) {
    if (object === undefined) continue;
    for (const key of applicationKeys(object)) keys.add(key);
  }
  const present = change.after ?? change.before;
  if (present !== undefined) for (const key of tracked.applicationsOf(change.type, present)) keys.add(key);
  return keys;
}
