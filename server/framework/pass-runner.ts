import { messageOf } from '@/lib/contract/app-error';
import { nameOfKind } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey, TypeRef } from '@/lib/kube/object';
import { parseObjectKey, toObjectKey } from '@/lib/kube/object';
import { pausedBy } from '@/lib/kube/paused-by';
import type { Cluster, Store } from '@/server/kube';
import { isRefusedForContent, isServerError, retryAfterMs } from '@/server/kube';
import type { BackOffLimits, WorkQueue } from '@/server/platform';
import { CONTENT_ERROR_BACKOFF, Registry, SERVER_ERROR_BACKOFF, TRANSIENT_BACKOFF } from '@/server/platform';
import type { ControllerDeps, ControllerSpec, ControllerStats, PausedKey } from './controller';
import type { LoopMetrics, PassResult } from './loop-metrics';
import { newOutcomeBox, withOutcomeBox } from './operatorkit/context/pass-outcome';
import { RunContext } from './operatorkit/context/run-context';
import { unwrapError } from './operatorkit/errors';
import type { ObjectEvent } from './operatorkit/events/event-stream';
import { Framework } from './operatorkit/events/framework';
import { queueEvents } from './operatorkit/events/queue-events';
import { ObjectPass } from './operatorkit/object/object-pass';
import { reconcilerResource } from './operatorkit/resource/reconciler-resource';
import { ResourceRouter } from './operatorkit/resource/resource-router';
import { ResourceSet } from './operatorkit/resource/resource-set';
import { wrapWithMetrics } from './operatorkit/resource/wrapper/metrics-resource';
import { CACHE_CATCH_UP_MS } from './own-writes';
import { PassStats } from './pass-stats';
import type { Outcome } from './reconciler';
import { isSlowRetry, isTerminal } from './reconciler';

export interface PassRunnerParts {
  readonly queue: WorkQueue<ObjectKey>;
  readonly metrics: LoopMetrics;
  /** Aborts passes under way: a hard stop. */
  readonly signal: AbortSignal;
}

type RunnerStats = Pick<
  ControllerStats,
  'passes' | 'failures' | 'passesPerMinute' | 'failuresPerMinute' | 'tookMs' | 'paused' | 'lastError'
>;

/** How soon it is looked again whether a namespace was listed. */
const UNREAD_MS = 500;

/** A server that asks for more is asked again all the same: others may have it busy, and this key must not wait for hours. */
const LONGEST_ASKED_MS = 60_000;

/** Of what nothing of its own is watched, keys name nothing. */
const NO_TYPE: TypeRef = { apiVersion: '', kind: '' };

/**
 * A controller's reconciler as the one resource of operatorkit, and what its passes come to. The switch over that is written here once:
 * an error backs off, longer where the content was refused, a retry costs much, or the server asks for it, a terminal one waits for a change, an outcome may ask for another look. See docs/decisions/0011-one-loop.md.
 */
export class PassRunner {
  readonly #spec: ControllerSpec;
  readonly #deps: ControllerDeps;
  readonly #parts: PassRunnerParts;
  readonly #registry: Registry;
  readonly #store: Store | undefined;
  /** Sources that are read by namespace. */
  readonly #parted: readonly Store[];
  readonly #router: ResourceRouter<KubeObject>;
  readonly #pass: ObjectPass;
  readonly #lately: PassStats;
  readonly #paused = new Map<ObjectKey, string>();
  #failures = 0;
  #lastError: ControllerStats['lastError'];

  constructor(spec: ControllerSpec, deps: ControllerDeps, parts: PassRunnerParts) {
    this.#spec = spec;
    this.#deps = deps;
    this.#parts = parts;
    const { clock, log: logger, metrics = new Registry() } = deps;
    this.#registry = metrics;
    this.#store = spec.sources.find((source) => source.keysOf === undefined)?.store;
    this.#parted = [...new Set(spec.sources.map(({ store }) => store))].filter((store) => deps.byNamespace?.has(store) === true);
    this.#lately = new PassStats(clock);
    const { name, reconcile, shardKey } = spec;
    const { ownWrites } = deps;
    const resource = reconcilerResource({
      name,
      reconcile,
      logger,
      ...(shardKey ? { shardKey } : {}),
      ...(ownWrites ? { noting: (key: ObjectKey, cluster: Cluster) => ownWrites.noting(cluster, this.#writer(key)) } : {}),
    });
    // No retry wrapper: the queue backs off, key by key, and lets other keys have their turn meanwhile.
    const resources = wrapWithMetrics({ resources: [resource], serviceName: 'slipway' }, { clock, metrics });
    this.#router = new ResourceRouter({ logger, resourceSets: [new ResourceSet({ handles: () => true, logger, resources })] });
    this.#pass = new ObjectPass(
      {
        controllerName: name,
        logger,
        resourceRouter: this.#router,
        eventsOf: (object) => this.#eventsOf(object),
        logFailure: (error, fields) => this.#logFailure(error, fields),
        ...(spec.resyncMs === undefined ? {} : { resyncPeriodMs: spec.resyncMs }),
      },
      { clock, metrics },
    );
  }

  /** Kind that the keys name; undefined when nothing of its own is watched. */
  get kind(): string | undefined {
    return this.#store && nameOfKind(this.#store.scope);
  }

  /** One worker: a Framework that takes its events from the queue. */
  createWorker(): Framework<KubeObject> {
    const { clock, random, log: logger } = this.#deps;
    const informer = queueEvents({ queue: this.#parts.queue, read: (key) => this.#store?.get(key), type: this.#store?.scope ?? NO_TYPE });
    return new Framework(
      { informer, logger, resourceRouter: this.#router, errorBudget: 'none', handle: (event) => this.#handle(event) },
      { clock, random, metrics: this.#registry },
    );
  }

  stats(): RunnerStats {
    return {
      passes: this.#pass.count,
      failures: this.#failures,
      paused: [...this.#paused].map(([key, annotation]): PausedKey => ({ key, annotation })),
      lastError: this.#lastError,
      ...this.#lately.figures(),
    };
  }

  stop(): void {
    this.#pass.stop();
  }

  async #handle(event: ObjectEvent<KubeObject>): Promise<void> {
    const { clock } = this.#deps;
    const key = toObjectKey(event.object.metadata);
    if (this.#isUnread(key) || (await this.#isBehind(key))) return;
    const startedAt = clock.now();
    const box = newOutcomeBox();
    let result: PassResult;
    try {
      const context = withOutcomeBox(RunContext.background(this.#parts.signal), box);
      const came = await this.#pass.run(event, context);
      await this.#notePause(key, came === 'paused' ? event.object : undefined);
      result = this.#succeed(key, came === 'paused' ? 'paused' : box.outcome);
    } catch (error) {
      result = this.#fail(key, error);
    }
    this.#parts.metrics.observe(result, clock.now() - startedAt);
    this.#lately.observe(startedAt, result === 'failed' || result === 'terminal');
  }

  /** A pass waits for the first list of its namespace, where that is read by itself. */
  #isUnread(key: ObjectKey): boolean {
    const { namespace } = parseObjectKey(key);
    const isUnread = this.#parted.some((store) => store.covers(namespace).kind === 'later');
    if (isUnread) this.#parts.queue.deferUntil(key, UNREAD_MS);
    return isUnread;
  }

  /** A pass over copies from before what was written for the key comes once they show it; a person does not wait for the watch to bring that. */
  async #isBehind(key: ObjectKey): Promise<boolean> {
    const { queue, signal } = this.#parts;
    const { ownWrites } = this.#deps;
    const own = this.#store && { ...this.#store.scope, ...parseObjectKey(key) };
    const pass = { writer: this.#writer(key), own };
    if (queue.isAsked(key)) await ownWrites?.catchUp(pass, signal);
    const isBehind = ownWrites?.holds({ ...pass, wake: () => queue.add(key) }) === true;
    if (isBehind) queue.deferUntil(key, CACHE_CATCH_UP_MS);
    return isBehind;
  }

  #writer(key: ObjectKey): string {
    return `${this.#spec.name} ${key}`;
  }

  #succeed(key: ObjectKey, outcome: Outcome | 'paused'): PassResult {
    const { queue } = this.#parts;
    queue.forget(key);
    if (outcome === 'paused') return outcome;
    if (outcome.kind === 'requeueAfter') queue.add(key, { afterMs: outcome.ms });
    return outcome.kind;
  }

  #fail(key: ObjectKey, error: unknown): PassResult {
    const { queue } = this.#parts;
    this.#failures++;
    this.#lastError = { key, message: messageOf(unwrapError(error)), at: this.#deps.clock.now() };
    if (isTerminal(error)) {
      queue.forget(key);
      return 'terminal';
    }
    queue.retry(key, paceOf(error), Math.min(retryAfterMs(error), LONGEST_ASKED_MS));
    return 'failed';
  }

  async #notePause(key: ObjectKey, paused: KubeObject | undefined): Promise<void> {
    const annotation = paused && pausedBy(paused);
    const before = this.#paused.get(key);
    const told = annotation ?? before;
    if (annotation === before || told === undefined) return;
    const object = paused ?? this.#store?.get(key); // what is gone is no longer held, and does not go on either
    if (object !== undefined) await this.#deps.onPause?.({ object, annotation: told, held: annotation !== undefined });
    if (annotation === undefined) this.#paused.delete(key);
    else this.#paused.set(key, annotation);
    this.#deps.log.info(
      { controller: this.#spec.name, object: key, annotation: told, held: annotation !== undefined },
      'the pause annotation of an object was set or removed',
    );
  }

  #eventsOf(object: KubeObject) {
    const key = toObjectKey(object.metadata);
    const { cluster, clusterFor } = this.#deps;
    return clusterFor?.(this.#spec.shardKey?.(key) ?? key) ?? cluster;
  }

  #logFailure(error: unknown, fields: Readonly<Record<string, string>>): void {
    const message = messageOf(unwrapError(error));
    const failures = this.#parts.queue.failures(fields.object ?? '') + 1;
    if (isTerminal(error)) this.#deps.log.error({ ...fields, error: message }, 'pass failed permanently, waiting for a change');
    else this.#deps.log.warn({ ...fields, error: message, failures }, 'pass failed, retrying');
  }
}

function paceOf(error: unknown): BackOffLimits {
  if (isRefusedForContent(error) || isSlowRetry(error)) return CONTENT_ERROR_BACKOFF;
  return isServerError(error) ? SERVER_ERROR_BACKOFF : TRANSIENT_BACKOFF;
}
