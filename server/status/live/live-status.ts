import type { KubeObject } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { Informers, StoreChange } from '@/server/kube';
import { findStaleness } from '@/server/kube';
import type { Clock, Log } from '@/server/platform';
import { FaultIsolation } from '@/server/platform';
import { withKindsBelow } from '../cluster/generated-kinds';
import type { KindMapper } from '../cluster/kind-mapper';
import type { GroupKind, ObjMetadata } from '../identifier';
import type { ReaderOptions } from '../readers/default-readers';
import { notFoundStatus, toStatusError, unknownStatus, unservedStatus } from '../readers/status-error';
import type { ResourceStatus, StatusEvent } from '../resource-status';
import { isSameStatus } from '../resource-status';
import { Batcher } from './batcher';
import { KindStores } from './kind-stores';
import type { Provenance } from './provenance';
import { provenanceIn } from './provenance';
import type { Root, StatusListener, StatusSource, StatusSubscription, WatchedObject } from './roots';
import { Roots } from './roots';
import { StatusCache } from './status-cache';
import { streamEvents } from './stream-events';

export interface LiveStatusConfig {
  readonly informers: Informers;
  readonly mapper: KindMapper;
  readonly clock: Clock;
  /** Where it is told of objects that no status can be made of. */
  readonly log: Log;
  readonly options?: ReaderOptions;
}

/** So long a first status that is pending is waited for; then it is told that it is. */
const PENDING_MS = 5000;

/**
 * The one computed status of the product, over the shared copies of the cluster.
 *
 * 1. No call is made for a change: a tree is computed from what the copies hold, each version of an object once for everybody.
 * 2. A change of a child, or of what a selector selects, computes its owners again; so does time, where a status ends to hold.
 * 3. Who subscribes hears of what differs only. The first change after quiet goes out at once; under load changes are gathered.
 * 4. A kind that is served at no version any more, or not yet, makes its objects Unknown until it is. An owner whose children nobody may read is judged by itself.
 */
export class LiveStatus implements StatusSource {
  readonly #roots = new Roots();
  readonly #kinds: KindStores;
  readonly #statuses: StatusCache;
  readonly #dirty: Batcher<Root>;
  readonly #clock: Clock;

  constructor({ informers, mapper, clock, log, options = {} }: LiveStatusConfig) {
    this.#clock = clock;
    this.#dirty = new Batcher(clock, (root) => this.#notify(root));
    this.#kinds = new KindStores({
      informers,
      mapper,
      clock,
      onChange: (of, change) => this.#hear(of, change),
      onKind: (of) => this.#hearKind(of),
      onUnused: (of) => this.#statuses.forgetKind(of),
    });
    const touch = (of: GroupKind, key: string) => this.#touch(this.#roots.get(of, key));
    this.#statuses = new StatusCache({ clock, contain: new FaultIsolation(log), storeOf: this.#kinds.storeOf, onTouched: touch }, options);
  }

  /** The status of an object that is in hand, with those of what it owns. */
  of(object: KubeObject): ResourceStatus {
    const status = this.#statuses.of(object);
    const root = this.#roots.get(status.identifier, toObjectKey(status.identifier));
    if (root !== undefined && root.told === undefined) root.read = status;
    return status;
  }

  /**
   * The status of a watched object of which this version was read last, or none was. What may not be read any more is Unknown, whatever was read
   * before, and what was not found is absent only where that is known.
   */
  evaluate(identifier: ObjMetadata, lastRead: KubeObject | undefined): ResourceStatus {
    const root = this.#roots.get(identifier, toObjectKey(identifier));
    const now = root && this.#look(root);
    const isUnread = now?.status === 'Unknown' && now.resource === undefined;
    if (lastRead !== undefined && !isUnread) return this.of(lastRead);
    const status = now ?? notFoundStatus(identifier);
    if (root !== undefined && root.told === undefined) root.read = status;
    return status;
  }

  /** Opens a subscription that watches nothing yet. */
  subscribe(listener: StatusListener): StatusSubscription {
    const own: StatusListener = (...told) => listener(...told); // the same function twice is two subscriptions
    let held = new Set<Root>();
    const set = (objects: Iterable<WatchedObject>) => {
      const wanted = new Set<Root>();
      for (const object of objects) wanted.add(this.#enter(object, own));
      for (const root of held) if (!wanted.has(root)) this.#leave(root, own);
      held = wanted;
    };
    return { set, release: () => set([]) };
  }

  /** Tells the status of every object as it is known first, absent ones included, then Sync, then what differs; ends when the signal aborts. */
  watch(identifiers: readonly ObjMetadata[], { signal }: { readonly signal: AbortSignal }): AsyncGenerator<StatusEvent, void, void> {
    return streamEvents(this, identifiers, signal);
  }

  /** What was told last of an object that is watched; undefined while that is being found out. */
  latest(identifier: ObjMetadata): ResourceStatus | undefined {
    return this.#roots.get(identifier, toObjectKey(identifier))?.told;
  }

  /** How what is told of an object is known, and when that was so; undefined where nothing is. */
  provenanceOf(identifier: ObjMetadata): Provenance | undefined {
    const store = this.#kinds.storeOf(identifier);
    return store && provenanceIn(store, toObjectKey(identifier), this.#clock.now());
  }

  /** The objects that are watched of a kind, and of those whose status is made from it. */
  *watchedOf(of: GroupKind): Iterable<ObjMetadata> {
    for (const { identifier } of this.#roots.above(of)) yield identifier;
  }

  /** Computes everything again by other rules, or by the same. */
  recompute(options: ReaderOptions): void {
    this.#statuses.reset(options);
    for (const root of this.#roots.all()) this.#touch(root);
  }

  [Symbol.dispose](): void {
    this.#dirty.stop();
    this.#statuses.stop();
    this.#kinds.close();
  }

  #enter(object: WatchedObject, listener: StatusListener): Root {
    const known = this.#roots.get(object, toObjectKey(object));
    const root = known ?? this.#roots.add(object, this.#clock.now());
    root.listeners.add(listener);
    if (known === undefined) {
      const [own = object, ...below] = withKindsBelow(object);
      this.#kinds.retain(own, object.apiVersion);
      for (const of of below) this.#kinds.retain(of, of.group === '' ? 'v1' : `${of.group}/v1`); // built in, and served so everywhere
      this.#touch(root);
    }
    return root;
  }

  #leave(root: Root, listener: StatusListener): void {
    root.listeners.delete(listener);
    if (root.listeners.size > 0) return;
    this.#roots.remove(root);
    this.#dirty.delete(root);
    for (const of of withKindsBelow(root.identifier)) this.#kinds.release(of);
  }

  #hear(of: GroupKind, change: StoreChange): void {
    this.#touch(this.#roots.get(of, change.key));
    this.#statuses.hear(of, change);
  }

  #hearKind(of: GroupKind): void {
    this.#statuses.hearKind(of);
    // An owner that was not told of waits for the copies of its children.
    for (const root of this.#roots.above(of)) if (root.told === undefined || root.identifier.kind === of.kind) this.#touch(root);
  }

  #touch(root: Root | undefined): void {
    if (root !== undefined) this.#dirty.add(root);
  }

  #notify(root: Root): void {
    const { told, read } = root;
    const status = this.#look(root);
    if (status === undefined) return;
    root.told = status; // the newest version also where nothing differs, so that no older one is kept
    root.read = undefined;
    if (told !== undefined && isSameStatus(told, status)) return;
    for (const listener of root.listeners) listener(status, told ?? read);
  }

  /** The status of a root, or nothing while its copies are still filling. */
  #look(root: Root): ResourceStatus | undefined {
    const { identifier, key, told } = root;
    const failure = this.#kinds.failureOf(identifier);
    if (failure !== undefined) return unknownStatus(identifier, toStatusError(failure));
    const store = this.#kinds.storeOf(identifier);
    if (store === undefined) return undefined;
    const object = store.get(key);
    const known = store.knowledge(key);
    // What is not served is not known, whatever the copy last held.
    if (known.kind === 'unserved') return unservedStatus(identifier);
    if (object !== undefined && known.kind !== 'forbidden')
      return told === undefined ? this.#judgeFirst(root, object) : this.#statuses.of(object);
    const isKnown = known.kind === 'watched' || (known.kind === 'polled' && findStaleness(store, key, this.#clock.now()) === undefined);
    if (isKnown) return notFoundStatus(identifier);
    const { state, synced } = store.health();
    if (state.kind === 'listing' || (state.kind === 'watching' && !synced)) return undefined; // what was told still stands
    return told?.status === 'NotFound' && (known.kind === 'lost' || known.kind === 'polled')
      ? told
      : unknownStatus(identifier, { kind: 'transport', text: known.reason });
  }

  /** The first status of a root, or nothing while it would be another in a moment. */
  #judgeFirst({ identifier, since }: Root, object: KubeObject): ResourceStatus | undefined {
    if (this.#isFillingBelow(identifier)) return undefined;
    const status = this.#statuses.of(object);
    return status.isPending && this.#clock.now() - since < PENDING_MS ? undefined : status;
  }

  /** True while the children of an owner are being read for the first time: they would only make it computed again, one by one. */
  #isFillingBelow(identifier: ObjMetadata): boolean {
    return withKindsBelow(identifier).some((of) => {
      const health = this.#kinds.storeOf(of)?.health();
      return health === undefined ? this.#kinds.failureOf(of) === undefined : !health.synced && health.state.kind === 'listing';
    });
  }
}
