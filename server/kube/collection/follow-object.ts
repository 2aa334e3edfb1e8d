import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import type { Cluster } from '../cluster';
import { ignoreNotFound } from '../errors';

export interface ObjectFollower {
  /** Hears of the object as it is now; undefined where there is none. */
  readonly found: (object: KubeObject | undefined) => void;
  /** Hears why it cannot be read. */
  readonly unread?: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** Reads an object and tells what becomes of it, until the watch ends or the signal aborts. Throws what is in the way of reading or watching it. */
export async function followObject(
  cluster: Pick<Cluster, 'get' | 'watch'>,
  address: ObjectAddress,
  follower: ObjectFollower,
): Promise<void> {
  const { found, unread, signal } = follower;
  const read = ignoreNotFound(cluster.get(address, { signal }));
  found(
    await read.catch((error: unknown) => {
      unread?.(error);
      throw error;
    }),
  );
  const { name, ...of } = address;
  // From now on: the version of an object that has long been there is compacted away.
  for await (const { type, object } of cluster.watch(of, { fieldSelector: `metadata.name=${name}`, signal })) {
    if (type !== 'BOOKMARK') found(type === 'DELETED' ? undefined : object);
  }
}
