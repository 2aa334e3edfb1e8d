import { phaseRows } from '../readings';
import { condition, currentIf, failedIf, is, progressingIf, rulesFor, unobserved } from '../rows';
import type { RuleRow, StatusRule } from '../rule';

/** The training operator keeps every condition that once was True, so the end is read first. */
const TRAINING_ROWS: readonly RuleRow[] = [
  failedIf(condition('Failed', 'True')),
  currentIf(condition('Succeeded', 'True')),
  progressingIf(condition('Suspended', 'True'), '{.kind} is suspended. {condition.message}'),
  progressingIf(condition('Restarting', 'True')),
  progressingIf(condition('Running', 'True')),
  progressingIf(condition('Created', 'True')),
  unobserved('the training operator'),
];

/** Sets of Jobs and queues in which they wait. */
const JOB_SET_ROWS: readonly RuleRow[] = [
  failedIf(condition('Failed', 'True')),
  currentIf(condition('Completed', 'True')),
  progressingIf(condition('Suspended', 'True'), 'JobSet is suspended. {condition.message}'),
  progressingIf({ path: '.status', present: true }, 'Jobs run. Ready: {.status.replicatedJobsStatus[*].ready|0}', 'Running'),
  unobserved('JobSet'),
];

export const MACHINE_LEARNING_RULES: readonly StatusRule[] = [
  ...rulesFor('kubeflow.org', ['PyTorchJob', 'TFJob', 'MPIJob', 'XGBoostJob', 'PaddleJob', 'JAXJob'], TRAINING_ROWS),
  { kind: 'jobset.x-k8s.io/JobSet', rows: [...JOB_SET_ROWS] },
  {
    kind: 'kueue.x-k8s.io/Workload',
    rows: [
      failedIf(condition('Finished', 'True', ['Failed', 'JobFailed'])),
      currentIf(condition('Finished', 'True')),
      progressingIf(condition('Evicted', 'True'), 'Workload was evicted. {condition.message}'),
      progressingIf(condition('Admitted', 'True'), 'Workload is admitted and runs'),
      progressingIf(condition('QuotaReserved', ['True', 'False'])),
      unobserved('Kueue'),
    ],
  },
  {
    kind: 'ray.io/RayCluster',
    rows: [
      failedIf(is('.status.state', 'failed', 'unhealthy'), 'RayCluster is {.status.state}. {.status.reason}', '{.status.state}'),
      currentIf(is('.status.state', 'ready'), 'RayCluster is ready. Workers: {.status.availableWorkerReplicas|0}'),
      currentIf(is('.status.state', 'suspended'), 'RayCluster is suspended'),
      unobserved('KubeRay'),
    ],
  },
  {
    kind: 'ray.io/RayJob',
    rows: [
      failedIf(is('.status.jobStatus', 'FAILED', 'STOPPED'), 'The job is {.status.jobStatus}. {.status.message}', '{.status.jobStatus}'),
      currentIf(is('.status.jobStatus', 'SUCCEEDED'), 'The job is SUCCEEDED'),
      ...phaseRows({
        by: 'KubeRay',
        at: '.status.jobDeploymentStatus',
        current: ['Complete', 'Suspended'],
        failed: ['Failed', 'ValidationFailed'],
        says: '.status.message',
      }),
    ],
  },
];
