import { AppError } from '@/lib/contract/app-error';
import { describeResource } from '@/lib/kube/kinds';
import { toObjectKey } from '@/lib/kube/object';
import { claimantsIn } from '../cluster/resources';
import type { ReleaseRef } from '../model/release';
import { requireListed } from './listed';
import type { UndeclaredDeps } from './read-undeclared';

/** Throws where a resource declares a release, or it is not known yet whether one does. A resource of a kind that is not served may. */
export function requireUndeclared({ stores, others }: Pick<UndeclaredDeps, 'stores' | 'others'>, release: ReleaseRef): void {
  requireListed(stores);
  const [declared] = claimantsIn(stores, release);
  if (declared !== undefined)
    throw new AppError('conflict', `release ${release.name} in ${release.namespace} is declared by ${describeResource(declared.at)}`);
  if (others().has(toObjectKey(release)))
    throw new AppError('conflict', `release ${release.name} in ${release.namespace} is declared by a HelmRelease of Flux`);
}

/** Why nothing is told of a release that Helm does not store. */
export function notStored({ namespace, name }: ReleaseRef): AppError {
  return new AppError('not-found', `Helm stores no release ${name} in ${namespace}`);
}
