import type { BaseRelease } from '../model/declared';
import type { HelmStatus, StoredRevision } from '../model/release';
import type { SyncReport, WorkingCopy } from '../ports';

/** Why a release is looked at: its resource or the schedule (cases 1a and 1b), commits of its chart (case 2), or one that was approved. */
export type BaseCause = 'resource' | 'commit' | 'approval';

/** Everything that the decision about one release of the base kind rests on: what is known of it, or what keeps it from being looked at. */
export type BaseObservation = { readonly resource: BaseRelease } & ({ readonly obstacle: BaseObstacle } | ObservedBase);

export type BaseObstacle =
  /** A person holds it; `lostCommit` is what it is at, where its branch does not contain that any more. */
  | { readonly kind: 'held'; readonly lostCommit: string | undefined }
  /** No commit is approved yet, or it came up in a pass over commits, which leaves out what a gate keeps. */
  | { readonly kind: 'gated' }
  /** It is another resource's, its namespace is not granted, or nobody can tell. */
  | { readonly kind: 'refused'; readonly error: string };

export interface ObservedBase {
  readonly cause: BaseCause;
  /** What it is compared with, or made of. */
  readonly copy: WorkingCopy;
  /** Not asked of a commit that this process has not released yet: that is released whatever is stored. */
  readonly newest: StoredRevision | 'unreadable' | 'not asked' | undefined;
  /** Whether the process ended that was to bring it to the commit that was approved, before anything of that was told. */
  readonly isApprovalDue: boolean;
}

/** What the base engine does about a release (spec/chartsync 5 and 6). */
export type BaseDecision =
  | { readonly kind: 'pass-over'; readonly tell: Pick<SyncReport, 'outcome' | 'error' | 'lostCommit'> }
  /** `why`: what Helm refuses an install over, and what helps; absent where it may be taken. */
  | { readonly kind: 'install'; readonly copy: WorkingCopy; readonly rule?: string; readonly why?: string }
  | { readonly kind: 'upgrade'; readonly copy: WorkingCopy; readonly rule?: string }
  | { readonly kind: 'compare'; readonly copy: WorkingCopy; readonly stored: StoredRevision };

/** Decides what is done about a release of the base kind; pure. */
export function decideBase(seen: BaseObservation): BaseDecision {
  if ('obstacle' in seen) return { kind: 'pass-over', tell: toldOf(seen.obstacle) };
  const { copy, newest } = seen;
  switch (seen.cause) {
    case 'approval':
      return { kind: newest === undefined ? 'install' : 'upgrade', copy };
    case 'commit':
      return isDeployed(newest) ? { kind: 'compare', copy, stored: newest } : { kind: 'upgrade', copy, rule: 'R-2-2' };
    case 'resource':
      return decideReconcile(seen);
  }
}

function toldOf(obstacle: BaseObstacle): Extract<BaseDecision, { readonly kind: 'pass-over' }>['tell'] {
  switch (obstacle.kind) {
    case 'held':
      return { outcome: 'held', ...(obstacle.lostCommit === undefined ? {} : { lostCommit: obstacle.lostCommit }) };
    case 'gated':
      return { outcome: 'gated' };
    case 'refused':
      return { outcome: 'failed', error: obstacle.error };
  }
}

/** Only a newest revision that is deployed is compared; Helm itself refuses an install over any other (R-1A-1 to R-1A-3). */
function decideReconcile({ copy, newest, isApprovalDue }: ObservedBase): BaseDecision {
  if (newest === undefined) return { kind: 'install', copy, rule: 'R-1A-1' };
  if (isDeployed(newest)) return { kind: 'compare', copy, stored: newest };
  // Whatever keeps it from being read counts as absent: base cleans nothing up, and Helm refuses a name that is in use.
  if (typeof newest === 'string') return { kind: 'install', copy, rule: 'R-1A-2' };
  return isApprovalDue ? { kind: 'upgrade', copy } : { kind: 'install', copy, rule: 'R-1A-3', why: describeBlock(newest) };
}

function isDeployed(newest: ObservedBase['newest']): newest is StoredRevision {
  return typeof newest === 'object' && newest.status === 'deployed';
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
