import type { WaitOutcome, WantedState } from '@/lib/contract/object-statuses';
import { getCondition } from '@/lib/kube/condition';
import { readNumber } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { aggregateStatus } from '../aggregate';
import { sentenceOf } from '../live/watched-sets';
import type { ResourceStatus } from '../resource-status';
import type { StatusSet, Verdict } from './status-set';

const EVALUATED = new WeakMap<readonly ResourceStatus[], Verdict>();

/** The status of a set. The sentence is that of the first object that has this status or, in progress, of the first that is not done. */
export function evaluateSet(statuses: readonly ResourceStatus[]): Verdict {
  const known = EVALUATED.get(statuses);
  if (known !== undefined) return known;
  const verdict = evaluate(statuses);
  EVALUATED.set(statuses, verdict); // of many who follow one set the first judges it
  return verdict;
}

function evaluate(statuses: readonly ResourceStatus[]): Verdict {
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

/** An object that counts for the status of an application. */
export interface Member extends Verdict {
  readonly kind: string;
  readonly name: string;
}

/**
 * The status of an application, itself and what it consists of. What its engine refused comes first; otherwise an object says more than the
 * application, which only sums up, and one that failed says more than an abort. Of one that goes, and of one whose present spec the engine has not
 * taken up, what is below says nothing.
 */
export function evaluateApplication(application: KubeObject | undefined, own: Verdict, members: readonly Member[]): Verdict {
  const { status: before, message } = own;
  if (members.length === 0 || before === 'Terminating' || before === 'NotFound' || isUnobserved(application))
    return { status: before, message };
  const status = aggregateStatus([before, ...members.map((one) => one.status)], 'Current');
  const isRefused = before === 'Failed' && getCondition(application ?? {}, 'Applied')?.reason !== 'Rejected';
  const worst = members.find((one) => one.status === status);
  const member = before === 'Failed' ? worst : (worst ?? members.find((one) => one.status !== 'Current'));
  const told = isRefused || status === 'Current' ? undefined : member;
  return { status, message: told === undefined ? message : nameMember(told) };
}

function isUnobserved(application: KubeObject | undefined): boolean {
  return readNumber(application, 'metadata', 'generation') !== readNumber(application, 'status', 'observedGeneration');
}

/** A status as part of the verdict about an application. */
export function toMember(one: ResourceStatus): Member {
  return { kind: one.identifier.kind, name: one.identifier.name, status: one.status, message: sentenceOf(one) };
}

/** What is said of an object where it is one of several. */
export function namedSentenceOf(one: ResourceStatus): string {
  return nameMember(toMember(one));
}

const nameMember = ({ kind, name, message }: Member) => `${kind} ${name}: ${message}`;

/** Whether a wait is over; undefined while it is not. An object that failed is no less on its way out, so where all are to go nothing fails. */
export function evaluateWait(set: Pick<StatusSet, 'evaluate' | 'statuses'>, wanted: WantedState): WaitOutcome | undefined {
  if (set.statuses().some(isRefused)) return 'failed';
  if (wanted === 'deleted') return set.statuses().every(({ status }) => status === 'NotFound') ? 'reached' : undefined;
  const { status } = set.evaluate();
  if (status === 'Current') return 'reached';
  return status === 'Failed' ? 'failed' : undefined;
}

/** True where a right is missing: that will not become otherwise by waiting. */
function isRefused({ error }: ResourceStatus): boolean {
  return error?.code === 403;
}
