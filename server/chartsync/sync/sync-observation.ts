import type { Fields } from '@/lib/kube/fields';
import type { CancelRecord } from '../decisions/cancellations';
import type { ExtendedRelease } from '../model/declared';
import type { ChartAt, StoredRevision } from '../model/release';
import type { ReleaseRequest } from '../ports';

/** Everything that the decision about one release of a later kind rests on: what is known of it, or the first obstacle that was found. */
export type SyncObservation = BlockedSync | ObservedSync;

/** Whom an observation is about. */
export interface SyncSubject {
  readonly resource: ExtendedRelease;
  /** Its status as it was read. */
  readonly status: Fields;
}

export interface BlockedSync extends SyncSubject {
  readonly obstacle: SyncObstacle;
  /** Where the chart was at hand before. */
  readonly chart?: ObservedChart;
}

/** Why a release is not looked at, or cannot be. */
export type SyncObstacle =
  | { readonly kind: 'suspended' }
  /** A person holds it; `lostCommit` is what it is at, where its branch does not contain that any more. */
  | { readonly kind: 'held'; readonly lostCommit: string | undefined }
  /** No commit of its chart has been approved yet. */
  | { readonly kind: 'unapproved' }
  /** Nobody can tell whether it is held, or at which commit a gate keeps it. */
  | { readonly kind: 'undetermined'; readonly error: string }
  | { readonly kind: 'ungranted'; readonly sentence: string }
  | { readonly kind: 'dependency'; readonly sentence: string }
  | { readonly kind: 'chart'; readonly sentence: string }
  /** What its version leads to now wants approval. */
  | { readonly kind: 'archive'; readonly sentence: string }
  /** Something could not be read or told, before (`unknown`) or after its chart was at hand. */
  | { readonly kind: 'unknown' | 'failed'; readonly sentence: string };

/** The chart that a release is to be made of. */
export interface ObservedChart {
  readonly at: ChartAt;
  /** Whether commits touched it, or its version changed, since the last attempt; unknown where git cannot say. */
  readonly changed: 'yes' | 'no' | 'unknown';
  /** Whether the status does not say yet that it is fetched. */
  readonly isNews: boolean;
}

export interface ObservedSync extends SyncSubject {
  readonly chart: ObservedChart;
  readonly request: ReleaseRequest;
  readonly valuesDigest: string;
  readonly newest: StoredRevision | undefined;
  /** What the first object of the stored manifest is marked with. */
  readonly foundMark: string | undefined;
  /** What a person cancelled of it, also where an earlier process of the server had begun that and no condition tells so. */
  readonly cancelled: Pick<CancelRecord, 'message'> | undefined;
  readonly last: LastAttempt;
}

/** What the status says of the last attempt. */
export interface LastAttempt {
  readonly observedGeneration: number;
  /** What the attempt was for; undefined where nobody knows. */
  readonly generation: number | undefined;
  /** What there was before it; undefined where nobody knows, or its end was told. */
  readonly before: BeforeAttempt | undefined;
  /** What it left, if nobody told how it ended (docs/decisions/0195). */
  readonly left: InterruptedAttempt | undefined;
  /** Whether the newest revision was told as an act. */
  readonly isTold: boolean;
  readonly valuesDigest: string | undefined;
  /** Why it failed, where a condition tells so. */
  readonly failure: string | undefined;
  readonly rolledBack: boolean;
  readonly rollbackCount: number;
}

/** What an attempt finds, as the status keeps it until its end is told. */
export interface BeforeAttempt {
  readonly action: 'install' | 'upgrade';
  /** The newest revision that Helm had stored; 0 for none. */
  readonly after: number;
  /** The one that was deployed, which a failure goes back to; undefined for none. */
  readonly deployed: number | undefined;
}

/**
 * What Helm stored of an attempt that the status does not tell the end of: nothing, a revision, the first one of all, one that
 * was told as an act; or, where it was to go back from a revision that failed, that one, that it went back, or that this failed.
 */
export type InterruptedAttempt = 'nothing' | 'stored' | 'first' | 'told' | 'rolling-back' | 'rolled-back' | 'rollback-failed';

/** What there is before an install: nothing, a history that an uninstall kept, or a failed first revision, which goes. */
export type InstallOver = 'nothing' | 'kept' | 'failed';

/** What a release is to be made of. */
export interface ReleasePlan extends Pick<ObservedSync, 'request' | 'valuesDigest' | 'newest' | 'foundMark' | 'last'> {
  readonly chartChanged: ObservedChart['changed'];
}
