import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import { isNotFound } from '@/server/kube';
import type { Clock, Log, Random } from '@/server/platform';
import { Registry } from '@/server/platform';
import type { BackOffFactory } from '../back-off';
import { DefaultBackOffFactory } from '../back-off';
import { finalizersKept, newLatch } from '../context/flags';
import { withRunCacheKey } from '../context/run-cache-key';
import { RunContext } from '../context/run-context';
import { isNoResourceSet, requireConfig, wrapError } from '../errors';
import { processUpdate, runResources } from '../resource/process';
import type { ResourceRouter } from '../resource/resource-router';
import type { ResourceSet } from '../resource/resource-set';
import type { ErrorSink } from './failure-report';
import { reportFailure } from './failure-report';
import { FinalizerClient } from './finalizer-client';
import { finalizerOf, hasFinalizer } from './finalizers';
import { HandlerMetrics } from './handler-metrics';
import { isPaused } from './pause';
import { RemovedUids } from './removed-uids';

export interface ObjectHandlerConfig {
  /** Unique per controller: it names the finalizer. */
  readonly controllerName: string;
  readonly cluster: Pick<Cluster, 'get' | 'patch' | 'create'>;
  readonly logger: Log;
  readonly resourceRouter: ResourceRouter<KubeObject>;
  readonly backOffFactory?: BackOffFactory;
  /** Annotations that pause an object, beside the two that always do. */
  readonly pauseAnnotations?: Readonly<Record<string, string>>;
  readonly resyncPeriodMs?: number;
  /** Hears of failures, with what they are about; none when absent. */
  readonly errorSink?: ErrorSink;
}

export interface ObjectHandlerDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics?: Registry;
  /** The memory of removals; one of its own when absent. */
  readonly removed?: RemovedUids;
}

const RESYNC_PERIOD_MS = 5 * 60_000;
/** Resynchronisations for which a removal is remembered. */
const REMEMBERED_PERIODS = 3;

/** What a pass over one object came to. */
export type HandlerOutcome = 'gone' | 'unhandled' | 'paused' | 'finalizer-added' | 'not-ours' | 'updated' | 'deletion-kept' | 'deleted';

/**
 * The complete flow over one object: fresh read, set, context, pause, finalizer, resources.
 *
 * 1. Nothing is written before a set was found and the object was seen not to be paused.
 * 2. Adding the finalizer ends the pass; the change it causes brings the next.
 * 3. The finalizer goes when every resource is deleted, none asked to keep it, and the run was not cancelled.
 */
export class ObjectHandler {
  readonly #config: ObjectHandlerConfig;
  readonly #finalizer: string;
  readonly #finalizers: FinalizerClient;
  readonly #removed: RemovedUids;
  readonly #clock: Clock;
  readonly #metrics: HandlerMetrics;
  #loop = 0;

  constructor(config: ObjectHandlerConfig, deps: ObjectHandlerDeps) {
    requireConfig(config.controllerName, 'ControllerName');
    requireConfig(config.logger, 'Logger');
    requireConfig(config.resourceRouter, 'ResourceRouter');
    const { cluster, logger, resyncPeriodMs = RESYNC_PERIOD_MS, backOffFactory = DefaultBackOffFactory(deps.random) } = config;
    this.#config = config;
    this.#finalizer = finalizerOf(config.controllerName);
    this.#finalizers = new FinalizerClient({ cluster, clock: deps.clock, logger, backOffFactory, finalizer: this.#finalizer });
    this.#clock = deps.clock;
    this.#metrics = new HandlerMetrics(deps.metrics ?? new Registry(), { clock: deps.clock, controller: config.controllerName, resyncPeriodMs });
    this.#removed = deps.removed ?? new RemovedUids({ clock: deps.clock, keepMs: REMEMBERED_PERIODS * resyncPeriodMs });
  }

  /** One pass over the object at an address. Reports and throws what a resource throws; an object that is gone is a success. */
  async handle(at: ObjectAddress, signal?: AbortSignal): Promise<HandlerOutcome> {
    const object = await this.#read(at, signal);
    if (object === undefined) {
      this.#metrics.forget(at);
      return 'gone';
    }
    this.#metrics.observe(object);
    try {
      const outcome = await this.#handleObject(object, signal);
      this.#metrics.succeeded();
      return outcome;
    } catch (error) {
      const { controllerName, cluster, logger, errorSink } = this.#config;
      const report = { controllerName, cluster, logger, clock: this.#clock, metrics: this.#metrics };
      await reportFailure(object, error, errorSink ? { ...report, sink: errorSink } : report);
      throw error;
    }
  }

  /** Ends what runs by itself: the timer that forgets errors. */
  stop(): void {
    this.#metrics.stop();
  }

  async #handleObject(object: KubeObject, signal?: AbortSignal): Promise<HandlerOutcome> {
    const set = this.#route(object);
    if (set === undefined) return 'unhandled';
    const fresh = withRunCacheKey(RunContext.background(signal), this.#config.controllerName, this.#loop++);
    const context = await set.initCtx(fresh, object);
    if (isPaused(object, this.#config.pauseAnnotations)) return 'paused';
    return object.metadata.deletionTimestamp ? this.#delete(context, object, set) : this.#update(context, object, set);
  }

  async #read(at: ObjectAddress, signal?: AbortSignal): Promise<KubeObject | undefined> {
    try {
      return await this.#config.cluster.get(at, signal ? { signal } : {});
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw wrapError(error, 'read the object');
    }
  }

  #route(object: KubeObject): ResourceSet<KubeObject> | undefined {
    try {
      return this.#config.resourceRouter.resourceSet(object);
    } catch (error) {
      if (isNoResourceSet(error)) return undefined;
      throw error;
    }
  }

  async #update(context: RunContext, object: KubeObject, set: ResourceSet<KubeObject>): Promise<HandlerOutcome> {
    if (!hasFinalizer(object, this.#finalizer)) {
      const { stop } = await this.#finalizers.ensureAdded(toAddress(object), context.signal);
      if (stop) return 'finalizer-added';
    }
    await processUpdate(context, object, set.resources);
    return 'updated';
  }

  async #delete(outer: RunContext, object: KubeObject, set: ResourceSet<KubeObject>): Promise<HandlerOutcome> {
    const uid = object.metadata.uid ?? '';
    if (!hasFinalizer(object, this.#finalizer) || this.#removed.has(uid)) return 'not-ours';
    const context = finalizersKept.newContext(outer, newLatch());
    const { canceled } = await runResources(context, object, set.resources, 'ensureDeleted');
    if (canceled || finalizersKept.is(context)) return 'deletion-kept';
    await this.#finalizers.ensureRemoved(toAddress(object), context.signal);
    this.#removed.add(uid);
    return 'deleted';
  }
}
