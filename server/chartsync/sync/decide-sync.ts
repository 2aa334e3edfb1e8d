import type { CancelNote } from '../decisions/cancelled';
import { withoutRetries } from '../decisions/cancelled';
import type { ExtendedRelease } from '../model/declared';
import type { StoredRevision } from '../model/release';
import type { StatusDraft } from './status-draft';

/** How Helm ends what it stores of an attempt that a signal ended. */
const STOPPED = ': context canceled';
const STOPPED_MEANS = 'Helm was stopped before it finished, as happens when its server stops or loses the Lease';

/** Everything that the decision about one release of a later kind rests on. */
export interface SyncObservation {
  readonly resource: ExtendedRelease;
  readonly newest: StoredRevision | undefined;
  /** What the first object of the stored manifest is marked with. */
  readonly foundMark: string | undefined;
  /** Whether commits touched the chart, or its version changed, since the last attempt; unknown where git cannot say. */
  readonly chartChanged: 'yes' | 'no' | 'unknown';
  readonly valuesDigest: string;
  readonly last: LastAttempt;
}

/** What the status says of the last attempt. */
export interface LastAttempt {
  readonly observedGeneration: number;
  /** Whether its process ended before it could tell how it went, and Helm has stored something since (docs/decisions/0195-what-a-killed-server-released.md). */
  readonly isUntold: boolean;
  readonly valuesDigest: string | undefined;
  readonly rolledBack: boolean;
  readonly rollbackCount: number;
}

/** One row of the table of spec/chartsync 12.4. */
export type SyncDecision =
  | { readonly kind: 'install'; readonly kept: boolean; readonly rule: string }
  | { readonly kind: 'upgrade'; readonly rule: string }
  /** Dry run, compared with the newest revision, or after a rollback with the one that failed. */
  | { readonly kind: 'compare'; readonly with: 'newest' | 'failed'; readonly rule: string }
  | { readonly kind: 'stop'; readonly sentence: string; readonly rule: string };

/** Decides what a sync does; the first row that fits holds. */
export function decideSync(seen: SyncObservation): SyncDecision {
  const { newest, resource, foundMark } = seen;
  if (newest === undefined) return { kind: 'install', kept: false, rule: 'X-SYNC-1' };
  if (newest.status === 'uninstalled') return { kind: 'install', kept: true, rule: 'X-SYNC-2' };
  if (foundMark !== undefined && foundMark !== resource.mark.value) {
    return { kind: 'stop', sentence: `release appears to be managed by '${foundMark}'`, rule: 'X-OWN-1' };
  }
  const unsafe = `status '${newest.status}' of release does not allow a safe upgrade`;
  if (newest.status === 'failed') {
    return differsFromLast(seen) ? { kind: 'upgrade', rule: 'X-FAIL-2' } : { kind: 'stop', sentence: unsafe, rule: 'X-FAIL-1' };
  }
  if (newest.status !== 'deployed') return { kind: 'stop', sentence: unsafe, rule: 'X-PEND-1' };
  return decideDeployed(seen);
}

function decideDeployed({ resource, chartChanged, last }: SyncObservation): SyncDecision {
  if (last.observedGeneration < resource.generation && !last.isUntold) return { kind: 'upgrade', rule: 'X-SYNC-3' };
  if (last.rolledBack) {
    if (chartChanged === 'yes') return { kind: 'upgrade', rule: 'X-RB-3' };
    const { retry, maxRetries } = resource.spec.rollback;
    if (retry && (maxRetries === 0 || last.rollbackCount <= maxRetries)) return { kind: 'upgrade', rule: 'X-RETRY-1' };
    return { kind: 'compare', with: 'failed', rule: 'X-RB-2' };
  }
  if (chartChanged === 'yes') return { kind: 'upgrade', rule: 'X-SYNC-4' };
  return { kind: 'compare', with: 'newest', rule: 'X-SYNC-5' };
}

function differsFromLast({ resource, chartChanged, valuesDigest, last }: SyncObservation): boolean {
  return last.observedGeneration !== resource.generation || chartChanged !== 'no' || last.valuesDigest !== valuesDigest;
}

/** What is known of why a release is left failed. */
interface FailedAttempt {
  readonly draft: Pick<StatusDraft, 'conditionStatus' | 'conditionMessage'>;
  readonly newest: Pick<StoredRevision, 'description'> | undefined;
  /** What a person cancelled of it, also where an earlier process of the server had begun that and no condition tells so. */
  readonly cancelled: Pick<CancelNote, 'message'> | undefined;
}

/** That it failed says little after a while: why it did, and what ends it. Who lost the Lease could not write why; Helm did. */
export function withCause(sentence: string, { draft, newest, cancelled }: FailedAttempt): string {
  const type = ['Deployed', 'Tested'].find((one) => draft.conditionStatus(one) === 'False');
  const told = cancelled?.message ?? (type === undefined ? '' : (draft.conditionMessage(type) ?? ''));
  // Nothing else of it is repeated: Helm masks no values in what it stores.
  const why = told === '' && newest?.description?.endsWith(STOPPED) === true ? STOPPED_MEANS : withoutRetries(told);
  return `${sentence} until its spec, values or chart change${why === '' ? '' : `; the last attempt failed: ${why}`}`;
}
