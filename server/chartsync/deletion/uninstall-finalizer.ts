import { messageOf } from '@/lib/contract/app-error';
import { backOffMs } from '@/lib/std/back-off';
import type { Instant } from '@/lib/std/instant';
import { toInstant } from '@/lib/std/instant';
import type { EngineDeps, Outcome } from '@/server/framework';
import { requeueAfter, settled } from '@/server/framework';
import type { StoreChange } from '@/server/kube';
import { Resources } from '../cluster/resources';
import type { ExtendedRelease } from '../model/declared';
import { readDeclared } from '../model/declared';
import type { ChartSyncState } from '../session/state';
import { StatusDraft } from '../sync/status-draft';
import { finalizerKeptReason, finalizerRemovalReason } from './finalizer-release';

const PACE = { firstMs: 10_000, longestMs: 300_000 };
const AGAIN_MS = 2000;

type EndingsDeps = Pick<EngineDeps, 'cluster' | 'clock' | 'random' | 'log'> & {
  readonly namespaceDeletedAt: (namespace: string) => Instant | undefined;
};

/** The deleted resources that wait for the uninstall of their release, each looked at until it goes; a failure is tried again later and later. */
export class UninstallFinalizer {
  readonly #deps: EndingsDeps;
  readonly #resources: Resources;
  /** By uid, how often each failed and when it is due. */
  readonly #failed = new Map<string, { readonly times: number; readonly dueAt: Instant }>();
  /** Those, by uid, that were seen with the finalizer. */
  readonly #held = new Set<string>();
  /** Those, by uid, that are being let go. */
  readonly #finalizing = new Set<string>();

  constructor(deps: EndingsDeps) {
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
    this.#failed.delete(uid);
    if (!this.#held.delete(uid)) return undefined;
    if (!this.#finalizing.delete(uid))
      this.#deps.log.warn({ resource: key, release: release.name }, 'the finalizer of a HelmRelease was removed, so its release stays');
    return 'settled';
  }

  /** Has the release of a deleted resource uninstalled, or says why that waits. */
  async look(resource: ExtendedRelease, state: ChartSyncState): Promise<Outcome> {
    if (!resource.hasFinalizer) return settled();
    const { clock } = this.#deps;
    const failed = this.#failed.get(resource.uid);
    if (failed !== undefined && clock.now() < failed.dueAt) return requeueAfter(failed.dueAt - clock.now());
    if (state.kind !== 'running') return this.#wait(resource, state);
    this.#finalizing.add(resource.uid);
    const result = await state.session.sync.finalize(resource).catch((error: unknown) => {
      this.#deps.log.warn(
        { resource: resource.key, error: messageOf(error) },
        'could not remove the finalizer of a deleted resource; retrying',
      );
      return 'again' as const;
    });
    if (result === 'over') return settled();
    this.#finalizing.delete(resource.uid);
    const times = (failed?.times ?? 0) + 1;
    // A namespace that is being deleted waits no longer than it must.
    const isEnding = this.#deps.namespaceDeletedAt(resource.at.namespace ?? '') !== undefined;
    const ms = isEnding ? AGAIN_MS : backOffMs(PACE, times - 1);
    this.#failed.set(resource.uid, { times, dueAt: toInstant(clock.now() + ms) });
    return requeueAfter(ms);
  }

  /** Nothing can uninstall now: why stands on the resource, with the way to have it go all the same. */
  async #wait(resource: ExtendedRelease, { why, ...state }: Exclude<ChartSyncState, { kind: 'running' }>): Promise<Outcome> {
    const { clock, log, namespaceDeletedAt } = this.#deps;
    const told = 'mend' in state && state.mend !== null ? `${why}; run ${state.mend}` : why;
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
    const changes = draft.takeChanges();
    if (changes !== undefined) await this.#resources.writeStatus(resource.at, changes);
    return requeueAfter(AGAIN_MS);
  }
}
