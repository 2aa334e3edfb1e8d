import type { KubeObject, ObjectAddress, ObjectKey, TypeRef } from '@/lib/kube/object';
import { describeObject, groupOf, toObjectKey } from '@/lib/kube/object';
import { differsInStatusOnly } from '@/lib/kube/status-change';
import { inParallel } from '@/lib/std/in-parallel';
import type { Instant } from '@/lib/std/instant';
import type { CacheReader, LiveState } from '@/server/dispatch';
import { cachedState } from '@/server/dispatch';
import type { Cluster, Informers, Store, StoreUse } from '@/server/kube';
import { isNoMatch, toKindRef } from '@/server/kube';
import type { Clock, Release } from '@/server/platform';
import { differsInScaleOnly } from './differs-in-scale-only';
import { applicationsOf } from './observe';

/** A kind that cannot be listed must not hold an application for ever; the server is asked instead. */
const SYNC_LIMIT_MS = 5000;
/** A list that takes longer is worth a sentence. */
const SLOW_MS = 1000;
const AT_ONCE = 16;

export interface ObjectStoresDeps {
  readonly cluster: Pick<Cluster, 'discovery'>;
  readonly informers: Informers;
  readonly clock: Clock;
  /** Hears which applications a change of one of their objects concerns. */
  readonly onChange: (keys: readonly ObjectKey[]) => void;
}

interface OpenKind {
  readonly use: StoreUse;
  readonly openedAt: Instant;
  /** Applications whose pass ended since the kind was not known yet. */
  readonly waiting: Set<ObjectKey>;
  readonly release: Release;
}

/** Kinds that a pass needs and whose first list is still under way: when to come back, and after a while a sentence. */
export interface UnsyncedKinds {
  readonly againMs: number;
  readonly why: string | undefined;
}

/** Watched copies of every kind that applications consist of, opened when a manifest first names the kind. */
export class ObjectStores implements CacheReader {
  readonly #deps: ObjectStoresDeps;
  readonly #open = new Map<string, OpenKind>();
  /** Kinds that the server said it serves at no version. */
  readonly #unserved = new Set<string>();

  constructor(deps: ObjectStoresDeps) {
    this.#deps = deps;
  }

  /**
   * Opens the kinds, all at once, and says what is not known yet; nobody waits here. The application is woken when a kind becomes
   * known. A kind that is not served, or that cannot be listed for a while, is left to reads from the server.
   */
  async ensure(types: readonly TypeRef[], application: ObjectKey, signal: AbortSignal): Promise<UnsyncedKinds | undefined> {
    const wanted = [...new Map(types.map((type) => [keyOf(type), type]))];
    await inParallel(wanted, AT_ONCE, async ([key, type]) => {
      await this.#closeUnserved(key, type, signal);
      if (!this.#open.has(key)) await this.#openKind(key, type, signal);
    });
    const now = this.#deps.clock.now();
    const late = wanted.flatMap(([key, { kind }]) => {
      const held = this.#open.get(key);
      if (held === undefined || isKnown(held.use.store) || now - held.openedAt >= SYNC_LIMIT_MS) return [];
      held.waiting.add(application);
      const { state } = held.use.store.health();
      return { kind, waitedMs: now - held.openedAt, reason: state.kind === 'retrying' ? state.reason : 'they are still being listed' };
    });
    if (late.length === 0) return undefined;
    const waitedMs = Math.max(...late.map((one) => one.waitedMs));
    return {
      againMs: (waitedMs < SLOW_MS ? SLOW_MS : SYNC_LIMIT_MS) - waitedMs,
      why: waitedMs < SLOW_MS ? undefined : late.map(({ kind, reason }) => `${kind} objects are not known yet: ${reason}`).join('; '),
    };
  }

  async #openKind(key: string, type: TypeRef, signal: AbortSignal): Promise<void> {
    const { cluster, informers, clock, onChange } = this.#deps;
    try {
      await cluster.discovery.resolveKind(toKindRef(type), signal);
    } catch (error) {
      if (!isNoMatch(error)) throw error;
      this.#unserved.add(key); // the manifest itself will fail with this, in its turn
      return;
    }
    this.#unserved.delete(key);
    if (this.#open.has(key)) return; // another pass was quicker
    const waiting = new Set<ObjectKey>();
    const use = informers.open({ apiVersion: type.apiVersion, kind: type.kind });
    const unsubscribe = use.store.subscribe(({ before, after }) => {
      if (differsInStatusOnly(before, after) || differsInScaleOnly({ before, after })) return; // the one is told by its computed status, the other by its rollout
      const keys = [...new Set([...applicationsOf(before), ...applicationsOf(after)])];
      if (keys.length > 0) onChange(keys);
    });
    const unwatch = use.store.onHealth(() => {
      if (!isKnown(use.store) || waiting.size === 0) return;
      onChange([...waiting]);
      waiting.clear();
    });
    const release = () => {
      unsubscribe();
      unwatch();
    };
    this.#open.set(key, { use, openedAt: clock.now(), waiting, release });
  }

  /** A kind that is served at no version cannot be watched any more, and its objects went with its definition. */
  async #closeUnserved(key: string, type: TypeRef, signal: AbortSignal): Promise<void> {
    const held = this.#open.get(key);
    if (held === undefined || held.use.store.health().state.kind !== 'retrying') return;
    try {
      await this.#deps.cluster.discovery.resolveKind(toKindRef(type), signal);
    } catch (error) {
      if (!isNoMatch(error)) return; // what cannot be asked stays unknown
      this.#open.delete(key);
      held.release();
      held.use.release();
    }
  }

  read(at: ObjectAddress): KubeObject | undefined {
    const object = this.#open.get(keyOf(at))?.use.store.get(toObjectKey(at));
    return object?.apiVersion === at.apiVersion ? object : undefined;
  }

  lacks(at: ObjectAddress): boolean {
    const store = this.#open.get(keyOf(at))?.use.store;
    return store !== undefined && isLacking(store, at);
  }

  /** The same copies and those of the trackers, which are open from the start. */
  withTrackers(trackers: Store): CacheReader {
    const isTracker = (at: ObjectAddress) => keyOf(at) === keyOf(trackers.scope);
    return {
      read: (at) => (isTracker(at) ? trackers.get(toObjectKey(at)) : this.read(at)),
      lacks: (at) => (isTracker(at) ? isLacking(trackers, at) : this.lacks(at)),
    };
  }

  /** What the copies know of a recorded object, by whatever version its kind is served. */
  live(entry: ObjectAddress): LiveState {
    const store = this.#open.get(keyOf(entry))?.use.store;
    if (store !== undefined) return cachedState(store, entry, this.#deps.clock.now());
    return this.#unserved.has(keyOf(entry))
      ? { kind: 'absent' }
      : { kind: 'unknown', why: `${describeObject(entry)} has not been read yet` };
  }

  [Symbol.dispose](): void {
    for (const { use, release } of this.#open.values()) {
      release();
      use.release();
    }
    this.#open.clear();
  }
}

/** What was polled may be there by now: whoever writes by this asks the server. */
function isLacking(store: Store, at: ObjectAddress): boolean {
  const key = toObjectKey(at);
  return store.knowledge(key).kind === 'watched' && store.get(key) === undefined;
}

/** True once the first list is through and the changes after it are heard. */
function isKnown(store: Store): boolean {
  const { synced, state } = store.health();
  return state.kind === 'refused' || (synced && state.kind !== 'listing');
}

function keyOf(type: TypeRef): string {
  return `${groupOf(type.apiVersion)}/${type.kind}`;
}
