import { DispatchError } from '../dispatch-error';
import type { KubeClient } from '../kube-client';
import { extractAppName } from '../names';
import type { GarbageOptions } from '../options';
import type { ResourceTracker, TrackerEntry } from '../tracker/record';
import { isKeptByAnnotation } from './evaluate';
import { emptyTrackers, executeGarbage, readLive } from './execute';
import type { GarbageContext, GarbagePlan } from './model';
import { NOT_READ } from './model';
import { planGarbage } from './plan';

type Tracked = Pick<ResourceTracker, 'name' | 'entries'> & { readonly uid?: string };

/** Collects what an old tracker lists and a new one does not. */
export interface GarbageCollector {
  garbageCollect(oldRT: Tracked, newRT: Tracked, signal?: AbortSignal): Promise<void>;
}

/** The collection of the original, by plan and execution: deletes in recorded order without a look, the tracker last, stops at the first failure. */
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
    const plan = this.#plan(oldRT, newRT, await this.#readAsking(oldRT.entries, signal));
    await executeGarbage(this.#client, plan, [oldRT], { cascade: true, signal });
  }

  /** Deletes a tracker that older code left behind, and no object that it lists; nothing where what it lists is kept. */
  async forget(stray: Tracked, current: Tracked, signal?: AbortSignal): Promise<void> {
    const plan = this.#plan(stray, current, () => NOT_READ);
    await executeGarbage(this.#client, { ...plan, items: [] }, emptyTrackers(plan, [stray]), { cascade: true, signal });
  }

  #plan(oldRT: Tracked, newRT: Tracked, live: GarbageContext['live']): GarbagePlan {
    const { identity = 'apiVersion', components = 'all', keepLegacyResource } = this.#options;
    const named = { count: Number.POSITIVE_INFINITY };
    return planGarbage({ uid: '', ...oldRT }, { uid: '', ...newRT }, { live, identity, components, named, policy: { keepLegacyResource } });
  }

  /** Only what asks to stay is looked at, and only where the options say so. */
  async #readAsking(entries: readonly TrackerEntry[], signal: AbortSignal | undefined): Promise<GarbageContext['live']> {
    const { skipGCAnnotation, components = 'all' } = this.#options;
    if (!skipGCAnnotation) return () => NOT_READ;
    const live = await readLive(this.#client, entries, signal);
    return (entry) => {
      const state = live(entry);
      return state.kind === 'present' && !isKeptByAnnotation(state.object, components) ? NOT_READ : state;
    };
  }

  #assertSameApplication(oldName: string, newName: string): void {
    const ns = this.#namespace;
    const same = oldName.endsWith(ns) && newName.endsWith(ns) && extractAppName(oldName, ns) === extractAppName(newName, ns);
    if (!same) throw new DispatchError('two resource trackers must come from the same application', { stage: 'collect' });
  }
}
