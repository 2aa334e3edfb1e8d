import { phaseRows, summaryRows } from '../readings';
import { below, cel, condition, currentIf, failedIf, has, is, oneCondition, progressingIf, rulesFor, unobserved } from '../rows';
import type { RuleRow, StatusRule } from '../rule';

const ECK = 'ECK';

/** Health is what the cluster says of its shards; phase, where there is one, what the operator does to it. */
const ELASTIC_ROWS: readonly RuleRow[] = [
  failedIf(
    is('.status.phase', 'Invalid', 'Stalled'),
    '{.kind} is {.status.phase}. {.status.conditions[status=False].message}',
    '{.status.phase}',
  ),
  failedIf(
    is('.status.health', 'red'),
    '{.kind} has health red. Nodes: {.status.availableNodes|0}/{.status.expectedNodes|.status.count|unknown}',
    'HealthRed',
  ),
  progressingIf(
    is('.status.phase', 'ApplyingChanges', 'MigratingData', 'NodesRestarting', 'ReconciliationFailed'),
    '{.kind} is {.status.phase}',
    '{.status.phase}',
  ),
  progressingIf(
    is('.status.health', 'yellow'),
    '{.kind} has health yellow. Nodes: {.status.availableNodes|0}/{.status.expectedNodes|.status.count|unknown}',
    'HealthYellow',
  ),
  progressingIf(
    below('.status.availableNodes', '.status.expectedNodes|.spec.count|0'),
    'Nodes available: {.status.availableNodes|0}/{.status.expectedNodes|.spec.count}',
    'LessAvailable',
  ),
  // Elasticsearch is made of sets of nodes, and tells only how many nodes there are of all of them.
  progressingIf(
    [has('.status.availableNodes'), cel('object.status.availableNodes < object.spec.nodeSets.map(one, one.count).sum()')],
    'Nodes available: {.status.availableNodes}. Wanted by set: {.spec.nodeSets[*].count}',
    'LessAvailable',
  ),
  currentIf(is('.status.health', 'green'), '{.kind} has health green. Nodes: {.status.availableNodes|0}'),
  progressingIf(has('.status.health'), '{.kind} has health {.status.health}', 'HealthUnknown'),
  unobserved(ECK),
];

/** A StackConfigPolicy tells its phase and how many of the resources that it selects have taken it. */
const ELASTIC_POLICY_ROWS = phaseRows({
  by: ECK,
  current: ['Ready'],
  failed: ['Invalid', 'Error', 'Conflict'],
  says: '.status.readyCount',
});

/** ReconcileSuccess says whether the operator could write what was asked, the others whether the brokers follow. */
const RABBITMQ_ROWS: readonly RuleRow[] = [
  failedIf(condition('ReconcileSuccess', 'False')),
  progressingIf(oneCondition(['ClusterAvailable', 'AllReplicasReady'], ['False', 'Unknown'])),
  progressingIf(condition('ReconcileSuccess', 'Unknown')),
  currentIf(
    [condition('ClusterAvailable', 'True'), condition('NoWarnings', 'False')],
    'RabbitmqCluster is available, with a warning: {.status.conditions[type=NoWarnings].message}',
  ),
  currentIf(condition('AllReplicasReady', 'True'), 'RabbitmqCluster is available'),
  unobserved('the RabbitMQ operator'),
];

export const SEARCH_AND_QUEUE_RULES: readonly StatusRule[] = [
  { kind: 'stackconfigpolicy.k8s.elastic.co/StackConfigPolicy', rows: [...ELASTIC_POLICY_ROWS] },
  { kind: '*.k8s.elastic.co/*', rows: [...ELASTIC_ROWS] },
  {
    kind: 'opensearch.opster.io/OpenSearchCluster',
    rows: [
      failedIf(is('.status.health', 'red'), 'OpenSearchCluster has health red', 'HealthRed'),
      progressingIf(is('.status.health', 'yellow'), 'OpenSearchCluster has health yellow', 'HealthYellow'),
      ...phaseRows({ by: 'the OpenSearch operator', current: ['RUNNING'], failed: ['ERROR'] }),
    ],
  },
  { kind: 'rabbitmq.com/RabbitmqCluster', rows: [...RABBITMQ_ROWS] },
  { kind: 'rabbitmq.com/*', rows: [...summaryRows({ by: 'the RabbitMQ topology operator' })] },
  ...rulesFor('jetstream.nats.io', ['Stream', 'Consumer', 'KeyValue', 'ObjectStore'], summaryRows({ by: 'NACK' })),
];
