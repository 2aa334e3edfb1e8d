import { AppError, messageOf } from '@/lib/contract/app-error';
import { readString } from '@/lib/kube/fields';
import { compareRelease } from '../compare/compare-release';
import { Cancelled } from '../decisions/cancelled';
import type { PinnedExports } from '../exports/pinned-exports';
import type { BaseRelease } from '../model/declared';
import { withLatestSpec } from '../model/declared';
import type { StoredRevision } from '../model/release';
import { releaseKey } from '../model/release';
import type { ReleaseRequest, ResourcePort, SyncReport, Trigger, WorkingCopy } from '../ports';
import type { ReleasingDeps } from '../releasing-deps';
import { baseRequest } from './base-request';
import type { BaseDecision } from './decide';
import { decideBase, decideDeletion } from './decide';
import type { WorkingCopies } from './working-copies';

export interface BaseDeps extends ReleasingDeps<BaseRelease> {
  readonly resources: Pick<ResourcePort, 'read' | 'isStopped'>;
  readonly copies: WorkingCopies;
  /** What gated releases are compared with. */
  readonly held: PinnedExports;
  /** Ends with the loops. */
  readonly signal: AbortSignal;
  readonly config: BaseConfig;
}

export interface BaseConfig {
  readonly chartsPath: string;
  /** Writes what differs to the log along with the fact, secrets included (R-LOG-1). */
  readonly logDiffs: boolean;
  /** Builds dependencies that are declared and do not lie in the chart. */
  readonly updateDeps: boolean;
}

type Outcome = SyncReport['outcome'];

/** What the base engine does with one release: 1a and 1b of the schedule and of resources, 2 of commits, and deletion. */
export class BaseReleases {
  readonly #deps: BaseDeps;
  /** The commit that this process last released to each. */
  readonly #released = new Map<string, string>();

  constructor(deps: BaseDeps) {
    this.#deps = deps;
  }

  /** Looks at one release and installs or upgrades it where needed (cases 1a and 1b). Its failures are told, never thrown. */
  async reconcile(listed: BaseRelease, by: Trigger): Promise<void> {
    await this.#alone(listed, by, async (resource, copy) => {
      const decision = await this.#decide(resource);
      if (decision.kind === 'compare') return this.#compare(resource, copy, { by, stored: decision.stored });
      if (decision.rule === 'R-1A-3' && this.#isApprovalDue(resource, copy))
        return this.#upgrade(resource, by, () => this.#prepare(resource, copy));
      const told = await this.#install(resource, copy, by);
      // What was cancelled is told in the same words by every look.
      const isBlocked = told.error !== undefined && told.isCancelled !== true && decision.why !== undefined;
      return { rule: decision.rule, ...told, ...(isBlocked ? { error: `${decision.why}: ${told.error}` } : {}) };
    });
  }

  /**
   * Upgrades one release because commits touched its chart, whatever its state; never installs it (R-2-2, R-2-7). No commit is released twice: where a look
   * at the resource came before the pass did, or the branch came back to the commit, the two are compared like at any other time.
   */
  async upgradeForCommit(listed: BaseRelease): Promise<void> {
    await this.#alone(listed, 'commit', async (resource, copy) => {
      const decision = this.#released.get(releaseKey(resource.release)) === copy.revision ? await this.#decide(resource) : undefined;
      if (decision?.kind === 'compare') return this.#compare(resource, copy, { by: 'commit', stored: decision.stored });
      return { rule: 'R-2-2', ...(await this.#upgrade(resource, 'commit', () => this.#prepare(resource, copy))) };
    });
  }

  /** Brings a gated release to the commit that was just approved for it: installs it where there is none, else upgrades it whatever is stored. */
  async releaseApproved(listed: BaseRelease): Promise<void> {
    await this.#alone(listed, 'decision', async (resource, copy) => {
      const newest = await this.#deps.helm.readNewest(resource.release);
      if (newest === undefined) return this.#install(resource, copy, 'decision');
      return this.#upgrade(resource, 'decision', () => this.#prepare(resource, copy));
    });
  }

  /**
   * Uninstalls the release of a resource once it is confirmed as gone. Needs no working copy, and never throws (R-DEL-5). Whoever declares the release anew waits
   * until it has ended, or what they had released would be uninstalled.
   */
  async delete(resource: BaseRelease, confirm: () => Promise<boolean>): Promise<void> {
    const { exclusion, helm, grants, log, notify } = this.#deps;
    const { release } = resource;
    await exclusion.run(releaseKey(release), async () => {
      if (!(await confirm())) return;
      this.#deps.gate.forget(resource);
      await this.#deps.held.release(resource.uid);
      this.#released.delete(releaseKey(release));
      try {
        const ungranted = await grants.why(resource);
        grants.forget(resource);
        if (ungranted !== undefined) throw new AppError('forbidden', ungranted);
        const refusal = await this.#deps.refusalOf(resource);
        if (refusal !== undefined) throw new Error(refusal);
        const decision = decideDeletion(release.name, (await helm.readNewest(release))?.status);
        if (decision.kind === 'refuse') throw new Error(decision.sentence);
        if (decision.kind === 'uninstall') await helm.uninstall(actOf(resource));
        notify({ resource, by: 'deletion', revision: undefined, outcome: decision.kind === 'uninstall' ? 'uninstalled' : 'left' });
      } catch (error) {
        log.warn({ release: releaseKey(release), error: messageOf(error) }, 'Chart release not deleted');
        notify({ resource, by: 'deletion', revision: undefined, outcome: 'failed', error: messageOf(error) });
      }
    });
  }

  async #decide({ release }: BaseRelease): Promise<BaseDecision> {
    const newest = await this.#deps.helm.readNewest(release).catch((error: unknown) => {
      this.#deps.log.debug({ release: releaseKey(release), error: messageOf(error) }, 'could not read the release');
      return 'unreadable' as const;
    });
    return decideBase(newest);
  }

  /** One operation per release at a time, on its resource as it is by then, and the copy stays as it is meanwhile. The order of the locks is always this one. */
  async #alone(listed: BaseRelease, by: Trigger, work: (resource: BaseRelease, copy: WorkingCopy) => Promise<Result>): Promise<void> {
    const { exclusion, resources, signal, log, notify } = this.#deps;
    await exclusion.run(releaseKey(listed.release), async () => {
      if (signal.aborted || resources.isStopped(listed.at)) return; // that came while it waited for its turn
      try {
        const resource = withLatestSpec(listed, await resources.read(listed.at));
        if (resource !== undefined) await this.#look(resource, by, work); // else deleting it is another's work
      } catch (error) {
        log.warn({ resource: listed.key, error: messageOf(error) }, 'could not reconcile the release');
        notify({ resource: listed, by, revision: undefined, outcome: 'failed', error: messageOf(error) });
      }
    });
  }

  /** Looks at a release with the copy that it is to be compared with, unless something keeps every loop from it. */
  async #look(resource: BaseRelease, by: Trigger, work: (resource: BaseRelease, copy: WorkingCopy) => Promise<Result>): Promise<void> {
    const { copies, held, signal, notify } = this.#deps;
    const look = async (copy: WorkingCopy) =>
      notify({ resource, by, revision: copy.revision, ...((await this.#keptFrom(resource)) ?? (await work(resource, copy))) });
    const commit = await this.#deps.gate.commitFor(resource, signal);
    if (commit === undefined) {
      await held.release(resource.uid);
      await copies.read(look);
    } else if (commit === null || by === 'commit')
      notify({ resource, by, revision: undefined, ...((await this.#keptFrom(resource)) ?? { outcome: 'gated' }) });
    else await look(await held.at(resource.uid, commit, signal));
  }

  /** What a look comes to that may not do anything: the release is another resource's, a person holds it, or its namespace is not granted. */
  async #keptFrom(resource: BaseRelease): Promise<Result | undefined> {
    const { refusalOf, isHeld, grants, gate, signal, log } = this.#deps;
    const refusal = await refusalOf(resource);
    if (refusal !== undefined) {
      log.warn({ resource: resource.key, error: refusal }, 'Release belongs to another resource');
      return { outcome: 'failed', error: refusal };
    }
    try {
      if (isHeld(resource)) {
        const lostCommit = await gate.lostWhileHeld(resource, signal);
        return { outcome: 'held', ...(lostCommit === undefined ? {} : { lostCommit }) };
      }
      const ungranted = await grants.why(resource);
      return ungranted === undefined ? undefined : { outcome: 'failed', error: ungranted };
    } catch (error) {
      return { outcome: 'failed', error: messageOf(error) };
    }
  }

  /** Whether the process ended that was to bring a release to the commit that was approved for it, before anything of that was told. */
  #isApprovalDue(resource: BaseRelease, { revision }: WorkingCopy): boolean {
    const told = ['lastAct', 'failure'].map((member) => readString(resource.status, member, 'revision'));
    return this.#deps.gate.isGated(resource) && !told.includes(revision);
  }

  async #install(resource: BaseRelease, copy: WorkingCopy, by: Trigger): Promise<Result> {
    const { helm } = this.#deps;
    const request = () => this.#prepare(resource, copy);
    return this.#attempt(resource, {
      by,
      done: 'installed',
      failed: 'Failed to install chart',
      request,
      run: (wanted) => helm.install(wanted, { kept: false }),
    });
  }

  async #upgrade(resource: BaseRelease, by: Trigger, request: () => Promise<ReleaseRequest>): Promise<Result> {
    const { helm } = this.#deps;
    return this.#attempt(resource, {
      by,
      done: 'upgraded',
      failed: 'Failed to upgrade chart',
      request,
      run: (wanted) => helm.upgrade(wanted),
    });
  }

  async #compare(
    resource: BaseRelease,
    copy: WorkingCopy,
    { by, stored }: { readonly by: Trigger; readonly stored: StoredRevision },
  ): Promise<Result> {
    const { equal, log, config } = this.#deps;
    const fields = { release: releaseKey(resource.release), revision: copy.revision };
    try {
      const request = await this.#prepare(resource, copy);
      if (await equal.holds(request, stored)) return this.#stands(resource, 'unmoved');
      const desired = await equal.dryRun(request, stored, by);
      const difference = compareRelease(desired, stored);
      await equal.note(request, stored, difference === undefined);
      if (difference === undefined) return this.#stands(resource, 'equal');
      const sentence =
        difference.kind === 'values'
          ? 'Release values have diverged due to a manual release'
          : 'Chart has diverged due to a manual release';
      const part = difference.kind === 'chart' ? { part: difference.part } : {};
      const diff = config.logDiffs && difference.kind === 'values' ? { wanted: desired.values, found: stored.values } : {};
      log.error({ ...fields, ...part, ...diff }, sentence);
      const rule = difference.kind === 'values' ? 'R-1B-2' : 'R-1B-3';
      return { rule, ...(await this.#upgrade(resource, by, async () => request)) };
    } catch (error) {
      log.warn({ ...fields, error: messageOf(error) }, 'Unable to determine if release has changed');
      return { outcome: 'failed', rule: 'R-1B-6', error: messageOf(error) };
    }
  }

  /** There is nothing to do for a change that somebody saw, and so nothing to hold it to. */
  async #stands(resource: BaseRelease, outcome: 'equal' | 'unmoved'): Promise<Result> {
    await this.#deps.plans.clearPreviewedPlan(resource);
    return { outcome, rule: 'R-1B-4' };
  }

  /** Marking is part of it: where that fails the attempt counts as failed, although the release stands (R-ANN-2). */
  async #attempt(resource: BaseRelease, { by, done, failed, request, run }: Attempt): Promise<Result> {
    try {
      const wanted = await request();
      await this.#deps.cancels.requireNotCancelled(resource, { by, chart: wanted.chart, isGated: this.#deps.gate.isGated(resource) });
      const mayBegin = () => this.#deps.gate.requireCommit(resource, wanted.chart.revision, this.#deps.signal);
      const kept = await this.#deps.plans.run(resource, wanted, () => run({ ...wanted, mayBegin }));
      if (kept !== undefined) return kept;
      this.#released.set(releaseKey(resource.release), wanted.chart.revision);
      await this.#deps.objects.mark(actOf(resource), resource.mark);
      return { outcome: done };
    } catch (error) {
      this.#deps.log.warn({ release: releaseKey(resource.release), error: messageOf(error) }, failed);
      return { outcome: 'failed', error: messageOf(error), isCancelled: error instanceof Cancelled };
    }
  }

  #prepare(resource: BaseRelease, copy: WorkingCopy): Promise<ReleaseRequest> {
    return baseRequest(resource, copy, this.#deps);
  }
}

/** An install or an upgrade: what it is made of, and what it is called in the log. */
interface Attempt {
  readonly by: Trigger;
  readonly done: Outcome;
  readonly failed: string;
  readonly request: () => Promise<ReleaseRequest>;
  readonly run: (request: ReleaseRequest) => Promise<void>;
}

type Result = Pick<SyncReport, 'outcome' | 'rule' | 'error' | 'seen' | 'isCancelled' | 'lostCommit'>;

function actOf({ release, onBehalfOf }: BaseRelease) {
  return { release, onBehalfOf };
}
