import { messageOf } from '@/lib/contract/app-error';
import type { KubeObject, ObjectMeta } from '@/lib/kube/object';
import { compareResourceVersions } from '@/lib/kube/resource-version';
import type { Instant } from '@/lib/std/instant';
import type { Clock, Log, Random } from '@/server/platform';
import { breathe } from '@/server/platform';
import type { Cluster, CollectionAddress, ListOptions, WatchEvent } from '../cluster';
import { getApiStatus, isExpired, isNoMatch, isNotToBeHad, isUnserved } from '../errors';
import type { InformerScope, InformerState } from '../informer';
import { toApiVersion, toKindRef } from '../served';
import type { Backoff } from './backoff';
import { createBackoff } from './backoff';
import { toFrozenCopy } from './frozen-copy';
import type { ObjectStore } from './object-store';
import type { TimeLimit } from './time-limit';
import { startTimeLimit } from './time-limit';

const PAGE = 500;
const PAGE_LIMIT_MS = 60_000;
const SILENCE_LIMIT_MS = 150_000; // bookmarks come every minute
const WATCH_LEAST_S = 240;
const WATCH_SPREAD_S = 60;
const SETTLED_WATCH_MS = 5_000;
const MISSING_KIND_WAIT_MS = 1_000;
/** A watch that ends so often as soon as it has begun cannot be held. */
const MOST_CUT_SHORT = 3;
/** A server that has answered watches for so long with its own faults does not hold them; lists may work all the same. */
const FAULTY_WATCH_MS = 60_000;
const OUTAGE_MS = 500; // in less no API server is stopped and started

/** Lets one list of a kind run at a time, whatever the scopes of its stores. */
export type ListTurn = <Result>(list: () => Promise<Result>) => Promise<Result>;

/** A sign of life of the server. */
export interface Contact {
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
  readonly takeTurn: ListTurn;
  readonly onState: (state: InformerState) => void;
  readonly onContact: (contact: Contact) => void;
}

class SilentWatchError extends Error {}
class CutShortError extends Error {}
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
  readonly #backoff: Backoff;
  /** Undefined: a list is due. */
  #version: string | undefined;
  #brokenSince: Instant | undefined;
  #reason: string | undefined;
  /** The server may have been restored from a backup since we last heard of it. */
  #doubtful = false;
  /** Its resourceVersions name other contents than before. */
  #rewritten = false;
  #justListed = false;
  /** The server lets nobody watch; somebody else keeps the copy meanwhile. */
  #isRefused = false;
  #cutShort = 0;
  /** What the newest watch was answered, where that was a fault of the server. */
  #watchFault: unknown;
  #last: LastHeard | undefined;
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
    this.#backoff = createBackoff(deps.random);
  }

  /** Runs until the signal aborts; never rejects for anything the server does. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (this.#version !== undefined && this.#isRefused) await this.#probe(this.#version, signal);
        if (this.#version !== undefined && this.#doubtful) await this.#verifyHistory(this.#version, signal);
        this.#version ??= await this.#relist(signal);
        await this.#watch(this.#version, signal);
      } catch (error) {
        if (!signal.aborted) await this.#retryLater(error, signal);
      }
    }
    this.#tellAnew();
  }

  /**
   * Lists once more and watches from there, since a watch that was opened before a definition changed goes on telling objects as the older one
   * keeps them. Resolves once that is listed, or may not be.
   */
  readAnew(): Promise<void> {
    this.#isOutdated = true;
    this.#watching?.cut(new OutdatedWatchError('the definition is another'));
    return this.#isRefused ? Promise.resolve() : new Promise((resolve) => this.#anew.push(resolve));
  }

  #tellAnew(): void {
    for (const resolve of this.#anew.splice(0)) resolve();
  }

  async #relist(signal: AbortSignal): Promise<string> {
    const { clock, objects, takeTurn, onState, onContact } = this.#deps;
    if (this.#brokenSince === undefined) onState({ kind: 'listing' });
    if (this.#isOutdated) this.#rewritten = true; // the same objects at the same resourceVersion read otherwise
    this.#isOutdated = false;
    const release = clock.hold();
    try {
      const { items, version } = await takeTurn(() => this.#readAll(signal));
      if (this.#isRefused) onState({ kind: 'listing' }); // from here on no poll, which may be older, is taken in
      for (const _piece of objects.replace(items, this.#rewritten ? 'untrusted' : 'trusted')) await clock.sleep(0, signal);
      this.#rewritten = false;
      this.#doubtful = false;
      this.#justListed = true;
      this.#last = latestOf(items);
      onContact({ version, event: false, synced: true });
      this.#working();
      if (!this.#isOutdated) this.#tellAnew();
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
          await breathe(clock); // pages of several kinds may come in one turn
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
    const limit = startTimeLimit(clock, signal, PAGE_LIMIT_MS, () => new Error('the present version was not told within a minute'));
    const release = clock.hold();
    try {
      const options = { ...this.#selectors, ...toFieldSelector(this.#last), limit: 1, omitManagedFields: true, signal: limit.signal };
      for await (const page of cluster.list(this.#of, options)) {
        this.#doubtful = false;
        if (compareResourceVersions(page.resourceVersion, from) >= 0 && isStillSo(this.#last, page.items[0])) return;
        log.warn({ had: from, has: page.resourceVersion }, 'what was heard last does not hold after the outage, listing again');
        this.#rewritten = true;
        this.#version = undefined;
        return;
      }
    } finally {
      release();
      limit.end();
    }
  }

  async #watch(from: string, signal: AbortSignal): Promise<void> {
    const { cluster, clock, random } = this.#deps;
    if (this.#isOutdated) {
      this.#version = undefined;
      return;
    }
    const startedAt = clock.now();
    const isSettled = () => clock.now() - startedAt >= SETTLED_WATCH_MS;
    const justListed = this.#justListed;
    this.#justListed = false;
    const silence = startTimeLimit(clock, signal, SILENCE_LIMIT_MS, () => new SilentWatchError('the watch fell silent'));
    this.#watching = silence;
    try {
      const timeoutSeconds = WATCH_LEAST_S + Math.floor(random() * (WATCH_SPREAD_S + 1));
      const options = { resourceVersion: from, allowWatchBookmarks: true, timeoutSeconds, signal: silence.signal, onOpen: () => this.#hear() };
      for await (const event of cluster.watch(this.#of, { ...this.#selectors, ...options })) {
        silence.restart();
        this.#hear(event);
      }
      silence.signal.throwIfAborted();
      // A server that ends watches as soon as they begin must not be asked in a circle.
      if (!isSettled()) throw new CutShortError('the watch ended as soon as it had begun');
    } catch (error) {
      const cause: unknown = silence.signal.aborted ? silence.signal.reason : error;
      this.#noteFault(cause);
      if (cause instanceof OutdatedWatchError) {
        this.#version = undefined;
        return;
      }
      if (cause instanceof SilentWatchError) {
        this.#doubtful = true; // no more than a suspicion, so it is resumed at once, and only failing at that is trouble
        return;
      }
      if (!isExpired(cause)) throw cause;
      this.#version = undefined;
      if (justListed && !isSettled()) throw cause; // too old right after a list: nor may this go in a circle
    } finally {
      this.#watching = undefined;
      silence.end();
      if (isSettled()) {
        this.#backoff.reset();
        this.#cutShort = 0;
      }
    }
  }

  /** Looks whether the watch is let through by now. What was polled meanwhile is newer than where it would go on, so a list comes first. */
  async #probe(from: string, signal: AbortSignal): Promise<void> {
    const opened = new AbortController();
    const options = { resourceVersion: from, timeoutSeconds: 1, signal: AbortSignal.any([signal, opened.signal]), onOpen: () => opened.abort() };
    try {
      for await (const _event of this.#deps.cluster.watch(this.#of, { ...this.#selectors, ...options })) break;
    } catch (error) {
      this.#noteFault(error);
      if (!opened.signal.aborted && !isExpired(error)) throw error;
    }
    this.#version = undefined;
  }

  #noteFault(error: unknown): void {
    if ((getApiStatus(error)?.code ?? 0) >= 500) this.#watchFault = error;
  }

  #hear(event?: WatchEvent): void {
    if (this.#brokenSince !== undefined) this.#working();
    const version = event?.object.metadata.resourceVersion;
    if (event !== undefined) this.#apply(event);
    this.#version = version ?? this.#version;
    this.#deps.onContact({ version: this.#version, event: event !== undefined && event.type !== 'BOOKMARK', synced: false });
  }

  #apply({ type, object }: WatchEvent): void {
    const { objects } = this.#deps;
    if (type === 'BOOKMARK') return;
    if (type === 'DELETED') objects.remove(object);
    else objects.put(toFrozenCopy(object));
    this.#last = { metadata: object.metadata, gone: type === 'DELETED' };
  }

  #working(): void {
    this.#brokenSince = undefined;
    this.#reason = undefined;
    this.#isRefused = false;
    this.#deps.onState({ kind: 'watching' });
  }

  /** What the server will not let anybody do, as opposed to what failed. Without a version the list was asked for. */
  #refusedVerb(error: unknown, since: Instant): 'list' | 'watch' | undefined {
    // Of a server that answers nothing at all nothing can be polled either; of one that lists, everything can.
    if (error === this.#watchFault && this.#deps.clock.now() - since >= FAULTY_WATCH_MS) return 'watch';
    if (error instanceof CutShortError) {
      if (++this.#cutShort < MOST_CUT_SHORT) return undefined;
    } else if (!isNotToBeHad(error)) {
      return undefined;
    }
    return this.#version === undefined ? 'list' : 'watch';
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
      this.#version = undefined;
      this.#rewritten = true; // the same objects at the same resourceVersion read otherwise
      return 'elsewhere';
    } catch (error) {
      return isNoMatch(error) ? 'nowhere' : undefined;
    }
  }

  async #retryLater(error: unknown, signal: AbortSignal): Promise<void> {
    const { clock, random, log, onState } = this.#deps;
    const since = this.#brokenSince ?? clock.now();
    const isRepeated = this.#brokenSince !== undefined;
    this.#brokenSince = since;
    const reason = messageOf(error);
    const verb = this.#refusedVerb(error, since);
    if (verb !== undefined) {
      this.#isRefused = true;
      this.#tellAnew(); // what is polled is read anew each time
      onState({ kind: 'refused', verb, reason, since });
      await clock.sleep(this.#backoff.next(error), signal).catch(() => undefined); // aborted: the loop ends by itself
      return;
    }
    const served = isUnserved(error) ? await this.#follow(signal) : undefined;
    if (served === 'elsewhere') return;
    const isMissing = served === 'nowhere';
    const waitMs = isMissing ? MISSING_KIND_WAIT_MS * (0.5 + random() / 2) : this.#backoff.next(error);
    // More than a cut connection: the server may have been away, and may come back with another history.
    if (isRepeated || waitMs >= OUTAGE_MS) this.#doubtful = true;
    onState({ kind: 'retrying', reason, since, ...(isMissing ? { isMissing } : {}) });
    const say = reason === this.#reason ? log.debug : log.warn; // a kind that stays away is worth one warning
    this.#reason = reason;
    say.call(log, { reason, waitMs: Math.round(waitMs) }, 'a watched kind could not be reached, trying again');
    await clock.sleep(waitMs, signal).catch(() => undefined); // aborted: the loop ends by itself
  }
}

/** The change of the collection that was heard of last. */
interface LastHeard {
  readonly metadata: ObjectMeta;
  readonly gone: boolean;
}

function latestOf(items: readonly KubeObject[]): LastHeard | undefined {
  let latest: ObjectMeta | undefined;
  for (const { metadata } of items) {
    if (latest === undefined || compareResourceVersions(metadata.resourceVersion ?? '', latest.resourceVersion ?? '') > 0) latest = metadata;
  }
  return latest && { metadata: latest, gone: false };
}

function toFieldSelector(last: LastHeard | undefined): Pick<ListOptions, 'fieldSelector'> {
  if (last === undefined) return {};
  const { name = '', namespace } = last.metadata;
  return { fieldSelector: `metadata.name=${name}${namespace ? `,metadata.namespace=${namespace}` : ''}` };
}

/** False also when it was changed since, which a full list settles. */
function isStillSo(last: LastHeard | undefined, found: KubeObject | undefined): boolean {
  if (last === undefined) return true;
  if (last.gone) return found?.metadata.uid !== last.metadata.uid;
  return found?.metadata.uid === last.metadata.uid && found?.metadata.resourceVersion === last.metadata.resourceVersion;
}
