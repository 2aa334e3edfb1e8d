import { phaseRows, summaryRows } from '../readings';
import { below, condition, currentIf, failedIf, has, is, oneCondition, progressingIf, rulesFor, unobserved } from '../rows';
import type { RuleRow, StatusRule } from '../rule';

/** 3scale: Failed is retried and Invalid is not; both keep what was asked from being so. */
const THREESCALE_ROWS: readonly RuleRow[] = [
  failedIf(oneCondition(['Failed', 'Invalid', 'Orphan'], 'True'), '{condition.message|condition.type}'),
  progressingIf(condition('In-progress', 'True')),
  currentIf(oneCondition(['Ready', 'Synced'], 'True'), '{.kind} is synced'),
  failedIf(condition('Ready', 'False')),
  progressingIf(oneCondition(['Ready', 'Synced'], ['False', 'Unknown'])),
  unobserved('3scale'),
];

const KEPTN = { by: 'Keptn', current: ['Succeeded', 'Warning'], failed: ['Failed'] };

/** SAP's services: Succeeded of the last operation, and Failed with the cause. */
const SAP_ROWS: readonly RuleRow[] = [
  failedIf(condition('Failed', 'True')),
  ...summaryRows({
    by: 'the BTP service operator',
    type: 'Succeeded',
    waiting: ['CreateInProgress', 'UpdateInProgress', 'DeleteInProgress', 'InProgress'],
  }),
];

export const VENDOR_RULES: readonly StatusRule[] = [
  {
    kind: 'apps.3scale.net/APIManager',
    rows: [
      failedIf(condition('Available', 'False', ['MissingWatchedSecrets', 'MissingRequiredSecrets'])),
      progressingIf(
        condition('Available', ['False', 'Unknown']),
        'APIManager is not available. Starting: {.status.deployments.starting[*]|none}',
      ),
      currentIf(condition('Available', 'True'), 'APIManager is available'),
      unobserved('3scale'),
    ],
  },
  { kind: 'capabilities.3scale.net/*', rows: [...THREESCALE_ROWS] },
  ...rulesFor('services.cloud.sap.com', ['ServiceInstance', 'ServiceBinding'], SAP_ROWS),
  { kind: 'lifecycle.keptn.sh/KeptnTask', rows: [...phaseRows({ ...KEPTN, at: '.status.status', says: '.status.message' })] },
  { kind: 'lifecycle.keptn.sh/KeptnEvaluation', rows: [...phaseRows({ ...KEPTN, at: '.status.overallStatus' })] },
  ...rulesFor(
    'lifecycle.keptn.sh',
    ['KeptnAppVersion', 'KeptnWorkloadVersion', 'KeptnWorkloadInstance'],
    phaseRows({ ...KEPTN, at: '.status.status' }),
  ),
  {
    kind: 'metrics.keptn.sh/Analysis',
    rows: [
      failedIf(
        [is('.status.state', 'Completed'), { not: is('.status.pass', true) }, { not: is('.status.warning', true) }],
        'Analysis did not pass',
        'NotPassed',
      ),
      currentIf(is('.status.state', 'Completed'), 'Analysis passed'),
      progressingIf(has('.status.state'), 'Analysis is {.status.state}', '{.status.state}'),
      unobserved('Keptn'),
    ],
  },
  {
    kind: 'metrics.keptn.sh/KeptnMetric',
    rows: [
      failedIf(has('.status.errMsg'), '{.status.errMsg}', 'QueryFailed'),
      currentIf(has('.status.value'), 'Value: {.status.value}'),
      unobserved('Keptn'),
    ],
  },
  {
    kind: 'core.spinkube.dev/SpinApp',
    rows: [
      failedIf(condition('Progressing', 'False', 'ProgressDeadlineExceeded')),
      progressingIf(below('.status.readyReplicas', '.spec.replicas|1'), 'Ready: {.status.readyReplicas|0}/{.spec.replicas|1}', 'LessReady'),
      currentIf(has('.status.readyReplicas'), 'SpinApp is ready. Replicas: {.status.readyReplicas}'),
      unobserved('SpinKube'),
    ],
  },
  {
    kind: 'k8s.keycloak.org/*',
    rows: [
      failedIf(condition('HasErrors', 'True')),
      progressingIf(condition('Ready', 'False')),
      ...summaryRows({ by: 'the Keycloak operator', says: '{.kind} is ready' }),
    ],
  },
  {
    kind: 'core.humio.com/*',
    rows: [
      ...phaseRows({
        by: 'the Humio operator',
        at: '.status.state',
        current: ['Running', 'Exists'],
        failed: ['ConfigError'],
        says: '.status.message',
      }),
    ],
  },
];
