import { AppError, messageOf } from '@/lib/contract/app-error';
import { readString } from '@/lib/kube/fields';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Difference } from '../compare/compare-release';
import { compareRelease } from '../compare/compare-release';
import { digestValues } from '../compare/values-digest';
import { Cancelled } from '../decisions/cancelled';
import { contentDigest } from '../gate/chart-identity';
import type { Attempted } from '../gate/pinned';
import { pulledChange } from '../gate/pinned';
import type { DeclaredRelease, ExtendedRelease } from '../model/declared';
import { withLatestSpec } from '../model/declared';
import type { ChartAt, StoredRevision } from '../model/release';
import { releaseKey } from '../model/release';
import type { ReleaseRequest, SkippedRun, SyncReport, Trigger } from '../ports';
import type { SyncDecision } from './decide-sync';
import { decideSync, withCause } from './decide-sync';
import { syncDrift } from './drift';
import { ensureFinalizer } from './ensure-finalizer';
import { extendedRequest } from './extended-request';
import type { Run } from './run-release';
import { runRelease } from './run-release';
import { StatusDraft } from './status-draft';
import type { ExtendedDeps, Plan, Sync } from './sync';
import { attemptedOf, isReported, isUntold, noteDigest, settle, staysRolledBack } from './sync';
import type { Decided } from './tell-sync';
import { eventOf, tellSync } from './tell-sync';
import { waitReason } from './wait-reason';

/** What a sync came to; it throws for what failed. */
type Outcome =
  | SkippedRun
  | { readonly outcome: 'waits'; readonly error: string }
  | { readonly outcome: 'put-back'; readonly putBack: string }
  | { readonly outcome: Exclude<SyncReport['outcome'], 'failed' | 'remediated' | 'waits' | 'put-back' | SkippedRun['outcome']> };

/** What the engine does with one release of the later kinds (spec/chartsync 12.4). */
export class ExtendedReleases {
  readonly #deps: ExtendedDeps;

  constructor(deps: ExtendedDeps) {
    this.#deps = deps;
  }

  /** Brings one release in line with its resource. Its failures are told and stand in its status, and are never thrown. */
  async sync(listed: ExtendedRelease, by: Trigger, signal: AbortSignal): Promise<void> {
    if (listed.spec.suspend && listed.hasFinalizer) return; // X-SUSP-1
    const { exclusion, resources, charts, clock, log, notify } = this.#deps;
    await exclusion.run(releaseKey(listed.release), async () => {
      if (signal.aborted || resources.isStopped(listed.at)) return; // that came while it waited for its turn
      const live = await resources.read(listed.at);
      const resource = withLatestSpec(listed, live);
      if (live === undefined || live.isTerminating || resource === undefined) return; // gone while this waited: deleting it is another's work
      const gated =
        resource.spec.suspend || (await this.#isHeld(resource, by, signal)) ? 'passed-over' : await this.#gatedAt(resource, by, signal);
      if (gated === 'passed-over') return ensureFinalizer(resource, this.#deps);
      const draft = new StatusDraft(live.status, clock);
      const flush = async () => {
        const changes = draft.takeChanges();
        if (changes !== undefined) await resources.writeStatus(resource.at, changes);
      };
      const decided: Decided = { rule: undefined, revision: undefined };
      const remediated = (to: string | undefined) => {
        decided.remediated = { revision: to };
      };
      const told = await charts.exports
        .holding((holding) =>
          this.#sync({ resource, by, draft, found: live.status, signal, flush, ...gated, holding, remediated }, decided),
        )
        .catch((error: unknown) => {
          log.warn({ resource: resource.key, error: messageOf(error) }, 'release could not be synced');
          return { outcome: 'failed', error: messageOf(error), isCancelled: error instanceof Cancelled } as const;
        });
      if (told.outcome !== 'plan-moved' && told.outcome !== 'waits') draft.sawGeneration(resource.generation); // nothing of it was done
      draft.set({ releaseName: resource.release.name });
      await flush().catch((error: unknown) => log.warn({ resource: resource.key, error: messageOf(error) }, 'could not write the status'));
      await this.#recordEvent(resource, { ...told, phase: draft.text('phase') });
      const revision = told.outcome === 'failed' ? decided.revision : draft.text('lastAttemptedRevision');
      tellSync({ resource, by, revision, ...told }, decided, notify);
    });
  }

  /** Of a release that a person holds nothing is looked at, and nothing written; so of one of which nobody can tell. */
  async #isHeld(resource: ExtendedRelease, by: Trigger, signal: AbortSignal): Promise<boolean> {
    const { isHeld, gate, notify } = this.#deps;
    const revision = readString(resource.status, 'lastAttemptedRevision');
    try {
      if (!isHeld(resource)) return false;
      const lostCommit = await gate.lostWhileHeld(resource, signal);
      notify({ resource, by, revision, outcome: 'held', ...(lostCommit === undefined ? {} : { lostCommit }) });
    } catch (error) {
      notify({ resource, by, revision, outcome: 'failed', error: messageOf(error) });
    }
    return true;
  }

  /** Before the first approval, and while nobody can tell, nothing is looked at either. */
  async #gatedAt(resource: ExtendedRelease, by: Trigger, signal: AbortSignal): Promise<'passed-over' | Pick<Sync, 'commit'>> {
    const { gate, log, notify } = this.#deps;
    const revision = readString(resource.status, 'lastAttemptedRevision');
    try {
      const commit = await gate.commitFor(resource, signal);
      if (commit !== null) return { commit };
      notify({ resource, by, revision, outcome: 'gated' });
    } catch (error) {
      log.warn({ resource: resource.key, error: messageOf(error) }, 'could not determine which commit the release may use');
      notify({ resource, by, revision, outcome: 'failed', error: messageOf(error) });
    }
    return 'passed-over';
  }

  async #sync(sync: Sync, decided: Decided): Promise<Outcome> {
    const { resource, draft, signal } = sync;
    const ungranted = await this.#deps.grants.why(resource);
    if (ungranted !== undefined) {
      draft.phase('NotGranted', { message: ungranted });
      throw new AppError('forbidden', ungranted);
    }
    const waits = waitReason(resource, (key) => this.#deps.resources.copyOf(resource.at, key));
    if (waits !== undefined) {
      draft.phase('DependencyNotReady', { message: waits });
      return { outcome: 'waits', error: waits };
    }
    const found = await this.#fetchChart(sync);
    const attempted = attemptedOf(draft);
    const allowed = await this.#deps.gate.archiveFor(resource, { found, attempted, isChanged: draft.generation < resource.generation });
    if ('waits' in allowed) {
      draft.phase('ApprovalRequired', { message: allowed.waits });
      return { outcome: 'waits', error: allowed.waits };
    }
    const { chart } = allowed;
    sync.holding.folders.add(chart.folder); // a gate may have chosen another archive than was found
    decided.revision = chart.revision;
    const chartChanged = await this.#changed(resource, { attempted, chart }, signal);
    const wasKept = draft.conditionStatus('ChartFetched') === 'False' || draft.text('phase') === 'ApprovalRequired';
    if (chartChanged === 'yes' || wasKept) draft.phase('ChartFetched');
    try {
      const { request, valuesDigest } = await this.#prepare(resource, chart);
      const refusal = await this.#deps.refusalOf(resource);
      if (refusal !== undefined) throw new AppError('conflict', refusal);
      // Only "not found" means that there is none; anything else ends the sync (X-INST-2).
      const newest = await this.#deps.helm.readNewest(resource.release);
      const foundMark = newest === undefined ? undefined : await this.#deps.objects.readMark(request, resource.mark.annotation);
      const decision = decideSync({ resource, newest, foundMark, chartChanged, valuesDigest, last: lastAttempt(sync, newest) });
      decided.rule = decision.rule;
      // From here on the release is its own: deleting it must not leave that behind.
      if (decision.rule !== 'X-OWN-1' && !resource.hasFinalizer) await this.#deps.resources.addFinalizer(resource.at);
      return await this.#carryOut(sync, decision, { request, valuesDigest, newest, chartChanged });
    } catch (error) {
      if (!isReported(error)) draft.phase('Failed', { message: messageOf(error) });
      throw error;
    }
  }

  async #carryOut(sync: Sync, decision: SyncDecision, plan: Plan): Promise<Outcome> {
    switch (decision.kind) {
      case 'stop':
        throw new AppError(
          'rejected',
          decision.rule === 'X-FAIL-1'
            ? withCause(decision.sentence, { ...sync, ...plan, cancelled: this.#deps.cancels.noteOf(sync.resource) })
            : decision.sentence,
        );
      case 'install':
        return this.#run(sync, { ...plan, action: 'install', kept: decision.kept });
      case 'upgrade':
        return this.#run(sync, { ...plan, action: 'upgrade', kept: false });
      case 'compare':
        return this.#compare(sync, decision.with, plan);
    }
  }

  /** What somebody saw of the change is what is run, or nothing is. */
  async #run(sync: Sync, run: Run): Promise<Outcome> {
    const { resource, by, draft, signal } = sync;
    const hasOtherValues = draft.text('lastAttemptedValues') !== undefined && draft.text('lastAttemptedValues') !== run.valuesDigest;
    const isGated = this.#deps.gate.isGated(resource);
    await this.#deps.cancels.requireNotCancelled(resource, { by, chart: run.request.chart, isGated, hasOtherValues });
    const mayBegin = () => this.#deps.gate.requireCommit(resource, run.request.chart.revision, signal);
    const held = { ...run, request: { ...run.request, mayBegin } };
    const kept = await this.#deps.plans.run(resource, run.request, () => runRelease(sync, held, this.#deps));
    return kept ?? { outcome: run.action === 'install' ? 'installed' : 'upgraded' };
  }

  async #compare(sync: Sync, against: 'newest' | 'failed', plan: Plan): Promise<Outcome> {
    const { resource } = sync;
    const { equal, resources, log } = this.#deps;
    const stored = against === 'newest' ? plan.newest : await this.#newestFailed(resource);
    const isUnmoved = stored !== undefined && (await equal.holds(plan.request, stored));
    const difference = isUnmoved ? undefined : await this.#differs(plan.request, stored, sync.by);
    if (difference === undefined) {
      await this.#deps.plans.clearPreviewedPlan(resource);
      const found = { outcome: isUnmoved ? 'unmoved' : 'equal' } as const;
      return against === 'newest' ? ((await this.#stands(sync, plan)) ?? found) : staysRolledBack(sync, found);
    }
    log.info({ resource: resource.key, differs: difference.kind }, 'release has diverged');
    // The dry run took its time: what it was made for may not be wanted any more (X-SPEC-1).
    const live = await resources.read(resource.at);
    if (live === undefined || !sameSpec(live, resource)) return { outcome: 'dropped' };
    return this.#run(sync, { ...plan, action: 'upgrade', kept: false });
  }

  /** There is nothing to release: what differs in the cluster is looked for, and told where it was put back. */
  async #stands(sync: Sync, { request, chartChanged }: Plan): Promise<Outcome | undefined> {
    const { draft } = sync;
    draft.phase('Succeeded');
    // The chart of the last attempt is what is released; where nobody could tell that one from the present one, they are equal now.
    if (chartChanged === 'unknown') draft.set({ lastAttemptedRevision: request.chart.revision });
    noteDigest(draft, request.chart);
    settle(draft, draft.text('lastAttemptedRevision') ?? request.chart.revision);
    const putBack = await syncDrift(sync, request, this.#deps);
    return putBack === undefined ? undefined : { outcome: 'put-back', putBack };
  }

  async #differs(request: ReleaseRequest, stored: StoredRevision | undefined, by: Trigger): Promise<Difference | undefined> {
    const { helm, equal } = this.#deps;
    if (stored === undefined) return helm.dryRun(request).then(() => undefined);
    const desired = await equal.dryRun(request, stored, by);
    const difference = compareRelease(desired, stored);
    await equal.note(request, stored, difference === undefined);
    return difference;
  }

  /** The newest revision that was not kept: what a rollback went back from (row h). */
  async #newestFailed({ release }: ExtendedRelease): Promise<StoredRevision | undefined> {
    const history = await this.#deps.helm.readHistory(release);
    const entry = history.findLast(({ status }) => status === 'failed' || status === 'superseded');
    return entry === undefined ? undefined : this.#deps.helm.readRevision(release, entry.revision);
  }

  async #fetchChart({ resource, draft, signal, commit, holding }: Sync): Promise<ChartAt> {
    const { charts, sources, helm, gate, updateDeps } = this.#deps;
    const { chart } = resource.spec;
    try {
      if (chart.kind === 'repository') {
        const pulled = await sources.pull(chart, resource.onBehalfOf);
        holding.folders.add(pulled.folder);
        return pulled;
      }
      const found = await charts.chartOf(resource, { chart, commit, holding }, signal);
      if (!updateDeps || chart.skipDepUpdate || !(await helm.lacksDependencies(found))) return found;
      const access = { onBehalfOf: resource.onBehalfOf, secrets: chart.dependencySecrets };
      return await helm.buildDependencies(found, access, gate.dependenciesFor(resource));
    } catch (error) {
      const sentence = `chart not ready: ${messageOf(error)}`;
      draft.phase('ChartFetchFailed', { message: sentence });
      throw new AppError('unavailable', sentence, { cause: error });
    }
  }

  async #changed(
    resource: ExtendedRelease,
    { attempted, chart }: { readonly attempted: Attempted; readonly chart: ChartAt },
    signal: AbortSignal,
  ): Promise<'yes' | 'no' | 'unknown'> {
    if (attempted.revision === undefined) return 'yes';
    if (resource.spec.chart.kind === 'repository') return pulledChange(attempted, chart);
    const commits = await this.#deps.charts.changedSince(resource, { from: attempted.revision, chart }, signal);
    // No commit touched it, but what its dependencies lead to is another chart than the one that was attempted.
    const isOther = attempted.digest !== undefined && attempted.digest !== contentDigest(chart);
    return commits === 'no' && isOther ? 'unknown' : commits;
  }

  async #prepare(resource: ExtendedRelease, chart: ChartAt): Promise<Pick<Plan, 'request' | 'valuesDigest'>> {
    const request = await extendedRequest(resource, chart, this.#deps.values);
    return { request, valuesDigest: digestValues(request.values) };
  }

  async #recordEvent(resource: ExtendedRelease, told: Parameters<typeof eventOf>[1]): Promise<void> {
    const { resources, log } = this.#deps;
    const event = eventOf(resource.release.name, told);
    if (event === undefined) return;
    await resources
      .recordEvent(resource.at, event)
      .catch((failure: unknown) => log.warn({ resource: resource.key, error: messageOf(failure) }, 'could not record the event'));
  }
}

function lastAttempt(sync: Sync, newest: StoredRevision | undefined) {
  const { draft } = sync;
  return {
    isUntold: isUntold(sync, newest),
    observedGeneration: draft.generation,
    valuesDigest: draft.text('lastAttemptedValues'),
    rolledBack: draft.conditionStatus('RolledBack') === 'True',
    rollbackCount: draft.number('rollbackCount') ?? 0,
  };
}

function sameSpec(live: DeclaredRelease, seen: ExtendedRelease): boolean {
  return live.profile === 'extended' && deepEqual(live.spec, seen.spec);
}
