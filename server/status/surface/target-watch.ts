import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { backOffMs } from '@/lib/std/back-off';
import type { CollectionAddress } from '@/server/kube';
import { getApiStatus, isExpired } from '@/server/kube';
import type { Clock, Random } from '@/server/platform';
import type { KindMapper } from '../cluster/kind-mapper';
import { isNoKindMatch } from '../cluster/kind-mapper';
import type { CollectionWatch } from './collection-watch';
import type { WatchTarget } from './targets';

/** A change of the cluster as a target hears of it. */
export interface TargetEvent {
  readonly type: 'put' | 'delete';
  readonly object: KubeObject;
}

export interface TargetWatchConfig {
  readonly target: WatchTarget;
  readonly mapper: KindMapper;
  readonly source: CollectionWatch;
  readonly clock: Clock;
  readonly random: Random;
  readonly resyncMs: number;
  /** Handled one at a time. */
  readonly handle: (event: TargetEvent) => Promise<void>;
  /** Called once the first list was handled. */
  readonly onSynced: () => void;
}

/** Why a target ended by itself. Any other failure is tried again. */
export type TargetEnd =
  | { readonly kind: 'unmapped' }
  | { readonly kind: 'not-served' }
  | { readonly kind: 'fatal'; readonly error: unknown };

const PACE = { firstMs: 800, longestMs: 30_000, spread: [1, 2] } as const;
/** Without trouble for so long, the next wait is the first again. */
const CALM_MS = 120_000;

/** Lists a target, then watches it, until the signal aborts or there is nothing to watch. */
export class TargetWatch {
  readonly #config: TargetWatchConfig;
  readonly #held = new Map<ObjectKey, KubeObject>();
  #handling: Promise<void> = Promise.resolve();
  #troubles = 0;
  #resourceVersion: string | undefined;

  constructor(config: TargetWatchConfig) {
    this.#config = config;
  }

  /** Resolves with why it ended; rejects with what a handler threw, or with the reason of the signal. */
  async run(signal: AbortSignal): Promise<TargetEnd> {
    const { target, mapper, clock } = this.#config;
    let of: CollectionAddress;
    try {
      const { version, namespaced } = await mapper.map(target, signal);
      of = {
        apiVersion: target.group === '' ? version : `${target.group}/${version}`,
        kind: target.kind,
        ...(namespaced && target.namespace !== '' ? { namespace: target.namespace } : {}),
      };
    } catch (error) {
      signal.throwIfAborted();
      return isNoKindMatch(error) ? { kind: 'unmapped' } : { kind: 'fatal', error };
    }
    for (;;) {
      const startedAt = clock.now();
      const end = await this.#session(of, signal);
      if (end !== undefined) return end;
      if (clock.now() - startedAt > CALM_MS) this.#troubles = 0;
      await clock.sleep(backOffMs(PACE, this.#troubles++, this.#config.random), signal);
    }
  }

  /** One list, unless the last version still holds, and one watch. Answers an end, or nothing when it is to be tried again. */
  async #session(of: CollectionAddress, signal: AbortSignal): Promise<TargetEnd | undefined> {
    try {
      this.#resourceVersion ??= await this.#list(of, signal);
      await this.#watch(of, this.#resourceVersion, signal);
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof HandlerFailure) throw error.cause;
      return this.#evaluate(error);
    }
  }

  #evaluate(error: unknown): TargetEnd | undefined {
    const status = getApiStatus(error);
    if (status?.code === 403) return { kind: 'fatal', error };
    if (status?.code === 404) return { kind: 'not-served' };
    if (isExpired(error)) this.#resourceVersion = undefined;
    return undefined;
  }

  async #list(of: CollectionAddress, signal: AbortSignal): Promise<string> {
    const { objects, resourceVersion } = await this.#config.source.list(of, signal);
    const listed = new Set(objects.map((object) => toObjectKey(object.metadata)));
    for (const [key, object] of [...this.#held]) if (!listed.has(key)) await this.#handle({ type: 'delete', object });
    for (const object of objects) await this.#handle({ type: 'put', object });
    this.#config.onSynced();
    return resourceVersion;
  }

  async #watch(of: CollectionAddress, resourceVersion: string, signal: AbortSignal): Promise<void> {
    const { clock, resyncMs, source } = this.#config;
    let failure: HandlerFailure | undefined;
    const resync = () => {
      timer = clock.schedule(resyncMs, resync);
      for (const object of this.#held.values()) {
        this.#handle({ type: 'put', object }).catch((error: HandlerFailure) => {
          failure ??= error;
        });
      }
    };
    let timer = clock.schedule(resyncMs, resync);
    try {
      for await (const { type, object } of source.watch(of, resourceVersion, signal)) {
        if (failure !== undefined) throw failure;
        this.#resourceVersion = object.metadata.resourceVersion ?? this.#resourceVersion;
        if (type !== 'BOOKMARK') await this.#handle({ type: type === 'DELETED' ? 'delete' : 'put', object });
      }
    } finally {
      timer();
    }
  }

  /** Waits for its turn, so that resynchronised objects and changes are handled one at a time as well. */
  #handle(event: TargetEvent): Promise<void> {
    const key = toObjectKey(event.object.metadata);
    if (event.type === 'delete') this.#held.delete(key);
    else this.#held.set(key, event.object);
    const turn = this.#handling.then(() => this.#config.handle(event));
    this.#handling = turn.catch(() => undefined); // whoever asked hears of it
    return turn.catch((error: unknown) => {
      throw new HandlerFailure('an event could not be handled', { cause: error });
    });
  }
}

/** Tells what a handler threw from what the source threw. */
class HandlerFailure extends Error {}
