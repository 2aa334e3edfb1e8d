import { summaryRows } from '../readings';
import { anyOf, below, cel, condition, conditionAt, currentIf, failedIf, has, is, progressingIf, rulesFor, unobserved } from '../rows';
import type { RuleRow, StatusRule } from '../rule';

/** A policy that only informs is broken as little as one that enforces: what it asks for is not there. */
const COMPLIANCE_ROWS: readonly RuleRow[] = [
  progressingIf(
    [has('.status.lastEvaluatedGeneration'), below('.status.lastEvaluatedGeneration', '.metadata.generation')],
    '{.kind} generation is {.metadata.generation}, but latest evaluated generation is {.status.lastEvaluatedGeneration}',
    'LatestGenerationNotObserved',
  ),
  failedIf(
    is('.status.compliant', 'NonCompliant'),
    '{.kind} is NonCompliant. {.status.compliancyDetails[*].conditions[*].message|.status.details[compliant=NonCompliant].templateMeta.name|.status.status[compliant=NonCompliant].clustername|.status.conditions[status=False].message}',
    'NonCompliant',
  ),
  progressingIf(is('.status.compliant', 'Pending', 'UnknownCompliancy'), '{.kind} is {.status.compliant}', '{.status.compliant}'),
  currentIf(is('.status.compliant', 'Compliant'), '{.kind} is Compliant'),
  progressingIf(has('.status.compliant'), '{.kind} is {.status.compliant}', '{.status.compliant}'),
  currentIf(is('.spec.disabled', true), '{.kind} is disabled'),
];

/** A binding is well when it is scheduled, applied to every cluster, and healthy in each. */
const BINDING_ROWS: readonly RuleRow[] = [
  progressingIf(
    [has('.status.schedulerObservedGeneration'), below('.status.schedulerObservedGeneration', '.metadata.generation')],
    '{.kind} generation is {.metadata.generation}, but the scheduler has seen {.status.schedulerObservedGeneration}',
    'LatestGenerationNotObserved',
  ),
  // What is not applied is mostly left out instead of written as false; the message is there where that was tried and failed.
  failedIf(
    anyOf(
      is('.status.aggregatedStatus[*].applied', false),
      cel('object.status.aggregatedStatus.exists(one, !has(one.applied) && has(one.appliedMessage) && one.appliedMessage != "")'),
    ),
    'Not applied everywhere. {.status.aggregatedStatus[*].appliedMessage}',
    'NotApplied',
  ),
  failedIf(is('.status.aggregatedStatus[*].health', 'Unhealthy'), 'Health by cluster: {.status.aggregatedStatus[*].health}', 'Unhealthy'),
  failedIf(condition('Scheduled', 'False', 'NoClusterFit')),
  progressingIf(condition('Scheduled', ['False', 'Unknown'])),
  progressingIf(condition('FullyApplied', ['False', 'Unknown'])),
  currentIf([condition('FullyApplied', 'True'), has('.status.aggregatedStatus')], 'Applied in {.status.aggregatedStatus[*].clusterName}'),
  progressingIf(has('.status'), '{.kind} is not applied to every cluster yet', 'NotApplied'),
  unobserved('Karmada'),
];

const KYVERNO_CEL = ['Validating', 'Mutating', 'Generating', 'ImageValidating', 'Deleting'].flatMap((does) => [
  `${does}Policy`,
  `Namespaced${does}Policy`,
]);
const KYVERNO_ROWS: readonly RuleRow[] = [
  currentIf(is('.status.ready', true), '{.kind} is ready'),
  progressingIf(is('.status.ready', false), '{.kind} is not ready', 'NotReady'),
  ...summaryRows({ by: 'Kyverno', waiting: ['NotReady', 'Pending'] }),
];

/** Policies in CEL keep their conditions one level deeper. A right that Kyverno lacks is nothing that it can wait for. */
const KYVERNO_CEL_ROWS: readonly RuleRow[] = [
  currentIf(is('.status.conditionStatus.ready', true), '{.kind} is ready'),
  failedIf(conditionAt('.status.conditionStatus.conditions', 'RBACPermissionsGranted', 'False')),
  progressingIf(
    is('.status.conditionStatus.ready', false),
    '{.kind} is not ready. {.status.conditionStatus.conditions[status=False].message|.status.conditionStatus.message}',
    'NotReady',
  ),
  unobserved('Kyverno'),
];

export const POLICY_RULES: readonly StatusRule[] = [
  ...rulesFor('kyverno.io', ['Policy', 'ClusterPolicy'], KYVERNO_ROWS),
  ...rulesFor('policies.kyverno.io', KYVERNO_CEL, KYVERNO_CEL_ROWS),
  ...['kyverno.io/PolicyException', 'policies.kyverno.io/PolicyException'].map((kind): StatusRule => ({ kind, statusless: true })),
  ...rulesFor(
    'policy.open-cluster-management.io',
    ['Policy', 'ConfigurationPolicy', 'OperatorPolicy', 'CertificatePolicy'],
    COMPLIANCE_ROWS,
  ),
  {
    kind: 'cluster.open-cluster-management.io/ManagedCluster',
    rows: [
      failedIf(condition('ManagedClusterConditionAvailable', ['False', 'Unknown'])),
      progressingIf(condition('HubAcceptedManagedCluster', 'False')),
      currentIf(condition('ManagedClusterConditionAvailable', 'True'), 'Cluster is available'),
      unobserved('Open Cluster Management'),
    ],
  },
  {
    kind: 'work.open-cluster-management.io/ManifestWork',
    rows: [
      failedIf(condition('Applied', 'False')),
      progressingIf(condition('Available', ['False', 'Unknown'])),
      currentIf(condition('Available', 'True'), 'Resources are available'),
      unobserved('Open Cluster Management'),
    ],
  },
  ...rulesFor('work.karmada.io', ['ResourceBinding', 'ClusterResourceBinding'], BINDING_ROWS),
  ...rulesFor(
    'work.karmada.io',
    ['Work'],
    [failedIf(condition('Applied', 'False')), ...summaryRows({ by: 'Karmada', type: 'Applied', says: 'Work is applied' })],
  ),
  // Each source that a constraint or template has is judged in every pod of Gatekeeper.
  {
    kind: 'templates.gatekeeper.sh/ConstraintTemplate',
    rows: [
      failedIf(has('.status.byPod[*].errors'), '{.status.byPod[*].errors[*].message}', 'Invalid'),
      currentIf(is('.status.created', true), 'ConstraintTemplate is created'),
      unobserved('Gatekeeper'),
    ],
  },
  {
    kind: 'nmstate.io/NodeNetworkConfigurationPolicy',
    rows: [
      failedIf(condition('Degraded', 'True')),
      progressingIf(condition('Progressing', 'True')),
      progressingIf(condition('Ignored', 'True'), 'No node matches. {condition.message}'),
      currentIf(condition('Available', 'True')),
      progressingIf(condition('Available')),
      unobserved('nmstate'),
    ],
  },
];
