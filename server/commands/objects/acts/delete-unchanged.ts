import { AppError, isAppError } from '@/lib/contract/app-error';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Cluster } from '@/server/kube';
import { isConflict, retryOnConflict } from '@/server/kube';

/** By what an object is the one that was looked at, and what is said where it is not. */
interface Unchanged {
  readonly by: (object: KubeObject) => unknown;
  readonly message: string;
}

/**
 * Deletes an object as it was looked at: its version is a precondition. Where it has another one by which nothing has changed, as when a controller wrote
 * its status in between, it is tried again with that; otherwise it fails as a conflict, and nothing is deleted.
 */
export async function deleteUnchanged(cluster: Cluster, object: KubeObject, { by, message }: Unchanged): Promise<void> {
  const at = toAddress(object);
  let last = object;
  const attempt = async () => {
    const { uid = '', resourceVersion = '' } = last.metadata;
    try {
      await cluster.delete(at, { preconditions: { uid, resourceVersion }, propagationPolicy: 'Background' });
    } catch (error) {
      const found = isConflict(error) ? await cluster.get(at) : object;
      if (!deepEqual(by(found), by(object))) throw new AppError('conflict', message, { cause: error });
      last = found;
      throw error;
    }
  };
  await retryOnConflict(attempt, { mayPass: (error) => isConflict(error) && !isAppError(error) });
}
