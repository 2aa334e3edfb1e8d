import type { KubeObject } from '@/lib/kube/object';
import type { Cluster, CollectionAddress, Selectors, WatchEvent } from '@/server/kube';
import { listAll } from '@/server/kube';

/** A list of everything, and what changes after it. */
export interface CollectionWatch {
  list(of: CollectionAddress, signal: AbortSignal): Promise<{ readonly objects: readonly KubeObject[]; readonly resourceVersion: string }>;
  watch(of: CollectionAddress, resourceVersion: string, signal: AbortSignal): AsyncIterable<WatchEvent>;
}

/** Lists and watches a cluster; the filters apply to both. */
export function clusterCollectionWatch(cluster: Pick<Cluster, 'list' | 'watch'>, filters: Selectors = {}): CollectionWatch {
  return {
    async list(of, signal) {
      const { items: objects, resourceVersion } = await listAll(cluster, of, { ...filters, signal });
      return { objects, resourceVersion };
    },
    watch: (of, resourceVersion, signal) => cluster.watch(of, { ...filters, resourceVersion, allowWatchBookmarks: true, signal }),
  };
}
