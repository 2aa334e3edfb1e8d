import { getCondition } from '@/lib/kube/condition';
import type { Fields } from '@/lib/kube/fields';
import { readNumber, readString } from '@/lib/kube/fields';
import { attemptFailureOf } from '../../describe/status-fields';
import type { Attempted } from '../../gate/pinned';
import type { StoredRevision } from '../../model/release';
import type { InterruptedAttempt, LastAttempt } from '../sync-observation';
import type { Phase } from './phases';
import { OBSERVED_GENERATION } from './status-draft';

export const ATTEMPTED_DIGEST = 'lastAttemptedRevisionDigest';
const ATTEMPT = 'lastAttempt';

/** Phases in which Helm is at work, or just was: whoever finds them alone on the release is not the one who wrote them. */
const ACTING: ReadonlySet<string | undefined> = new Set<Phase>(['Installing', 'Upgrading', 'Deployed', 'Testing']);

/** Of what Helm stores, what tells what an attempt left. */
type Newest = Pick<StoredRevision, 'revision' | 'status'> | undefined;

/** What a status says that was last attempted. */
export function attemptedOf(status: Fields): Attempted {
  return { revision: readString(status, 'lastAttemptedRevision'), digest: readString(status, ATTEMPTED_DIGEST) };
}

/** The last generation that a sync has been through; 0 before the first. */
export function observedGenerationOf(status: Fields): number {
  return readNumber(status, OBSERVED_GENERATION) ?? 0;
}

/** What a status says of the last attempt, beside what Helm stored of it. */
export function lastAttemptOf(status: Fields, newest: Newest): LastAttempt {
  const left = leftOf(status, newest);
  const rolledBack = left === 'rolled-back';
  return {
    observedGeneration: observedGenerationOf(status),
    generation: readNumber(status, ATTEMPT, 'generation'),
    after: readNumber(status, ATTEMPT, 'after'),
    left,
    valuesDigest: readString(status, 'lastAttemptedValues'),
    failure: attemptFailureOf(status),
    rolledBack: rolledBack || (!isStored(left) && getCondition({ status }, 'RolledBack')?.status === 'True'),
    rollbackCount: (readNumber(status, 'rollbackCount') ?? 0) + (rolledBack ? 1 : 0),
  };
}

/** What a status is to say of an attempt, and after which stored revision it comes, before Helm begins. */
export function statusOfAttemptStart(generation: number, after: number): Fields {
  return { [ATTEMPT]: { generation, after } };
}

/** What it is to say once an attempt has ended in the process that began it, which tells how: nothing of it is left. */
export function statusOfAttemptEnd(generation: number): Fields {
  return { [ATTEMPT]: { generation, after: null } };
}

/** Whether Helm has stored something of it, so that what had been gone back from before it does not count. */
function isStored(left: InterruptedAttempt | undefined): boolean {
  return left === 'stored' || left === 'first';
}

/** Whatever phase looks after it have written. */
function leftOf(status: Fields, newest: Newest): InterruptedAttempt | undefined {
  const after = readNumber(status, ATTEMPT, 'after');
  if (after === undefined) return isActing(status, newest) ? 'stored' : undefined;
  if (newest === undefined || newest.revision <= after) return 'nothing';
  if (getCondition({ status }, 'RolledBack')?.status === 'Unknown') return leftOfRollback(newest, after);
  return after === 0 && newest.revision === 1 ? 'first' : 'stored';
}

/** Helm stores a revision of its own when it goes back. */
function leftOfRollback({ revision, status }: NonNullable<Newest>, after: number): InterruptedAttempt {
  if (status !== 'deployed' && status !== 'failed') return 'stored';
  if (revision === after + 1) return 'rolling-back';
  return status === 'deployed' ? 'rolled-back' : 'rollback-failed';
}

/** Where the definition of the kind drops what was attempted: whether Helm has stored more than the last act told of. */
function isActing(status: Fields, newest: Newest): boolean {
  const told = readNumber(status, 'lastAct', 'storedRevision') ?? 0;
  return ACTING.has(readString(status, 'phase')) && newest !== undefined && newest.revision > told;
}

/** Whether the status tells something else of the chart than that it is fetched. */
export function isChartMissing(status: Fields): boolean {
  return getCondition({ status }, 'ChartFetched')?.status === 'False' || readString(status, 'phase') === 'ApprovalRequired';
}
