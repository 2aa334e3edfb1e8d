import { summaryRows } from '../readings';
import { anyOf, cel, condition, currentIf, failedIf, is, progressingIf } from '../rows';
import type { RuleRow, StatusRule } from '../rule';

/** Knative's Ready is False only for what will not get better by waiting; while there is hope it is Unknown. */
const UNREADY_ROWS: readonly RuleRow[] = [
  failedIf(condition('Ready', 'False')),
  progressingIf(condition('Ready', 'Unknown')),
  {
    when: [{ not: condition('Ready') }],
    status: 'InProgress',
    reason: 'NotObserved',
    message: '{.kind} has not been reconciled by Knative',
  },
];

/** The operator's own kinds say False while it still installs. */
const OPERATOR_ROWS = summaryRows({ by: 'the Knative operator', broken: ['InstallFailed', 'Error', 'Failed'] });

export const KNATIVE_RULES: readonly StatusRule[] = [
  {
    kind: 'serving.knative.dev/Service',
    rows: [
      ...UNREADY_ROWS,
      currentIf([], 'Service is ready at {.status.url|no address}. Revision: {.status.latestReadyRevisionName|none}'),
    ],
  },
  {
    kind: 'serving.knative.dev/Route',
    rows: [...UNREADY_ROWS, currentIf([], 'Route sends its requests to {.status.traffic[*].revisionName|no revision}')],
  },
  // A Revision without requests is scaled to zero: inactive, and well.
  {
    kind: 'serving.knative.dev/Revision',
    rows: [
      ...UNREADY_ROWS,
      currentIf(condition('Active', 'False'), 'Revision is ready and gets no requests'),
      currentIf([], 'Revision is ready. Replicas: {.status.actualReplicas|0}'),
    ],
  },
  {
    kind: 'serving.knative.dev/Configuration',
    rows: [...UNREADY_ROWS, currentIf([], 'Configuration is ready. Revision: {.status.latestReadyRevisionName|none}')],
  },
  {
    kind: 'operator.knative.dev/*',
    rows: [progressingIf(anyOf(condition('DependenciesInstalled', 'False'), condition('InstallSucceeded', 'Unknown'))), ...OPERATOR_ROWS],
  },
  ...['serving', 'eventing', 'messaging', 'sources', 'flows', 'networking.internal', 'autoscaling.internal'].map((name) => ({
    kind: `${name}.knative.dev/*`,
    rows: [...UNREADY_ROWS, currentIf(condition('Ready', 'True'), '{.kind} is ready')],
  })),
  {
    kind: 'serving.kserve.io/InferenceService',
    rows: [
      progressingIf(condition('Stopped', 'True'), 'InferenceService is stopped. {condition.message}', 'Stopped'),
      failedIf(
        is('.status.modelStatus.transitionStatus', 'BlockedByFailedLoad', 'InvalidSpec'),
        'Model: {.status.modelStatus.transitionStatus}. {.status.modelStatus.lastFailureInfo.message}',
        '{.status.modelStatus.transitionStatus}',
      ),
      failedIf(condition('Ready', 'False', ['RevisionFailed', 'InvalidSpec'])),
      failedIf(
        cel('object.status.conditions.exists(one, one.status == "False" && has(one.reason) && one.reason == "RevisionFailed")'),
        '{.status.conditions[reason=RevisionFailed].message}',
        'RevisionFailed',
      ),
      progressingIf(is('.status.modelStatus.transitionStatus', 'InProgress'), 'Model loads', 'InProgress'),
      // Before its Deployment has told anything it is not ready without a reason.
      progressingIf(
        cel('object.status.conditions.exists(one, one.type == "Ready" && one.status == "False" && (!has(one.reason) || one.reason == ""))'),
        'InferenceService is not ready yet',
        'NotReady',
      ),
      ...summaryRows({
        by: 'KServe',
        waiting: ['PredictorNotReady', 'Predictor ingress not created', 'IngressNotConfigured', 'MinimumReplicasUnavailable'],
        says: 'InferenceService is ready at {.status.url|no address}',
      }),
    ],
  },
  { kind: 'serving.kserve.io/InferenceGraph', rows: [...summaryRows({ by: 'KServe' })] },
  {
    kind: 'openfaas.com/Function',
    rows: [
      progressingIf([condition('Ready', 'True'), is('.spec.replicas', 0)], 'Function is scaled to zero', 'ScaledToZero'),
      ...summaryRows({ by: 'OpenFaaS', waiting: ['Deploying', 'Progressing', 'ScaledToZero'] }),
    ],
  },
];
