import type { Cluster, CollectionAddress, WatchEvent, WatchOptions } from '../cluster';
import { isExpired } from '../errors';

/** How far a watch has told; undefined: a list is due. */
export interface WatchPosition {
  version: string | undefined;
}

/** How a watch ended: by the server, or since the place is too old. */
export type WatchEnd = { readonly kind: 'ended' } | { readonly kind: 'expired'; readonly error: unknown };

export interface WatchFromOptions extends Omit<WatchOptions, 'resourceVersion'> {
  readonly place: WatchPosition;
  readonly hear: (event: WatchEvent) => void;
}

/**
 * Tells what changes after a place, and moves the place along. Every loop of a list and a watch watches by this.
 *
 * 1. It resolves when the server ends the watch; the next one goes on where this one ended. So it does after a failure, which is thrown.
 * 2. A version that is too old makes a list due, which is no failure.
 */
export async function watchFrom(
  cluster: Pick<Cluster, 'watch'>,
  of: CollectionAddress,
  { place, hear, ...options }: WatchFromOptions,
): Promise<WatchEnd> {
  const from = place.version === undefined ? {} : { resourceVersion: place.version };
  try {
    for await (const event of cluster.watch(of, { allowWatchBookmarks: true, ...options, ...from })) {
      place.version = event.object.metadata.resourceVersion ?? place.version;
      hear(event);
    }
    return { kind: 'ended' };
  } catch (error) {
    if (!isExpired(error)) throw error;
    place.version = undefined;
    return { kind: 'expired', error };
  }
}
