import { messageOf } from '@/lib/contract/app-error';
import { shortRevision } from '@/lib/words/format-release';
import type { Clock, Log } from '@/server/platform';
import type { BaseReleases } from '../base/base-releases';
import { watchedPath } from '../model/chart-path';
import type { BaseRelease, DeclaredRelease } from '../model/declared';
import type { GitQueries } from '../ports';
import type { BoundedReconciles } from './keyed-mutex';
import { TimedGitQueries } from './timed-git-queries';
import type { WorkingCopies } from './working-copies';

/** What ended a pass early; undefined when nothing did. */
export interface PassResult {
  readonly error: string | undefined;
  /** Resources that are to be looked at although no new commit touched them: their chart lost commits, or their branch is gone, or back. */
  readonly lost?: readonly BaseRelease[];
}

export interface ChangeLoopDeps {
  readonly mirror: GitQueries;
  readonly branch: string;
  readonly chartsPath: string;
  readonly copies: WorkingCopies;
  readonly releases: BaseReleases;
  /** A Helm that hangs on one release keeps the commit from no other. */
  readonly patience: BoundedReconciles;
  /** Every resource, listed to the end before any is looked at; throws when one namespace could not be listed. */
  readonly listAll: (signal: AbortSignal) => Promise<readonly DeclaredRelease[]>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The git side of the base engine: the only one that advances the pinned revision (spec/chartsync 5). */
export class ChangeLoop {
  readonly #deps: ChangeLoopDeps;
  readonly #git: TimedGitQueries;
  #notTaken: string | undefined;
  #wasGone = false;

  constructor(deps: ChangeLoopDeps) {
    this.#deps = deps;
    this.#git = new TimedGitQueries(deps.clock);
  }

  /** Why what the mirror fetched last could not be taken; undefined where it was. */
  get notTaken(): string | undefined {
    return this.#notTaken;
  }

  /** Pins the branch as it is; nothing is released by that. A failure is fatal for the loop (R-LOOP-1, R-LOOP-7). */
  async start(signal: AbortSignal): Promise<void> {
    const { copies, mirror } = this.#deps;
    const revision = await this.#resolve(signal);
    await copies.swap(await this.#git.export(mirror, revision, signal));
    copies.pin(revision);
  }

  /** Takes what the mirror fetched: swaps the working copy when the head moved, then upgrades what was touched (R-LOOP-3 to R-LOOP-6). */
  async takeChange(signal: AbortSignal): Promise<PassResult> {
    const { copies, log, branch, mirror } = this.#deps;
    let head: string | undefined;
    try {
      head = await this.#resolve(signal);
      if (head === copies.revision) {
        this.#notTaken = undefined;
        log.info({ branch, head }, 'no new commits on the branch');
        return { error: undefined, lost: await this.#turned(signal) };
      }
      await copies.swap(await this.#git.export(mirror, head, signal));
      this.#notTaken = undefined;
      const from = copies.revision ?? head;
      const result = await this.#changePass(from, head, signal);
      copies.pin(head); // also after a pass that failed: the schedule finds the rest by comparison (R-LOOP-5)
      const turned = await this.#turned(signal);
      return { ...result, lost: turned.length > 0 ? turned : await this.#losing(from, head, signal) };
    } catch (error) {
      // The next signal tries again; until then the schedule goes on with the copy that is there (R-LOOP-6, R-MIR-2).
      const what = head === undefined ? `branch ${branch} could not be resolved` : `commit ${shortRevision(head)} could not be checked out`;
      this.#notTaken = `${what}: ${messageOf(error)}`;
      log.warn({ branch, error: messageOf(error) }, 'could not check out the change; the working copy stays as it is');
      return { error: undefined };
    }
  }

  async #changePass(from: string, to: string, signal: AbortSignal): Promise<PassResult> {
    const { releases, patience, log, listAll, mirror } = this.#deps;
    const changed = new Map<string, boolean>();
    try {
      for (const resource of (await listAll(signal)).filter(isBase)) {
        if (signal.aborted) break;
        const path = watchedPath(resource.chartGitPath, this.#deps.chartsPath);
        if (path === undefined) continue; // the schedule says that the path leaves the repository
        const known = changed.get(path) ?? (await this.#git.hasCommits(mirror, { from, to, path }, signal));
        changed.set(path, known);
        if (known) await patience.look(resource, signal, () => releases.upgradeForCommit(resource));
      }
      return { error: undefined };
    } catch (error) {
      log.error({ from, to, error: messageOf(error) }, 'the pass over changed charts ended early; the periodic check covers the rest');
      return { error: messageOf(error) };
    }
  }

  /** All, where the branch went upstream, or came back, since it was asked last: each tells so when it is looked at. */
  async #turned(signal: AbortSignal): Promise<readonly BaseRelease[]> {
    const { mirror, branch, listAll, log } = this.#deps;
    const isGone = mirror.isGone(branch);
    if (isGone === this.#wasGone) return [];
    this.#wasGone = isGone;
    try {
      return (await listAll(signal)).filter(isBase);
    } catch (error) {
      log.warn(
        { branch, error: messageOf(error) },
        'could not list the resources whose branch is gone or back; the periodic check covers them',
      );
      return [];
    }
  }

  /** Of a branch that only went on, the folder of charts lost nothing, which git is asked once. */
  async #losing(from: string, to: string, signal: AbortSignal): Promise<readonly BaseRelease[]> {
    const { mirror, chartsPath, listAll, log } = this.#deps;
    const hasLost = (path: string) => this.#git.hasCommits(mirror, { from: to, to: from, path }, signal);
    try {
      if (!(await hasLost(watchedPath('', chartsPath) ?? '.'))) return [];
      const resources = (await listAll(signal)).filter(isBase);
      const pathOf = ({ chartGitPath }: BaseRelease) => watchedPath(chartGitPath, chartsPath);
      const lost = new Set<string | undefined>();
      for (const path of new Set(resources.map(pathOf))) if (path !== undefined && (await hasLost(path))) lost.add(path);
      return resources.filter((resource) => lost.has(pathOf(resource)));
    } catch (error) {
      log.warn({ from, to, error: messageOf(error) }, 'cannot tell which charts lost commits; the periodic check covers them');
      return [];
    }
  }

  #resolve(signal: AbortSignal): Promise<string> {
    const { mirror, branch } = this.#deps;
    return this.#git.headOf(mirror, branch, signal);
  }
}

function isBase(resource: DeclaredRelease): resource is BaseRelease {
  return resource.profile === 'base';
}
