import { AppError, isAppError, messageOf } from '@/lib/contract/app-error';
import type { Instant } from '@/lib/std/instant';
import type { ExtendedRelease } from '../model/declared';
import { awaitsUninstall } from '../model/declared';
import { releaseKey } from '../model/release';
import { StatusDraft } from '../sync/status/status-draft';
import type { ExtendedDeps } from '../sync/sync';
import { finalizerKeptReason, finalizerRemovalReason } from './finalizer-release';

export interface ExtendedDeletionDeps extends ExtendedDeps {
  /** Since when a namespace is being deleted; undefined where it is not. */
  readonly namespaceDeletedAt: (namespace: string) => Instant | undefined;
}

/** What became of the release of a deleted resource. */
type Ended =
  | { readonly kind: 'uninstalled' }
  /** Helm stores nothing of it. */
  | { readonly kind: 'absent' }
  /** It belongs to another resource. */
  | { readonly kind: 'left'; readonly why: string };

/** What becomes of releases of the later kinds whose resources are deleted: Helm uninstalls them, in whatever state they are (X-DEL-1). */
export class ExtendedDeletion {
  readonly #deps: ExtendedDeletionDeps;

  constructor(deps: ExtendedDeletionDeps) {
    this.#deps = deps;
  }

  /** Uninstalls the release of a resource once it is confirmed as gone already, since nothing held it; nobody else looks at it meanwhile. Its failures are told, and never thrown. */
  async delete(resource: ExtendedRelease, confirm: () => Promise<boolean>): Promise<void> {
    const { exclusion, log, notify } = this.#deps;
    await exclusion.run(releaseKey(resource.release), async () => {
      if (!(await confirm())) return;
      try {
        const ended = await this.#end(resource, async () => undefined);
        if (ended.kind === 'left') throw new AppError('conflict', ended.why);
        if (ended.kind === 'uninstalled') notify({ resource, by: 'deletion', revision: undefined, outcome: 'uninstalled' });
      } catch (error) {
        log.warn({ release: releaseKey(resource.release), error: messageOf(error) }, 'Chart release not deleted');
        notify({ resource, by: 'deletion', revision: undefined, outcome: 'failed', error: messageOf(error) });
      } finally {
        await this.#forget(resource);
      }
    });
  }

  /** Uninstalls the release of a deleted resource that its finalizer holds, and lets the resource go; `again` where that is another's turn. Throws for what failed, once that is told. */
  async finalize(listed: ExtendedRelease): Promise<'over' | 'again'> {
    const { exclusion, resources, clock } = this.#deps;
    return exclusion.run(releaseKey(listed.release), async () => {
      if (resources.isStopped(listed.at)) return 'again';
      const live = await resources.read(listed.at);
      // Whoever took the finalizer away has the release stay.
      if (live === undefined || live.profile !== 'extended' || live.uid !== listed.uid || !awaitsUninstall(live)) return 'over';
      if (releaseKey(live.release) !== releaseKey(listed.release)) return 'again'; // alone on the other one
      return this.#finalize(live, new StatusDraft(live.status, clock));
    });
  }

  async #finalize(resource: ExtendedRelease, draft: StatusDraft): Promise<'over'> {
    const { resources, log, notify } = this.#deps;
    const flush = () => draft.write((changes) => resources.writeStatus(resource.at, changes));
    try {
      const ended = await this.#end(resource, async () => {
        draft.phase('Uninstalling', { message: 'the resource is being deleted, and stays until Helm has uninstalled its release' });
        await flush();
      });
      const told = ended.kind === 'left' ? ({ outcome: 'left', error: ended.why } as const) : ({ outcome: 'uninstalled' } as const);
      if (ended.kind !== 'absent') notify({ resource, by: 'deletion', revision: undefined, ...told });
    } catch (error) {
      const why = messageOf(error);
      const letGo = this.#finalizerRemovalReason(resource, { why, isUngranted: isAppError(error) && error.code === 'forbidden' });
      if (letGo === undefined) {
        draft.phase('UninstallFailed', { message: finalizerKeptReason(why) });
        await flush();
        await this.#warn(resource, `release '${resource.release.name}' could not be uninstalled: ${finalizerKeptReason(why)}`);
        notify({ resource, by: 'deletion', revision: undefined, outcome: 'failed', error: why });
        throw error;
      }
      log.warn({ release: releaseKey(resource.release) }, letGo);
      notify({ resource, by: 'deletion', revision: undefined, outcome: 'left', error: letGo });
    }
    await this.#forget(resource);
    await resources.removeFinalizer(resource.at);
    return 'over';
  }

  /** Uninstalls it, unless it is another's, or nobody may. */
  async #end(resource: ExtendedRelease, begins: () => Promise<void>): Promise<Ended> {
    const { helm, objects, grants, refusalOf } = this.#deps;
    const act = { release: resource.release, onBehalfOf: resource.onBehalfOf };
    const ungranted = await grants.why(resource);
    if (ungranted !== undefined) throw new AppError('forbidden', ungranted);
    if ((await helm.readHistory(resource.release)).length === 0) return { kind: 'absent' };
    const refusal = await refusalOf(resource);
    if (refusal !== undefined) return { kind: 'left', why: refusal };
    const mark = await objects.readMark(act, resource.mark.annotation);
    if (mark !== undefined && mark !== resource.mark.value) return { kind: 'left', why: `release appears to be managed by '${mark}'` };
    await begins();
    await helm.uninstall(act, { hooks: this.#mayRunHooks(resource) });
    return { kind: 'uninstalled' };
  }

  /** In a namespace that is being deleted nothing can be created, no Job of a hook either. */
  #mayRunHooks({ release }: ExtendedRelease): boolean {
    return this.#deps.namespaceDeletedAt(release.namespace) === undefined;
  }

  #finalizerRemovalReason(resource: ExtendedRelease, failed: Parameters<typeof finalizerRemovalReason>[1]): string | undefined {
    const { namespaceDeletedAt, clock } = this.#deps;
    return finalizerRemovalReason(resource, failed, { deletedAt: namespaceDeletedAt(resource.at.namespace ?? ''), now: clock.now() });
  }

  async #forget(resource: ExtendedRelease): Promise<void> {
    const { gate, grants, charts, log } = this.#deps;
    gate.forget(resource);
    grants.forget(resource);
    await charts
      .forget(resource)
      .catch((error: unknown) => log.warn({ resource: resource.key, error: messageOf(error) }, 'could not release the chart of a release'));
  }

  async #warn({ at, key }: ExtendedRelease, message: string): Promise<void> {
    const { resources, log } = this.#deps;
    await resources
      .recordEvent(at, { type: 'Warning', reason: 'UninstallFailed', message })
      .catch((error: unknown) => log.warn({ resource: key, error: messageOf(error) }, 'could not record the event'));
  }
}
