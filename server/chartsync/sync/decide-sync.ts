import { digestValues } from '../compare/values-digest';
import { withoutRetries } from '../decisions/cancellations';
import type { SyncReport } from '../ports';
import type { Phase } from './status/phases';
import type { BeforeAttempt, InstallOver, LastAttempt, ObservedSync, ReleasePlan, SyncObservation, SyncObstacle } from './sync-observation';

/** How Helm ends what it stores of an attempt that a signal ended. */
const STOPPED = ': context canceled';
/** How Helm begins what it stores of what failed; what was left pending and unlocked has no such description. */
const FAILED_ITSELF = { install: /^Release ".*" failed: /, upgrade: /^Upgrade ".*" failed: / };
const STOPPED_MEANS = 'Helm was stopped before it finished, as happens when its server stops or loses the Lease';

/** What a sync does; where a row of the table of spec/chartsync 12.4 or 12.5 says so, with its number. */
export type SyncDecision =
  /** Its status stays as it is; what was found is told, but for a release that is suspended. */
  | { readonly kind: 'pass-over'; readonly tell: Pick<SyncReport, 'outcome' | 'error' | 'lostCommit'> | undefined }
  | { readonly kind: 'wait'; readonly sentence: string; readonly phase: Phase }
  /** The status has a phase for it, unless nothing could be found out. */
  | { readonly kind: 'fail'; readonly sentence: string; readonly phase: Phase | undefined; readonly rule?: string }
  /** `over`: a history that an uninstall kept, or what a first install left that failed with its process. */
  | { readonly kind: 'install'; readonly plan: ReleasePlan; readonly over: InstallOver; readonly rule: string }
  | { readonly kind: 'upgrade'; readonly plan: ReleasePlan; readonly rule: string }
  /** To what was deployed before an attempt that failed, where the process that made it ended before it could. */
  | { readonly kind: 'roll-back'; readonly plan: ReleasePlan; readonly before: BeforeAttempt; readonly rule: 'X-RB-1' | 'X-TEST-1' }
  /** Dry run, compared with the newest revision, or after a rollback with the one that failed. */
  | { readonly kind: 'compare'; readonly plan: ReleasePlan; readonly with: 'newest' | 'failed'; readonly rule: string };

/** Decides what a sync does; the first row that fits holds. */
export function decideSync(seen: SyncObservation): SyncDecision {
  return 'obstacle' in seen ? decideBlocked(seen.obstacle) : decideRelease(seen);
}

function decideBlocked(obstacle: SyncObstacle): SyncDecision {
  switch (obstacle.kind) {
    case 'suspended':
      return { kind: 'pass-over', tell: undefined };
    case 'held': {
      const { lostCommit } = obstacle;
      return { kind: 'pass-over', tell: { outcome: 'held', ...(lostCommit === undefined ? {} : { lostCommit }) } };
    }
    case 'unapproved':
      return { kind: 'pass-over', tell: { outcome: 'gated' } };
    case 'undetermined':
      return { kind: 'pass-over', tell: { outcome: 'failed', error: obstacle.error } };
    case 'ungranted':
      return { kind: 'fail', phase: 'NotGranted', sentence: obstacle.sentence };
    case 'dependency':
      return { kind: 'wait', phase: 'DependencyNotReady', sentence: obstacle.sentence };
    case 'chart':
      return { kind: 'fail', phase: 'ChartFetchFailed', sentence: obstacle.sentence };
    case 'archive':
      return { kind: 'wait', phase: 'ApprovalRequired', sentence: obstacle.sentence };
    case 'unknown':
      return { kind: 'fail', phase: undefined, sentence: obstacle.sentence };
    case 'failed':
      return { kind: 'fail', phase: 'Failed', sentence: obstacle.sentence };
  }
}

function decideRelease(seen: ObservedSync): SyncDecision {
  const { newest, resource, foundMark } = seen;
  const plan = toPlan(seen);
  if (newest === undefined) return { kind: 'install', plan, over: 'nothing', rule: 'X-SYNC-1' };
  if (newest.status === 'uninstalled') return { kind: 'install', plan, over: 'kept', rule: 'X-SYNC-2' };
  if (foundMark !== undefined && foundMark !== resource.mark.value)
    return stop('X-OWN-1', `release appears to be managed by '${foundMark}'`);
  const unsafe = `status '${newest.status}' of release does not allow a safe upgrade`;
  if (isLeftByInstall(seen)) return { kind: 'install', plan, over: 'failed', rule: 'X-INST-1' };
  const before = findWayBack(seen);
  if (seen.last.left === 'rolling-back' && before !== undefined)
    return { kind: 'roll-back', plan, before, rule: newest.status === 'failed' ? 'X-RB-1' : 'X-TEST-1' };
  if (newest.status === 'failed') {
    if (differsFromLast(seen)) return { kind: 'upgrade', plan, rule: 'X-FAIL-2' };
    if (before !== undefined && isFailedAlone(seen, before)) return { kind: 'roll-back', plan, before, rule: 'X-RB-1' };
    return stop('X-FAIL-1', withCause(unsafe, { ...seen, newest }));
  }
  return newest.status === 'deployed' ? decideDeployed(seen) : stop('X-PEND-1', unsafe);
}

function stop(rule: string, sentence: string): SyncDecision {
  return { kind: 'fail', phase: 'Failed', rule, sentence };
}

function decideDeployed(seen: ObservedSync): SyncDecision {
  const { resource, chart, last } = seen;
  const plan = toPlan(seen);
  // What was gone back from may be of an earlier generation than one that a look has been through since, without an attempt.
  const reached = last.rolledBack ? (last.generation ?? last.observedGeneration) : last.observedGeneration;
  if (reached < resource.generation && !isReleased(seen)) return { kind: 'upgrade', plan, rule: 'X-SYNC-3' };
  if (last.rolledBack) {
    if (chart.changed === 'yes') return { kind: 'upgrade', plan, rule: 'X-RB-3' };
    const { retry, maxRetries } = resource.spec.rollback;
    if (retry && (maxRetries === 0 || last.rollbackCount <= maxRetries)) return { kind: 'upgrade', plan, rule: 'X-RETRY-1' };
    return { kind: 'compare', plan, with: 'failed', rule: 'X-RB-2' };
  }
  if (chart.changed === 'yes') return { kind: 'upgrade', plan, rule: 'X-SYNC-4' };
  return { kind: 'compare', plan, with: 'newest', rule: 'X-SYNC-5' };
}

/** Whether Helm has stored something of what is wanted now that nobody has told of. */
function isReleased({ resource, last: { left, generation = resource.generation } }: ObservedSync): boolean {
  return left !== undefined && left !== 'nothing' && generation === resource.generation;
}

/** Whether all that there is failed in a first install that ended without its process, and not by another hand. */
function isLeftByInstall({ newest, last }: ObservedSync): boolean {
  if (newest?.status !== 'failed' || last.left !== 'first') return false;
  return FAILED_ITSELF.install.test(newest.description ?? '') && digestValues(newest.values) === last.valuesDigest;
}

/** What there is to go back to from what an attempt left: from an end that Helm came to, not from what a person unlocked. */
function findWayBack({ resource, newest, last: { before } }: ObservedSync): BeforeAttempt | undefined {
  const isEnd = newest?.status === 'deployed' || (newest?.status === 'failed' && FAILED_ITSELF.upgrade.test(newest.description ?? ''));
  return resource.spec.rollback.enable && isEnd && before?.deployed !== undefined ? before : undefined;
}

/** Whether the upgrade that nobody told of failed without its process, and not what another hand stored. */
function isFailedAlone({ newest, last }: ObservedSync, { after }: BeforeAttempt): boolean {
  return last.left === 'stored' && newest?.revision === after + 1 && digestValues(newest.values) === last.valuesDigest;
}

function toPlan({ request, valuesDigest, newest, foundMark, chart, last }: ObservedSync): ReleasePlan {
  return { request, valuesDigest, newest, foundMark, chartChanged: chart.changed, last };
}

function differsFromLast({ resource, chart, valuesDigest, last }: ObservedSync): boolean {
  if (last.left === 'nothing') return true; // Helm never came to it
  const generation = last.generation ?? last.observedGeneration;
  return generation !== resource.generation || chart.changed !== 'no' || last.valuesDigest !== valuesDigest;
}

/** What is known of why a release is left failed. */
interface FailedAttempt extends Pick<ObservedSync, 'cancelled'> {
  readonly newest: { readonly description?: string | undefined };
  readonly last: Pick<LastAttempt, 'failure'>;
}

/** That it failed says little after a while: why it did, and what ends it. Who lost the Lease could not write why; Helm did. */
export function withCause(sentence: string, { last, newest, cancelled }: FailedAttempt): string {
  const told = cancelled?.message ?? last.failure ?? '';
  // Nothing else of it is repeated: Helm masks no values in what it stores.
  const why = told === '' && newest.description?.endsWith(STOPPED) === true ? STOPPED_MEANS : withoutRetries(told);
  return `${sentence} until its spec, values or chart change${why === '' ? '' : `; the last attempt failed: ${why}`}`;
}
