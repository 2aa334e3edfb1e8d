import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { Channel } from '@/lib/std/channel';
import { isExpired } from '@/server/kube';
import type { Clock, Registry } from '@/server/platform';
import { FrameworkError, getFrameworkError, requireConfig } from '../errors';
import type { EventSource, InformerEvent } from '../events/event-stream';
import type { InformerEventKind, InformerMetrics } from './informer-metrics';
import { informerMetrics } from './informer-metrics';
import type { Watcher, WatcherEvent } from './watcher';

export interface InformerConfig {
  readonly watcher: Watcher;
  /** Between two releases of everything held; 5 min when absent. */
  readonly resyncPeriodMs?: number;
  /** Between two objects of a release; 1 s when absent. */
  readonly rateWaitMs?: number;
}

const RESYNC_PERIOD_MS = 5 * 60_000;
const RATE_WAIT_MS = 1000;
/** Silence that ends the first filling of the cache. */
const FILL_SILENCE_MS = 1000;

type Event = InformerEvent<KubeObject>;

/**
 * The informer of the original: a cache that is filled, then released object by object at a steady rate, again and again,
 * while a live watch tells of changes in between.
 *
 * 1. One ordered stream, so that an update never overtakes a deletion.
 * 2. What a new listing lacks is told as deleted, with its last known state.
 * 3. Nothing is compared or coalesced: each change is told.
 */
export class Informer implements EventSource<KubeObject> {
  readonly #watcher: Watcher;
  readonly #resyncPeriodMs: number;
  readonly #rateWaitMs: number;
  readonly #clock: Clock;
  readonly #metrics: InformerMetrics;

  constructor(config: InformerConfig, deps: { readonly clock: Clock; readonly metrics?: Registry }) {
    requireConfig(config.watcher, 'Watcher', 'informer');
    this.#watcher = config.watcher;
    // 0 was refused at first and became the default later.
    this.#resyncPeriodMs = config.resyncPeriodMs || RESYNC_PERIOD_MS;
    this.#rateWaitMs = config.rateWaitMs ?? RATE_WAIT_MS;
    this.#clock = deps.clock;
    this.#metrics = informerMetrics(deps.metrics);
  }

  async *watch(signal: AbortSignal, onListed?: () => void): AsyncGenerator<Event, void, void> {
    const channel = new Channel<Event>();
    const stopping = new AbortController();
    const stop = () => stopping.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const running = new Run(this.#watcher, channel, this.#clock, this.#metrics, {
      resyncPeriodMs: this.#resyncPeriodMs,
      rateWaitMs: this.#rateWaitMs,
    }).run(stopping.signal, onListed);
    const ended = running.then(
      () => channel.close(),
      (error: unknown) => channel.close(stopping.signal.aborted ? undefined : { error }),
    );
    try {
      yield* channel;
    } finally {
      signal.removeEventListener('abort', stop);
      stopping.abort(new Error('the consumer stopped'));
      await ended;
    }
  }
}

/** One run owns its cache, so nothing is shared between two watches. */
class Run {
  readonly #cache = new Map<ObjectKey, KubeObject>();
  readonly #watcher: Watcher;
  readonly #channel: Channel<Event>;
  readonly #clock: Clock;
  readonly #metrics: InformerMetrics;
  readonly #timing: { readonly resyncPeriodMs: number; readonly rateWaitMs: number };

  constructor(
    watcher: Watcher,
    channel: Channel<Event>,
    clock: Clock,
    metrics: InformerMetrics,
    timing: { readonly resyncPeriodMs: number; readonly rateWaitMs: number },
  ) {
    this.#watcher = watcher;
    this.#channel = channel;
    this.#clock = clock;
    this.#metrics = metrics;
    this.#timing = timing;
  }

  async run(signal: AbortSignal, onListed?: () => void): Promise<void> {
    await this.#fill(signal, onListed);
    await this.#release(signal);
    while (!signal.aborted) {
      const live = new AbortController();
      const liveSignal = AbortSignal.any([signal, live.signal]);
      const watching = this.#live(liveSignal, onListed);
      try {
        await this.#clock.sleep(this.#timing.resyncPeriodMs, signal);
        await this.#release(signal);
      } finally {
        live.abort(new Error('the period is over'));
        await watching;
      }
    }
  }

  /** Collects until nothing came for a second. New objects are only held back; changes and deletions are told at once. */
  async #fill(signal: AbortSignal, onListed?: () => void): Promise<void> {
    const silence = new AbortController();
    const endFill = () => silence.abort(new Error('the cache is filled'));
    const until = AbortSignal.any([signal, silence.signal]);
    let timer = this.#clock.schedule(FILL_SILENCE_MS, endFill);
    const heard = () => {
      timer();
      timer = this.#clock.schedule(FILL_SILENCE_MS, endFill);
    };
    try {
      const { objects, resourceVersion } = await this.#watcher.list(until);
      for (const object of objects) this.#cache.set(keyOf(object), object);
      onListed?.();
      heard();
      for await (const event of this.#watcher.watch(resourceVersion, until)) {
        heard();
        if (event.type === 'ADDED') this.#cache.set(keyOf(event.object), event.object);
        else await this.#change(event);
      }
    } catch (error) {
      if (!until.aborted) await this.#notifyError(error);
    } finally {
      timer();
    }
  }

  /** Tells of every object held, with a wait between two. */
  async #release(signal: AbortSignal): Promise<void> {
    let first = true;
    for (const object of [...this.#cache.values()]) {
      if (!first) await this.#clock.sleep(this.#timing.rateWaitMs, signal);
      first = false;
      // Deleted while the release was waiting: telling of it again would bring it back.
      const held = this.#cache.get(keyOf(object));
      if (held !== undefined) await this.#notify(held);
    }
    this.#metrics.cacheSize.set(this.#cache.size);
  }

  /** Keeps one watch open; one that ends or fails is opened again at once. */
  async #live(signal: AbortSignal, onListed?: () => void): Promise<void> {
    while (!signal.aborted) {
      try {
        const { objects, resourceVersion } = await this.#watcher.list(signal);
        await this.#compareListing(objects);
        onListed?.(); // the first one may have failed before
        for await (const event of this.#watcher.watch(resourceVersion, signal)) await this.#change(event);
      } catch (error) {
        // An expired version only means to list again.
        if (!signal.aborted && !isExpired(error)) await this.#notifyError(error);
      }
      this.#metrics.watcherCloses.inc();
    }
  }

  async #compareListing(objects: readonly KubeObject[]): Promise<void> {
    const listed = new Set(objects.map(keyOf));
    for (const [key, object] of [...this.#cache]) {
      if (listed.has(key)) continue;
      this.#cache.delete(key);
      this.#metrics.events.inc({ kind: 'delete' });
      await this.#channel.send({ type: 'delete', object, tombstone: true });
    }
    for (const object of objects) await this.#change({ type: 'ADDED', object });
  }

  async #change(event: WatcherEvent): Promise<void> {
    const { object } = event;
    switch (event.type) {
      case 'ADDED': {
        const known = this.#cache.has(keyOf(object));
        this.#cache.set(keyOf(object), object);
        return known ? undefined : this.#notify(object, 'create');
      }
      case 'MODIFIED':
        this.#cache.set(keyOf(object), object);
        return this.#notify(object);
      case 'DELETED':
        this.#cache.delete(keyOf(object));
        this.#metrics.events.inc({ kind: 'delete' });
        return this.#channel.send({ type: 'delete', object });
      case 'BOOKMARK':
        return undefined;
      default:
        return this.#notifyError(new FrameworkError('invalidEvent', `a watch sent an event of type ${event.type}`, { origin: 'informer' }));
    }
  }

  /** An object on its way out is told as deleted; the seed told a late one as updated. */
  #notify(object: KubeObject, kind: InformerEventKind = 'update'): Promise<void> {
    const deleting = Boolean(object.metadata.deletionTimestamp);
    this.#metrics.events.inc({ kind: deleting ? 'delete' : kind });
    return this.#channel.send({ type: deleting ? 'delete' : 'update', object });
  }

  #notifyError(error: unknown): Promise<void> {
    this.#metrics.events.inc({ kind: 'error' });
    return this.#channel.send({ type: 'error', error });
  }
}

function keyOf(object: KubeObject): ObjectKey {
  return toObjectKey(object.metadata);
}

/** True for an event of a type that no API server sends. */
export function isInvalidEvent(error: unknown): boolean {
  return getFrameworkError(error)?.kind === 'invalidEvent';
}
