import { readString } from '@/lib/kube/fields';
import { toIso } from '@/lib/std/instant';
import type { ReconcileTrigger, ReleaseMessage } from '@/lib/words/release-message';
import { isAfterLastAct } from '../gate/released-commit';
import type { Commit } from '../ports';
import type { ReleaseObservation } from './description';
import type { Reconcile } from './reconcile-history';
import { actOf, attemptedOf, attemptFailureOf, toTrigger } from './status-fields';

/** Looks that attempt nothing. */
const IDLE: readonly Reconcile['outcome'][] = ['held', 'gated', 'waits', 'dropped', 'plan-moved'];

/** The commit or chart version that is released or was attempted last: a look that attempted nothing says nothing of it. */
export function revisionOf(seen: ReleaseObservation): string | undefined {
  const [newest] = seen.reconciles;
  if (newest !== undefined && !isIdle(newest.outcome) && newest.revision !== undefined && !isOfWhatFailed(seen)) return newest.revision;
  return isByOthers(seen) ? undefined : attemptedOf(seen.resource);
}

/**
 * Whether that revision was attempted, failed and is not released, as far as it is known: no revision is deployed, or the one that is came of the last act,
 * which was at another. What Helm noted of a later one would have to be read.
 */
export function isOnlyAttempted(seen: ReleaseObservation): boolean {
  const { newest, revisions, resource } = seen;
  const attempted = revisionOf(seen);
  if (attempted === undefined || failedRevisionOf(seen) !== attempted) return false;
  if (newest === undefined) return revisions === 0;
  const isFailed = newest.status === 'failed' || newest.status.startsWith('pending');
  if (isFailed && revisions === 1) return true;
  const { revision, storedRevision } = actOf(resource) ?? {};
  if (revision == null || storedRevision == null || revision === attempted) return false;
  return (newest.status === 'deployed' && newest.revision === storedRevision) || (isFailed && newest.revision === storedRevision + 1);
}

/** The revision at which the last look failed that attempted something, whatever kept later ones from the chart. */
function failedRevisionOf({ reconciles, resource: { status } }: ReleaseObservation): string | undefined {
  const attempt = reconciles.find(hasAttempted);
  if (attempt !== undefined) return attempt.outcome === 'failed' ? attempt.revision : undefined;
  return (
    readString(status, 'failure', 'revision') ??
    (attemptFailureOf(status) === undefined ? undefined : readString(status, 'lastAttemptedRevision'))
  );
}

/** The commit of the chart at that revision; what was attempted and failed is at one that is not released. */
export function commitOf(seen: ReleaseObservation): Commit | null {
  const { resource, reconciles } = seen;
  const [newest] = reconciles;
  const act = actOf(resource);
  if (newest !== undefined && hasAttempted(newest) && !isOfWhatFailed(seen))
    return isInSync(newest.outcome) || newest.outcome === 'remediated' ? (act?.commit ?? null) : null;
  if (isByOthers(seen)) return null;
  return (act?.revision ?? undefined) === attemptedOf(resource) ? (act?.commit ?? null) : null;
}

/** Whether the newest look compared what had failed before Helm went back with what that was to be: that is not what is released. */
function isOfWhatFailed(seen: ReleaseObservation): boolean {
  const [newest] = seen.reconciles;
  const isComparison = newest?.outcome === 'equal' || newest?.outcome === 'unmoved';
  return isComparison && actOf(seen.resource)?.outcome === 'remediated' && !isByOthers(seen);
}

/** What is deployed came after the last act that was told: by hand, or by a rollback whose process died before it could tell. */
function isByOthers({ newest, resource }: ReleaseObservation): boolean {
  return newest?.status === 'deployed' && isAfterLastAct(resource, newest.revision);
}

/** Whether a look got as far as a revision; one that could not even have the chart says nothing of what is released. */
const hasAttempted = ({ outcome, revision }: Reconcile) => !isIdle(outcome) && (outcome !== 'failed' || revision !== undefined);

/** Whether a look attempted nothing. */
export function isIdle(outcome: Reconcile['outcome']): boolean {
  return IDLE.includes(outcome);
}

const IN_SYNC = ['equal', 'unmoved', 'installed', 'upgraded', 'rolled-back', 'put-back'] as const;

/** Whether a look found the release as its chart wants it, or made it so. */
export function isInSync(outcome: Reconcile['outcome']): outcome is (typeof IN_SYNC)[number] {
  return IN_SYNC.some((one) => one === outcome);
}

/** That the branch of a chart is gone upstream, as the newest look found it, or where none is known the status tells it; null where it is not known to be. What is released stays. */
export function goneBranchMessage({
  reconciles: [newest],
  resource: { status },
}: Pick<ReleaseObservation, 'reconciles' | 'resource'>): ReleaseMessage | null {
  const [branch, revision] =
    newest === undefined
      ? [readString(status, 'lostBranch', 'branch'), readString(status, 'lostBranch', 'revision')]
      : [newest.lostBranch, newest.revision];
  return branch === undefined ? null : { id: 'state.branch-gone', branch, revision: revision ?? null };
}

/** The commit that a person holds the release at and its branch does not contain any more, as the newest look found it, or where none is known the status tells it. */
export function goneHeldCommitOf({
  reconciles: [newest],
  resource: { status },
}: Pick<ReleaseObservation, 'reconciles' | 'resource'>): string | null {
  return (newest === undefined ? readString(status, 'lostCommit', 'commit') : newest.lostCommit) ?? null;
}

/** When its repository is fetched again that could not be, as text; null where nobody here knows. */
function nextFetchOf({ nextFetchAt }: Pick<ReleaseObservation, 'nextFetchAt'>): string | null {
  return nextFetchAt === undefined ? null : toIso(nextFetchAt);
}

/** That the branch does not contain the commit any more that a gate keeps the release at; null where it does. */
export function goneCommitMessage({ gate }: Pick<ReleaseObservation, 'gate'>): ReleaseMessage | null {
  return gate?.gone == null ? null : { id: 'state.commit-gone', commit: gate.gone };
}

/** What Helm stored of the newest revision, in Helm's own words: as it is watched, or else, where nobody may watch it, as the last pass wrote it. */
export function storedOf({
  newest,
  revisions,
  resource: { status },
}: Pick<ReleaseObservation, 'newest' | 'revisions' | 'resource'>): string | undefined {
  if (newest !== undefined || revisions === 0) return newest?.status;
  return readString(status, 'releaseStatus')?.toLowerCase().replaceAll('_', '-');
}

/** Why the release may be behind its chart upstream: the branch is gone, or does not contain its commit any more, or the repository cannot be fetched. */
export function outdatedReason(
  seen: Pick<ReleaseObservation, 'reconciles' | 'resource' | 'nextFetchAt' | 'gate' | 'newest' | 'revisions'>,
): ReleaseMessage | null {
  const { status } = seen.resource;
  const [why, since] = ['message', 'since'].map((member) => readString(status, 'unfetched', member));
  const isUnfetched = why !== undefined && since !== undefined;
  return (
    goneBranchMessage(seen) ??
    goneCommitMessage(seen) ??
    (isUnfetched ? { id: 'state.unfetched', why, since, next: nextFetchOf(seen), stays: storedOf(seen) !== undefined } : null)
  );
}

/** That the last attempt failed. */
export interface Failure {
  readonly why: string;
  readonly loop: ReconcileTrigger | null;
  readonly nextFetch: string | null;
  readonly stays: boolean;
}

/** The newest look of this process says most; a process that has not looked goes by what was written. */
export function failureOf(seen: ReleaseObservation): Failure | undefined {
  const { status, profile } = seen.resource;
  const [newest] = seen.reconciles;
  const phase = readString(status, 'phase');
  // What failed for another reason is not mended by a fetch.
  const nextFetch = profile === 'base' || phase === undefined || phase === 'ChartFetchFailed' ? nextFetchOf(seen) : null;
  const isWithoutChart = nextFetch !== null || phase === 'ChartFetchFailed';
  const stays = isWithoutChart && seen.newest?.status === 'deployed';
  const hasFailed = newest?.outcome === 'failed' || newest?.outcome === 'remediated';
  if (newest !== undefined) return hasFailed ? { why: newest.error ?? '', loop: newest.by, nextFetch, stays } : undefined;
  const why = readString(status, 'failure', 'message');
  return why === undefined ? undefined : { why, loop: toTrigger(readString(status, 'failure', 'by')), nextFetch, stays };
}
