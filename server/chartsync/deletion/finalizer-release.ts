import { HELM_FINALIZER } from '@/lib/kube/kinds';
import type { Instant } from '@/lib/std/instant';
import type { DeclaredRelease } from '../model/declared';

/** How long a namespace that is being deleted waits for a release that cannot be uninstalled. */
export const NAMESPACE_DELETION_GRACE_MS = 60_000;

/** Why a release is not uninstalled yet. */
export interface NotUninstalled {
  readonly why: string;
  /** Whether rights are missing, which nobody can give any more in a namespace that is being deleted. */
  readonly isUngranted: boolean;
}

/**
 * Why a deleted resource goes although its release could not be uninstalled; undefined where it stays. Only a namespace that is being deleted itself is not
 * kept waiting: with it go the account, its roles and the Secrets, without which Helm can do nothing.
 */
export function finalizerRemovalReason(
  { release, at }: Pick<DeclaredRelease, 'release' | 'at'>,
  { why, isUngranted }: NotUninstalled,
  { deletedAt, now }: { readonly deletedAt: Instant | undefined; readonly now: Instant },
): string | undefined {
  if (deletedAt === undefined || (!isUngranted && now - deletedAt < NAMESPACE_DELETION_GRACE_MS)) return undefined;
  const left =
    release.namespace === at.namespace
      ? 'its objects outside the namespace stay'
      : `its objects in namespace ${release.namespace} and its stored revisions stay`;
  return `namespace ${at.namespace ?? ''} is being deleted, and release ${release.name} could not be uninstalled: ${why}; ${left}`;
}

/** Why a deleted resource stays, and how it goes all the same. */
export function finalizerKeptReason(why: string): string {
  return `${why}; to delete the resource and leave its release as it is, remove finalizer ${HELM_FINALIZER}`;
}
