import { getCondition } from '@/lib/kube/condition';
import type { Fields } from '@/lib/kube/fields';
import { readNumber, readString } from '@/lib/kube/fields';
import { attemptFailureOf } from '../../describe/status-fields';
import type { Attempted } from '../../gate/pinned';
import type { StoredRevision } from '../../model/release';
import type { LastAttempt, LeftAttempt } from '../sync-observation';
import type { Phase } from './phases';
import { OBSERVED_GENERATION } from './status-draft';

export const ATTEMPTED_DIGEST = 'lastAttemptedRevisionDigest';
const ATTEMPT = 'lastAttempt';

/** Phases in which Helm is at work, or just was: whoever finds them alone on the release is not the one who wrote them. */
const ACTING: ReadonlySet<string | undefined> = new Set<Phase>(['Installing', 'Upgrading', 'Deployed']);

/** What a status says that was last attempted. */
export function attemptedOf(status: Fields): Attempted {
  return { revision: readString(status, 'lastAttemptedRevision'), digest: readString(status, ATTEMPTED_DIGEST) };
}

/** The last generation that a sync has been through; 0 before the first. */
export function observedGenerationOf(status: Fields): number {
  return readNumber(status, OBSERVED_GENERATION) ?? 0;
}

/** What a status says of the last attempt, beside what Helm stored of it. */
export function lastAttemptOf(status: Fields, newest: Pick<StoredRevision, 'revision'> | undefined): LastAttempt {
  return {
    observedGeneration: observedGenerationOf(status),
    wasCutOff: wasCutOff(status, newest),
    left: leftAttemptOf(status, newest),
    valuesDigest: readString(status, 'lastAttemptedValues'),
    failure: attemptFailureOf(status),
    rolledBack: getCondition({ status }, 'RolledBack')?.status === 'True',
    rollbackCount: readNumber(status, 'rollbackCount') ?? 0,
  };
}

/** What a status is to say of an attempt, and after what it comes, before Helm begins. */
export function noteAttempt(generation: number, newest: Pick<StoredRevision, 'revision'> | undefined): Fields {
  return { [ATTEMPT]: { generation, after: newest?.revision ?? 0 } };
}

function leftAttemptOf(status: Fields, newest: Pick<StoredRevision, 'revision'> | undefined): LeftAttempt | undefined {
  const [generation, after] = ['generation', 'after'].map((member) => readNumber(status, ATTEMPT, member));
  if (generation === undefined || after === undefined || !ACTING.has(readString(status, 'phase'))) return undefined;
  return { generation, isStored: newest !== undefined && newest.revision > after };
}

function wasCutOff(status: Fields, newest: Pick<StoredRevision, 'revision'> | undefined): boolean {
  const told = readNumber(status, 'lastAct', 'storedRevision') ?? 0;
  return ACTING.has(readString(status, 'phase')) && newest !== undefined && newest.revision > told;
}

/** Whether the status tells something else of the chart than that it is fetched. */
export function isChartMissing(status: Fields): boolean {
  return getCondition({ status }, 'ChartFetched')?.status === 'False' || readString(status, 'phase') === 'ApprovalRequired';
}
