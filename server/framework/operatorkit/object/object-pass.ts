import { messageOf } from '@/lib/contract/app-error';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress, toObjectKey } from '@/lib/kube/object';
import type { EventSink } from '@/server/kube';
import { EventRecorder } from '@/server/kube';
import type { Clock, Log, Registry } from '@/server/platform';
import { loggerFields, withLoggerMeta } from '../context/logger-meta';
import { withRunCacheKey } from '../context/run-cache-key';
import { RunContext } from '../context/run-context';
import { isNoResourceSet, requireConfig } from '../errors';
import type { ObjectEvent } from '../events/event-stream';
import { runResources } from '../resource/process';
import type { ResourceRouter } from '../resource/resource-router';
import type { ResourceSet } from '../resource/resource-set';
import type { ErrorSink } from './failure-report';
import { reportFailure } from './failure-report';
import { HandlerMetrics } from './handler-metrics';
import { isPaused } from './pause';

export interface ObjectPassConfig {
  readonly controllerName: string;
  readonly logger: Log;
  readonly resourceRouter: ResourceRouter<KubeObject>;
  /** Where events about an object are written; none are when it answers undefined. */
  readonly eventsOf: (object: KubeObject) => EventSink | undefined;
  /** Annotations that pause an object, beside the two that always do. */
  readonly pauseAnnotations?: Readonly<Record<string, string>>;
  readonly resyncPeriodMs?: number;
  /** Hears of failures, with what they are about; none when absent. */
  readonly errorSink?: ErrorSink;
  /** How a failure is logged, with the fields that its pass's lines have; as an error when absent. */
  readonly logFailure?: (error: unknown, fields: Readonly<Record<string, string>>) => void;
}

export interface ObjectPassDeps {
  readonly clock: Clock;
  readonly metrics: Registry;
}

/** What a pass over one object came to. */
export type HandlerOutcome = 'gone' | 'unhandled' | 'paused' | 'finalizer-added' | 'not-ours' | 'updated' | 'deletion-kept' | 'deleted';

/** What is done with an object whose set and context were found. */
export type ObjectOperation = (context: RunContext, object: KubeObject, set: ResourceSet<KubeObject>) => Promise<HandlerOutcome>;

/** After so long failures are forgotten a fourth, and everything is looked at again, unless told otherwise. */
export const RESYNC_PERIOD_MS = 5 * 60_000;

/**
 * The one way in which a pass over an object runs, whoever started it: set, context, pause, then the resources.
 *
 * 1. Nothing is done before a set was found and the object was seen not to be paused.
 * 2. A failure is reported before it is thrown: on the object, in the gauge, to the sink, in the log.
 * 3. Every line of a pass names controller, loop, event, object and version.
 */
export class ObjectPass {
  readonly #config: ObjectPassConfig;
  readonly #metrics: HandlerMetrics;
  readonly #recorder: EventRecorder;
  #loop = 0;

  constructor(config: ObjectPassConfig, deps: ObjectPassDeps) {
    requireConfig(config.controllerName, 'ControllerName');
    requireConfig(config.logger, 'Logger');
    requireConfig(config.resourceRouter, 'ResourceRouter');
    this.#config = config;
    this.#recorder = new EventRecorder(config.controllerName, deps.clock);
    const { controllerName: controller, resyncPeriodMs = RESYNC_PERIOD_MS } = config;
    this.#metrics = new HandlerMetrics(deps.metrics, { clock: deps.clock, controller, resyncPeriodMs });
  }

  /** How many passes have begun. */
  get count(): number {
    return this.#loop;
  }

  /** One pass. `carry` says what is done with an object that is for us; when absent its resources are run, without finalizers. */
  async run(event: ObjectEvent<KubeObject>, outer: RunContext = RunContext.background(), carry?: ObjectOperation): Promise<HandlerOutcome> {
    const { object } = event;
    const context = this.#begin(event, outer);
    if (event.type === 'delete' && event.tombstone) this.#metrics.forget(toAddress(object));
    else this.#metrics.observe(object);
    try {
      const outcome = await this.#carry(context, event, carry ?? carryBy(event.type));
      this.#metrics.succeeded();
      return outcome;
    } catch (error) {
      await this.#report(context, object, error);
      throw error;
    }
  }

  /** Forgets what was noted of an object that is gone. */
  forget(at: Parameters<HandlerMetrics['forget']>[0]): void {
    this.#metrics.forget(at);
  }

  /** Ends what runs by itself: the timer that forgets errors. */
  stop(): void {
    this.#metrics.stop();
  }

  #begin({ type, object }: ObjectEvent<KubeObject>, outer: RunContext): RunContext {
    const { controllerName: controller } = this.#config;
    const loop = this.#loop++;
    const meta = new Map([
      ['controller', controller],
      ['loop', String(loop)],
      ['event', type],
      ['object', toObjectKey(object.metadata)],
    ]);
    if (object.metadata.resourceVersion !== undefined) meta.set('version', object.metadata.resourceVersion);
    return withLoggerMeta(withRunCacheKey(outer, controller, loop), meta);
  }

  async #carry(fresh: RunContext, { object }: ObjectEvent<KubeObject>, carry: ObjectOperation): Promise<HandlerOutcome> {
    const set = this.#route(object);
    if (set === undefined) return 'unhandled';
    const context = await set.initCtx(fresh, object);
    if (isPaused(object, this.#config.pauseAnnotations)) return 'paused';
    return carry(context, object, set);
  }

  #report(context: RunContext, object: KubeObject, error: unknown): Promise<void> {
    const { controllerName, eventsOf, logger, errorSink, logFailure } = this.#config;
    const fields = loggerFields(context);
    return reportFailure(object, error, {
      controllerName,
      events: eventsOf(object),
      logger,
      recorder: this.#recorder,
      metrics: this.#metrics,
      sink: errorSink,
      log: () =>
        logFailure ? logFailure(error, fields) : logger.error({ ...fields, error: messageOf(error) }, 'object could not be reconciled'),
    });
  }

  #route(object: KubeObject): ResourceSet<KubeObject> | undefined {
    try {
      return this.#config.resourceRouter.resourceSet(object);
    } catch (error) {
      if (isNoResourceSet(error)) return undefined;
      throw error;
    }
  }
}

function carryBy(type: ObjectEvent<KubeObject>['type']): ObjectOperation {
  return async (context, object, { resources }) => {
    const { canceled } = await runResources(context, object, resources, type === 'update' ? 'ensureCreated' : 'ensureDeleted');
    if (type === 'update') return 'updated';
    return canceled ? 'deletion-kept' : 'deleted';
  };
}
