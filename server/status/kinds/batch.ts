import type { KubeObject } from '@/lib/kube/object';
import type { KindRule } from '../kind-rule';
import type { BasicCondition } from '../object-conditions';
import { booleanOr, intOr, stringOr } from '../object-fields';
import type { ComputeResult } from '../result';
import { current, failed, inProgress } from '../result';

/** A running Job is current: its controller has taken it up. Who waits for its end uses `computeJobCompleted`. */
export const computeJob: KindRule = (object, conditions) => {
  const ended = computeEnd(object, conditions);
  if (ended !== undefined) return ended;
  if (stringOr(object, 'status.startTime', '') === '') return inProgress('JobNotStarted', 'Job not started');
  const { succeeded, active, failures } = countPods(object);
  return current(`Job in progress. success:${succeeded}, active: ${active}, failed: ${failures}`);
};

/** The other reading of a Job: in progress until it has completed, failed or been suspended. */
export const computeJobCompleted: KindRule = (object, conditions) =>
  computeEnd(object, conditions) ?? inProgress('JobInProgress', 'Job in progress');

function computeEnd(object: KubeObject, conditions: readonly BasicCondition[]): ComputeResult | undefined {
  const { succeeded, failures, completions } = countPods(object);
  for (const { type, status } of conditions) {
    if (status !== 'True') continue;
    if (type === 'Complete') return current(`Job Completed. succeeded: ${succeeded}/${completions}`);
    if (type === 'Failed') return failed('JobFailed', `Job Failed. failed: ${failures}/${completions}`);
    // The condition outlives the suspension, so the wish counts too.
    if (type === 'Suspended' && booleanOr(object, 'spec.suspend', false)) return current('Job is suspended');
  }
  return undefined;
}

function countPods(object: KubeObject) {
  return {
    succeeded: intOr(object, 'status.succeeded', 0),
    active: intOr(object, 'status.active', 0),
    failures: intOr(object, 'status.failed', 0),
    completions: intOr(object, 'spec.completions', intOr(object, 'spec.parallelism', 1)),
  };
}
