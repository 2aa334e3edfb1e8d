import { messageOf } from '@/lib/contract/app-error';
import type { Instant } from '@/lib/std/instant';
import type { Clock, Log } from '@/server/platform';
import { withTimeout } from '@/server/platform';
import { BaseReleases } from '../base/base-releases';
import { BASE_ROLLBACK } from '../base/base-request';
import { ComparisonCache } from '../compare/comparison-cache';
import type { ComparisonDigests } from '../compare/comparison-digests';
import type { CancelReport } from '../decisions/cancellations';
import { Cancellations } from '../decisions/cancellations';
import { confirmDeleted } from '../deletion/confirm-deleted';
import { ExtendedDeletion } from '../deletion/extended-deletion';
import { GitCharts } from '../exports/git-charts';
import { PinnedExports } from '../exports/pinned-exports';
import type { MirrorView } from '../git/mirror-state';
import type { DeclaredRelease, ExtendedRelease } from '../model/declared';
import type { RevisionEntry } from '../model/release';
import { releaseKey } from '../model/release';
import { readRevisionSource } from '../model/revision-source';
import type { ChartSources, GatePort, GitQueries, GrantPort, HelmPort, ObjectsPort, PlanPort, ResourcePort, Trigger } from '../ports';
import { Interrupted } from '../process/interrupted';
import { ExtendedReleases } from '../sync/extended-releases';
import type { ValuesReader } from '../values/resolve';
import type { PassResult } from './change-loop';
import { ChangeLoop } from './change-loop';
import { refusalOf } from './claims';
import { BoundedReconciles, KeyedMutex } from './keyed-mutex';
import { runStatusPass } from './status-pass';
import { WorkingCopies } from './working-copies';

export interface ChartSyncDeps {
  /** The mirror of the repository that the base kind takes its charts from. */
  readonly mirror: GitQueries;
  /** How the mirror is that a resource takes its chart from; undefined where there is none yet, or nobody tells. */
  readonly mirrorLookOf?: (resource: DeclaredRelease) => MirrorView | undefined;
  /** Whether the chart of a resource is being fetched for the first time, which may take a while and is no failure. */
  readonly isComing?: (resource: ExtendedRelease) => boolean;
  /** Hears when a repository that cannot be fetched is tried again. */
  readonly noteNextFetch?: (resource: DeclaredRelease, next: Instant | undefined) => void;
  readonly sources: ChartSources;
  readonly helm: HelmPort;
  readonly objects: ObjectsPort;
  readonly resources: ResourcePort;
  readonly values: ValuesReader;
  /** Whether a person holds the release of a resource where it is; throws while nobody can tell. */
  readonly isHeld: (resource: DeclaredRelease) => boolean;
  readonly gate: GatePort;
  readonly plans: PlanPort;
  readonly grants: GrantPort;
  /** Since when a namespace is being deleted; undefined where it is not. */
  readonly namespaceDeletedAt: (namespace: string) => Instant | undefined;
  /** Where it is kept what releases were found equal to; in memory where none is given. */
  readonly kept?: ComparisonDigests;
  readonly config: ChartSyncConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly notify: (told: CancelReport) => void;
}

export interface ChartSyncConfig {
  readonly branch: string;
  readonly chartsPath: string;
  readonly logDiffs: boolean;
  readonly updateDeps: { readonly base: boolean; readonly extended: boolean };
  /** Compares by a dry run also where nothing moved since the last comparison. */
  readonly alwaysCompare: boolean;
  /** How much exports for the later kind may take on disk together. */
  readonly exportsBytes: number;
  /** How often the schedule looks at every release. */
  readonly intervalMs: number;
  /** How long the listing of one pass may take. */
  readonly listTimeoutMs: number;
}

/** Both profiles over one set of resources: what the schedule, signals, resources and deletions do. Nothing runs by itself. */
export class ChartSync {
  readonly cancels: Cancellations;
  readonly #deps: ChartSyncDeps;
  readonly #exclusion = new KeyedMutex();
  readonly #patience: BoundedReconciles;
  readonly #copies: WorkingCopies;
  readonly #held: PinnedExports;
  readonly #base: BaseReleases;
  readonly #charts: GitCharts;
  readonly #extended: ExtendedReleases;
  readonly #deletion: ExtendedDeletion;
  readonly #loop: ChangeLoop;
  readonly #started: Promise<boolean>;
  #notifyStarted: (runs: boolean) => void = () => undefined;
  readonly #stopping = new AbortController();
  #runs = false;

  constructor(deps: ChartSyncDeps) {
    this.#deps = deps;
    this.#started = new Promise((resolve) => {
      this.#notifyStarted = resolve;
    });
    const { config, clock, log } = deps;
    const failed = (resource: string, error: unknown) =>
      log.warn({ resource, error: messageOf(error) }, 'a periodic check failed after its pass had moved on');
    this.#patience = new BoundedReconciles({ clock, failed });
    this.cancels = new Cancellations(deps.helm);
    const equal = new ComparisonCache({ ...deps, isOn: !config.alwaysCompare, intervalMs: config.intervalMs });
    const shared = {
      ...deps,
      cancels: this.cancels,
      notify: this.cancels.hearing(deps.notify),
      equal,
      exclusion: this.#exclusion,
      refusalOf: (resource: DeclaredRelease) => refusalOf(resource, deps.resources),
    };
    this.#copies = new WorkingCopies(deps);
    this.#held = new PinnedExports(deps);
    const { signal } = this.#stopping;
    this.#base = new BaseReleases({
      ...shared,
      copies: this.#copies,
      held: this.#held,
      signal,
      config: { ...config, updateDeps: config.updateDeps.base },
    });
    this.#charts = new GitCharts({
      ...deps,
      isGated: (resource) => deps.gate.isGated(resource),
      defaultRef: config.branch,
      maxExportsBytes: config.exportsBytes,
    });
    const extended = { ...shared, charts: this.#charts, updateDeps: config.updateDeps.extended };
    this.#extended = new ExtendedReleases(extended);
    this.#deletion = new ExtendedDeletion(extended);
    this.#loop = new ChangeLoop({
      ...deps,
      ...config,
      copies: this.#copies,
      releases: this.#base,
      patience: this.#patience,
      listAll: (signal) => this.#listAll(signal),
    });
  }

  /** The commit that the base kind is at; undefined before the start. */
  get revision(): string | undefined {
    return this.#copies.revision;
  }

  /** Pins the branch head for the base kind. A failure is fatal for that, and is thrown (R-LOOP-1, R-LOOP-7); whoever offers to may try again. */
  async start(): Promise<void> {
    try {
      await this.#loop.start(this.#stopping.signal);
      this.#runs = true;
    } finally {
      this.#notifyStarted(this.#runs);
    }
  }

  /** The periodic pass: every resource, one after the other (R-LOOP-2, R-LOOP-10). A Helm that hangs on one keeps it from no other. */
  async runSchedule(): Promise<PassResult> {
    const { signal } = this.#stopping;
    if (signal.aborted) return { error: undefined };
    try {
      const all = await this.#listAll(signal);
      await this.#deps.sources.keep(all.filter(isExtended), (folder) => this.#charts.exports.isRead(folder));
      for (const resource of all) {
        if (signal.aborted) break;
        await this.#patience.look(resource, signal, async () => {
          if (resource.profile === 'extended') {
            if (this.#deps.isComing?.(resource) !== true) await this.#extended.sync(resource, 'schedule', signal);
          } else if (this.#runs) await this.#base.reconcile(resource, 'schedule');
        });
      }
      return { error: undefined };
    } catch (error) {
      this.#deps.log.error({ error: messageOf(error) }, 'could not list the resources; the next pass retries');
      return { error: messageOf(error) };
    }
  }

  /** The signal of the base kind's mirror: takes what it fetched. */
  async takeChange(): Promise<PassResult> {
    if (!this.#runs || this.#stopping.signal.aborted) return { error: undefined };
    return this.#loop.takeChange(this.#stopping.signal);
  }

  /** Signals of mirrors of the later kinds: the resources that are to be looked at now. */
  async touched(mirrors: ReadonlySet<string>): Promise<readonly ExtendedRelease[]> {
    return this.#concerned((resources, signal) => this.#charts.takeSignal(resources, mirrors, signal));
  }

  /** The resources that could not be given a chart while these mirrors could not be asked: they need not wait for the next pass. */
  async withoutChart(mirrors: ReadonlySet<string>): Promise<readonly ExtendedRelease[]> {
    return this.#concerned((resources) => this.#charts.withoutChart(resources, mirrors));
  }

  async #concerned(
    find: (resources: readonly ExtendedRelease[], signal: AbortSignal) => readonly ExtendedRelease[] | Promise<readonly ExtendedRelease[]>,
  ): Promise<readonly ExtendedRelease[]> {
    const { signal } = this.#stopping;
    if (signal.aborted) return [];
    try {
      return await find((await this.#listAll(signal)).filter(isExtended), signal);
    } catch (error) {
      this.#deps.log.warn({ error: messageOf(error) }, 'could not list the resources that a signal concerns');
      return [];
    }
  }

  /** Looks at one resource because it is new, changed, or was touched by commits. Work of the base kind waits for the start. */
  async reconcile(resource: DeclaredRelease, by: Trigger = 'resource'): Promise<void> {
    const { signal } = this.#stopping;
    if (resource.profile === 'extended') return signal.aborted ? undefined : this.#extended.sync(resource, by, signal);
    if ((!this.#runs && !(await this.#started)) || signal.aborted) return;
    await this.#base.reconcile(resource, by);
    // Also after a failure, as this kind always did; what failed stands in the log and on the page (R-CR-4).
    const { resources, log } = this.#deps;
    await resources
      .recordEvent(resource.at, {
        type: 'Normal',
        reason: 'ChartSynced',
        message: 'Chart managed by FluxHelmRelease processed successfully',
      })
      .catch((error: unknown) => log.warn({ resource: resource.key, error: messageOf(error) }, 'could not record the event'));
  }

  /** Brings a gated release to the commit that was just approved for it. */
  async releaseApproved(resource: DeclaredRelease): Promise<void> {
    const { signal } = this.#stopping;
    if (signal.aborted) return;
    if (resource.profile === 'extended') await this.#extended.sync(resource, 'decision', signal);
    else await this.#base.releaseApproved(resource);
  }

  /** Goes back to a stored revision once `mayBegin` says so, alone on the release: what it says counts for the loops that come after. */
  async rollback(resource: DeclaredRelease, to: number, mayBegin: (history: readonly RevisionEntry[]) => Promise<boolean>): Promise<void> {
    const { helm, objects } = this.#deps;
    const notify = this.cancels.hearing(this.#deps.notify);
    const act = { release: resource.release, onBehalfOf: resource.onBehalfOf };
    await this.#exclusion.run(releaseKey(resource.release), async () => {
      if (!(await mayBegin(await helm.readHistory(resource.release)))) return;
      try {
        // Before Helm goes back: the older revision may be the one that it drops then.
        const revision = await readRevisionSource(helm, resource.release, to).catch(() => undefined); // told as unknown
        await helm.rollback(act, to, resource.profile === 'extended' ? resource.spec.rollback : BASE_ROLLBACK);
        await objects.mark(act, resource.mark);
        notify({ resource, by: 'decision', revision, outcome: 'rolled-back' });
      } catch (error) {
        notify({ resource, by: 'decision', revision: undefined, outcome: 'failed', error: messageOf(error) });
        throw error;
      }
    });
  }

  /** Runs a task while nothing else is done to the release. */
  alone<Result>({ release }: Pick<DeclaredRelease, 'release'>, task: () => Promise<Result>): Promise<Result> {
    return this.#exclusion.run(releaseKey(release), task);
  }

  /** Uninstalls what a resource that is gone declared; one that is there after all, since what told so was not whole, keeps its release. */
  async delete(resource: DeclaredRelease): Promise<void> {
    const confirm = () => confirmDeleted(resource, { ...this.#deps, signal: this.#stopping.signal });
    if (resource.profile === 'extended') await this.#deletion.delete(resource, confirm);
    else await this.#base.delete(resource, confirm);
  }

  /** Uninstalls what a deleted resource declared that waits for it, and lets it go; `again` where this is not the moment. Throws for what failed. */
  async finalize(resource: ExtendedRelease): Promise<'over' | 'again'> {
    return this.#stopping.signal.aborted ? 'again' : this.#deletion.finalize(resource);
  }

  /** Writes what Helm stores of every release to its resource. */
  async writeStatuses(): Promise<void> {
    const { signal } = this.#stopping;
    if (signal.aborted) return;
    const notTaken = ({ profile }: DeclaredRelease) => (profile === 'base' ? this.#loop.notTaken : undefined);
    await runStatusPass({ ...this.#deps, notTaken, listAll: () => this.#listAll(signal) }, signal);
  }

  /** Ends the schedule and the signals; what is being released is finished first (R-LOOP-9). */
  async stop(): Promise<void> {
    this.#stopping.abort(new Interrupted('chart sync is stopping'));
    this.#notifyStarted(false);
    await this.#exclusion.idle();
    await this.#copies.clear();
    await this.#held.clear();
    await this.#charts.clear();
  }

  async #listAll(signal: AbortSignal): Promise<readonly DeclaredRelease[]> {
    const { resources, clock, config } = this.#deps;
    return withTimeout({ clock, ms: config.listTimeoutMs, signal, what: 'listing the resources' }, async (limit) => {
      const all: DeclaredRelease[] = [];
      for (const namespace of await resources.listNamespaces(limit)) all.push(...(await resources.listResources(namespace, limit)));
      return all;
    });
  }
}

function isExtended(resource: DeclaredRelease): resource is ExtendedRelease {
  return resource.profile === 'extended';
}
