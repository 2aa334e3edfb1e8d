import { messageOf } from '@/lib/contract/app-error';
import type { ObjectKey, TypeRef } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import type { CollectionAddress, PollAnswer, PolledPart, Store } from '@/server/kube';
import { getApiStatus, isNotFound } from '@/server/kube';
import type { Clock } from '@/server/platform';
import type { ApiReader } from '../cluster/api-reader';
import { listPages } from '../cluster/list-pages';
import { isAbortLike } from '../cluster/read-errors';
import { StoreClusterReader } from '../cluster/store-reader';

/** What to poll of one kind: its groups, and the objects to ask for one by one where a group may not be listed. */
export interface PollPlan {
  /** Namespaces; the empty one stands for all. */
  readonly namespaces: readonly string[];
  readonly objects: readonly { readonly namespace: string; readonly name: string }[];
}

/** What the last round of polls of a kind took, and what it could not read. */
export interface PollRound {
  readonly at: Instant;
  readonly groups: number;
  readonly lists: number;
  readonly gets: number;
  readonly tookMs: number;
  readonly lastError: string | undefined;
}

export interface PolledCopyConfig {
  readonly api: ApiReader;
  readonly clock: Clock;
  readonly store: Store;
  /** The type to read: of the store's own version where that is served. Throws while nobody can tell. */
  readonly findType: (signal: AbortSignal) => Promise<TypeRef>;
  readonly everyMs: number;
  readonly plan: () => PollPlan;
}

/**
 * Keeps the copy of a kind that nobody may watch as a whole: each round lists every group once, but those whose own watch is let through. Where a group may not be listed its objects are asked
 * for one by one; what may not be read either is not known, with the server's sentence, and nothing else is touched by that.
 */
export class PolledCopy extends StoreClusterReader {
  readonly #config: PolledCopyConfig;
  round: PollRound | undefined;
  /** True while everything that is wanted is watched, namespace by namespace, and nothing polled. */
  isWatched = false;

  constructor(config: PolledCopyConfig) {
    super(() => config.store);
    this.#config = config;
  }

  override async sync(signal?: AbortSignal): Promise<void> {
    const { clock, plan } = this.#config;
    const ending = signal ?? new AbortController().signal;
    const startedAt = clock.now();
    const counts = { lists: 0, gets: 0, lastError: undefined as string | undefined };
    const { namespaces, objects } = plan();
    const { store } = this.#config;
    store.keepPolled(namespaces);
    const watched = new Set(store.watchParts(namespaces.filter((namespace) => namespace !== '')));
    this.isWatched = namespaces.every((namespace) => watched.has(namespace));
    for (const namespace of namespaces) {
      if (watched.has(namespace)) continue;
      const refused = await this.#list(namespace, counts, ending);
      if (refused === undefined) continue;
      for (const object of objects) if (namespace === '' || object.namespace === namespace) await this.#get(object, counts, ending);
      // Told only now: what could be read by itself is at no moment said to be unknown.
      await this.#accept(partOf(namespace), { refused });
    }
    const at = clock.now();
    this.round = { at, groups: namespaces.length, tookMs: at - startedAt, ...counts };
  }

  /** Why the group may not be listed; undefined when it may. */
  async #list(namespace: string, counts: Counts, signal: AbortSignal): Promise<string | undefined> {
    const { api, store, findType } = this.#config;
    const part = partOf(namespace);
    const { labelSelector } = store.scope;
    try {
      const of: CollectionAddress = { ...(await findType(signal)), ...part };
      const { objects, requests } = await listPages(api, of, { signal, labelSelector });
      counts.lists += requests;
      await this.#accept(part, { objects });
      return undefined;
    } catch (error) {
      if (isAbortLike(error, signal)) throw error;
      counts.lists++;
      counts.lastError = messageOf(error);
      if (isRefusal(error)) return messageOf(error);
      await this.#accept(part, { failed: messageOf(error) }); // the copy stays as it is, and grows older
      return undefined;
    }
  }

  async #get({ namespace, name }: PollPlan['objects'][number], counts: Counts, signal: AbortSignal): Promise<void> {
    const { api, findType } = this.#config;
    const key: ObjectKey = toObjectKey({ namespace, name });
    counts.gets++;
    try {
      const object = await api.get({ ...(await findType(signal)), name, ...(namespace === '' ? {} : { namespace }) }, signal);
      await this.#accept({ key }, { objects: [object] });
    } catch (error) {
      if (isAbortLike(error, signal)) throw error;
      if (isNotFound(error)) return this.#accept({ key }, { objects: [] });
      counts.lastError = messageOf(error);
      await this.#accept({ key }, isRefusal(error) ? { refused: messageOf(error) } : { failed: messageOf(error) });
    }
  }

  #accept(part: PolledPart, answer: PollAnswer): Promise<void> {
    return this.#config.store.acceptPoll(part, answer, this.#config.everyMs);
  }
}

const partOf = (namespace: string): PolledPart => (namespace === '' ? {} : { namespace });

interface Counts {
  lists: number;
  gets: number;
  lastError: string | undefined;
}

/** Whoever asks again is answered the same until somebody grants the right. */
function isRefusal(error: unknown): boolean {
  return [401, 403, 405, 501].includes(getApiStatus(error)?.code ?? 0);
}
