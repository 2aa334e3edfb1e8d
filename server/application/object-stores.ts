import type { KubeObject, ObjectAddress, ObjectKey, TypeRef } from '@/lib/kube/object';
import { describeObject, groupOf, toObjectKey } from '@/lib/kube/object';
import type { CacheReader, LiveState, TrackerEntry } from '@/server/dispatch';
import type { Cluster, Informers, Store, StoreUse } from '@/server/kube';
import { isNoMatch } from '@/server/kube';
import type { Clock, Release } from '@/server/platform';
import { applicationsOf } from './observe';

/** A kind that cannot be listed must not hold a pass for ever; the server is asked instead. */
const SYNC_LIMIT_MS = 5000;

export interface ObjectStoresDeps {
  readonly cluster: Pick<Cluster, 'discovery'>;
  readonly informers: Informers;
  readonly clock: Clock;
  /** Hears which applications a change of one of their objects concerns. */
  readonly onChange: (keys: readonly ObjectKey[]) => void;
}

interface OpenKind {
  readonly use: StoreUse;
  readonly release: Release;
}

/** Watched copies of every kind that applications consist of, opened when a manifest first names the kind. */
export class ObjectStores implements CacheReader {
  readonly #deps: ObjectStoresDeps;
  readonly #open = new Map<string, OpenKind>();
  /** Kinds that the server said it does not serve. */
  readonly #unserved = new Set<string>();

  constructor(deps: ObjectStoresDeps) {
    this.#deps = deps;
  }

  /** Opens and awaits the kinds; one that is not served or does not answer in time is left to reads from the server. */
  async ensure(types: readonly TypeRef[], signal: AbortSignal): Promise<void> {
    const wanted = new Map(types.map((type) => [keyOf(type), type]));
    for (const [key, type] of wanted) {
      await this.#closeUnserved(key, type, signal);
      const held = this.#open.get(key) ?? (await this.#openKind(key, type, signal));
      if (held !== undefined && !held.use.store.health().synced) await this.#awaitSync(held.use, signal);
    }
  }

  async #openKind(key: string, type: TypeRef, signal: AbortSignal): Promise<OpenKind | undefined> {
    const { cluster, informers, onChange } = this.#deps;
    try {
      await cluster.discovery.resolve(type, signal);
    } catch (error) {
      if (!isNoMatch(error)) throw error;
      this.#unserved.add(key); // the manifest itself will fail with this, in its turn
      return undefined;
    }
    this.#unserved.delete(key);
    const already = this.#open.get(key);
    if (already !== undefined) return already;
    const use = informers.open({ apiVersion: type.apiVersion, kind: type.kind });
    const release = use.store.subscribe(({ before, after }) => {
      const keys = [...new Set([...applicationsOf(before), ...applicationsOf(after)])];
      if (keys.length > 0) onChange(keys);
    });
    const opened = { use, release };
    this.#open.set(key, opened);
    return opened;
  }

  /** A kind whose definition went cannot be watched any more, and its objects went with it. */
  async #closeUnserved(key: string, type: TypeRef, signal: AbortSignal): Promise<void> {
    const held = this.#open.get(key);
    if (held === undefined || held.use.store.health().state.kind !== 'retrying') return;
    try {
      await this.#deps.cluster.discovery.resolve(type, signal);
    } catch (error) {
      if (!isNoMatch(error)) return; // what cannot be asked stays unknown
      this.#open.delete(key);
      held.release();
      held.use.release();
    }
  }

  async #awaitSync(use: StoreUse, signal: AbortSignal): Promise<void> {
    const done = new AbortController();
    const limit = AbortSignal.any([signal, done.signal]);
    const late = this.#deps.clock.sleep(SYNC_LIMIT_MS, limit).catch(() => undefined);
    await Promise.race([use.store.synced(signal), late]).finally(() => done.abort());
  }

  read(at: ObjectAddress): KubeObject | undefined {
    const object = this.#open.get(keyOf(at))?.use.store.get(toObjectKey(at));
    return object?.apiVersion === at.apiVersion ? object : undefined;
  }

  lacks(at: ObjectAddress): boolean {
    const store = this.#open.get(keyOf(at))?.use.store;
    const { synced = false, state } = store?.health() ?? {};
    return synced && state?.kind === 'watching' && store?.get(toObjectKey(at)) === undefined;
  }

  /** The same copies and those of the trackers, which are open from the start. */
  withTrackers(trackers: Store): CacheReader {
    return {
      read: (at) => (keyOf(at) === keyOf(trackers.scope) ? trackers.get(toObjectKey(at)) : this.read(at)),
      lacks: (at) => this.lacks(at),
    };
  }

  /** What the copies know of a recorded object. */
  live(entry: TrackerEntry): LiveState {
    const store = this.#open.get(keyOf(entry))?.use.store;
    const object = store?.get(toObjectKey(entry));
    if (object !== undefined) return { kind: 'present', object };
    if (store === undefined && this.#unserved.has(keyOf(entry))) return { kind: 'absent' };
    const { synced = false, state } = store?.health() ?? {};
    if (synced && state?.kind === 'watching') return { kind: 'absent' };
    return { kind: 'unknown', why: state?.kind === 'retrying' ? state.reason : `${describeObject(entry)} has not been read yet` };
  }

  [Symbol.dispose](): void {
    for (const { use, release } of this.#open.values()) {
      release();
      use.release();
    }
    this.#open.clear();
  }
}

function keyOf(type: TypeRef): string {
  return `${groupOf(type.apiVersion)}/${type.kind}`;
}
