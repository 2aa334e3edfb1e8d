import type { KubeObject } from '@/lib/kube/object';
import type { Cluster, CollectionAddress, Selectors } from '@/server/kube';
import { listAll } from '@/server/kube';

/** One event as an API server sends it; an unknown type is the informer's to refuse. */
export interface WatcherEvent {
  readonly type: string;
  readonly object: KubeObject;
}

/** What an informer needs of an API server: everything there is, and what changes from there on. */
export interface Watcher {
  list(signal: AbortSignal): Promise<{ readonly objects: readonly KubeObject[]; readonly resourceVersion: string }>;
  watch(resourceVersion: string, signal: AbortSignal): AsyncIterable<WatcherEvent>;
}

/** Watches one collection of a cluster. Selectors pass through to list and watch. */
export function clusterWatcher(cluster: Pick<Cluster, 'list' | 'watch'>, of: CollectionAddress, selectors: Selectors = {}): Watcher {
  return {
    async list(signal) {
      const { items: objects, resourceVersion } = await listAll(cluster, of, { ...selectors, signal });
      return { objects, resourceVersion };
    },
    watch: (resourceVersion, signal) => cluster.watch(of, { ...selectors, resourceVersion, allowWatchBookmarks: true, signal }),
  };
}
