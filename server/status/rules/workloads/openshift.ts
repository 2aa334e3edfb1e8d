import { phaseRows } from '../readings';
import {
  above,
  anyOf,
  below,
  cel,
  condition,
  currentIf,
  failedIf,
  has,
  is,
  oneCondition,
  progressingIf,
  rulesFor,
  unobserved,
} from '../rows';
import type { RuleRow, StatusRule } from '../rule';

/**
 * OpenShift's operators tell three things of themselves: Degraded, Progressing, Available. Progressing is True only while something
 * is being rolled out, unlike that of a Deployment.
 */
const OPERATOR_ROWS: readonly RuleRow[] = [
  failedIf(condition('Degraded', 'True')),
  failedIf(condition('Failing', 'True')),
  progressingIf(condition('Progressing', 'True')),
  failedIf(condition('Available', 'False')),
  currentIf(condition('Available', 'True'), '{condition.message|.kind}'),
  progressingIf(oneCondition(['Available', 'Progressing'], ['False', 'Unknown'])),
];

const BUILD_FAILED = ['Failed', 'Error', 'Cancelled'];

/** Conditions of a Subscription are abnormal when True, and the state says how far the operator follows its channel. */
const SUBSCRIPTION_ROWS: readonly RuleRow[] = [
  failedIf(
    oneCondition(['ResolutionFailed', 'InstallPlanFailed', 'CatalogSourcesUnhealthy', 'BundleUnpackFailed'], 'True'),
    '{condition.message|condition.reason}',
  ),
  currentIf(is('.status.state', 'AtLatestKnown'), 'Operator {.status.installedCSV|of unknown version} is the latest known'),
  failedIf(is('.status.state', 'UpgradeFailed'), 'The upgrade to {.status.currentCSV|a new version} failed', 'UpgradeFailed'),
  // With approval by hand the installed version runs on until somebody approves.
  currentIf(
    [is('.status.state', 'UpgradePending'), has('.status.installedCSV'), is('.spec.installPlanApproval', 'Manual')],
    'Operator {.status.installedCSV} is installed. {.status.currentCSV} waits for approval',
  ),
  progressingIf(has('.status.state'), 'Subscription is {.status.state}. {.status.conditions[status=True].message}', '{.status.state}'),
  progressingIf(
    oneCondition(['BundleUnpacking', 'InstallPlanPending', 'InstallPlanMissing'], 'True'),
    '{condition.message|condition.reason}',
  ),
  unobserved('OLM'),
];

export const OPENSHIFT_RULES: readonly StatusRule[] = [
  {
    kind: 'apps.openshift.io/DeploymentConfig',
    rows: [
      failedIf(
        condition('Progressing', 'False', [
          'ProgressDeadlineExceeded',
          'RolloutCancelled',
          'ReplicaSetCreateError',
          'ReplicationControllerCreateError',
        ]),
      ),
      failedIf(condition('ReplicaFailure', 'True')),
      failedIf([condition('Available', 'False'), above('.status.unavailableReplicas', 0)]),
      currentIf(
        condition('Progressing', 'True', 'NewReplicationControllerAvailable'),
        'DeploymentConfig is rolled out. Replicas: {.status.replicas|0}',
      ),
      progressingIf(condition('Progressing', ['True', 'Unknown'])),
      progressingIf(
        below('.status.updatedReplicas', '.spec.replicas|.status.replicas|0'),
        'Updated: {.status.updatedReplicas|0}/{.spec.replicas|.status.replicas}',
        'LessUpdated',
      ),
      currentIf(has('.status'), 'DeploymentConfig is available. Replicas: {.status.replicas|0}'),
      unobserved('its controller'),
    ],
  },
  {
    kind: 'build.openshift.io/Build',
    rows: [...phaseRows({ by: 'OpenShift', current: ['Complete'], failed: BUILD_FAILED, says: '.status.message' })],
  },
  {
    kind: 'operator.openshift.io/IngressController',
    rows: [
      failedIf(condition('Degraded', 'True')),
      failedIf(condition('Admitted', 'False')),
      progressingIf(
        below('.status.availableReplicas', '.spec.replicas|1'),
        'Available: {.status.availableReplicas|0}/{.spec.replicas|1}',
        'LessAvailable',
      ),
      progressingIf(condition('Progressing', 'True')),
      currentIf(condition('Available', 'True'), 'IngressController is available. Replicas: {.status.availableReplicas}'),
      unobserved('the ingress operator'),
    ],
  },
  {
    kind: 'machineconfiguration.openshift.io/MachineConfigPool',
    rows: [
      failedIf(anyOf(condition('Degraded', 'True'), condition('NodeDegraded', 'True'), condition('RenderDegraded', 'True'))),
      progressingIf(condition('Updating', 'True'), 'Updated: {.status.updatedMachineCount|0}/{.status.machineCount|0}', 'Updating'),
      currentIf(condition('Updated', 'True'), 'All machines are updated: {.status.updatedMachineCount|0}'),
      unobserved('the machine config operator'),
    ],
  },
  ...[
    'config.openshift.io/ClusterOperator',
    'config.openshift.io/ClusterVersion',
    'ocs.openshift.io/*',
    'operator.openshift.io/*',
    'hco.kubevirt.io/*',
  ].map((kind) => ({
    kind,
    rows: [...OPERATOR_ROWS],
  })),
  { kind: 'operators.coreos.com/Subscription', rows: [...SUBSCRIPTION_ROWS] },
  {
    kind: 'operators.coreos.com/ClusterServiceVersion',
    rows: [...phaseRows({ by: 'OLM', current: ['Succeeded'], failed: ['Failed'], says: '.status.message' })],
  },
  {
    kind: 'operators.coreos.com/InstallPlan',
    rows: [...phaseRows({ by: 'OLM', current: ['Complete'], failed: ['Failed'], waiting: ['RequiresApproval'], says: '.status.message' })],
  },
  {
    kind: 'operators.coreos.com/CatalogSource',
    rows: [
      currentIf(
        is('.status.connectionState.lastObservedState', 'READY', 'IDLE'),
        'CatalogSource is {.status.connectionState.lastObservedState}',
      ),
      failedIf(cel('has(object.status.message) && object.status.message != ""'), '{.status.message}', '{.status.reason|Invalid}'),
      progressingIf(
        has('.status.connectionState.lastObservedState'),
        'CatalogSource is {.status.connectionState.lastObservedState}',
        '{.status.connectionState.lastObservedState}',
      ),
      unobserved('OLM'),
    ],
  },
  ...rulesFor(
    'olm.operatorframework.io',
    ['ClusterExtension', 'ClusterCatalog'],
    [
      failedIf(condition('Progressing', 'False', ['Blocked', 'Terminal'])),
      progressingIf(condition('Progressing', 'True', 'Retrying')),
      currentIf(anyOf(condition('Installed', 'True'), condition('Serving', 'True'))),
      progressingIf(oneCondition(['Installed', 'Serving'], ['False', 'Unknown'])),
      unobserved('OLM'),
    ],
  ),
];
