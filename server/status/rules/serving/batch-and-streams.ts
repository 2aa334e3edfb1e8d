import { phaseRows } from '../readings';
import { anyOf, cel, condition, currentIf, failedIf, has, is, progressingIf, rulesFor, unobserved } from '../rows';
import type { StatusRule } from '../rule';

/** Engines that run programs over data, and the scalers that start them. */
export const BATCH_AND_STREAM_RULES: readonly StatusRule[] = [
  // INVALIDATING ends a run whose spec has changed, to begin the next; UNKNOWN has lost sight of the driver for the moment.
  {
    kind: 'sparkoperator.k8s.io/SparkApplication',
    rows: [
      failedIf(
        is('.status.applicationState.state', 'FAILED', 'SUBMISSION_FAILED', 'FAILING'),
        'SparkApplication is {.status.applicationState.state}. {.status.applicationState.errorMessage}',
        '{.status.applicationState.state}',
      ),
      currentIf(
        is('.status.applicationState.state', 'RUNNING', 'COMPLETED'),
        'SparkApplication is {.status.applicationState.state}. Attempts: {.status.executionAttempts|1}',
      ),
      progressingIf(
        has('.status.applicationState.state'),
        'SparkApplication is {.status.applicationState.state}. {.status.applicationState.errorMessage}',
        '{.status.applicationState.state}',
      ),
      unobserved('the Spark operator'),
    ],
  },
  {
    kind: 'sparkoperator.k8s.io/ScheduledSparkApplication',
    rows: [
      ...phaseRows({
        by: 'the Spark operator',
        at: '.status.scheduleState',
        current: ['Scheduled'],
        failed: ['FailedValidation'],
        says: '.status.reason',
      }),
    ],
  },
  {
    kind: 'flink.apache.org/FlinkDeployment',
    rows: [
      currentIf([is('.spec.job.state', 'suspended'), is('.status.jobStatus.state', 'SUSPENDED', 'FINISHED')], 'The job is suspended'),
      failedIf(
        is('.status.jobManagerDeploymentStatus', 'ERROR'),
        'The job manager cannot be deployed. {.status.error|.status.reconciliationStatus.error}',
        'JobManagerError',
      ),
      failedIf(is('.status.lifecycleState', 'FAILED'), 'FlinkDeployment is FAILED. {.status.error}', 'Failed'),
      failedIf(is('.status.jobStatus.state', 'FAILED'), 'The job is FAILED. {.status.error}', 'JobFailed'),
      // What runs then is the last stable spec, and not what was asked for.
      failedIf(
        is('.status.lifecycleState', 'ROLLED_BACK'),
        'FlinkDeployment was rolled back to the last stable spec. {.status.error}',
        'RolledBack',
      ),
      progressingIf(
        is('.status.jobManagerDeploymentStatus', 'DEPLOYED_NOT_READY', 'DEPLOYING', 'MISSING'),
        'The job manager is {.status.jobManagerDeploymentStatus}',
        '{.status.jobManagerDeploymentStatus}',
      ),
      progressingIf(
        is('.status.lifecycleState', 'UPGRADING', 'CREATED', 'ROLLING_BACK', 'DEPLOYED'),
        'FlinkDeployment is {.status.lifecycleState}',
        '{.status.lifecycleState}',
      ),
      progressingIf(
        is('.status.jobStatus.state', 'RECONCILING', 'CREATED', 'INITIALIZING', 'RESTARTING', 'FAILING', 'CANCELLING'),
        'The job is {.status.jobStatus.state}',
        '{.status.jobStatus.state}',
      ),
      currentIf(
        anyOf(
          is('.status.jobManagerDeploymentStatus', 'READY'),
          is('.status.jobStatus.state', 'RUNNING', 'FINISHED', 'SUSPENDED', 'CANCELED'),
        ),
        'The job is {.status.jobStatus.state|not started}',
      ),
      unobserved('the Flink operator'),
    ],
  },
  {
    kind: 'keda.sh/ScaledObject',
    rows: [
      failedIf(condition('Ready', 'False')),
      failedIf(condition('Fallback', 'True')),
      progressingIf(condition('Paused', 'True'), 'Scaling is paused. {condition.message}', 'Paused'),
      currentIf(condition('Ready', 'True')),
      progressingIf(condition('Ready')),
      unobserved('KEDA'),
    ],
  },
  {
    kind: 'keda.sh/ScaledJob',
    rows: [
      // Some triggers that do not work are told by Unknown with a reason; without one KEDA has not looked yet.
      failedIf(anyOf(condition('Ready', 'False'), condition('Ready', 'Unknown', ['PartialTriggerError', 'TriggerError']))),
      progressingIf(condition('Paused', 'True'), 'Scaling is paused. {condition.message}', 'Paused'),
      currentIf(condition('Ready', 'True')),
      progressingIf(condition('Ready')),
      unobserved('KEDA'),
    ],
  },
  ...rulesFor(
    'tower.ansible.com',
    ['AnsibleJob'],
    [
      failedIf(
        is('.status.ansibleJobResult.status', 'failed', 'error', 'canceled'),
        'The job is {.status.ansibleJobResult.status}: {.status.ansibleJobResult.url|no address}',
        '{.status.ansibleJobResult.status}',
      ),
      currentIf(is('.status.ansibleJobResult.status', 'successful'), 'The job is successful: {.status.ansibleJobResult.url|no address}'),
      progressingIf(
        has('.status.ansibleJobResult.status'),
        'The job is {.status.ansibleJobResult.status}',
        '{.status.ansibleJobResult.status}',
      ),
      failedIf(
        cel('object.status.conditions.exists(one, one.type == "Failure" && one.status == "True")'),
        '{.status.conditions[type=Failure].message}',
        'Failure',
      ),
      unobserved('the AWX resource operator'),
    ],
  ),
  {
    kind: 'camel.apache.org/*',
    rows: [
      failedIf(is('.status.phase', 'Error'), '{.status.conditions[type=Ready].message|.status.phase}', 'Error'),
      ...phaseRows({ by: 'Camel K', current: ['Running', 'Ready'], failed: [] }).slice(1),
    ],
  },
];
