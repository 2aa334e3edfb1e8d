import type { Cluster, CollectionAddress, ListOptions } from '../cluster';
import { isReadRefused } from '../errors';

/** Asks for one object of a collection, and answers whether that is refused. What fails otherwise is no refusal. */
export async function isListRefused(cluster: Pick<Cluster, 'list'>, of: CollectionAddress, options: ListOptions): Promise<boolean> {
  try {
    for await (const _page of cluster.list(of, { ...options, limit: 1 })) break;
    return false;
  } catch (error) {
    return isReadRefused(error);
  }
}
