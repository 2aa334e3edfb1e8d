import type { Fields } from '@/lib/kube/fields';
import { readBoolean, readFields, readList, readNumber, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { backOffMs } from '@/lib/std/back-off';
import type { Instant } from '@/lib/std/instant';
import { parseInstant, toKubeTime } from '@/lib/std/instant';
import { isFinished, isReady, isTerminating, mostRestarts, phaseOf } from '../pod-view';
import type { WrittenCondition } from '../writes';
import { omitEmpty } from '../writes';

export const TRACKING = 'batch.kubernetes.io/job-tracking';

/** A Job and its pods, as far as they are still there. */
export interface ObservedJob {
  readonly job: KubeObject;
  readonly pods: readonly KubeObject[];
  readonly now: Instant;
}

/** What a pass over a Job comes to. */
export interface JobDecision {
  /** Pods whose end is written down now, and whose finalizer goes afterwards. */
  readonly ended: { readonly succeeded: readonly KubeObject[]; readonly failed: readonly KubeObject[] };
  readonly create: number;
  readonly remove: readonly KubeObject[];
  readonly conditions: readonly WrittenCondition[];
  readonly active: number;
  readonly lookAgainMs: number | undefined;
}

const BACK_OFF = { firstMs: 10_000, longestMs: 600_000 };

/** Conditions of a Job. */
export function conditionsOf(job: KubeObject): readonly WrittenCondition[] {
  return readList(job, 'status', 'conditions') as readonly WrittenCondition[];
}

/** True when the condition holds. */
export function has(conditions: readonly WrittenCondition[], type: string): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === 'True');
}

/** True when nothing more will happen to a Job. */
export function isOver(job: KubeObject): boolean {
  return has(conditionsOf(job), 'Complete') || has(conditionsOf(job), 'Failed');
}

/** Decides what to do about a Job that is not over. Pure. */
export function decideJob(seen: ObservedJob): JobDecision {
  const { job, pods, now } = seen;
  const isTracked = (pod: KubeObject) => pod.metadata.finalizers?.includes(TRACKING) === true;
  const succeededNow = pods.filter((pod) => isTracked(pod) && phaseOf(pod) === 'Succeeded');
  const failedNow = pods.filter(
    (pod) => isTracked(pod) && (phaseOf(pod) === 'Failed' || (isTerminating(pod) && phaseOf(pod) !== 'Succeeded')),
  );
  const active = pods.filter((pod) => !isFinished(pod) && !isTerminating(pod));
  const succeeded = (readNumber(job, 'status', 'succeeded') ?? 0) + succeededNow.length;
  const failed = (readNumber(job, 'status', 'failed') ?? 0) + failedNow.length;
  const ended = { succeeded: succeededNow, failed: failedNow };
  const nothing = { ended, create: 0, remove: [], active: active.length, lookAgainMs: undefined };
  const verdict = evaluate(seen, { active, succeeded, failed });
  if (verdict) {
    const conditions = withCondition(conditionsOf(job), verdict, now);
    return { ...nothing, remove: active, active: 0, conditions };
  }
  if (readBoolean(job, 'spec', 'suspend')) {
    const conditions = withCondition(
      conditionsOf(job),
      { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' },
      now,
    );
    return { ...nothing, remove: active, active: 0, conditions };
  }
  const conditions = has(conditionsOf(job), 'Suspended')
    ? withCondition(conditionsOf(job), { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' }, now)
    : conditionsOf(job);
  const wanted = wantedActive(job, succeeded, active.length);
  const waitMs = wanted > active.length ? backOffLeftMs(seen, failed) : 0;
  const create = waitMs > 0 ? 0 : Math.max(0, wanted - active.length);
  const remove = active.slice(0, Math.max(0, active.length - wanted));
  const lookAgainMs = earliest(waitMs > 0 ? waitMs : undefined, deadlineLeftMs(seen));
  return { ended, create, remove, conditions, active: active.length + create - remove.length, lookAgainMs };
}

interface Counts {
  readonly active: readonly KubeObject[];
  readonly succeeded: number;
  readonly failed: number;
}

/** The end that is certain, if any: announced first, and final when the last pod is gone. */
function evaluate(seen: ObservedJob, { active, succeeded, failed }: Counts): WrittenCondition | undefined {
  const { job } = seen;
  const target = conditionsOf(job).find((condition) => condition.type === 'FailureTarget' || condition.type === 'SuccessCriteriaMet');
  if (target) return { type: target.type, status: 'True', reason: target.reason ?? '', message: target.message ?? '' };
  const limit = readNumber(job, 'spec', 'backoffLimit') ?? 6;
  const restarts =
    readString(job, 'spec', 'template', 'spec', 'restartPolicy') === 'OnFailure'
      ? active.reduce((sum, pod) => sum + mostRestarts(pod), 0)
      : 0;
  if (failed > limit || (restarts > 0 && restarts >= limit)) {
    return {
      type: 'FailureTarget',
      status: 'True',
      reason: 'BackoffLimitExceeded',
      message: 'Job has reached the specified backoff limit',
    };
  }
  if (deadlineLeftMs(seen) === 0) {
    return { type: 'FailureTarget', status: 'True', reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' };
  }
  const completions = readNumber(job, 'spec', 'completions');
  const isDone = completions === undefined ? succeeded > 0 && active.length === 0 : succeeded >= completions;
  if (!isDone) return undefined;
  return { type: 'SuccessCriteriaMet', status: 'True', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
}

/** The final condition, once every pod of a decided Job is gone or finished. */
export function finalCondition(job: KubeObject, now: Instant): readonly WrittenCondition[] | undefined {
  const target = conditionsOf(job).find((condition) => condition.type === 'FailureTarget' || condition.type === 'SuccessCriteriaMet');
  if (!target) return undefined;
  const type = target.type === 'FailureTarget' ? 'Failed' : 'Complete';
  return withCondition(conditionsOf(job), { type, status: 'True', reason: target.reason ?? '', message: target.message ?? '' }, now);
}

function withCondition(conditions: readonly WrittenCondition[], next: WrittenCondition, now: Instant): readonly WrittenCondition[] {
  const { type, status, reason } = next;
  if (conditions.some((condition) => condition.type === type && condition.status === status && condition.reason === reason))
    return conditions;
  const time = toKubeTime(now);
  const written = { ...next, lastProbeTime: time, lastTransitionTime: time };
  return [...conditions.filter((condition) => condition.type !== type), written];
}

function wantedActive(job: KubeObject, succeeded: number, active: number): number {
  const parallelism = readNumber(job, 'spec', 'parallelism') ?? 1;
  const completions = readNumber(job, 'spec', 'completions');
  if (completions === undefined) return succeeded > 0 ? active : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded));
}

// After the n-th failure in a row the next pod waits 10 s · 2^(n-1), counted from when the last one ended.
function backOffLeftMs({ job, pods, now }: ObservedJob, failed: number): number {
  if (failed === 0) return 0;
  const ends = pods
    .filter((pod) => phaseOf(pod) === 'Failed')
    .flatMap((pod) => parseInstant(readString(pod, 'status', 'containerStatuses', 0, 'state', 'terminated', 'finishedAt')) ?? []);
  const last = Math.max(parseInstant(readString(job, 'status', 'startTime')) ?? 0, ...ends);
  return Math.max(0, last + backOffMs(BACK_OFF, failed - 1) - now);
}

function deadlineLeftMs({ job, now }: ObservedJob): number | undefined {
  const seconds = readNumber(job, 'spec', 'activeDeadlineSeconds');
  const start = parseInstant(readString(job, 'status', 'startTime'));
  return seconds === undefined || start === undefined ? undefined : Math.max(0, start + seconds * 1000 - now);
}

function earliest(...waits: readonly (number | undefined)[]): number | undefined {
  const known = waits.flatMap((wait) => wait ?? []);
  return known.length > 0 ? Math.min(...known) : undefined;
}

/** Counts of a Job as they are written beside its conditions. */
export function toCounts(job: KubeObject, pods: readonly KubeObject[], active: number): Fields {
  const { active: _active, ready: _ready, terminating: _terminating, conditions: _conditions, ...kept } = readFields(job, 'status');
  return {
    ...kept,
    ...omitEmpty({ active }),
    ready: pods.filter((pod) => !isFinished(pod) && !isTerminating(pod) && isReady(pod)).length,
    terminating: pods.filter((pod) => isTerminating(pod) && !isFinished(pod)).length,
  };
}
