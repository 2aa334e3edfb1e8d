import { phaseRows, summaryRows } from '../readings';
import { anyOf, cel, condition, currentIf, failedIf, has, is, oneCondition, progressingIf, rulesFor, unobserved } from '../rows';
import type { RuleRow, StatusRule } from '../rule';

const KINDS = [
  'Dashboard',
  'Datasource',
  'Folder',
  'AlertRuleGroup',
  'ContactPoint',
  'NotificationPolicy',
  'NotificationTemplate',
  'MuteTiming',
  'LibraryPanel',
  'ServiceAccount',
];
const SYNCHRONIZED = KINDS.map((kind) => `${kind}Synchronized`);

/** Each kind has a condition of its own for "every instance that it selects has it". */
const CONTENT_ROWS: readonly RuleRow[] = [
  failedIf(oneCondition(['InvalidSpec', 'NoMatchingInstance', 'NoMatchingFolder'], 'True')),
  failedIf(oneCondition(SYNCHRONIZED, 'False')),
  progressingIf(oneCondition(SYNCHRONIZED, 'Unknown')),
  currentIf(oneCondition(SYNCHRONIZED, 'True'), '{condition.message|.kind}'),
  failedIf(is('.status.NoMatchingInstances', true), 'No instance matches', 'NoMatchingInstance'),
  currentIf(has('.status.hash'), '{.kind} is applied'),
  unobserved('the Grafana operator'),
];

/** A collector beside a pod has no pods of its own to count. */
const COLLECTOR_ROWS: readonly RuleRow[] = [
  currentIf(is('.spec.mode', 'sidecar'), 'Collector is injected into pods'),
  failedIf(
    [cel('object.status.scale.statusReplicas.startsWith("0/")'), { not: is('.status.scale.statusReplicas', '0/0') }],
    'Ready: {.status.scale.statusReplicas}',
    'NoReplicaReady',
  ),
  progressingIf(
    cel('object.status.scale.statusReplicas.split("/")[0] != object.status.scale.statusReplicas.split("/")[1]'),
    'Ready: {.status.scale.statusReplicas}',
    'LessReady',
  ),
  currentIf(has('.status.scale.statusReplicas'), 'Collector is ready: {.status.scale.statusReplicas}'),
  currentIf(has('.status.version'), 'Collector runs version {.status.version}'),
  unobserved('the OpenTelemetry operator'),
];

export const GRAFANA_RULES: readonly StatusRule[] = [
  {
    kind: 'grafana.integreatly.org/Grafana',
    rows: [
      failedIf(is('.status.stageStatus', 'failed'), 'Stage {.status.stage|unknown} failed. {.status.lastMessage}', 'StageFailed'),
      failedIf(condition('GrafanaReady', 'False')),
      currentIf([is('.status.stage', 'complete'), is('.status.stageStatus', 'success')], 'Grafana {.status.version} is complete'),
      currentIf(condition('GrafanaReady', 'True'), 'Grafana {.status.version} is ready'),
      progressingIf(has('.status.stage'), 'Stage {.status.stage} is {.status.stageStatus|under way}', 'Installing'),
      unobserved('the Grafana operator'),
    ],
  },
  { kind: 'grafana.integreatly.org/*', rows: [...CONTENT_ROWS] },
  { kind: 'opentelemetry.io/OpenTelemetryCollector', rows: [...COLLECTOR_ROWS] },
  { kind: 'opentelemetry.io/Instrumentation', statusless: true },
  { kind: 'jaegertracing.io/Jaeger', rows: [...phaseRows({ by: 'the Jaeger operator', current: ['Running'], failed: ['Failed'] })] },
  // Operators made with Ansible: Running with the reason Successful is a rest, with Running it works.
  ...rulesFor(
    'kiali.io',
    ['Kiali', 'OSSMConsole'],
    [
      failedIf(condition('Failure', 'True')),
      progressingIf(condition('Running', 'True', 'Running')),
      currentIf(
        anyOf(condition('Successful', 'True'), condition('Running', 'True', 'Successful')),
        '{.kind} is installed. {condition.message}',
      ),
      progressingIf(condition('Running')),
      unobserved('the Kiali operator'),
    ],
  ),
  ...rulesFor(
    'grafana-org-operator.kubitus-project.gitlab.io',
    ['GrafanaInstance', 'GrafanaOrg'],
    summaryRows({ by: 'the Grafana org operator' }),
  ),
];
