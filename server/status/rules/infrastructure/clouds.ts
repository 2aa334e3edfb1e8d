import { phaseRows, summaryRows } from '../readings';
import { condition, currentIf, failedIf, has, is, oneCondition, progressingIf, rulesFor, unobserved } from '../rows';
import type { RuleRow, StatusRule } from '../rule';

/** Terminal is what no retry mends; recoverable errors are retried, and say so while the resource is not synced. */
const ACK_ROWS: readonly RuleRow[] = [
  failedIf(condition('ACK.Terminal', 'True')),
  failedIf(condition('ACK.ReferencesResolved', 'False')),
  progressingIf(condition('ACK.Recoverable', 'True')),
  progressingIf(oneCondition(['ACK.ResourceSynced', 'Ready'], ['False', 'Unknown']), '{condition.message|condition.reason}'),
  currentIf(oneCondition(['ACK.ResourceSynced', 'Ready'], 'True'), '{.kind} is synced with AWS'),
  unobserved('its ACK controller'),
];

const CNRM_WAITING = ['Updating', 'Creating', 'Pending', 'DependencyNotReady'];
const SHOOT_CONDITIONS = [
  'APIServerAvailable',
  'ControlPlaneHealthy',
  'EveryNodeReady',
  'SystemComponentsHealthy',
  'ObservabilityComponentsHealthy',
];

export const CLOUD_RULES: readonly StatusRule[] = [
  { kind: '*.services.k8s.aws/*', rows: [...ACK_ROWS] },
  ...rulesFor(
    'core.cnrm.cloud.google.com',
    ['ConfigConnector', 'ConfigConnectorContext'],
    [
      failedIf(is('.status.healthy', false), '{.kind} is not healthy. {.status.errors[*]}', 'Unhealthy'),
      currentIf(is('.status.healthy', true), '{.kind} is healthy'),
      unobserved('Config Connector'),
    ],
  ),
  {
    kind: '*.cnrm.cloud.google.com/*',
    rows: [...summaryRows({ by: 'Config Connector', waiting: CNRM_WAITING, says: '{condition.message|condition.reason}' })],
  },
  // What a condition lacks in severity is retried.
  {
    kind: '*.azure.com/*',
    rows: [
      failedIf([
        condition('Ready', 'False'),
        { cel: 'object.status.conditions.exists(one, one.type == "Ready" && has(one.severity) && one.severity == "Error")' },
      ]),
      progressingIf(condition('Ready', ['False', 'Unknown'])),
      currentIf(condition('Ready', 'True'), '{.kind} is ready'),
      unobserved('Azure Service Operator'),
    ],
  },
  {
    kind: 'karpenter.sh/NodeClaim',
    rows: [
      failedIf(condition('Launched', 'False', ['LaunchFailed', 'InsufficientCapacityError'])),
      progressingIf(oneCondition(['Launched', 'Registered', 'Initialized'], ['False', 'Unknown']), '{condition.message|condition.reason}'),
      failedIf([condition('Ready', 'False'), condition('Initialized', 'True')]),
      progressingIf(
        condition('Drifted', 'True'),
        'Node {.status.nodeName|unknown} is ready and will be replaced: {condition.reason}',
        'Drifted',
      ),
      currentIf(condition('Ready', 'True'), 'Node {.status.nodeName|unknown} is ready'),
      progressingIf(
        has('.status.conditions'),
        'Node {.status.nodeName|without name} is not ready yet. Done: {.status.conditions[status=True].type}',
        'NotReady',
      ),
      unobserved('Karpenter'),
    ],
  },
  { kind: 'karpenter.sh/NodePool', rows: [...summaryRows({ by: 'Karpenter', says: 'NodePool is ready' })] },
  ...['karpenter.k8s.aws/*', 'karpenter.azure.com/*'].map((kind) => ({
    kind,
    rows: [...summaryRows({ by: 'Karpenter', says: '{.kind} is ready' })],
  })),
  {
    kind: 'iammanager.keikoproj.io/Iamrole',
    rows: [
      ...phaseRows({
        by: 'iam-manager',
        at: '.status.state',
        current: ['Ready'],
        failed: ['Error', 'RolesMaxLimitReached', 'PolicyNotAllowed'],
        says: '.status.errorDescription',
      }),
    ],
  },
  {
    kind: 'core.gardener.cloud/Shoot',
    rows: [
      failedIf(
        is('.status.lastOperation.state', 'Failed', 'Error', 'Aborted'),
        '{.status.lastOperation.type} ended as {.status.lastOperation.state}. {.status.lastErrors[*].description|.status.lastOperation.description}',
        '{.status.lastOperation.state}',
      ),
      progressingIf(
        is('.status.lastOperation.state', 'Processing', 'Pending'),
        '{.status.lastOperation.type}: {.status.lastOperation.progress|0}%. {.status.lastOperation.description}',
        '{.status.lastOperation.state}',
      ),
      progressingIf(oneCondition(SHOOT_CONDITIONS, ['False', 'Unknown'])),
      currentIf(has('.status.conditions'), 'Shoot is {.status.lastOperation.state|healthy}'),
      unobserved('Gardener'),
    ],
  },
  {
    kind: 'pulumi.com/Stack',
    rows: [
      failedIf(is('.status.lastUpdate.state', 'failed'), 'The last update failed. {.status.lastUpdate.message}', 'UpdateFailed'),
      ...summaryRows({ by: 'Pulumi', says: 'Stack is up to date at commit {.status.lastUpdate.lastSuccessfulCommit|unknown}' }),
    ],
  },
];
