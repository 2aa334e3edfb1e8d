import { messageOf } from '@/lib/contract/app-error';
import { nameOfKind } from '@/lib/kube/kinds';
import type { ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { Store, StoreChange } from '@/server/kube';
import { whenReadRefused } from '@/server/kube';
import type { AddOptions, Release } from '@/server/platform';
import { WorkQueue } from '@/server/platform';
import type { Controller, ControllerDeps, ControllerSpec, ControllerStats, Source, UnlistableKind } from './controller';
import { createLoopMetrics } from './loop-metrics';
import { PassRunner } from './pass-runner';

const DRAIN_MS = 10_000;
/** Resynchronisations are spread by a tenth either way, so that controllers do not all look again at once. */
const RESYNC_SPREAD = 0.1;

/** Makes a controller; nothing runs before its start. */
export function createController(spec: ControllerSpec, deps: ControllerDeps): Controller {
  return new Loop(spec, deps);
}

/**
 * Sources put keys into a queue; workers, each a Framework of operatorkit, take them out and run the passes.
 *
 * 1. No pass starts before every source has synced, however long one may not be listed, while `mayAct` is false of its shard key, or after a stop was asked for.
 *    Of a source that is read by namespace, the namespace of the key is enough, or the answer that it may not be read there.
 * 2. One key is never in two passes; the passes of one key see every change that was made before they started.
 * 3. A stop lets passes end, aborts their signal after `drainMs`, and waits for their end.
 */
class Loop implements Controller {
  readonly name: string;
  readonly #spec: ControllerSpec;
  readonly #deps: ControllerDeps;
  readonly #queue: WorkQueue<ObjectKey>;
  readonly #runner: PassRunner;
  readonly #removeMetrics: Release;
  readonly #stopping = new AbortController();
  readonly #aborting = new AbortController();
  readonly #subscriptions: Release[] = [];
  #workers: readonly ReturnType<PassRunner['createWorker']>[] = [];
  #resync: Release | undefined;
  #started: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;

  constructor(spec: ControllerSpec, deps: ControllerDeps) {
    this.name = spec.name;
    this.#spec = spec;
    this.#deps = deps;
    const { clock, random, mayAct, shardOf } = deps;
    const shardKey = (key: ObjectKey) => spec.shardKey?.(key) ?? key;
    this.#queue = new WorkQueue({
      clock,
      random,
      isGathering: true,
      ...(mayAct ? { mayHandOut: (key) => mayAct(shardKey(key)) } : {}),
      ...(shardOf ? { laneOf: (key) => shardOf(shardKey(key)) } : {}),
    });
    const metrics = createLoopMetrics(spec.name, () => this.#queue, deps.metrics);
    this.#removeMetrics = () => metrics.remove();
    this.#runner = new PassRunner(spec, deps, { queue: this.#queue, metrics, signal: this.#aborting.signal });
  }

  start(): Promise<void> {
    this.#started ??= this.#start();
    return this.#started;
  }

  enqueue(key: ObjectKey, options: AddOptions = {}): void {
    this.#queue.add(key, options);
  }

  stats(): ControllerStats {
    const { oldest, depth, deferred, active } = this.#queue;
    return {
      name: this.name,
      kind: this.#runner.kind,
      depth,
      deferred,
      oldestMs: oldest?.waitedMs ?? 0,
      oldestKey: oldest?.key,
      active,
      waitsFor: this.#waitsFor(),
      ...this.#runner.stats(),
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #start(): Promise<void> {
    const { signal } = this.#stopping;
    if (signal.aborted) return;
    for (const source of this.#spec.sources) this.#subscribe(source);
    const stores = this.#spec.sources.map(({ store }) => store);
    const running = Promise.all(stores.map((store) => this.#readable(store, signal))).then(() => this.#run());
    const refused = Promise.race(stores.map((store) => whenReadRefused(store))).then(() => this.#reportWaiting());
    // Stopped while the stores were filling there is nothing to run; other stores of an engine are closed by its owner only.
    running.catch(() => undefined);
    await Promise.race([running, refused]).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  /** Resolves once passes can look at a store: it is whole, or is read by namespace from here on. */
  #readable(store: Store, signal: AbortSignal): Promise<void> {
    const whole = store.synced(signal);
    return this.#deps.byNamespace?.has(store) === true ? Promise.race([whole, whenReadRefused(store)]) : whole;
  }

  #run(): void {
    if (this.#stopping.signal.aborted) return;
    this.#workers = Array.from({ length: this.#spec.workers ?? 1 }, () => this.#runner.createWorker());
    for (const worker of this.#workers) void worker.boot(); // a queue has no errors that could end it; `stop` waits for it
    this.#scheduleResync();
    this.#deps.log.info({ controller: this.name, workers: this.#workers.length }, 'controller started');
  }

  /** Kinds of which nobody may list the objects; no pass starts before they were. */
  #waitsFor(): readonly UnlistableKind[] {
    return this.#spec.sources.flatMap(({ store }) => {
      const { state, synced } = store.health();
      if (synced || state.kind !== 'refused') return [];
      return this.#deps.byNamespace?.has(store) === true ? refusedIn(store) : [{ kind: nameOfKind(store.scope), reason: state.reason }];
    });
  }

  #reportWaiting(): void {
    for (const waited of this.#waitsFor())
      this.#deps.log.warn({ controller: this.name, ...waited }, 'a controller does not start before the kind may be listed');
  }

  async #stop(): Promise<void> {
    const { clock, log } = this.#deps;
    this.#stopping.abort(new Error(`controller ${this.name} is stopping`));
    for (const release of this.#subscriptions.splice(0)) release();
    this.#resync?.();
    const stopped = Promise.all(this.#workers.map((worker) => worker.stop()));
    this.#queue.close();
    const limit = clock.schedule(this.#spec.drainMs ?? DRAIN_MS, () => {
      log.warn({ controller: this.name, active: this.#queue.active }, 'passes did not end in time, aborting them');
      this.#aborting.abort(new Error(`controller ${this.name} stopped before the pass ended`));
    });
    await stopped;
    limit();
    this.#runner.stop();
    this.#removeMetrics();
  }

  #subscribe(source: Source): void {
    let replaying = true;
    const release = source.store.subscribe((change) => this.#hear(source, change, replaying ? 'resync' : 'normal'), { replay: true });
    replaying = false;
    this.#subscriptions.push(release);
  }

  #hear(source: Source, change: StoreChange, priority: 'normal' | 'resync'): void {
    let keys: readonly ObjectKey[];
    try {
      keys = source.keysOf?.(change) ?? [change.key];
    } catch (error) {
      this.#deps.log.error(
        { controller: this.name, object: change.key, error: messageOf(error) },
        'cannot tell which keys a change concerns',
      );
      return;
    }
    const asked = priority === 'normal' && source.isAsked?.(change) === true;
    const afterMs = asked ? 0 : (source.gatherMs ?? 0);
    // Each once: one that is named again while its pass is under way has another.
    for (const key of new Set(keys)) this.#queue.add(key, { afterMs, priority: asked ? 'person' : priority });
  }

  #scheduleResync(): void {
    const { clock, random } = this.#deps;
    const { resyncMs, sources } = this.#spec;
    if (resyncMs === undefined) return;
    this.#resync = clock.schedule(resyncMs * (1 + RESYNC_SPREAD * (2 * random() - 1)), () => {
      for (const source of sources) {
        for (const object of source.store.list()) {
          this.#hear(source, { key: toObjectKey(object.metadata), before: object, after: object }, 'resync');
        }
      }
      this.#scheduleResync();
    });
  }
}

/** Where a store that is read by namespace may not be read, with the first reason for all of them. */
function refusedIn(store: Store): readonly UnlistableKind[] {
  const refused = (store.needed() ?? []).flatMap((namespace) => {
    const coverage = store.covers(namespace);
    return coverage.kind === 'refused' ? [{ namespace, reason: coverage.reason }] : [];
  });
  const [first] = refused;
  return first === undefined
    ? []
    : [{ kind: nameOfKind(store.scope), reason: first.reason, namespaces: refused.map(({ namespace }) => namespace) }];
}
