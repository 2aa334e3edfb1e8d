import type { WaitOutcome, WantedState } from '@/lib/contract/object-statuses';
import { aggregateStatus } from '../aggregate';
import { sentenceOf } from '../live/watched-sets';
import type { ResourceStatus } from '../resource-status';
import type { StatusSet, Verdict } from './status-set';

const JUDGED = new WeakMap<readonly ResourceStatus[], Verdict>();

/** The status of a set. The sentence is that of the first object that has this status or, in progress, of the first that is not done. */
export function judgeSet(statuses: readonly ResourceStatus[]): Verdict {
  const known = JUDGED.get(statuses);
  if (known !== undefined) return known;
  const verdict = judge(statuses);
  JUDGED.set(statuses, verdict); // of many who follow one set the first judges it
  return verdict;
}

function judge(statuses: readonly ResourceStatus[]): Verdict {
  const [only, ...others] = statuses;
  if (only === undefined) return { status: 'Unknown', message: '' };
  if (others.length === 0) return { status: only.status, message: sentenceOf(only) };
  const status = aggregateStatus(
    statuses.map((one) => one.status),
    'Current',
  );
  const told = statuses.find((one) => one.status === status) ?? statuses.find((one) => one.status !== 'Current') ?? only;
  return { status, message: namedSentenceOf(told) };
}

/**
 * The status of an application and what it consists of. What its engine refused comes first; otherwise an object says more than the application,
 * which only sums up.
 */
export function judgeApplication(own: ResourceStatus, members: readonly ResourceStatus[]): Verdict {
  if (members.length === 0) return { status: own.status, message: sentenceOf(own) };
  const status = aggregateStatus(
    [own, ...members].map((one) => one.status),
    'Current',
  );
  const member = members.find((one) => one.status === status) ?? members.find((one) => one.status !== 'Current');
  const told = own.status === 'Failed' || status === 'Current' ? undefined : member;
  return { status, message: told === undefined ? sentenceOf(own) : namedSentenceOf(told) };
}

/** What is said of an object where it is one of several. */
export function namedSentenceOf(one: ResourceStatus): string {
  return `${one.identifier.kind} ${one.identifier.name}: ${sentenceOf(one)}`;
}

/** Whether a wait is over; undefined while it is not. An object that failed is no less on its way out, so where all are to go nothing fails. */
export function judgeWait(set: Pick<StatusSet, 'judge' | 'statuses'>, wanted: WantedState): WaitOutcome | undefined {
  if (set.statuses().some(isRefused)) return 'failed';
  if (wanted === 'deleted') return set.statuses().every(({ status }) => status === 'NotFound') ? 'reached' : undefined;
  const { status } = set.judge();
  if (status === 'Current') return 'reached';
  return status === 'Failed' ? 'failed' : undefined;
}

/** True where a right is missing: that will not become otherwise by waiting. */
function isRefused({ error }: ResourceStatus): boolean {
  return error?.code === 403;
}
