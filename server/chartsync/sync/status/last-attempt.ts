import { getCondition } from '@/lib/kube/condition';
import type { Fields } from '@/lib/kube/fields';
import { readNumber, readString } from '@/lib/kube/fields';
import { parseInstant } from '@/lib/std/instant';
import { attemptFailureOf } from '../../describe/status-fields';
import type { Attempted } from '../../gate/pinned';
import type { ReleaseRef, StoredRevision } from '../../model/release';
import { releaseKey } from '../../model/release';
import { isRollbackDescription } from '../../model/revision-source';
import type { BeforeAttempt, InterruptedAttempt, LastAttempt } from '../sync-observation';
import type { Phase } from './phases';
import { OBSERVED_GENERATION } from './status-draft';

export const ATTEMPTED_DIGEST = 'lastAttemptedRevisionDigest';
const ATTEMPT = 'lastAttempt';
/** How far the clocks of this server and the API server may be apart. */
const SKEW_MS = 60_000;

/** Phases in which Helm is at work, or just was: whoever finds them alone on the release is not the one who wrote them. */
const ACTING: ReadonlySet<string | undefined> = new Set<Phase>(['Installing', 'Upgrading', 'Deployed', 'Testing']);

/** Of what Helm stores, what tells what an attempt left. */
type Newest = Pick<StoredRevision, 'revision' | 'status' | 'description' | 'storedAt'> | undefined;

/** How Helm begins what it stores of a rollback that failed. */
const ROLLBACK_FAILED = /^Rollback ".*" failed: /;

/** What a status says that was last attempted. */
export function attemptedOf(status: Fields): Attempted {
  return { revision: readString(status, 'lastAttemptedRevision'), digest: readString(status, ATTEMPTED_DIGEST) };
}

/** The last generation that a sync has been through; 0 before the first. */
export function observedGenerationOf(status: Fields): number {
  return readNumber(status, OBSERVED_GENERATION) ?? 0;
}

/** What a status says of the last attempt at a release, beside what Helm stored of it. */
export function lastAttemptOf(status: Fields, release: ReleaseRef, newest: Newest): LastAttempt {
  const left = isOfAnother(status, release) ? undefined : leftOf(status, newest);
  const rolledBack = left === 'rolled-back';
  return {
    observedGeneration: observedGenerationOf(status),
    generation: readNumber(status, ATTEMPT, 'generation'),
    before: beforeOf(status),
    left,
    isTold: isTold(status, newest),
    valuesDigest: readString(status, 'lastAttemptedValues'),
    failure: attemptFailureOf(status),
    rolledBack: rolledBack || (!isStored(left) && getCondition({ status }, 'RolledBack')?.status === 'True'),
    rollbackCount: (readNumber(status, 'rollbackCount') ?? 0) + (rolledBack ? 1 : 0),
  };
}

/** What a status is to say of an attempt, and what it finds, before Helm begins. */
export function statusOfAttemptStart(generation: number, release: ReleaseRef, { action, after, deployed }: BeforeAttempt): Fields {
  return { [ATTEMPT]: { generation, after, found: { release: releaseKey(release), after, action, deployed: deployed ?? null } } };
}

/** What it is to say once an attempt has ended in the process that began it, which tells how: nothing of it is left. */
export function statusOfAttemptEnd(generation: number): Fields {
  return { [ATTEMPT]: { generation, after: null, found: null } };
}

/** An older server writes no more than after which revision: what was found before another attempt does not count for its own. */
function beforeOf(status: Fields): BeforeAttempt | undefined {
  const [after, action] = [readNumber(status, ATTEMPT, 'after'), readString(status, ATTEMPT, 'found', 'action')];
  const isOfIt = after !== undefined && after === readNumber(status, ATTEMPT, 'found', 'after');
  if (!isOfIt || (action !== 'install' && action !== 'upgrade')) return undefined;
  return { action, after, deployed: readNumber(status, ATTEMPT, 'found', 'deployed') };
}

/** Whether the resource named another release when it was attempted. */
function isOfAnother(status: Fields, release: ReleaseRef): boolean {
  const attempted = readString(status, ATTEMPT, 'found', 'release');
  return attempted !== undefined && attempted !== releaseKey(release);
}

/** Whether Helm has stored something of it, so that what had been gone back from before it does not count. */
function isStored(left: InterruptedAttempt | undefined): boolean {
  return left === 'stored' || left === 'first' || left === 'told';
}

/** Whatever phase looks after it have written. */
function leftOf(status: Fields, newest: Newest): InterruptedAttempt | undefined {
  const after = readNumber(status, ATTEMPT, 'after');
  if (after === undefined) return isActing(status, newest) ? 'stored' : undefined;
  if (newest === undefined || newest.revision <= after) return 'nothing';
  if (isTold(status, newest) && readString(status, 'lastAct', 'outcome') !== 'remediated') return 'told';
  if (getCondition({ status }, 'RolledBack')?.status === 'Unknown') return leftOfRollback(newest, after);
  return after === 0 && newest.revision === 1 ? 'first' : 'stored';
}

/** Acts are told after the status was written, and also where it could not be. Numbers begin again where what was stored is removed. */
function isTold(status: Fields, newest: Newest): boolean {
  if (newest === undefined || readNumber(status, 'lastAct', 'storedRevision') !== newest.revision) return false;
  const [at, storedAt] = [readString(status, 'lastAct', 'at'), newest.storedAt].map((text) => parseInstant(text));
  return at === undefined || storedAt === undefined || at >= storedAt - SKEW_MS;
}

/** Helm stores a revision of its own when it goes back, and describes it as that: others are another hand's. */
function leftOfRollback({ revision, status, description = '' }: NonNullable<Newest>, after: number): InterruptedAttempt {
  if (revision === after + 1) return 'rolling-back';
  if (status === 'deployed') return isRollbackDescription(description) ? 'rolled-back' : 'stored';
  return status === 'failed' && ROLLBACK_FAILED.test(description) ? 'rollback-failed' : 'stored';
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
