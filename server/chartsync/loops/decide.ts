import type { HelmStatus, StoredRevision } from '../model/release';

/** What the base engine does about a release on its schedule or for a change of the resource (spec/chartsync 6). */
export type BaseDecision =
  /** `why`: what Helm refuses an install over, and what helps; absent where it may be taken. */
  | { readonly kind: 'install'; readonly rule: string; readonly why?: string }
  | { readonly kind: 'compare'; readonly stored: StoredRevision };

/** Only a newest revision that is deployed is compared; Helm itself refuses an install over any other (R-1A-1 to R-1A-3). */
export function decideBase(newest: StoredRevision | 'unreadable' | undefined): BaseDecision {
  if (newest === undefined) return { kind: 'install', rule: 'R-1A-1' };
  // Whatever keeps it from being read counts as absent: base cleans nothing up, and Helm refuses a name that is in use.
  if (newest === 'unreadable') return { kind: 'install', rule: 'R-1A-2' };
  return newest.status === 'deployed'
    ? { kind: 'compare', stored: newest }
    : { kind: 'install', rule: 'R-1A-3', why: describeBlock(newest) };
}

/** Helm only says that the name is in use. */
function describeBlock({ revision, status }: StoredRevision): string {
  const helps = status === 'failed' ? '; the next commit of its chart upgrades the release, or a rollback takes it back' : '';
  return `Helm's newest revision ${revision} is ${status}, and Helm does not install over it${helps}`;
}

/** What deleting a base resource does about its release (spec/chartsync 8). */
export type DeletionDecision =
  | { readonly kind: 'uninstall' }
  | { readonly kind: 'leave' }
  | { readonly kind: 'refuse'; readonly sentence: string };

/** A release in the middle of something is not uninstalled, and nobody tries again (R-DEL-1 to R-DEL-4). */
export function decideDeletion(name: string, newest: HelmStatus | undefined): DeletionDecision {
  switch (newest) {
    case 'deployed':
    case 'failed':
      return { kind: 'uninstall' };
    case 'uninstalled':
      return { kind: 'leave' };
    case undefined:
      return { kind: 'refuse', sentence: `Release (${name}) not found` };
    default:
      return { kind: 'refuse', sentence: `Release (${name}) with status ${newest} cannot be deleted` };
  }
}

const OLD_WORDS: Readonly<Record<HelmStatus, string>> = {
  unknown: 'UNKNOWN',
  deployed: 'DEPLOYED',
  uninstalled: 'DELETED',
  superseded: 'SUPERSEDED',
  failed: 'FAILED',
  uninstalling: 'DELETING',
  'pending-install': 'PENDING_INSTALL',
  'pending-upgrade': 'PENDING_UPGRADE',
  'pending-rollback': 'PENDING_ROLLBACK',
};

/** How `status.releaseStatus` calls a state: the base kind keeps the words of Helm 2, the later kinds use Helm's own (R-ST-1). */
export function releaseStatusWord(profile: 'base' | 'extended', status: HelmStatus): string {
  return profile === 'base' ? OLD_WORDS[status] : status;
}
