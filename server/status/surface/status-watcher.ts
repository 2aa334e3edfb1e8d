import { messageOf } from '@/lib/contract/app-error';
import { isFields, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { backOffMs } from '@/lib/std/back-off';
import { Channel } from '@/lib/std/channel';
import type { Clock, Random, Release } from '@/server/platform';
import type { ApiReader } from '../cluster/api-reader';
import { DirectClusterReader, dynamicMapper } from '../cluster/direct-reader';
import type { KindMapper } from '../cluster/kind-mapper';
import { isAbortLike } from '../cluster/read-errors';
import type { ObjMetadata } from '../identifier';
import { formatObjMetadata, toIdentifierKey, toObjMetadata } from '../identifier';
import { SCHEDULE_WINDOW_MS } from '../kinds/pod';
import { defaultStatusReaders, delegatingReader } from '../readers/default-readers';
import { notFoundStatus, toStatusError } from '../readers/status-error';
import type { StatusReader } from '../readers/status-reader';
import type { ResourceStatus, StatusEvent } from '../resource-status';
import type { CollectionWatch } from './collection-watch';
import { unschedulablePods } from './schedule-window';
import type { TargetEnd, TargetEvent } from './target-watch';
import { TargetWatch } from './target-watch';
import type { RestScopeStrategy, WatchPlan, WatchTarget } from './targets';
import { planTargets, toTargetKey } from './targets';

export interface StatusWatcherConfig {
  readonly api: ApiReader;
  readonly source: CollectionWatch;
  readonly mapper: KindMapper;
  readonly clock: Clock;
  readonly random: Random;
  readonly reader?: StatusReader;
  /** How often everything held is told again; one hour when absent. */
  readonly resyncMs?: number;
  /** Tries kinds that are not served yet again, from 1 s to 30 s; otherwise only a watched definition starts them. */
  readonly retryUnmapped?: boolean;
}

export interface WatchStatusOptions {
  readonly signal: AbortSignal;
  readonly strategy?: RestScopeStrategy;
}

const RESYNC_MS = 3_600_000;

/** Tells the status of objects on every change of theirs, compared with nothing. */
export class StatusWatcher {
  readonly #config: StatusWatcherConfig;

  constructor(config: StatusWatcherConfig) {
    this.#config = config;
  }

  /** Ends silently when the signal aborts; any other end is an Error event. Sync says that every first list is complete. */
  async *watch(
    identifiers: readonly ObjMetadata[],
    { signal, strategy = 'automatic' }: WatchStatusOptions,
  ): AsyncGenerator<StatusEvent, void, void> {
    let plan: WatchPlan;
    try {
      plan = planTargets(identifiers, strategy);
    } catch (error) {
      yield { type: 'Error', error: toStatusError(error) };
      return;
    }
    const run = new Run(this.#config, identifiers, plan, signal);
    try {
      run.start();
      yield* run.events;
    } finally {
      await run.stop();
    }
  }
}

/** A watcher for dry runs: everything is in step at once, and nothing happens. */
export async function* watchNothing(signal: AbortSignal): AsyncGenerator<StatusEvent, void, void> {
  yield { type: 'Sync' };
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

const CRD = { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition' };
const NAMESPACE = { group: '', kind: 'Namespace' };
const MAPPING_PACE = { firstMs: 1000, longestMs: 30_000 };

/** One watch of one caller: its targets, its delayed reads, its stream. */
class Run {
  readonly events = new Channel<StatusEvent>();
  readonly #config: StatusWatcherConfig;
  readonly #plan: WatchPlan;
  readonly #requested: ReadonlySet<string>;
  readonly #reader: StatusReader;
  readonly #cluster: DirectClusterReader;
  readonly #ending = new AbortController();
  readonly #signal: AbortSignal;
  readonly #running = new Map<string, AbortController>();
  readonly #delayedReads = new Map<string, Release>();
  readonly #work = new Set<Promise<void>>();

  constructor(config: StatusWatcherConfig, identifiers: readonly ObjMetadata[], plan: WatchPlan, signal: AbortSignal) {
    this.#config = config;
    this.#plan = plan;
    this.#requested = new Set(identifiers.map(toIdentifierKey));
    const { readers, fallback } = defaultStatusReaders(config.clock);
    this.#reader = config.reader ?? delegatingReader([...readers, fallback]);
    this.#cluster = new DirectClusterReader(config.api, dynamicMapper(config.mapper));
    this.#signal = AbortSignal.any([signal, this.#ending.signal]);
  }

  start(): void {
    if (this.#signal.aborted) this.events.close();
    this.#signal.addEventListener('abort', () => this.events.close(), { once: true });
    const synced = this.#plan.targets.map((target) => this.#startTarget(target));
    this.#track(
      Promise.all(synced).then(async () => {
        if (!this.#signal.aborted) await this.events.send({ type: 'Sync' });
      }),
    );
  }

  async stop(): Promise<void> {
    this.#end();
    for (const release of this.#delayedReads.values()) release();
    while (this.#work.size > 0) await Promise.allSettled(this.#work);
  }

  #end(): void {
    this.#ending.abort(new DOMException('the watch is over', 'AbortError'));
  }

  async #fail(error: unknown): Promise<void> {
    if (this.#signal.aborted) return;
    if (!isAbortLike(error, this.#signal)) await this.events.send({ type: 'Error', error: toStatusError(error) });
    this.#end();
  }

  #track(work: Promise<void>): void {
    const tracked = work.catch((error: unknown) => this.#fail(error)).finally(() => this.#work.delete(tracked));
    this.#work.add(tracked);
  }

  /** Starts a target unless it runs; resolves when its first list was handled, or when there is nothing to list. */
  #startTarget(target: WatchTarget, failures = 0): Promise<void> {
    const key = toTargetKey(target);
    if (this.#running.has(key)) return Promise.resolve();
    const stopping = new AbortController();
    this.#running.set(key, stopping);
    return new Promise<void>((resolve) => {
      const signal = AbortSignal.any([this.#signal, stopping.signal]);
      const watch = new TargetWatch({
        ...this.#config,
        target,
        resyncMs: this.#config.resyncMs ?? RESYNC_MS,
        handle: (event) => this.#handle(event, signal),
        onSynced: resolve,
      });
      const ended = watch
        .run(signal)
        .catch((error: unknown): TargetEnd | undefined => (signal.aborted ? undefined : { kind: 'fatal', error }))
        .then(async (end) => {
          if (this.#running.get(key) === stopping) this.#running.delete(key);
          await this.#onTargetEnd(target, end, failures);
          resolve();
        });
      this.#track(ended);
    });
  }

  async #onTargetEnd(target: WatchTarget, end: TargetEnd | undefined, failures: number): Promise<void> {
    if (end?.kind === 'fatal') await this.#fail(end.error);
    if (end?.kind === 'not-served') this.#stopTargets(({ group, kind }) => group === target.group && kind === target.kind);
    if (end?.kind === 'unmapped' && this.#config.retryUnmapped) this.#retryMapping(target, failures);
  }

  #retryMapping(target: WatchTarget, failures: number): void {
    const again = this.#config.clock.sleep(backOffMs(MAPPING_PACE, failures), this.#signal).then(
      () => this.#startTarget(target, failures + 1),
      () => undefined, // the watch ended while it waited
    );
    this.#track(again);
  }

  #stopTargets(which: (target: WatchTarget) => boolean): void {
    for (const target of this.#plan.targets.filter(which)) {
      const key = toTargetKey(target);
      this.#running.get(key)?.abort(new DOMException('the target is stopped', 'AbortError'));
      this.#running.delete(key);
    }
  }

  #startTargets(which: (target: WatchTarget) => boolean): void {
    for (const target of this.#plan.targets.filter(which)) this.#track(this.#startTarget(target));
  }

  async #handle({ type, object }: TargetEvent, ofTarget: AbortSignal): Promise<void> {
    const identifier = toObjMetadata(object);
    const key = toIdentifierKey(identifier);
    if (!this.#requested.has(key)) return;
    this.#delayedReads.get(key)?.();
    this.#delayedReads.delete(key);
    const resource = type === 'delete' ? notFoundStatus(identifier) : await this.#read(identifier, object);
    this.#drive(type, object);
    if (unschedulablePods(resource).length > 0) this.#readLater(identifier, ofTarget);
    await this.events.send({ type: 'Update', resource });
  }

  async #read(identifier: ObjMetadata, object: KubeObject): Promise<ResourceStatus> {
    try {
      return await this.#reader.readStatusForObject(this.#signal, this.#cluster, object);
    } catch (error) {
      if (isAbortLike(error, this.#signal)) throw error;
      throw new Error(`failed to compute object status: ${formatObjMetadata(identifier)}: ${messageOf(error)}`, { cause: error });
    }
  }

  /** Definitions and namespaces start and stop the targets that depend on them. */
  #drive(type: TargetEvent['type'], object: KubeObject): void {
    const { group, kind, name } = toObjMetadata(object);
    if (group === CRD.group && kind === CRD.kind) {
      const spec = isFields(object.spec) ? object.spec : {};
      const defined = (target: WatchTarget) =>
        target.group === readString(spec, 'group') && target.kind === readString(spec, 'names', 'kind');
      if (type === 'delete') this.#stopTargets(defined);
      this.#config.mapper.reset();
      if (type === 'put') this.#startTargets(defined);
    }
    if (this.#plan.scope === 'namespace' && group === NAMESPACE.group && kind === NAMESPACE.kind) {
      const inside = (target: WatchTarget) => target.namespace === name;
      if (type === 'delete') this.#stopTargets(inside);
      else this.#startTargets(inside);
    }
  }

  /** Nothing changes when the time of an unschedulable pod is up, so nobody would tell. A target that stopped tells no more. */
  #readLater(identifier: ObjMetadata, ofTarget: AbortSignal): void {
    const key = toIdentifierKey(identifier);
    const release = this.#config.clock.schedule(SCHEDULE_WINDOW_MS, () => {
      this.#delayedReads.delete(key);
      if (ofTarget.aborted) return;
      const reading = Promise.resolve(this.#reader.readStatus(this.#signal, this.#cluster, identifier));
      this.#track(reading.then((resource) => this.events.send({ type: 'Update', resource })));
    });
    this.#delayedReads.set(key, release);
  }
}
