import type { KubeObject, ObjectAddress, TypeRef } from '@/lib/kube/object';
import { groupOf, toAddress, toObjectKey } from '@/lib/kube/object';
import { compareResourceVersions } from '@/lib/kube/resource-version';
import type { Instant } from '@/lib/std/instant';
import type { Cluster, Store, StoreChange } from '@/server/kube';
import { hasCaughtUp } from '@/server/kube';
import type { Clock, Release } from '@/server/platform';

/**
 * After so long nobody waits for a write any more that the watch went beyond without showing it: an object that came and went between two lists is
 * in neither, and a cluster that was put back to an earlier state never comes to that version.
 */
export const CACHE_CATCH_UP_MS = 15_000;

interface Unseen {
  readonly address: ObjectAddress;
  readonly store: Store;
  readonly version: string;
  readonly at: Instant;
  readonly writers: Set<string>;
  /** What wakes those who wait for it. */
  readonly wakes: Map<string, () => void>;
}

/** A pass that is about to begin. */
export interface PendingPass {
  /** By whose name its writes are noted. */
  readonly writer: string;
  /** The object that the pass is about; undefined where its key names none. */
  readonly own: ObjectAddress | undefined;
  /** Asks for the pass once more. */
  readonly wake: () => void;
}

/**
 * What the passes of an engine wrote and its watched copies do not show yet.
 *
 * A pass that decides on copies from before its last one writes the same again, or undoes it, or is refused for the version. So none begins
 * before the copies show everything that was written in its key's name, and the key's own object as whoever of the engine wrote it last. What the
 * server answers is the object as it is now, so the copies take it in, and mostly nothing is left to wait for.
 */
export class OwnWrites implements Disposable {
  readonly #clock: Clock;
  readonly #server: Pick<Cluster, 'get'>;
  readonly #stores = new Map<string, Store>();
  readonly #unseen = new Map<string, Unseen>();
  /** Ids of what is unseen, by who wrote it. */
  readonly #byWriter = new Map<string, Set<string>>();
  readonly #subscriptions: readonly Release[];

  constructor(stores: readonly Store[], clock: Clock, server: Pick<Cluster, 'get'>) {
    this.#clock = clock;
    this.#server = server;
    // What a selector or a namespace leaves out of a store never comes back.
    const whole = stores.filter(({ scope }) => scope.namespace === undefined && scope.labelSelector === undefined);
    for (const store of whole) this.#stores.set(kindOf(store.scope), store);
    this.#subscriptions = whole.map((store) => store.subscribe((change) => this.#hear(store, change)));
  }

  /** True while copies are older than what was written; the pass is asked for again when they are not. */
  holds({ writer, own, wake }: PendingPass): boolean {
    const id = own && idOf(own);
    const [first] =
      id !== undefined && this.#isUnseen(id) ? [id] : [...(this.#byWriter.get(writer) ?? [])].filter((one) => this.#isUnseen(one));
    if (first === undefined) return false;
    this.#unseen.get(first)?.wakes.set(writer, wake);
    return true;
  }

  /** Reads of the server itself what the copies do not show yet, for a pass that a person waits for: a watch of many changes may be seconds behind. */
  async catchUp({ writer, own }: Omit<PendingPass, 'wake'>, signal: AbortSignal): Promise<void> {
    const ids = new Set([...(own === undefined ? [] : [idOf(own)]), ...(this.#byWriter.get(writer) ?? [])]);
    const unseen = [...ids].flatMap((id) => this.#unseen.get(id) ?? []);
    // What cannot be read is waited for.
    await Promise.allSettled(unseen.map(async ({ address, store }) => store.takeIn(await this.#server.get(address, { signal }))));
  }

  /** The same cluster, whose answers to writes are noted in somebody's name. */
  noting(cluster: Cluster, writer: string): Cluster {
    const note = async (at: ObjectAddress | undefined, isTried: boolean | undefined, answer: Promise<KubeObject>): Promise<KubeObject> => {
      const stored = await answer;
      if (isTried !== true) this.#note(at ?? toAddress(stored), stored, writer);
      return stored;
    };
    return {
      discovery: cluster.discovery,
      get: (at, options) => cluster.get(at, options),
      list: (of, options) => cluster.list(of, options),
      watch: (of, options) => cluster.watch(of, options),
      // What a server names itself is known by its answer only.
      create: (object, options) => note(undefined, options?.dryRun, cluster.create(object, options)),
      update: (object, options) => note(toAddress(object), options?.dryRun, cluster.update(object, options)),
      patch: (at, patch, options) => note(at, options?.dryRun, cluster.patch(at, patch, options)),
      delete: (at, options) => cluster.delete(at, options),
      deleteCollection: (of, options) => cluster.deleteCollection(of, options),
      request: (request) => cluster.request(request),
      connect: (request) => cluster.connect(request),
      as: (person) => this.noting(cluster.as(person), writer),
    };
  }

  [Symbol.dispose](): void {
    for (const release of this.#subscriptions) release();
    this.#unseen.clear();
    this.#byWriter.clear();
  }

  #note(at: ObjectAddress, stored: KubeObject, writer: string): void {
    const store = this.#stores.get(kindOf(at));
    const version = stored.metadata.resourceVersion;
    if (store === undefined || version === undefined) return;
    const key = toObjectKey(at);
    if (isLike(store.get(key) ?? store.scope, stored)) store.takeIn(stored);
    if (shows(store.get(key), version)) return;
    // The watch has been there: an object that the copies lack has come and gone.
    if (compareResourceVersions(store.health().resourceVersion ?? '', version) >= 0) return;
    const id = idOf(at);
    const before = this.#unseen.get(id);
    const writers = new Set(before?.writers).add(writer);
    this.#unseen.set(id, { address: at, store, version, at: this.#clock.now(), writers, wakes: before?.wakes ?? new Map() });
    this.#byWriter.set(writer, (this.#byWriter.get(writer) ?? new Set()).add(id));
  }

  #hear({ scope }: Store, { key, after }: StoreChange): void {
    if (this.#unseen.size === 0) return;
    const id = `${kindOf(scope)}/${key}`;
    const unseen = this.#unseen.get(id);
    // What is gone shows every write that came before.
    if (unseen !== undefined && (after === undefined || shows(after, unseen.version))) this.#forget(id, unseen);
  }

  #isUnseen(id: string): boolean {
    const unseen = this.#unseen.get(id);
    if (unseen === undefined) return false;
    if (this.#clock.now() - unseen.at < CACHE_CATCH_UP_MS || !isPast(unseen)) return true;
    this.#forget(id, unseen);
    return false;
  }

  #forget(id: string, { writers, wakes }: Unseen): void {
    this.#unseen.delete(id);
    for (const writer of writers) {
      const ids = this.#byWriter.get(writer);
      ids?.delete(id);
      if (ids?.size === 0) this.#byWriter.delete(writer);
    }
    for (const wake of wakes.values()) wake();
  }
}

const kindOf = ({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }) => `${groupOf(apiVersion)}/${kind}`;
const idOf = (at: ObjectAddress) => `${kindOf(at)}/${toObjectKey(at)}`;
/** A subresource may answer with an object of its own, such as a Scale. */
const isLike = (held: TypeRef, stored: TypeRef) => held.kind === stored.kind && held.apiVersion === stored.apiVersion;
const isPast = ({ store, version, at }: Unseen) => hasCaughtUp(store, { version, at, graceMs: CACHE_CATCH_UP_MS });
const shows = (copy: KubeObject | undefined, version: string) =>
  copy !== undefined && compareResourceVersions(copy.metadata.resourceVersion ?? '0', version) >= 0;
