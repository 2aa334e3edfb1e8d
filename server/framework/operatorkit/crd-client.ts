import { messageOf } from '@/lib/contract/app-error';
import { getCondition, readConditions } from '@/lib/kube/condition';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import { isAlreadyExists, isNotFound } from '@/server/kube';
import type { Clock, Log } from '@/server/platform';
import type { BackOff } from './back-off';
import { retryWithBackOff } from './back-off';
import { FrameworkError, getFrameworkError, requireConfig, wrapError } from './errors';

export interface CRDClientConfig {
  readonly cluster: Pick<Cluster, 'create' | 'get' | 'delete'>;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly logger: Log;
  /** As whom definitions are created. */
  readonly fieldManager?: string;
  /**
   * What becomes of a definition that is not established in the end. Deleting one takes every object of its kind
   * along, so at most what this very call created is deleted, and only on wish.
   */
  readonly deleteOnFailure?: 'never' | 'created-only';
}

/** Brings custom resource definitions into being and waits until the API server serves them. */
export class CRDClient {
  readonly #config: CRDClientConfig;

  constructor(config: CRDClientConfig) {
    requireConfig(config.cluster, 'Cluster', 'crdClient');
    requireConfig(config.logger, 'Logger', 'crdClient');
    this.#config = config;
  }

  /** Creates the definition unless it exists, and waits until it is established. An existing one is neither changed nor compared. Answers whether it made it. */
  async ensureCreated(crd: KubeObject, backOff: BackOff, signal?: AbortSignal): Promise<boolean> {
    const created = await this.#create(crd, signal);
    try {
      await this.untilEstablished(crd, backOff, signal);
    } catch (error) {
      if (created && this.#config.deleteOnFailure === 'created-only') await this.#deleteQuietly(crd, signal);
      throw error;
    }
    return created;
  }

  /** Waits until a definition that is there is established. */
  async untilEstablished(crd: KubeObject, backOff: BackOff, signal?: AbortSignal): Promise<void> {
    const { clock } = this.#config;
    const options = { clock, notify: this.#warn('definition is not established yet'), ...(signal ? { signal } : {}) };
    await retryWithBackOff(() => this.#check(crd, signal), backOff, options);
  }

  /** Deletes the definition; one that is gone is a success. */
  async ensureDeleted(crd: KubeObject, backOff: BackOff, signal?: AbortSignal): Promise<void> {
    const { clock } = this.#config;
    const options = { clock, notify: this.#warn('definition could not be deleted yet'), ...(signal ? { signal } : {}) };
    await retryWithBackOff(() => this.#delete(crd, signal), backOff, options);
  }

  async #create(crd: KubeObject, signal?: AbortSignal): Promise<boolean> {
    try {
      const { cluster, fieldManager } = this.#config;
      await cluster.create(crd, { ...(fieldManager ? { fieldManager } : {}), ...(signal ? { signal } : {}) });
      return true;
    } catch (error) {
      if (isAlreadyExists(error)) return false;
      throw wrapError(error, `create ${crd.metadata.name}`);
    }
  }

  async #check(crd: KubeObject, signal?: AbortSignal): Promise<void> {
    const found = await this.#config.cluster.get(toAddress(crd), signal ? { signal } : {});
    for (const { type, status } of readConditions(found)) {
      if (type === 'Established' && status === 'True') return;
      if (type === 'NamesAccepted' && status === 'False') {
        const message = getCondition(found, 'NamesAccepted')?.message ?? '';
        throw new FrameworkError('nameConflict', `the names of ${crd.metadata.name} are not accepted: ${message}`, { origin: 'crdClient' });
      }
    }
    throw new FrameworkError('notEstablished', `${crd.metadata.name} is not established`, { origin: 'crdClient' });
  }

  async #delete(crd: KubeObject, signal?: AbortSignal): Promise<void> {
    try {
      await this.#config.cluster.delete(toAddress(crd), signal ? { signal } : {});
    } catch (error) {
      if (!isNotFound(error)) throw wrapError(error, `delete ${crd.metadata.name}`);
    }
  }

  /** Must not hide the failure that led here. */
  async #deleteQuietly(crd: KubeObject, signal?: AbortSignal): Promise<void> {
    try {
      await this.#delete(crd, signal);
    } catch (error) {
      this.#config.logger.error(
        { crd: crd.metadata.name, error: messageOf(error) },
        'definition that was not established could not be deleted',
      );
    }
  }

  #warn(message: string): (error: unknown, waitMs: number) => void {
    return (error, waitMs) => this.#config.logger.warn({ error: messageOf(error), waitMs }, message);
  }
}

const hasKind = (kind: 'invalidConfig' | 'nameConflict' | 'notEstablished') => (error: unknown) => {
  const found = getFrameworkError(error);
  return found?.kind === kind && found.origin === 'crdClient';
};

export const isNameConflict = hasKind('nameConflict');
export const isNotEstablished = hasKind('notEstablished');
