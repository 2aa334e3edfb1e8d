import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import { isNotFound } from '@/server/kube';
import type { Clock, Random } from '@/server/platform';
import { Registry } from '@/server/platform';
import type { BackOffFactory } from '../back-off';
import { DefaultBackOffFactory } from '../back-off';
import { finalizersKept, newLatch } from '../context/flags';
import { RunContext } from '../context/run-context';
import { wrapError } from '../errors';
import type { HandlerOutcome, ObjectPassConfig } from '../object/object-pass';
import { ObjectPass, RESYNC_PERIOD_MS } from '../object/object-pass';
import { processUpdate, runResources } from '../resource/process';
import type { ResourceSet } from '../resource/resource-set';
import { FinalizerClient } from './finalizer-client';
import { finalizerOf, hasFinalizer } from './finalizers';
import { RemovedUids } from './removed-uids';

/** `controllerName` is unique per controller: it names the finalizer. */
export interface ObjectHandlerConfig extends Omit<ObjectPassConfig, 'eventsOf'> {
  readonly cluster: Pick<Cluster, 'get' | 'patch' | 'create'>;
  readonly backOffFactory?: BackOffFactory;
}

export interface ObjectHandlerDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics?: Registry;
  /** The memory of removals; one of its own when absent. */
  readonly removed?: RemovedUids;
}

/** Resynchronisations for which a removal is remembered. */
const REMEMBERED_PERIODS = 3;

/**
 * The complete later flow over one object: fresh read, then a pass whose resources run under a finalizer.
 *
 * 1. Adding the finalizer ends the pass; the change it causes brings the next.
 * 2. The finalizer goes when every resource is deleted, none asked to keep it, and the run was not cancelled.
 */
export class ObjectHandler {
  readonly #cluster: ObjectHandlerConfig['cluster'];
  readonly #finalizer: string;
  readonly #finalizers: FinalizerClient;
  readonly #removed: RemovedUids;
  readonly #pass: ObjectPass;

  constructor(config: ObjectHandlerConfig, deps: ObjectHandlerDeps) {
    const {
      controllerName,
      cluster,
      logger,
      resyncPeriodMs = RESYNC_PERIOD_MS,
      backOffFactory = DefaultBackOffFactory(deps.random),
    } = config;
    this.#pass = new ObjectPass({ ...config, eventsOf: () => cluster }, { clock: deps.clock, metrics: deps.metrics ?? new Registry() });
    this.#cluster = cluster;
    this.#finalizer = finalizerOf(controllerName);
    this.#finalizers = new FinalizerClient({ cluster, clock: deps.clock, logger, backOffFactory, finalizer: this.#finalizer });
    this.#removed = deps.removed ?? new RemovedUids({ clock: deps.clock, keepMs: REMEMBERED_PERIODS * resyncPeriodMs });
  }

  /** One pass over the object at an address. Reports and throws what a resource throws; an object that is gone is a success. */
  async handle(at: ObjectAddress, outer: RunContext = RunContext.background()): Promise<HandlerOutcome> {
    const object = await this.#read(at, outer.signal);
    if (object === undefined) {
      this.#pass.forget(at);
      return 'gone';
    }
    const deleting = Boolean(object.metadata.deletionTimestamp);
    return this.#pass.run({ type: deleting ? 'delete' : 'update', object }, outer, (context, _, set) =>
      deleting ? this.#delete(context, object, set) : this.#update(context, object, set),
    );
  }

  /** Ends what runs by itself: the timer that forgets errors. */
  stop(): void {
    this.#pass.stop();
  }

  async #read(at: ObjectAddress, signal: AbortSignal): Promise<KubeObject | undefined> {
    try {
      return await this.#cluster.get(at, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw wrapError(error, 'read the object');
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
