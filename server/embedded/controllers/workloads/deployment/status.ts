import type { Fields } from '@/lib/kube/fields';
import { readFields, readList, readNumber } from '@/lib/kube/fields';
import type { Instant } from '@/lib/std/instant';
import { parseInstant, toKubeTime } from '@/lib/std/instant';
import { omitEmpty } from '../../writes';
import type { Deployment, Revisions } from './model';
import { allOf, sumOf } from './model';

/** A condition of a Deployment: it also tells when it was last confirmed. */
export interface DeploymentCondition {
  readonly type: 'Progressing' | 'Available' | 'ReplicaFailure';
  readonly status: 'True' | 'False' | 'Unknown';
  readonly lastUpdateTime: string;
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

type NewCondition = Omit<DeploymentCondition, 'lastUpdateTime' | 'lastTransitionTime'>;
type Conditions = readonly DeploymentCondition[];

/** Conditions that the Deployment has. */
export function conditionsOf(deployment: Deployment): Conditions {
  return readList(deployment.object, 'status', 'conditions') as Conditions;
}

/** Puts a condition in place: nothing happens while status and reason stay. */
export function putCondition(conditions: Conditions, next: NewCondition, now: Instant): Conditions {
  const current = conditions.find((condition) => condition.type === next.type);
  if (current && current.status === next.status && current.reason === next.reason) return conditions;
  const time = toKubeTime(now);
  const lastTransitionTime = current?.status === next.status ? current.lastTransitionTime : time;
  return [...conditions.filter((condition) => condition.type !== next.type), { ...next, lastUpdateTime: time, lastTransitionTime }];
}

/** The condition that a change of `paused` calls for, if any. */
export function pausedCondition(deployment: Deployment): NewCondition | undefined {
  if (deployment.progressDeadlineSeconds === undefined) return undefined;
  const reason = progressing(conditionsOf(deployment))?.reason;
  if (reason === 'ProgressDeadlineExceeded') return undefined;
  if (deployment.paused && reason !== 'DeploymentPaused') {
    return { type: 'Progressing', status: 'Unknown', reason: 'DeploymentPaused', message: 'Deployment is paused' };
  }
  if (!deployment.paused && reason === 'DeploymentPaused') {
    return { type: 'Progressing', status: 'Unknown', reason: 'DeploymentResumed', message: 'Deployment is resumed' };
  }
  return undefined;
}

/** Counts and availability, as they are written on every pass. */
export function toStatus(deployment: Deployment, revisions: Revisions, now: Instant): Fields {
  const sets = allOf(revisions);
  const available = sumOf(sets, 'available');
  const terminating = sets.some(
    (set) => set.terminating === undefined && readNumber(set.object, 'status', 'observedGeneration') !== undefined,
  )
    ? undefined
    : sets.reduce((total, set) => total + (set.terminating ?? 0), 0);
  const enough = available >= deployment.replicas - deployment.maxUnavailable;
  const availability: NewCondition = enough
    ? { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', message: 'Deployment has minimum availability.' }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };
  const collisionCount = readNumber(deployment.object, 'status', 'collisionCount');
  return {
    ...omitEmpty({
      observedGeneration: deployment.object.metadata.generation,
      replicas: sumOf(sets, 'actual'),
      updatedReplicas: revisions.current?.actual,
      readyReplicas: sumOf(sets, 'ready'),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, sumOf(sets, 'replicas') - available),
    }),
    ...(terminating === undefined ? {} : { terminatingReplicas: terminating }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    conditions: putCondition(conditionsOf(deployment), availability, now),
  };
}

/** The status while a revision rolls out: counts, plus whether it moves, has arrived, or is stuck. */
export function toRolloutStatus(deployment: Deployment, revisions: Revisions, now: Instant): Fields {
  const status = toStatus(deployment, revisions, now);
  const conditions = withFailure(withProgress(deployment, status, { revisions, now }), revisions, now);
  return { ...status, conditions };
}

/** True when all replicas are of the present template, available, and no old pod is left. */
export function isComplete(deployment: Deployment, status: Fields): boolean {
  const { replicas } = deployment;
  return (
    count(status, 'updatedReplicas') === replicas &&
    count(status, 'replicas') === replicas &&
    count(status, 'availableReplicas') === replicas &&
    count(status, 'observedGeneration') >= (deployment.object.metadata.generation ?? 0)
  );
}

/** Milliseconds after which a rollout without progress must be judged again; undefined when no deadline runs. */
export function progressCheckMs(deployment: Deployment, now: Instant): number | undefined {
  const condition = progressing(conditionsOf(deployment));
  const deadline = deployment.progressDeadlineSeconds;
  if (!condition || deadline === undefined || condition.reason === 'ProgressDeadlineExceeded') return undefined;
  if (isComplete(deployment, readFields(deployment.object, 'status'))) return undefined;
  const since = parseInstant(condition.lastUpdateTime);
  // A second on top, since times in objects are whole seconds and "older than the deadline" must be true by then.
  return since === undefined ? undefined : Math.max(0, since + deadline * 1000 - now) + 1000;
}

function withProgress(deployment: Deployment, status: Fields, at: { revisions: Revisions; now: Instant }): Conditions {
  const conditions = status.conditions as Conditions;
  if (deployment.progressDeadlineSeconds === undefined) return conditions.filter((condition) => condition.type !== 'Progressing');
  const before = progressing(conditionsOf(deployment));
  if (count(status, 'replicas') === count(status, 'updatedReplicas') && before?.reason === 'NewReplicaSetAvailable') return conditions;
  const { current } = at.revisions;
  const subject = current ? `ReplicaSet "${current.name}"` : `Deployment "${deployment.name}"`;
  if (isComplete(deployment, status)) {
    const message = `${subject} has successfully progressed.`;
    return putCondition(conditions, { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable', message }, at.now);
  }
  if (hasProgressed(readFields(deployment.object, 'status'), status)) {
    const next: NewCondition = { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated', message: `${subject} is progressing.` };
    const time = toKubeTime(at.now);
    const lastTransitionTime = before?.status === 'True' ? before.lastTransitionTime : time;
    return [...conditions.filter((condition) => condition.type !== 'Progressing'), { ...next, lastUpdateTime: time, lastTransitionTime }];
  }
  if (!hasTimedOut(deployment, conditions, at.now)) return conditions;
  const message = `${subject} has timed out progressing.`;
  return putCondition(conditions, { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message }, at.now);
}

function withFailure(conditions: Conditions, revisions: Revisions, now: Instant): Conditions {
  const sets = revisions.current ? [revisions.current, ...revisions.old] : revisions.old;
  const failure = sets
    .flatMap((set) => readList(set.object, 'status', 'conditions') as Conditions)
    .find(({ type }) => type === 'ReplicaFailure');
  if (!failure) return conditions.filter((condition) => condition.type !== 'ReplicaFailure');
  const { status, reason, message } = failure;
  return putCondition(conditions, { type: 'ReplicaFailure', status, reason, message }, now);
}

// New pods came or became ready or available, or old ones went.
function hasProgressed(before: Fields, after: Fields): boolean {
  const old = (status: Fields) => count(status, 'replicas') - count(status, 'updatedReplicas');
  const grew = (member: string) => count(after, member) > count(before, member);
  return grew('updatedReplicas') || grew('readyReplicas') || grew('availableReplicas') || old(after) < old(before);
}

function hasTimedOut(deployment: Deployment, conditions: Conditions, now: Instant): boolean {
  const condition = progressing(conditions);
  if (!condition || condition.reason === 'NewReplicaSetAvailable') return false;
  if (condition.reason === 'ProgressDeadlineExceeded') return true;
  const since = parseInstant(condition.lastUpdateTime);
  return since !== undefined && since + (deployment.progressDeadlineSeconds ?? 0) * 1000 < now;
}

function progressing(conditions: Conditions): DeploymentCondition | undefined {
  return conditions.find((condition) => condition.type === 'Progressing');
}

function count(status: Fields, member: string): number {
  return readNumber(status, member) ?? 0;
}
