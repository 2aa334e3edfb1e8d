import type { KubeObject } from '@/lib/kube/object';
import type { Cluster, CollectionAddress, ListOptions } from '../cluster';

/** A complete list, and the version from which a watch goes on. */
export interface Listed {
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
}

/** Reads every page of a collection; what fails on any page is no list. */
export async function listAll(cluster: Pick<Cluster, 'list'>, of: CollectionAddress, options?: ListOptions): Promise<Listed> {
  const items: KubeObject[] = [];
  let resourceVersion = '';
  for await (const page of cluster.list(of, options)) {
    items.push(...page.items);
    ({ resourceVersion } = page);
  }
  return { items, resourceVersion };
}
