import { messageOf } from '@/lib/contract/app-error';
import type { KubeObject } from '@/lib/kube/object';
import { Semaphore } from '@/lib/std/semaphore';
import type { Clock, Log, Random } from '@/server/platform';
import { Registry } from '@/server/platform';
import type { BackOffFactory } from '../back-off';
import { DefaultBackOffFactory, retryWithBackOff } from '../back-off';
import { loggerFields } from '../context/logger-meta';
import { RunContext } from '../context/run-context';
import type { CRDClient } from '../crd-client';
import { FrameworkError, isNoResourceSet, requireConfig } from '../errors';
import { processDelete, processUpdate } from '../resource/process';
import type { ResourceRouter } from '../resource/resource-router';
import type { ResourceSet } from '../resource/resource-set';
import type { ErrorBudget } from './event-loop';
import { EventLoop } from './event-loop';
import type { EventSource, InformerEvent, ObjectEvent } from './event-stream';
import { eventHistogram } from './framework-metrics';

export interface FrameworkConfig<TObject> {
  /** The definition to ensure before the watch, together with the client that does. */
  readonly crd?: KubeObject;
  readonly crdClient?: CRDClient;
  readonly informer: EventSource<TObject>;
  readonly logger: Log;
  readonly resourceRouter: ResourceRouter<TObject>;
  /** Asked anew for each use; `DefaultBackOffFactory` when absent. */
  readonly backOffFactory?: BackOffFactory;
  /** What uses up the tries of the event loop: all errors of the source when absent, those in a row, or nothing. */
  readonly errorBudget?: ErrorBudget;
  /** How an event is handled instead of as the original does: routed, its context made, and its resources run. Must not throw. */
  readonly handle?: (event: ObjectEvent<TObject>) => Promise<void>;
  /** Hears when the framework stopped working; the host is never ended. */
  readonly onFatal?: (error: unknown) => void;
}

export interface FrameworkDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics?: Registry;
}

/** Binds an event source to the resources of an object: one event, one object, one pass over the resources of one set. */
export class Framework<TObject> {
  readonly #config: FrameworkConfig<TObject>;
  readonly #deps: FrameworkDeps;
  readonly #backOffFactory: BackOffFactory;
  readonly #metrics: Registry;
  readonly #lock = new Semaphore(1);
  readonly #stopping = new AbortController();
  /** Resolves when the first listing of the source is done; never when it is stopped before. */
  readonly booted: Promise<void>;
  #listed: () => void = () => undefined;
  #running: Promise<void> | undefined;

  constructor(config: FrameworkConfig<TObject>, deps: FrameworkDeps) {
    if (isGiven(config.crd) !== isGiven(config.crdClient)) {
      throw new FrameworkError('invalidConfig', 'CRD and CRDClient must be both given or both absent');
    }
    requireConfig(config.informer, 'Informer');
    requireConfig(config.logger, 'Logger');
    requireConfig(config.resourceRouter, 'ResourceRouter');
    this.#config = config;
    this.#deps = deps;
    this.#metrics = deps.metrics ?? new Registry();
    this.#backOffFactory = config.backOffFactory ?? DefaultBackOffFactory(deps.random);
    this.booted = new Promise((resolve) => {
      this.#listed = resolve;
    });
  }

  /** Ensures the definition, then handles events until the signal aborts or it is stopped. Runs once however often it is asked for. */
  boot(signal?: AbortSignal): Promise<void> {
    this.#running ??= this.#bootUntil(signal);
    return this.#running;
  }

  /** Lets the event under way end and takes no other; resolves then. Before the boot it keeps one from beginning. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the framework is stopping'));
    await this.#running?.catch(() => undefined); // whoever booted it hears of its failure
  }

  /** Handles one creation or change. What was before does not matter. Never throws: failures are logged and wait for the next event. */
  updateFunc(_before: TObject | undefined, object: TObject): Promise<void> {
    return this.#lock.run(() => this.#handle(object, processUpdate));
  }

  /** Handles one deletion, with the same promise as `updateFunc`. */
  deleteFunc(object: TObject): Promise<void> {
    return this.#lock.run(() => this.#handle(object, processDelete));
  }

  /** Handles the events of a stream until it ends or the signal aborts; rejects when the error budget is used up. */
  async processEvents(signal: AbortSignal, stream: AsyncIterable<InformerEvent<TObject>>): Promise<void> {
    const { clock } = this.#deps;
    const loop = new EventLoop<TObject>({
      stream,
      clock,
      signal,
      backOff: this.#backOffFactory(),
      errorBudget: this.#config.errorBudget ?? 'cumulative',
      logger: this.#config.logger,
      handle: (event) => this.#handleTimed(event),
    });
    try {
      const end = await loop.run();
      if (end === 'aborted') return;
      this.#report(new FrameworkError('executionFailed', 'the event stream ended without being asked to'));
    } catch (error) {
      this.#report(error);
      throw error;
    }
  }

  async #bootUntil(outer?: AbortSignal): Promise<void> {
    const stop = () => this.#stopping.abort(outer?.reason);
    outer?.addEventListener('abort', stop, { once: true });
    if (outer?.aborted) stop();
    try {
      await this.#boot(this.#stopping.signal);
    } finally {
      outer?.removeEventListener('abort', stop);
      this.#stopping.abort(new Error('the framework ended'));
    }
  }

  async #boot(signal: AbortSignal): Promise<void> {
    const { crd, crdClient, logger, informer } = this.#config;
    if (signal.aborted) return;
    if (crd && crdClient) {
      try {
        await retryWithBackOff(() => crdClient.ensureCreated(crd, this.#backOffFactory(), signal), this.#backOffFactory(), {
          clock: this.#deps.clock,
          signal,
          notify: (error, waitMs) => logger.warn({ error: messageOf(error), waitMs }, 'boot failed, retrying'),
        });
      } catch (error) {
        if (signal.aborted) return;
        this.#report(error);
        throw error;
      }
    }
    await this.processEvents(signal, informer.watch(signal, this.#listed));
  }

  async #handleTimed(event: ObjectEvent<TObject>): Promise<void> {
    const { clock } = this.#deps;
    const { handle } = this.#config;
    const startedAt = clock.now();
    if (handle !== undefined) await this.#lock.run(() => handle(event));
    else if (event.type === 'update') await this.updateFunc(undefined, event.object);
    else await this.deleteFunc(event.object);
    eventHistogram(this.#metrics).observe({ event: event.type }, (clock.now() - startedAt) / 1000);
  }

  async #handle(object: TObject, process: typeof processUpdate): Promise<void> {
    // Resources never see the signal of the loop: stopping does not interrupt a run.
    let context = RunContext.background();
    try {
      const set: ResourceSet<TObject> = this.#config.resourceRouter.resourceSet(object);
      context = await set.initCtx(context, object);
      await process(context, object, set.resources);
    } catch (error) {
      if (isNoResourceSet(error)) return; // the router said so already
      this.#config.logger.error({ ...loggerFields(context), error: messageOf(error) }, 'object could not be reconciled');
    }
  }

  #report(error: unknown): void {
    this.#config.logger.error({ error: messageOf(error) }, 'framework stopped working');
    this.#config.onFatal?.(error);
  }
}

function isGiven(part: unknown): boolean {
  return part !== undefined && part !== null;
}
