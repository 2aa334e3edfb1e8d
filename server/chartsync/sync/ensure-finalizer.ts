import { messageOf } from '@/lib/contract/app-error';
import type { ExtendedRelease } from '../model/declared';
import type { ExtendedDeps } from './sync';

type FinalizerDeps = Pick<ExtendedDeps, 'grants' | 'helm' | 'objects' | 'refusalOf' | 'resources' | 'log'>;

/**
 * Has the resource of a release that nothing is done to now, since it is suspended, held, or waits for its first approval, stay until Helm has uninstalled the
 * release: deleting it uninstalls all the same. One whose release is another's, or is not there, has nothing to wait for.
 */
export async function ensureFinalizer(resource: ExtendedRelease, deps: FinalizerDeps): Promise<void> {
  if (resource.hasFinalizer) return;
  const { grants, helm, objects, refusalOf, resources, log } = deps;
  const act = { release: resource.release, onBehalfOf: resource.onBehalfOf };
  try {
    if ((await grants.predict(resource)) !== undefined || (await refusalOf(resource)) !== undefined) return;
    if ((await helm.readHistory(resource.release)).length === 0) return;
    const mark = await objects.readMark(act, resource.mark.annotation);
    if (mark === undefined || mark === resource.mark.value) await resources.addFinalizer(resource.at);
  } catch (error) {
    log.warn({ resource: resource.key, error: messageOf(error) }, 'could not add the finalizer to a resource that is not reconciled now');
  }
}
