import { summaryRows } from '../readings';
import { anyOf, below, cel, condition, currentIf, failedIf, has, is, progressingIf, rulesFor, unobserved } from '../rows';
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

const KYVERNO = ['Policy', 'ClusterPolicy', 'ValidatingPolicy', 'MutatingPolicy', 'GeneratingPolicy', 'ImageValidatingPolicy'];
const KYVERNO_ROWS: readonly RuleRow[] = [
  currentIf(is('.status.ready', true), '{.kind} is ready'),
  progressingIf(is('.status.ready', false), '{.kind} is not ready', 'NotReady'),
  ...summaryRows({ by: 'kyverno', waiting: ['NotReady', 'Pending'] }),
];

export const POLICY_RULES: readonly StatusRule[] = [
  ...rulesFor('kyverno.io', KYVERNO.slice(0, 2), KYVERNO_ROWS),
  ...rulesFor('policies.kyverno.io', KYVERNO.slice(2), KYVERNO_ROWS),
  { kind: 'kyverno.io/PolicyException', statusless: true },
  ...rulesFor('policy.open-cluster-management.io', ['Policy', 'ConfigurationPolicy', 'OperatorPolicy', 'CertificatePolicy'], COMPLIANCE_ROWS),
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
