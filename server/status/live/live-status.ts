import type { Informers, StoreChange } from '@/server/kube';
import type { Clock, Release } from '@/server/platform';
import { withGeneratedKinds } from '../cluster/generated-kinds';
import type { KindMapper } from '../cluster/kind-mapper';
import { NoKindMatchError } from '../cluster/kind-mapper';
import { StoreClusterReader } from '../cluster/store-reader';
import type { GroupKind, ObjMetadata } from '../identifier';
import { toIdentifierKey, toObjMetadata } from '../identifier';
import type { ReaderSet } from '../readers/default-readers';
import { defaultStatusReaders, selectReader } from '../readers/default-readers';
import { toStatusError, unknownStatus } from '../readers/status-error';
import type { ResourceStatus, StatusEvent } from '../resource-status';
import { isSameStatus } from '../resource-status';
import { FIRST_MAPPING_WAIT_MS, isMissing, KindStores, LONGEST_MAPPING_WAIT_MS, toKindKey } from './kind-stores';
import { treeHoldsUntil } from './schedule-window';
import type { Selection } from './selection-index';
import { SelectionIndex } from './selection-index';

export interface LiveStatusConfig {
  readonly informers: Informers;
  readonly mapper: KindMapper;
  readonly clock: Clock;
  readonly readers?: ReaderSet;
  /** Changes are gathered for so long; 25 ms when absent. */
  readonly flushMs?: number;
}

const FLUSH_MS = 25;

/**
 * Tells the statuses of objects from shared copies of their kinds and of their children's.
 *
 * 1. No call is made for a change: a tree is computed from what the copies hold.
 * 2. A change of a child, or of what a selector selects, computes its roots again. Only what differs is told.
 * 3. Sync comes after the first status of every object, absent ones included.
 * 4. A kind that is served no more, or not yet, makes its objects Unknown until it is.
 * 5. Who reads slowly gets the latest status of each object, never a backlog.
 */
export class LiveStatusWatcher {
  readonly #config: LiveStatusConfig;

  constructor(config: LiveStatusConfig) {
    this.#config = config;
  }

  /** Ends when the signal aborts. */
  async *watch(identifiers: readonly ObjMetadata[], signal: AbortSignal): AsyncGenerator<StatusEvent, void, void> {
    const run = new Run(this.#config, identifiers, signal);
    try {
      run.start();
      yield* run.events();
    } finally {
      run.stop();
    }
  }
}

interface Root {
  readonly identifier: ObjMetadata;
  told: ResourceStatus | undefined;
  unmapped: unknown;
  timer: Release | undefined;
}

class Run {
  readonly #config: LiveStatusConfig;
  readonly #readers: ReaderSet;
  readonly #signal: AbortSignal;
  readonly #roots = new Map<string, Root>();
  readonly #stores: KindStores;
  readonly #selections = new SelectionIndex<Root>();
  readonly #releases: Release[] = [];
  readonly #dirty = new Set<Root>();
  readonly #pending = new Map<string, ResourceStatus>();
  #flush: Release | undefined;
  #wake: () => void = () => undefined;
  #synced = false;

  constructor(config: LiveStatusConfig, identifiers: readonly ObjMetadata[], signal: AbortSignal) {
    this.#config = config;
    this.#readers = config.readers ?? defaultStatusReaders(config.clock);
    this.#signal = signal;
    this.#stores = new KindStores({
      ...config,
      signal,
      onChange: (of, change) => this.#hear(of, change),
      onKind: (of) => this.#touchKind(of),
    });
    for (const identifier of identifiers) {
      this.#roots.set(toIdentifierKey(identifier), { identifier, told: undefined, unmapped: undefined, timer: undefined });
    }
  }

  start(): void {
    const wake = () => this.#wake();
    this.#signal.addEventListener('abort', wake, { once: true });
    this.#releases.push(() => this.#signal.removeEventListener('abort', wake));
    for (const root of this.#roots.values()) {
      this.#open(root, FIRST_MAPPING_WAIT_MS).catch((error: unknown) => {
        root.unmapped = error;
        this.#touch(root);
      });
    }
    if (this.#roots.size === 0) this.#wake();
  }

  stop(): void {
    this.#flush?.();
    for (const root of this.#roots.values()) root.timer?.();
    for (const release of this.#releases.splice(0)) release();
    this.#stores.close();
  }

  async *events(): AsyncGenerator<StatusEvent, void, void> {
    while (!this.#signal.aborted) {
      for (const [key, resource] of this.#pending) {
        this.#pending.delete(key);
        yield { type: 'Update', resource };
        if (this.#signal.aborted) return;
      }
      if (!this.#synced && [...this.#roots.values()].every(({ told }) => told !== undefined)) {
        this.#synced = true;
        yield { type: 'Sync' };
        continue;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        if (this.#signal.aborted || this.#pending.size > 0) resolve();
      });
    }
  }

  /** Opens the copies a root needs. A kind that is not served, or that nobody knows of, is asked for again, less and less often. */
  async #open(root: Root, waitMs: number): Promise<void> {
    try {
      for (const of of withGeneratedKinds(root.identifier)) await this.#stores.open(of);
      root.unmapped = undefined;
    } catch (error) {
      if (this.#signal.aborted) return;
      root.unmapped = error;
      this.#releases.push(this.#config.clock.schedule(waitMs, () => this.#openAgain(root, waitMs)));
    }
    this.#touch(root);
  }

  #openAgain(root: Root, waitMs: number): void {
    this.#open(root, Math.min(waitMs * 2, LONGEST_MAPPING_WAIT_MS)).catch(() => undefined); // `#open` tells its failures as a status
  }

  #hear(of: GroupKind, { before, after }: StoreChange): void {
    const object = after ?? before;
    if (object === undefined) return;
    const own = this.#roots.get(toIdentifierKey({ ...toObjMetadata(object), ...of }));
    if (own !== undefined) this.#touch(own);
    const states = [before, after].filter((state) => state !== undefined);
    for (const parent of this.#selections.rootsOf(of, object.metadata.namespace ?? '', states)) this.#touch(parent);
  }

  #touchKind(of: GroupKind): void {
    for (const root of this.#roots.values()) {
      if (withGeneratedKinds(root.identifier).some((needed) => toKindKey(needed) === toKindKey(of))) this.#touch(root);
    }
  }

  #touch(root: Root): void {
    this.#dirty.add(root);
    this.#flush ??= this.#config.clock.schedule(this.#config.flushMs ?? FLUSH_MS, () => {
      this.#flush = undefined;
      const release = this.#config.clock.hold();
      this.#computeDirty().finally(release);
    });
  }

  async #computeDirty(): Promise<void> {
    const roots = [...this.#dirty];
    this.#dirty.clear();
    for (const root of roots) {
      if (this.#signal.aborted) return;
      const resource = await this.#compute(root);
      if (resource === undefined || (root.told !== undefined && isSameStatus(root.told, resource))) continue;
      root.told = resource;
      this.#pending.set(toIdentifierKey(root.identifier), resource);
    }
    this.#wake();
  }

  /** The status of a root, or nothing while its copies are still filling. */
  async #compute(root: Root): Promise<ResourceStatus | undefined> {
    const { identifier } = root;
    if (root.unmapped !== undefined) return unknownStatus(identifier, toStatusError(root.unmapped));
    for (const of of withGeneratedKinds(identifier)) {
      const store = this.#stores.get(of);
      const health = store?.health();
      // What is not served is not known, whatever the copy last held.
      if (store !== undefined && isMissing(store)) return unknownStatus(identifier, toStatusError(new NoKindMatchError(of)));
      if (health?.synced) continue;
      if (health?.state.kind !== 'retrying') return undefined;
      return unknownStatus(identifier, { kind: 'transport', text: health.state.reason });
    }
    const selections: Selection[] = [];
    const reader = new StoreClusterReader(
      (of) => this.#stores.get(of),
      (of, namespace, selector) => void selections.push({ of, namespace, selector }),
    );
    const resource = await selectReader(this.#readers, identifier).readStatus(this.#signal, reader, identifier);
    this.#selections.set(root, selections);
    this.#arm(root, resource);
    return resource;
  }

  /** The passage of time alone changes some statuses, for instance that of a pod that no node fits. */
  #arm(root: Root, resource: ResourceStatus): void {
    root.timer?.();
    const now = this.#config.clock.now();
    const end = treeHoldsUntil(resource, now, this.#readers.policies ?? []);
    root.timer = end === undefined ? undefined : this.#config.clock.schedule(end - now, () => this.#touch(root));
  }
}
