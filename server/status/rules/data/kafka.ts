import { summaryRows } from '../readings';
import { below, condition, currentIf, failedIf, has, is, progressingIf, rulesFor, unobserved } from '../rows';
import type { RuleRow, StatusRule } from '../rule';

/** Strimzi says NotReady True while it cannot bring a resource to what was asked, with the cause as its reason. */
const STRIMZI_ROWS: readonly RuleRow[] = [
  progressingIf(condition('ReconciliationPaused', 'True'), 'Reconciliation is paused. {condition.message}', 'Paused'),
  progressingIf(condition('NotReady', 'True', ['Creating', 'Pending', 'Updating'])),
  failedIf(condition('NotReady', 'True')),
  ...summaryRows({ by: 'Strimzi' }),
];

const CONFLUENT = 'platform.confluent.io';

export const KAFKA_RULES: readonly StatusRule[] = [
  {
    kind: 'core.strimzi.io/StrimziPodSet',
    rows: [
      progressingIf(below('.status.currentPods', '.status.pods|0'), 'Current: {.status.currentPods|0}/{.status.pods}', 'LessCurrent'),
      progressingIf(below('.status.readyPods', '.status.pods|0'), 'Ready: {.status.readyPods|0}/{.status.pods}', 'LessReady'),
      currentIf(has('.status.pods'), 'Pods are ready: {.status.readyPods|0}/{.status.pods}'),
      unobserved('Strimzi'),
    ],
  },
  { kind: 'kafka.strimzi.io/KafkaNodePool', rows: [currentIf(has('.status.nodeIds'), 'Pool has nodes {.status.nodeIds[*]}')] },
  {
    kind: 'kafka.strimzi.io/KafkaRebalance',
    rows: [
      progressingIf(condition('ProposalReady', 'True'), 'The proposal waits for approval', 'ProposalReady'),
      progressingIf(
        { any: ['New', 'PendingProposal', 'Rebalancing'].map((type) => condition(type, 'True')) },
        'KafkaRebalance is {condition.type}',
        '{condition.type}',
      ),
      currentIf(condition('Stopped', 'True'), 'Rebalancing was stopped'),
    ],
  },
  { kind: 'kafka.strimzi.io/*', rows: [...STRIMZI_ROWS] },
  {
    kind: `${CONFLUENT}/Connector`,
    rows: [
      failedIf(is('.status.appState', 'Failed'), '{.status.conditions[*].message|Connector failed}', 'Failed'),
      failedIf(has('.status.failedTasks'), 'Tasks failed: {.status.failedTasksCount|some}', 'TasksFailed'),
      failedIf(is('.status.connectorState', 'FAILED'), 'Connector is FAILED', 'Failed'),
      currentIf(is('.status.connectorState', 'RUNNING', 'PAUSED'), 'Connector is {.status.connectorState}'),
      unobserved('Confluent'),
    ],
  },
  ...rulesFor(
    CONFLUENT,
    ['*'],
    [
      failedIf(is('.status.phase', 'ERROR', 'FAILED'), '{.kind} is {.status.phase}. {.status.conditions[*].message}', '{.status.phase}'),
      failedIf(is('.status.appState', 'Failed'), '{.status.conditions[*].message|The application failed}', 'Failed'),
      currentIf(is('.status.phase', 'RUNNING'), '{.kind} is RUNNING'),
      currentIf(is('.status.appState', 'Created'), '{.kind} is created'),
      progressingIf(has('.status.phase'), '{.kind} is {.status.phase}', '{.status.phase}'),
      unobserved('Confluent'),
    ],
  ),
  {
    kind: 'kafka.banzaicloud.io/KafkaCluster',
    rows: [
      failedIf(
        is(
          '.status.brokersState[*].gracefulActionState.cruiseControlState',
          'GracefulUpscaleCompletedWithError',
          'GracefulDownscaleCompletedWithError',
          'GracefulDiskRebalanceCompletedWithError',
        ),
        'A broker could not be balanced: {.status.brokersState[*].gracefulActionState.cruiseControlState}',
        'CruiseControlFailed',
      ),
      progressingIf(
        is('.status.brokersState[*].configurationState', 'ConfigOutOfSync'),
        'The configuration of a broker is out of sync',
        'ConfigOutOfSync',
      ),
      currentIf(is('.status.state', 'ClusterRunning'), 'KafkaCluster is {.status.state}'),
      progressingIf(has('.status.state'), 'KafkaCluster is {.status.state}', '{.status.state}'),
      unobserved('Koperator'),
    ],
  },
];
