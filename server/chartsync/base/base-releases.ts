import { AppError, messageOf } from '@/lib/contract/app-error';
import type { BaseRelease } from '../model/declared';
import { withLatestSpec } from '../model/declared';
import { releaseKey } from '../model/release';
import type { Trigger, WorkingCopy } from '../ports';
import { isInterrupted } from '../process/interrupted';
import { actOnBase } from './act-base';
import type { BaseDeps } from './base-deps';
import type { BaseCause } from './decide-base';
import { decideBase, decideDeletion } from './decide-base';
import { observeBase } from './observe-base';

/** Why a look is made, as the rules and as reports know it. */
interface Look {
  readonly cause: BaseCause;
  readonly by: Trigger;
}

/** What the base engine does with one release: it observes, decides, acts, and tells what came of it (spec/chartsync 5 to 8). */
export class BaseReleases {
  readonly #deps: BaseDeps;
  /** The commit that this process last released to each. */
  readonly #released = new Map<string, string>();

  constructor(deps: BaseDeps) {
    this.#deps = deps;
  }

  /** Looks at one release and installs or upgrades it where needed (cases 1a and 1b). Its failures are told, never thrown. */
  reconcile(listed: BaseRelease, by: Trigger): Promise<void> {
    return this.#alone(listed, { cause: 'resource', by });
  }

  /**
   * Upgrades one release because commits touched its chart, whatever its state; never installs it (R-2-2, R-2-7). No commit is released twice: where a look
   * at the resource came before the pass did, or the branch came back to the commit, the two are compared like at any other time.
   */
  upgradeForCommit(listed: BaseRelease): Promise<void> {
    return this.#alone(listed, { cause: 'commit', by: 'commit' });
  }

  /** Brings a gated release to the commit that was just approved for it: installs it where there is none, else upgrades it whatever is stored. */
  releaseApproved(listed: BaseRelease): Promise<void> {
    return this.#alone(listed, { cause: 'approval', by: 'decision' });
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
        if (decision.kind === 'uninstall') await helm.uninstall({ release, onBehalfOf: resource.onBehalfOf });
        notify({ resource, by: 'deletion', revision: undefined, outcome: decision.kind === 'uninstall' ? 'uninstalled' : 'left' });
      } catch (error) {
        log.warn({ release: releaseKey(release), error: messageOf(error) }, 'Chart release not deleted');
        notify({ resource, by: 'deletion', revision: undefined, outcome: 'failed', error: messageOf(error) });
      }
    });
  }

  /** One operation per release at a time, on its resource as it is by then. */
  async #alone(listed: BaseRelease, look: Look): Promise<void> {
    const { exclusion, resources, signal, log, notify } = this.#deps;
    await exclusion.run(releaseKey(listed.release), async () => {
      if (signal.aborted || resources.isStopped(listed.at)) return; // that came while it waited for its turn
      try {
        const resource = withLatestSpec(listed, await resources.read(listed.at));
        if (resource !== undefined) await this.#withCopy(resource, look); // else deleting it is another's work
      } catch (error) {
        if (signal.aborted || isInterrupted(error))
          return log.info({ resource: listed.key, error: messageOf(error) }, 'what was begun is left to the next server');
        log.warn({ resource: listed.key, error: messageOf(error) }, 'could not reconcile the release');
        notify({ resource: listed, by: look.by, revision: undefined, outcome: 'failed', error: messageOf(error) });
      }
    });
  }

  /** Looks at a release with the copy that it is to be compared with, which stays as it is meanwhile. The order of the locks is always this one. */
  async #withCopy(resource: BaseRelease, look: Look): Promise<void> {
    const { copies, held, gate, signal } = this.#deps;
    const commit = await gate.commitFor(resource, signal);
    if (commit === undefined) {
      await held.release(resource.uid);
      await copies.read((copy) => this.#look(resource, copy, look));
    } else if (commit === null || look.by === 'commit') await this.#look(resource, undefined, look);
    else await this.#look(resource, await held.at(resource.uid, commit, signal), look);
  }

  async #look(resource: BaseRelease, copy: WorkingCopy | undefined, { cause, by }: Look): Promise<void> {
    const key = releaseKey(resource.release);
    const seen = await observeBase(resource, { cause, copy, released: this.#released.get(key) }, this.#deps);
    if (this.#deps.signal.aborted) return; // nothing is begun any more, and what was found may be of its end
    const decision = decideBase(seen);
    const released = (revision: string) => {
      this.#released.set(key, revision);
    };
    const told = decision.kind === 'pass-over' ? decision.tell : await actOnBase(decision, { resource, by, released, deps: this.#deps });
    this.#deps.notify({ resource, by, revision: copy?.revision, ...told });
  }
}
