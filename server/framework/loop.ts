import { messageOf } from '@/lib/contract/app-error';
import type { ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { StoreChange } from '@/server/kube';
import type { Release } from '@/server/platform';
import type { Controller, ControllerDeps, ControllerSpec, ControllerStats, Source } from './controller';
import type { LoopMetrics, PassResult } from './loop-metrics';
import { createLoopMetrics } from './loop-metrics';
import { PassStats } from './pass-stats';
import type { AddOptions } from './queue/work-queue';
import { WorkQueue } from './queue/work-queue';
import type { Outcome } from './reconciler';
import { isTerminal } from './reconciler';

const DRAIN_MS = 10_000;
/** Resynchronisations are spread by a tenth either way, so that controllers do not all look again at once. */
const RESYNC_SPREAD = 0.1;

/** Makes a controller; nothing runs before its start. */
export function createController(spec: ControllerSpec, deps: ControllerDeps): Controller {
  return new Loop(spec, deps);
}

/**
 * Sources put keys into a queue, workers take them out, and the switch over what a pass came to is written once.
 *
 * 1. No pass starts before every source has synced, while `mayAct` is false of its shard key, or after a stop was asked for.
 * 2. One key is never in two passes; the passes of one key see every change that was made before they started.
 * 3. A stop lets passes end, aborts their signal after `drainMs`, and waits for their end.
 */
class Loop implements Controller {
  readonly name: string;
  readonly #spec: ControllerSpec;
  readonly #deps: ControllerDeps;
  readonly #queue: WorkQueue<ObjectKey>;
  readonly #metrics: LoopMetrics;
  readonly #stopping = new AbortController();
  readonly #aborting = new AbortController();
  readonly #subscriptions: Release[] = [];
  #workers: readonly Promise<void>[] = [];
  #resync: Release | undefined;
  #started: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;
  readonly #lately: PassStats;
  #passes = 0;
  #failures = 0;
  #lastError: ControllerStats['lastError'];

  constructor(spec: ControllerSpec, deps: ControllerDeps) {
    this.name = spec.name;
    this.#spec = spec;
    this.#deps = deps;
    const { clock, random, mayAct, shardOf } = deps;
    this.#queue = new WorkQueue({
      clock,
      random,
      ...(mayAct ? { mayHandOut: (key) => mayAct(this.#shardKey(key)) } : {}),
      ...(shardOf ? { laneOf: (key) => shardOf(this.#shardKey(key)) } : {}),
    });
    this.#lately = new PassStats(deps.clock);
    this.#metrics = createLoopMetrics(spec.name, () => this.#queue, deps.metrics);
  }

  start(): Promise<void> {
    this.#started ??= this.#start();
    return this.#started;
  }

  enqueue(key: ObjectKey, options: AddOptions = {}): void {
    this.#queue.add(key, options);
  }

  stats(): ControllerStats {
    const queue = this.#queue;
    const { oldest } = queue;
    return {
      name: this.name,
      kind: this.#spec.sources.find((source) => source.keysOf === undefined)?.store.scope.kind,
      depth: queue.depth,
      oldestMs: oldest?.waitedMs ?? 0,
      oldestKey: oldest?.key,
      active: queue.active,
      passes: this.#passes,
      failures: this.#failures,
      lastError: this.#lastError,
      ...this.#lately.figures(),
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  #shardKey(key: ObjectKey): ObjectKey {
    return this.#spec.shardKey?.(key) ?? key;
  }

  async #start(): Promise<void> {
    const { signal } = this.#stopping;
    if (signal.aborted) return;
    for (const source of this.#spec.sources) this.#subscribe(source);
    try {
      await Promise.all(this.#spec.sources.map((source) => source.store.synced(signal)));
    } catch (error) {
      if (signal.aborted) return; // stopped while the stores were filling: there is nothing to run
      throw error;
    }
    if (signal.aborted) return;
    this.#workers = Array.from({ length: this.#spec.workers ?? 1 }, () => this.#work());
    this.#scheduleResync();
    this.#deps.log.info({ controller: this.name, workers: this.#workers.length }, 'controller started');
  }

  async #stop(): Promise<void> {
    const { clock, log } = this.#deps;
    this.#stopping.abort(new Error(`controller ${this.name} is stopping`));
    for (const release of this.#subscriptions.splice(0)) release();
    this.#resync?.();
    this.#queue.close();
    const limit = clock.schedule(this.#spec.drainMs ?? DRAIN_MS, () => {
      log.warn({ controller: this.name, active: this.#queue.active }, 'passes did not end in time, aborting them');
      this.#aborting.abort(new Error(`controller ${this.name} stopped before the pass ended`));
    });
    await Promise.all(this.#workers);
    limit();
    this.#metrics.remove();
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
      this.#deps.log.error({ controller: this.name, object: change.key, error: messageOf(error) }, 'cannot tell which keys a change concerns');
      return;
    }
    for (const key of keys) this.#queue.add(key, { priority });
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

  async #work(): Promise<void> {
    for (let key = await this.#queue.take(); key !== undefined; key = await this.#queue.take()) {
      await this.#pass(key);
      this.#queue.done(key);
    }
  }

  async #pass(key: ObjectKey): Promise<void> {
    const { clock } = this.#deps;
    const reconcileId = `${this.name}-${this.#passes++}`;
    const log = this.#deps.log.child({ controller: this.name, key, reconcileId });
    const startedAt = clock.now();
    log.debug({}, 'pass started');
    let result: PassResult;
    try {
      const outcome = await this.#spec.reconcile(key, { signal: this.#aborting.signal, shardKey: this.#shardKey(key), reconcileId, log });
      result = this.#succeed(key, outcome);
      log.debug({ result }, 'pass ended');
    } catch (error) {
      result = this.#fail(key, error);
      if (result === 'terminal') log.error({ error: messageOf(error) }, 'pass failed for good, waiting for a change');
      else log.warn({ error: messageOf(error), failures: this.#queue.failures(key) }, 'pass failed, trying again');
    }
    this.#metrics.observe(result, clock.now() - startedAt);
    this.#lately.observe(startedAt, result === 'failed' || result === 'terminal');
  }

  #succeed(key: ObjectKey, outcome: Outcome): PassResult {
    this.#queue.forget(key);
    if (outcome.kind === 'requeueAfter') this.#queue.add(key, { afterMs: outcome.ms });
    return outcome.kind;
  }

  #fail(key: ObjectKey, error: unknown): PassResult {
    this.#failures++;
    this.#lastError = { key, message: messageOf(error), at: this.#deps.clock.now() };
    if (isTerminal(error)) {
      this.#queue.forget(key);
      return 'terminal';
    }
    this.#queue.retry(key);
    return 'failed';
  }
}
