import { messageOf } from '@/lib/contract/app-error';
import type { Instant } from '@/lib/std/instant';
import type { EngineDeps, Outcome } from '@/server/framework';
import { requeueAfter, SlowRetryError, settled } from '@/server/framework';
import type { StoreChange } from '@/server/kube';
import { Resources } from '../cluster/resources';
import type { ExtendedRelease } from '../model/declared';
import { readDeclared } from '../model/declared';
import type { ChartSyncState } from '../session/state';
import { StatusDraft } from '../sync/status/status-draft';
import { finalizerKeptReason, finalizerRemovalReason } from './finalizer-release';

const AGAIN_MS = 2000;

type UninstallFinalizerDeps = Pick<EngineDeps, 'cluster' | 'clock' | 'random' | 'log'> & {
  readonly namespaceDeletedAt: (namespace: string) => Instant | undefined;
};

/** The deleted resources that wait for the uninstall of their release, each looked at until it goes; a failure is the queue's to try again, later and later. */
export class UninstallFinalizer {
  readonly #deps: UninstallFinalizerDeps;
  readonly #resources: Resources;
  /** Those, by uid, that were seen with the finalizer. */
  readonly #held = new Set<string>();
  /** Those, by uid, that are being let go. */
  readonly #finalizing = new Set<string>();

  constructor(deps: UninstallFinalizerDeps) {
    this.#deps = deps;
    this.#resources = new Resources({ ...deps, stores: [], clusterFor: () => deps.cluster });
  }

  /**
   * Takes in a change of a resource, and tells whether it went with nothing left to do: its release was uninstalled first, or somebody took the finalizer
   * away, so that the release stays.
   */
  hear({ before, after }: Pick<StoreChange, 'before' | 'after'>): 'settled' | undefined {
    for (const object of [before, after]) {
      const resource = object && readDeclared(object);
      if (resource?.hasFinalizer) this.#held.add(resource.uid);
    }
    if (after !== undefined || before === undefined) return undefined;
    const { uid, key, release } = readDeclared(before);
    if (!this.#held.delete(uid)) return undefined;
    if (!this.#finalizing.delete(uid))
      this.#deps.log.warn({ resource: key, release: release.name }, 'the finalizer of a HelmRelease was removed, so its release stays');
    return 'settled';
  }

  /** Has the release of a deleted resource uninstalled, or says why that waits. */
  async look(resource: ExtendedRelease, state: ChartSyncState): Promise<Outcome> {
    if (!resource.hasFinalizer) return settled();
    if (state.kind !== 'running') return this.#wait(resource, state);
    this.#finalizing.add(resource.uid);
    const failed = (error: unknown) => new SlowRetryError(`could not uninstall the release: ${messageOf(error)}`, { cause: error });
    const result = await state.session.sync.finalize(resource).catch(failed);
    if (result === 'over') return settled();
    this.#finalizing.delete(resource.uid);
    // A namespace that is being deleted waits no longer than it must.
    if (result === 'again' || this.#deps.namespaceDeletedAt(resource.at.namespace ?? '') !== undefined) return requeueAfter(AGAIN_MS);
    throw result;
  }

  /** Nothing can uninstall now: why stands on the resource, with the way to have it go all the same. */
  async #wait(resource: ExtendedRelease, { why, ...state }: Exclude<ChartSyncState, { kind: 'running' }>): Promise<Outcome> {
    const { clock, log, namespaceDeletedAt } = this.#deps;
    const told = 'remedy' in state && state.remedy !== null ? `${why}; run ${state.remedy}` : why;
    const deletedAt = namespaceDeletedAt(resource.at.namespace ?? '');
    const letGo = finalizerRemovalReason(resource, { why: told, isUngranted: false }, { deletedAt, now: clock.now() });
    if (letGo !== undefined) {
      log.warn({ resource: resource.key }, letGo);
      this.#finalizing.add(resource.uid);
      await this.#resources.removeFinalizer(resource.at);
      return settled();
    }
    if (state.kind === 'off') return requeueAfter(AGAIN_MS); // which passes by itself
    const draft = new StatusDraft(resource.status, clock);
    draft.phase('UninstallFailed', { message: finalizerKeptReason(told) });
    await draft.write((changes) => this.#resources.writeStatus(resource.at, changes));
    return requeueAfter(AGAIN_MS);
  }
}
