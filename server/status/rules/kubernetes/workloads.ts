import { STUCK_REASONS } from '../../kinds/stuck-start';
import { anyOf, below, cel, condition, currentIf, failedIf, has, is, not, progressingIf } from '../rows';
import type { Guard, RuleRow, StatusRule } from '../rule';

const STUCK: Guard = anyOf(
  is('.status.initContainerStatuses[*].state.waiting.reason', ...STUCK_REASONS),
  is('.status.containerStatuses[*].state.waiting.reason', ...STUCK_REASONS),
);

const GRACE_OVER: Guard = { since: '.status.startTime|.metadata.creationTimestamp', after: '5m' };
const WHY =
  '{.status.initContainerStatuses[*].state.waiting.reason|.status.containerStatuses[*].state.waiting.reason}: {.status.initContainerStatuses[*].state.waiting.message|.status.containerStatuses[*].state.waiting.message|no message}';
const WHY_SHORT = '{.status.initContainerStatuses[*].state.waiting.reason|.status.containerStatuses[*].state.waiting.reason}';

/** kstatus calls every pod that ended current, and one that waits for its image in progress for ever. */
const POD_ROWS: readonly RuleRow[] = [
  failedIf([STUCK, GRACE_OVER], WHY, WHY_SHORT),
  progressingIf(STUCK, WHY, WHY_SHORT),
  failedIf(
    is('.status.phase', 'Failed'),
    'Pod failed: {.status.reason|.status.containerStatuses[*].state.terminated.reason|unknown reason}. {.status.message|.status.containerStatuses[*].state.terminated.message}',
    '{.status.reason|PodFailed}',
  ),
  progressingIf(
    [is('.status.phase', 'Running'), is('.spec.restartPolicy', 'Never', 'OnFailure'), condition('Ready', 'True')],
    'Pod runs and has not ended',
    'PodRunning',
  ),
];

/** kstatus calls a Job current as soon as it runs; who delivers it waits for its end. */
const JOB_ROWS: readonly RuleRow[] = [
  failedIf(condition('Failed', 'True'), 'Job failed: {condition.reason|unknown reason}. {condition.message}'),
  progressingIf(condition('FailureTarget', 'True'), 'Job fails: {condition.reason}. {condition.message}'),
  progressingIf(
    [has('.status.startTime'), not(condition('Complete', 'True')), not(is('.spec.suspend', true))],
    'Job runs. Succeeded: {.status.succeeded|0}/{.spec.completions|.spec.parallelism|1}, failed: {.status.failed|0}',
    'JobRunning',
  ),
];

/** The Job of the last schedule ended, and not well: a success would have been noted after it. */
const LAST_RUN_FAILED = anyOf(
  cel('!has(object.status.lastSuccessfulTime) && has(object.status.lastScheduleTime)'),
  cel('object.status.lastScheduleTime > object.status.lastSuccessfulTime'),
);

const CRON_JOB_ROWS: readonly RuleRow[] = [
  currentIf(is('.spec.suspend', true), 'CronJob is suspended'),
  currentIf(has('.status.active'), 'A Job runs: {.status.active[*].name}'),
  failedIf(
    [LAST_RUN_FAILED, { since: '.status.lastScheduleTime', after: '10s' }],
    'The run of {.status.lastScheduleTime} did not succeed. Last success: {.status.lastSuccessfulTime|never}',
    'LastRunFailed',
  ),
  currentIf([], 'CronJob is scheduled: {.spec.schedule}. Last success: {.status.lastSuccessfulTime|none yet}'),
];

const DISRUPTION_ROWS: readonly RuleRow[] = [
  failedIf(condition('DisruptionAllowed', 'False', 'SyncFailed'), 'Disruptions cannot be computed: {condition.message|condition.reason}'),
  currentIf(
    has('.status.expectedPods'),
    'Disruptions allowed: {.status.disruptionsAllowed|0}. Healthy: {.status.currentHealthy|0}/{.status.desiredHealthy|0}',
  ),
  currentIf(cel('has(object.status.observedGeneration)'), 'Disruptions allowed: {.status.disruptionsAllowed|0}. It selects no pod'),
  { status: 'InProgress', reason: 'NotObserved', message: 'Disruptions have not been computed' },
];

export const WORKLOAD_RULES: readonly StatusRule[] = [
  { kind: 'Pod', rows: [...POD_ROWS] },
  { kind: 'batch/Job', rows: [...JOB_ROWS] },
  { kind: 'batch/CronJob', rows: [...CRON_JOB_ROWS] },
  { kind: 'policy/PodDisruptionBudget', rows: [...DISRUPTION_ROWS] },
  {
    kind: 'ReplicationController',
    rows: [
      failedIf(condition('ReplicaFailure', 'True')),
      progressingIf(
        below('.status.availableReplicas', '.spec.replicas|1'),
        'Available: {.status.availableReplicas|0}/{.spec.replicas|1}',
        'LessAvailable',
      ),
      currentIf([], 'ReplicationController is available. Replicas: {.status.replicas|0}'),
    ],
  },
];
