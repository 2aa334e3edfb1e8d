import { phaseRows, summaryRows } from '../readings';
import { below, cel, condition, currentIf, failedIf, has, is, progressingIf, rulesFor, unobserved } from '../rows';
import type { RuleRow, StatusRule } from '../rule';

/** A False condition has a severity in v1beta1: Error will not mend itself, Warning and Info are being worked on. */
const FAILURE_ROWS: readonly RuleRow[] = [
  failedIf(has('.status.failureMessage'), '{.status.failureMessage}', '{.status.failureReason|Failure}'),
  failedIf([
    condition('Ready', 'False'),
    cel('object.status.conditions.exists(one, one.type == "Ready" && has(one.severity) && one.severity == "Error")'),
  ]),
  failedIf(is('.status.phase', 'Failed'), '{.status.conditions[type=Ready].message|.status.phase}', 'Failed'),
];

/** Nobody looks at what is paused, so what its conditions say is old. */
const PAUSED = progressingIf(is('.spec.paused', true), '{.kind} is paused', 'Paused');
const READY = 'Ready: {.status.readyReplicas|0}/{.spec.replicas|1}';
const MOVING = ['ScalingUp', 'ScalingDown', 'Scaling', 'Pending', 'Provisioning', 'Deleting', 'Unknown'];

/** Machines in number: a deployment, a set or a pool of them. */
const SCALED_ROWS: readonly RuleRow[] = [
  PAUSED,
  ...FAILURE_ROWS,
  progressingIf(is('.status.phase', ...MOVING), `{.kind} is {.status.phase}. ${READY}`, '{.status.phase}'),
  progressingIf({ any: ['ScalingUp', 'ScalingDown', 'RollingOut'].map((type) => condition(type, 'True')) }),
  currentIf(is('.status.phase', 'Running', 'Provisioned'), `{.kind} is {.status.phase}. ${READY}`),
  progressingIf(below('.status.readyReplicas', '.spec.replicas|1'), READY, 'LessReady'),
  currentIf(has('.status.readyReplicas'), '{.kind} is ready. Replicas: {.status.readyReplicas}'),
  unobserved('Cluster API'),
];

const TEMPLATE = currentIf(cel('object.kind.endsWith("Template")'), '{.kind} is used when machines are created');

const CONTROL_PLANE_BROKEN = ['InvalidConfiguration', 'Failed'];

export const CLUSTER_API_RULES: readonly StatusRule[] = [
  {
    kind: 'cluster.x-k8s.io/Cluster',
    rows: [
      PAUSED,
      ...FAILURE_ROWS,
      progressingIf(
        is('.status.phase', 'Pending', 'Provisioning', 'Deleting', 'Unknown'),
        'Cluster is {.status.phase}. {.status.conditions[type=Ready].message}',
        '{.status.phase}',
      ),
      progressingIf(condition('Ready', ['False', 'Unknown'])),
      progressingIf(condition('Available', ['False', 'Unknown'])),
      currentIf(is('.status.phase', 'Provisioned'), 'Cluster is Provisioned'),
      unobserved('Cluster API'),
    ],
  },
  {
    kind: 'cluster.x-k8s.io/Machine',
    rows: [
      ...FAILURE_ROWS,
      // The phase tells that a node came, not that it is still well.
      failedIf([is('.status.phase', 'Running'), condition('NodeHealthy', 'False')]),
      currentIf(is('.status.phase', 'Running'), 'Machine is Running as {.status.nodeRef.name|an unknown node}'),
      ...phaseRows({ by: 'Cluster API', current: [], failed: [] }),
    ],
  },
  ...rulesFor('cluster.x-k8s.io', ['MachineDeployment', 'MachineSet', 'MachinePool'], SCALED_ROWS),
  {
    kind: 'cluster.x-k8s.io/MachineHealthCheck',
    rows: [
      failedIf(condition('RemediationAllowed', 'False'), 'Remediation is not allowed. {condition.message}'),
      failedIf(
        below('.status.currentHealthy', '.status.expectedMachines|0'),
        'Healthy: {.status.currentHealthy|0}/{.status.expectedMachines}',
        'Unhealthy',
      ),
      currentIf(has('.status'), 'All machines are healthy: {.status.currentHealthy|0}'),
      unobserved('Cluster API'),
    ],
  },
  {
    kind: 'addons.cluster.x-k8s.io/ClusterResourceSet',
    rows: [...summaryRows({ by: 'Cluster API', type: 'ResourcesApplied', says: 'Resources are applied' })],
  },
  {
    kind: 'controlplane.cluster.x-k8s.io/AWSManagedControlPlane',
    rows: [
      ...FAILURE_ROWS,
      progressingIf({ any: ['EKSControlPlaneCreating', 'EKSControlPlaneUpdating'].map((type) => condition(type, 'True')) }),
      ...summaryRows({ by: 'Cluster API', broken: CONTROL_PLANE_BROKEN }),
    ],
  },
  // Infrastructure, bootstrap and control planes of every provider keep one contract; templates are only read.
  {
    kind: '*.cluster.x-k8s.io/*',
    rows: [TEMPLATE, PAUSED, ...FAILURE_ROWS, ...summaryRows({ by: 'Cluster API', broken: CONTROL_PLANE_BROKEN })],
  },
];
