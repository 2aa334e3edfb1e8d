import type { KubeObject } from '@/lib/kube/object';
import { compareResourceVersions } from '@/lib/kube/resource-version';
import type { Clock, Log, Random } from '@/server/platform';
import { yieldToEventLoop } from '@/server/platform';
import type { Cluster, CollectionAddress, ListOptions, WatchEvent } from '../cluster';
import { isNoMatch, isUnserved } from '../errors';
import type { InformerScope, InformerState } from '../informer';
import { toFrozenCopy } from '../informers/frozen-copy';
import type { ObjectStore } from '../informers/object-store';
import { toApiVersion, toKindRef } from '../served';
import { isListRefused } from './is-list-refused';
import type { LastChange } from './last-change';
import { isSameAsLast, latestOf, selectLast } from './last-change';
import type { TimeLimit } from './time-limit';
import { startTimeLimit } from './time-limit';
import { VeryShortWatchError, WatchFailure } from './watch-failure';
import type { WatchPosition } from './watch-from';
import { watchFrom } from './watch-from';

const PAGE = 500;
const PAGE_LIMIT_MS = 60_000;
const SILENCE_LIMIT_MS = 150_000; // bookmarks come every minute
const WATCH_LEAST_S = 240;
const WATCH_SPREAD_S = 60;
const SETTLED_WATCH_MS = 5_000;

/** Lets one list of a kind run at a time, whatever the scopes of its stores. */
export type ListSlot = <Result>(list: () => Promise<Result>) => Promise<Result>;

/** A sign of life of the server. */
export interface WatchHeartbeat {
  readonly version: string | undefined;
  readonly event: boolean;
  readonly synced: boolean;
}

export interface ReflectorDeps {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly scope: InformerScope;
  readonly objects: Pick<ObjectStore, 'put' | 'remove' | 'replace'>;
  readonly takeTurn: ListSlot;
  readonly onState: (state: InformerState) => void;
  readonly onContact: (contact: WatchHeartbeat) => void;
}

class SilentWatchError extends Error {}
class OutdatedWatchError extends Error {}

/**
 * Keeps a store equal to the server's collection: list, watch from its version, and again.
 *
 * 1. The store changes only by a complete list or by an event; a list that fails on any page changes nothing.
 * 2. A watch that ends, breaks or falls silent is resumed from the last version heard of; only 410 and a history that went
 *    backwards lead to another list.
 * 3. Lists hold the clock; waiting for events or for the next attempt does not.
 */
export class Reflector {
  readonly #deps: ReflectorDeps;
  /** What is listed and watched: the scope, at the version that is served. */
  #of: CollectionAddress;
  readonly #selectors: Pick<ListOptions, 'labelSelector' | 'metadataOnly'>;
  readonly #failure: WatchFailure;
  readonly #place: WatchPosition = { version: undefined };
  /** The server may have been restored from a backup since we last heard of it. */
  #doubtful = false;
  /** Its resourceVersions name other contents than before. */
  #rewritten = false;
  #justListed = false;
  #last: LastChange | undefined;
  /** The watch that is open. */
  #watching: TimeLimit | undefined;
  /** What is open, or about to be, tells objects as an older definition keeps them. */
  #isOutdated = false;
  #anew: (() => void)[] = [];

  constructor(deps: ReflectorDeps) {
    const { labelSelector, metadataOnly, ...of } = deps.scope;
    this.#deps = deps;
    this.#of = of;
    this.#selectors = { ...(labelSelector === undefined ? {} : { labelSelector }), ...(metadataOnly ? { metadataOnly } : {}) };
    this.#failure = new WatchFailure(deps);
  }

  /** Runs until the signal aborts; never rejects for anything the server does. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (this.#place.version !== undefined && this.#failure.isRefused) await this.#probe(signal);
        if (this.#place.version !== undefined && this.#doubtful) await this.#verifyHistory(this.#place.version, signal);
        this.#place.version ??= await this.#relist(signal);
        await this.#watch(signal);
      } catch (error) {
        if (!signal.aborted) await this.#retryLater(error, signal);
      }
    }
    this.#notifyAnew();
  }

  /**
   * Lists once more and watches from there, since a watch that was opened before a definition changed goes on telling objects as the older one
   * keeps them. Resolves once that is listed, or may not be.
   */
  relist(): Promise<void> {
    this.#isOutdated = true;
    this.#watching?.cut(new OutdatedWatchError('the definition has changed'));
    return this.#failure.isRefused ? Promise.resolve() : new Promise((resolve) => this.#anew.push(resolve));
  }

  #notifyAnew(): void {
    for (const resolve of this.#anew.splice(0)) resolve();
  }

  async #relist(signal: AbortSignal): Promise<string> {
    const { clock, objects, takeTurn, onState, onContact } = this.#deps;
    if (this.#failure.isOver) onState({ kind: 'listing' });
    if (this.#isOutdated) this.#rewritten = true; // the same objects at the same resourceVersion read otherwise
    this.#isOutdated = false;
    const release = clock.hold();
    try {
      const { items, version } = await takeTurn(() => this.#readAll(signal));
      if (this.#failure.isRefused) onState({ kind: 'listing' }); // from here on no poll, which may be older, is taken in
      for (const _piece of objects.replace(items, this.#rewritten ? 'untrusted' : 'trusted')) await clock.sleep(0, signal);
      this.#rewritten = false;
      this.#doubtful = false;
      this.#justListed = true;
      this.#last = latestOf(items);
      onContact({ version, event: false, synced: true });
      this.#failure.end();
      if (!this.#isOutdated) this.#notifyAnew();
      return version;
    } finally {
      release();
    }
  }

  async #readAll(signal: AbortSignal): Promise<{ readonly items: readonly KubeObject[]; readonly version: string }> {
    const { cluster, clock } = this.#deps;
    const items: KubeObject[] = [];
    let version: string | undefined;
    const limit = startTimeLimit(clock, signal, PAGE_LIMIT_MS, () => new Error('a page of the list took longer than a minute'));
    try {
      for await (const page of cluster.list(this.#of, { ...this.#selectors, limit: PAGE, omitManagedFields: true, signal: limit.signal })) {
        limit.restart();
        for (const item of page.items) {
          await yieldToEventLoop(clock); // pages of several kinds may come in one turn
          items.push(toFrozenCopy(item));
        }
        version = page.resourceVersion;
      }
      limit.signal.throwIfAborted();
      if (version === undefined) throw new Error('the list had no pages');
      return { items, version };
    } finally {
      limit.end();
    }
  }

  /**
   * After an outage the server may have been restored from a backup. A watch from a version that it has not reached yet is
   * accepted and stays silent until it is reached; if it is reached already, by other writes, the watch misses what was undone.
   * So before the watch is resumed one request asks for the present version and for what we heard of last.
   */
  async #verifyHistory(from: string, signal: AbortSignal): Promise<void> {
    const { cluster, clock, log } = this.#deps;
    const limit = startTimeLimit(
      clock,
      signal,
      PAGE_LIMIT_MS,
      () => new Error('the current resourceVersion was not reported within a minute'),
    );
    const release = clock.hold();
    try {
      const options = { ...this.#selectors, ...selectLast(this.#last), limit: 1, omitManagedFields: true, signal: limit.signal };
      for await (const page of cluster.list(this.#of, options)) {
        this.#doubtful = false;
        if (compareResourceVersions(page.resourceVersion, from) >= 0 && isSameAsLast(this.#last, page.items[0])) return;
        log.warn({ had: from, has: page.resourceVersion }, 'the last resourceVersion is not valid after the outage, listing again');
        this.#rewritten = true;
        this.#place.version = undefined;
        return;
      }
    } finally {
      release();
      limit.end();
    }
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { cluster, clock, random } = this.#deps;
    const place = this.#place;
    if (this.#isOutdated) {
      place.version = undefined;
      return;
    }
    const startedAt = clock.now();
    const isSettled = () => clock.now() - startedAt >= SETTLED_WATCH_MS;
    const justListed = this.#justListed;
    this.#justListed = false;
    const silence = startTimeLimit(clock, signal, SILENCE_LIMIT_MS, () => new SilentWatchError('the watch fell silent'));
    this.#watching = silence;
    const hear = (event: WatchEvent) => {
      silence.restart();
      this.#hear(event);
    };
    try {
      const timeoutSeconds = WATCH_LEAST_S + Math.floor(random() * (WATCH_SPREAD_S + 1));
      const options = { ...this.#selectors, timeoutSeconds, signal: silence.signal, onOpen: () => this.#hear() };
      const end = await watchFrom(cluster, this.#of, { place, hear, ...options });
      silence.signal.throwIfAborted();
      if (isSettled()) return;
      // A server that ends watches as soon as they begin must not be asked in a circle, nor one by which what it has just listed is too old.
      if (end.kind === 'ended') throw new VeryShortWatchError('the watch ended as soon as it had begun');
      if (justListed) throw end.error;
    } catch (error) {
      this.#endWatch(silence.signal.aborted ? silence.signal.reason : error);
    } finally {
      this.#watching = undefined;
      silence.end();
      if (isSettled()) this.#failure.settle();
    }
  }

  /** What ended a watch before its time; throws what is trouble. */
  #endWatch(cause: unknown): void {
    this.#failure.noteWatch(cause);
    if (cause instanceof OutdatedWatchError) this.#place.version = undefined;
    else if (cause instanceof SilentWatchError)
      this.#doubtful = true; // no more than a suspicion, so it is resumed at once, and only failing at that is trouble
    else throw cause;
  }

  /** Looks whether the watch is let through by now. What was polled meanwhile is newer than where it would go on, so a list comes first. */
  async #probe(signal: AbortSignal): Promise<void> {
    const opened = new AbortController();
    const until = { ...this.#selectors, timeoutSeconds: 1, signal: AbortSignal.any([signal, opened.signal]), onOpen: () => opened.abort() };
    try {
      await watchFrom(this.#deps.cluster, this.#of, { place: { ...this.#place }, hear: () => opened.abort(), ...until });
    } catch (error) {
      this.#failure.noteWatch(error);
      if (!opened.signal.aborted) throw error;
    }
    this.#place.version = undefined;
  }

  #hear(event?: WatchEvent): void {
    if (!this.#failure.isOver) this.#failure.end();
    if (event !== undefined) this.#apply(event);
    this.#deps.onContact({ version: this.#place.version, event: event !== undefined && event.type !== 'BOOKMARK', synced: false });
  }

  #apply({ type, object }: WatchEvent): void {
    const { objects } = this.#deps;
    if (type === 'BOOKMARK') return;
    if (type === 'DELETED') objects.remove(object);
    else objects.put(toFrozenCopy(object));
    this.#last = { metadata: object.metadata, gone: type === 'DELETED' };
  }

  /** Follows the kind to another version where this one is not served; undefined where it is listed all the same, or nobody can tell. */
  async #follow(signal: AbortSignal): Promise<'nowhere' | 'elsewhere' | undefined> {
    const { cluster, scope, log } = this.#deps;
    cluster.discovery.invalidate(); // its CRD may appear any moment, or serve another version
    try {
      const apiVersion = toApiVersion(await cluster.discovery.resolveKind(toKindRef(scope), signal));
      if (apiVersion === this.#of.apiVersion) return undefined;
      log.info({ from: this.#of.apiVersion, to: apiVersion }, 'a watched kind is followed to the version that is served');
      this.#of = { ...this.#of, apiVersion };
      this.#place.version = undefined;
      this.#rewritten = true; // the same objects at the same resourceVersion read otherwise
      return 'elsewhere';
    } catch (error) {
      return isNoMatch(error) ? 'nowhere' : undefined;
    }
  }

  async #retryLater(error: unknown, signal: AbortSignal): Promise<void> {
    const isRepeated = !this.#failure.isOver;
    if (this.#failure.begin(error) === 'refused') {
      this.#notifyAnew(); // what is polled is read anew each time
      // Where it may not be listed either, its namespaces are watched one by one.
      if (this.#place.version !== undefined && (await isListRefused(this.#deps.cluster, this.#of, { ...this.#selectors, signal })))
        this.#place.version = undefined;
      return this.#wait(this.#failure.reportRefusal(error, this.#place.version === undefined ? 'list' : 'watch'), signal);
    }
    const served = isUnserved(error) ? await this.#follow(signal) : undefined;
    if (served === 'elsewhere') return;
    const { waitMs, isOutage } = this.#failure.reportFailure(error, served === 'nowhere');
    // More than a cut connection: the server may have been away, and may come back with another history.
    if (isRepeated || isOutage) this.#doubtful = true;
    await this.#wait(waitMs, signal);
  }

  async #wait(ms: number, signal: AbortSignal): Promise<void> {
    await this.#deps.clock.sleep(ms, signal).catch(() => undefined); // aborted: the loop ends by itself
  }
}
