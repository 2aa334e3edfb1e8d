import { describe, expect, it } from 'vitest';
import type { KindCases } from './evaluate';
import { condition, evaluate } from './evaluate';

/** States that the published types and documents of a kind name, and that one example of each state does not show. */
const KINDS: readonly KindCases[] = [
  [
    'elasticsearch.k8s.elastic.co/v1',
    'Elasticsearch',
    [
      [
        'lacks nodes of one of its sets',
        { spec: { nodeSets: [{ count: 3 }, { count: 2 }] }, status: { phase: 'Ready', health: 'green', availableNodes: 4 } },
        'InProgress',
        'Nodes available: 4. Wanted by set: 3, 2',
      ],
      [
        'has the nodes of all of its sets',
        { spec: { nodeSets: [{ count: 3 }, { count: 2 }] }, status: { phase: 'Ready', health: 'green', availableNodes: 5 } },
        'Current',
        'Elasticsearch has health green. Nodes: 5',
      ],
      [
        'has sets that are counted by an autoscaler',
        { spec: { nodeSets: [{ name: 'hot' }] }, status: { phase: 'Ready', health: 'green', availableNodes: 5 } },
        'Current',
        'Elasticsearch has health green. Nodes: 5',
      ],
    ],
  ],
  [
    'apps.openshift.io/v1',
    'DeploymentConfig',
    [
      [
        'runs, and may make no more pods',
        {
          status: {
            replicas: 2,
            conditions: [
              condition('Progressing', 'True', 'NewReplicationControllerAvailable', 'rolled out'),
              condition('ReplicaFailure', 'True', 'FailedCreate', 'exceeded quota'),
            ],
          },
        },
        'Failed',
        'exceeded quota',
      ],
    ],
  ],
  [
    'cluster.x-k8s.io/v1beta2',
    'Machine',
    [
      [
        'runs a node that is not healthy',
        { status: { phase: 'Running', conditions: [condition('NodeHealthy', 'False', 'NodeNotReady', '* Node.Ready: kubelet stopped')] } },
        'Failed',
        '* Node.Ready: kubelet stopped',
      ],
    ],
  ],
  [
    'kafka.strimzi.io/v1',
    'KafkaRebalance',
    [['was just made', { status: { conditions: [condition('New', 'True', 'New', 'made')] } }, 'InProgress', 'KafkaRebalance is New']],
  ],
  [
    'kibana.k8s.elastic.co/v1',
    'Kibana',
    [
      [
        'has fewer nodes than wanted',
        { spec: { count: 2 }, status: { health: 'green', availableNodes: 1 } },
        'InProgress',
        'Nodes available: 1/2',
      ],
    ],
  ],
  [
    'postgresql.cnpg.io/v1',
    'Cluster',
    [
      [
        'is unrecoverable, in the words of its first releases',
        { status: { phase: 'Cluster is in an unrecoverable state, needs manual intervention' } },
        'Failed',
        'Cluster is in an unrecoverable state, needs manual intervention',
      ],
    ],
  ],
  [
    'sparkoperator.k8s.io/v1beta2',
    'SparkApplication',
    [
      [
        'ends a run whose spec has changed',
        { status: { applicationState: { state: 'INVALIDATING' } } },
        'InProgress',
        'SparkApplication is INVALIDATING',
      ],
      ['has lost sight of its driver', { status: { applicationState: { state: 'UNKNOWN' } } }, 'InProgress', 'SparkApplication is UNKNOWN'],
    ],
  ],
  [
    'sparkoperator.k8s.io/v1beta2',
    'ScheduledSparkApplication',
    [['is being validated', { status: { scheduleState: 'Validating' } }, 'InProgress', 'ScheduledSparkApplication is Validating']],
  ],
  [
    'flink.apache.org/v1beta1',
    'FlinkDeployment',
    [
      [
        'was rolled back',
        { status: { lifecycleState: 'ROLLED_BACK', jobManagerDeploymentStatus: 'READY', jobStatus: { state: 'RUNNING' } } },
        'Failed',
        'FlinkDeployment was rolled back to the last stable spec',
      ],
    ],
  ],
  [
    'rollouts.kruise.io/v1beta1',
    'Rollout',
    [
      [
        'is paused between blue and green',
        { status: { phase: 'Progressing', currentStepIndex: 2, blueGreenStatus: { currentStepIndex: 2, currentStepState: 'StepPaused' } } },
        'InProgress',
        'Rollout is paused at step 2',
      ],
    ],
  ],
  [
    'work.karmada.io/v1alpha2',
    'ResourceBinding',
    [
      [
        'could not be applied in one cluster, which leaves applied out',
        {
          status: {
            conditions: [condition('Scheduled', 'True', 'Success', '')],
            aggregatedStatus: [{ clusterName: 'a', appliedMessage: 'no such kind' }],
          },
        },
        'Failed',
        'Not applied everywhere. no such kind',
      ],
      [
        'is about to be scheduled again',
        { generation: 3, status: { schedulerObservedGeneration: 2, conditions: [condition('FullyApplied', 'True', 'Success', '')] } },
        'InProgress',
        'ResourceBinding generation is 3, but the scheduler has seen 2',
      ],
      [
        'fits no cluster',
        { status: { conditions: [condition('Scheduled', 'False', 'NoClusterFit', '0/3 clusters are available')] } },
        'Failed',
        '0/3 clusters are available',
      ],
      [
        'cannot be scheduled right now',
        { status: { conditions: [condition('Scheduled', 'False', 'Unschedulable', 'clusters have too few resources')] } },
        'InProgress',
        'clusters have too few resources',
      ],
    ],
  ],
  [
    'serving.kserve.io/v1beta1',
    'InferenceService',
    [
      [
        'is not ready without a reason, as before its Deployment has told anything',
        { status: { conditions: [{ type: 'Ready', status: 'False' }] } },
        'InProgress',
        'InferenceService is not ready yet',
      ],
    ],
  ],
];

describe.each(KINDS)('%s %s', (apiVersion, kind, cases) => {
  it.each(cases)('[status 11.7] %s', (_title, state, status, message) => {
    const told = evaluate(apiVersion, kind, state);
    expect([told.status, told.message]).toEqual([status, message]);
  });
});

describe('CEL', () => {
  it('[status 11.7] sums lists of numbers, and says what is wrong with others', () => {
    const nodes = { spec: { nodeSets: [{ count: '3' }] }, status: { health: 'green', availableNodes: 5 } };
    expect(() => evaluate('elasticsearch.k8s.elastic.co/v1', 'Elasticsearch', nodes)).toThrow('sum() takes numbers, found "3"');
  });
});
