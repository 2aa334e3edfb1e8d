import { messageOf } from '@/lib/contract/app-error';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import { ignoreNotFound, isConflict, isInvalid, isNotFound } from '@/server/kube';
import type { Clock, Log } from '@/server/platform';
import type { BackOffFactory } from '../back-off';
import { permanent, retryWithBackOff } from '../back-off';
import type { JsonPatchOperation } from './finalizers';
import { planAddFinalizer, planRemoveFinalizer, testVersion } from './finalizers';

export interface FinalizerClientConfig {
  readonly cluster: Pick<Cluster, 'get' | 'patch'>;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly logger: Log;
  readonly backOffFactory: BackOffFactory;
  readonly finalizer: string;
}

/** Writes one finalizer onto objects and takes it away, each time from a fresh read. */
export class FinalizerClient {
  readonly #config: FinalizerClientConfig;

  constructor(config: FinalizerClientConfig) {
    this.#config = config;
  }

  /** Sees to it that the object carries the finalizer. Answers whether the run stops here: the change brings the next one. */
  async ensureAdded(at: ObjectAddress, signal?: AbortSignal): Promise<{ readonly stop: boolean }> {
    return this.#retry(async () => {
      const fresh = await this.#read(at, signal);
      if (fresh === undefined) return { stop: true };
      const { patch, stop } = planAddFinalizer(fresh, this.#config.finalizer);
      if (patch !== null) await this.#write(at, patch, signal);
      return { stop };
    }, signal);
  }

  /** Takes the finalizer away; an object that is gone is a success. */
  async ensureRemoved(at: ObjectAddress, signal?: AbortSignal): Promise<void> {
    await this.#retry(async () => {
      const fresh = await this.#read(at, signal);
      if (fresh === undefined) return;
      const { patch } = planRemoveFinalizer(fresh, this.#config.finalizer);
      // A list that changed meanwhile would come back with finalizers that others have taken away.
      if (patch !== null) await this.#write(at, [testVersion(fresh), ...patch], signal);
    }, signal);
  }

  async #read(at: ObjectAddress, signal?: AbortSignal): Promise<KubeObject | undefined> {
    return ignoreNotFound(this.#config.cluster.get(at, signal ? { signal } : {}));
  }

  async #write(at: ObjectAddress, patch: readonly JsonPatchOperation[], signal?: AbortSignal): Promise<void> {
    try {
      await this.#config.cluster.patch(at, { type: 'json', body: patch }, signal ? { signal } : {});
    } catch (error) {
      if (isNotFound(error)) return; // gone between read and write: nothing is left to hold or to let go
      // A failed version test is answered as Invalid.
      if (isConflict(error) || isInvalid(error)) throw error;
      throw permanent(error);
    }
  }

  #retry<T>(operation: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { backOffFactory, clock, finalizer, logger } = this.#config;
    return retryWithBackOff(operation, backOffFactory(), {
      clock,
      notify: (error, waitMs) => logger.warn({ finalizer, error: messageOf(error), waitMs }, 'finalizer was not written, retrying'),
      ...(signal ? { signal } : {}),
    });
  }
}
