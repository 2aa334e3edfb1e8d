import { isNotFound } from '@/server/kube';
import { DispatchError } from '../dispatch-error';
import type { KubeClient } from '../kube-client';
import { ANNOTATION, LABEL, TRACKER_TYPE } from '../labels';
import { extractAppName } from '../names';
import type { DispatchOptions } from '../options';
import { isTrackerOwner } from '../owners';
import type { ResourceTracker, TrackerEntry } from '../tracker/record';
import { identityOf } from '../tracker/record';

type Tracked = Pick<ResourceTracker, 'name' | 'entries'> & { readonly uid?: string };
type GarbageOptions = Pick<DispatchOptions, 'identity' | 'skipGCAnnotation' | 'components' | 'keepLegacyResource'>;

/** Collects what an old tracker lists and a new one does not. */
export interface GarbageCollector {
  garbageCollect(oldRT: Tracked, newRT: Tracked, signal?: AbortSignal): Promise<void>;
}

/** The collection of the original: deletes in recorded order, the tracker last, stops at the first failure. */
export class GCHandler implements GarbageCollector {
  readonly #client: KubeClient;
  readonly #namespace: string;
  readonly #options: GarbageOptions;

  constructor(client: KubeClient, namespace: string, options: GarbageOptions = {}) {
    this.#client = client;
    this.#namespace = namespace;
    this.#options = options;
  }

  async garbageCollect(oldRT: Tracked, newRT: Tracked, signal?: AbortSignal): Promise<void> {
    this.#assertSameApplication(oldRT.name, newRT.name);
    const garbage = this.#garbageOf(oldRT, newRT);
    if (this.#options.keepLegacyResource && garbage.length > 0) return;
    for (const entry of garbage) {
      assertHere(entry);
      if (await this.#release(entry, oldRT, signal)) continue;
      await this.#delete(entry, signal);
    }
    await this.deleteTracker(oldRT.name, signal);
  }

  /** True when everything the old tracker lists is listed by the new one. */
  isTakenOver(oldRT: Tracked, newRT: Tracked): boolean {
    return this.#garbageOf(oldRT, newRT).length === 0;
  }

  #garbageOf(oldRT: Tracked, newRT: Tracked): readonly TrackerEntry[] {
    const identity = this.#options.identity ?? 'apiVersion';
    const listed = new Set(newRT.entries.map((entry) => identityOf(entry, identity)));
    return oldRT.entries.filter((entry) => !listed.has(identityOf(entry, identity)));
  }

  /** Deletes a tracker; one that is gone is fine. */
  async deleteTracker(name: string, signal?: AbortSignal): Promise<void> {
    try {
      await this.#client.delete({ ...TRACKER_TYPE, name }, signal ? { signal } : {});
    } catch (cause) {
      if (!isNotFound(cause)) throw new DispatchError(`cannot delete resource tracker "${name}"`, { stage: 'collect', cause });
    }
  }

  #assertSameApplication(oldName: string, newName: string): void {
    const ns = this.#namespace;
    const same = oldName.endsWith(ns) && newName.endsWith(ns) && extractAppName(oldName, ns) === extractAppName(newName, ns);
    if (!same) throw new DispatchError('two resource trackers must come from the same application', { stage: 'collect' });
  }

  /** True when the object stays and only the old tracker's owner entry goes. */
  async #release(entry: TrackerEntry, oldRT: Tracked, signal: AbortSignal | undefined): Promise<boolean> {
    if (!this.#options.skipGCAnnotation) return false;
    const options = signal ? { signal } : {};
    try {
      const live = await this.#client.get(entry, options);
      const component = live.metadata.labels?.[LABEL.component] ?? '';
      const asked = live.metadata.annotations?.[ANNOTATION.skipGC] !== undefined;
      if (!asked || this.#options.components?.includes(component) === false) return false;
      const ownerReferences = (live.metadata.ownerReferences ?? []).filter(
        (owner) => !isTrackerOwner(owner) || (owner.uid !== oldRT.uid && owner.name !== oldRT.name),
      );
      await this.#client.update({ ...live, metadata: { ...live.metadata, ownerReferences } }, options);
      return true;
    } catch (cause) {
      if (isNotFound(cause)) return true;
      throw new DispatchError(describe(entry), { stage: 'collect', cause, object: entry });
    }
  }

  async #delete(entry: TrackerEntry, signal: AbortSignal | undefined): Promise<void> {
    try {
      // The API's default for batch/v1 Jobs would leave their pods behind.
      const propagation = entry.kind === 'Job' ? ({ propagationPolicy: 'Background' } as const) : {};
      const { apiVersion, kind, name, namespace } = entry;
      await this.#client.delete({ apiVersion, kind, name, ...(namespace ? { namespace } : {}) }, { ...propagation, ...(signal ? { signal } : {}) });
    } catch (cause) {
      if (!isNotFound(cause)) throw new DispatchError(describe(entry), { stage: 'collect', cause, object: entry });
    }
  }
}

/** Here its namesake would be deleted. */
function assertHere(entry: TrackerEntry): void {
  if (entry.cluster === 'local') return;
  throw new DispatchError(describe(entry), { stage: 'collect', cause: new Error(`it lives in cluster ${entry.cluster}`), object: entry });
}

function describe({ apiVersion, kind, name, namespace }: TrackerEntry): string {
  return `cannot delete resource {"${apiVersion}" "${kind}" "${name}" "${namespace ?? ''}" ""}`;
}
