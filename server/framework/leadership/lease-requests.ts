import type { KubeObject } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import { KubeTransportError, listAll } from '@/server/kube';
import type { Clock } from '@/server/platform';
import { waitAtMost } from '@/server/platform';
import type { LeaseClaim } from './lease-record';
import { claimLease, LEASE, newLease, releaseLease } from './lease-record';

interface LeaseRequestsOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly namespace: string;
  readonly renewMs: number;
}

/** A Lease by its name, as it was looked at; without `lease` there was none. */
interface ReadLease {
  readonly name: string;
  readonly lease: KubeObject | undefined;
}

/** What leadership asks of the cluster. Each request has a time to answer in, and what answers later counts for nothing. */
export class LeaseRequests {
  readonly #options: LeaseRequestsOptions;

  constructor(options: LeaseRequestsOptions) {
    this.#options = options;
  }

  async list(): Promise<readonly KubeObject[]> {
    const { cluster, namespace } = this.#options;
    return (await this.#within((signal) => listAll(cluster, { ...LEASE, namespace }, { signal }))).items;
  }

  /** Creates the Lease, takes it or renews it, at the version that was looked at. */
  write({ lease, name }: ReadLease, claim: LeaseClaim): Promise<KubeObject> {
    const { cluster, namespace } = this.#options;
    return this.#within((signal) =>
      lease === undefined
        ? cluster.create(newLease({ namespace, name }, claim), { signal })
        : cluster.update(claimLease(lease, claim), { signal }),
    );
  }

  release(lease: KubeObject, claim: LeaseClaim): Promise<KubeObject> {
    return this.#within((signal) => this.#options.cluster.update(releaseLease(lease, claim), { signal }));
  }

  /** Deletes the Lease only as it was looked at. */
  async delete({ lease, name }: ReadLease): Promise<void> {
    if (lease === undefined) return;
    const { cluster, namespace } = this.#options;
    const { uid, resourceVersion } = lease.metadata;
    const preconditions = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
    await this.#within((signal) => cluster.delete({ ...LEASE, namespace, name }, { preconditions, signal }));
  }

  #within<Answer>(work: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    const { clock, renewMs } = this.#options;
    const ms = renewMs * 1.5;
    const limit = new AbortController();
    const late = () => {
      limit.abort(new KubeTransportError(`no answer within ${ms} ms`));
      throw limit.signal.reason;
    };
    return waitAtMost({ clock, ms, late }, work(limit.signal));
  }
}
