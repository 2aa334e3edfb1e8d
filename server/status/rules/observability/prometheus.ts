import { phaseRows, summaryRows } from '../readings';
import { condition, conditionAt, currentIf, failedIf, is, progressingIf, rulesFor, unobserved } from '../rows';
import type { RuleRow, StatusRule } from '../rule';

/** Available may be Degraded beside True and False: some replicas are ready, and not all. */
const PROMETHEUS_ROWS: readonly RuleRow[] = [
  failedIf(condition('Reconciled', 'False')),
  failedIf(condition('Available', 'False'), '{condition.message|condition.reason}'),
  progressingIf(
    is('.status.conditions[type=Available].status', 'Degraded', 'Unknown'),
    'Available: {.status.availableReplicas|0}/{.status.replicas|.spec.replicas|1}. {.status.conditions[type=Available].message}',
    '{.status.conditions[type=Available].reason|SomePodsNotReady}',
  ),
  progressingIf(condition('Reconciled', 'Unknown')),
  currentIf(condition('Available', 'True'), '{.kind} is available. Replicas: {.status.availableReplicas|0}'),
  unobserved('the Prometheus operator'),
];

const SELECTED = ['ServiceMonitor', 'PodMonitor', 'Probe', 'ScrapeConfig', 'PrometheusRule', 'AlertmanagerConfig'];
const BINDINGS = '.status.bindings[*].conditions';

/** What others select has a status only where the operator is told to write one, and then per Prometheus that selects it. */
const SELECTED_ROWS: readonly RuleRow[] = [
  failedIf(conditionAt(BINDINGS, 'Accepted', 'False')),
  progressingIf(conditionAt(BINDINGS, 'Accepted', 'Unknown')),
  currentIf(conditionAt(BINDINGS, 'Accepted', 'True'), '{.kind} is accepted by {.status.bindings[*].name}'),
];

const VICTORIA = {
  by: 'the VictoriaMetrics operator',
  at: '.status.updateStatus',
  current: ['operational'],
  failed: ['failed'],
  waiting: ['paused'],
  says: '.status.reason',
};

export const PROMETHEUS_RULES: readonly StatusRule[] = [
  ...rulesFor('monitoring.coreos.com', ['Prometheus', 'PrometheusAgent', 'Alertmanager', 'ThanosRuler'], PROMETHEUS_ROWS),
  ...SELECTED.map((kind): StatusRule => ({ kind: `monitoring.coreos.com/${kind}`, statusless: true, rows: [...SELECTED_ROWS] })),
  { kind: 'operator.victoriametrics.com/*', rows: [...phaseRows(VICTORIA)] },
  {
    kind: 'datadoghq.com/DatadogMetric',
    rows: [
      failedIf(condition('Error', 'True')),
      failedIf(condition('Valid', 'False')),
      ...summaryRows({ by: 'the Datadog cluster agent', type: 'Valid', says: 'Metric is valid. Value: {.status.currentValue|unknown}' }),
    ],
  },
  {
    kind: 'datadoghq.com/DatadogMonitor',
    rows: [
      failedIf(condition('Error', 'True')),
      ...summaryRows({ by: 'the Datadog operator', type: 'Active', says: 'Monitor is {.status.monitorState|active}' }),
    ],
  },
  { kind: 'coralogix.com/*', rows: [...summaryRows({ by: 'Coralogix', type: 'RemoteSynced', says: '{.kind} is synced' })] },
];
