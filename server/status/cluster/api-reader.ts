import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import type { Cluster, CollectionAddress } from '@/server/kube';

export interface PageRequest {
  readonly limit?: number;
  readonly continue?: string;
  readonly labelSelector?: string;
  readonly signal: AbortSignal;
}

export interface Page {
  readonly items: readonly KubeObject[];
  readonly continue?: string;
}

/** The two reads that statuses are made from, one request each. */
export interface ApiReader {
  get(at: ObjectAddress, signal: AbortSignal): Promise<KubeObject>;
  listPage(of: CollectionAddress, request: PageRequest): Promise<Page>;
}

/** Reads from a cluster. Pages are taken one by one, since who asks decides what an expired one means. */
export function clusterApiReader(cluster: Pick<Cluster, 'get' | 'list'>): ApiReader {
  return {
    get: (at, signal) => cluster.get(at, { signal }),
    async listPage(of, { limit = 0, ...request }) {
      // The port goes on to the next page only when it is asked for it.
      for await (const page of cluster.list(of, { ...request, limit })) {
        return page.continue === undefined ? { items: page.items } : { items: page.items, continue: page.continue };
      }
      return { items: [] };
    },
  };
}
