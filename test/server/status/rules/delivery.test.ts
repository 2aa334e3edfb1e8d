import { describe, expect, it } from 'vitest';
import { compute } from '@/server/status/compute';
import type { KindCases } from './evaluate';
import { anObject, condition, evaluate, NOW, ready } from './evaluate';
import { FLUX } from './flux-cases';

const missing = 'Unable to fetch image "registry.example.com/web:9": not found';
const KNATIVE: readonly KindCases[] = [
  [
    'serving.knative.dev/v1',
    'Service',
    [
      [
        'is ready',
        { status: { url: 'https://web.example.com', latestReadyRevisionName: 'web-00003', conditions: [ready('True', '', '')] } },
        'Current',
        'Service is ready at https://web.example.com. Revision: web-00003',
      ],
      [
        'has failed',
        { status: { conditions: [ready('False', 'RevisionFailed', 'Revision "web-00004" failed')] } },
        'Failed',
        'Revision "web-00004" failed',
      ],
      [
        'is deploying',
        { status: { conditions: [ready('Unknown', 'IngressNotConfigured', 'Ingress has not yet been reconciled.')] } },
        'InProgress',
        'Ingress has not yet been reconciled.',
      ],
      ['is new', {}, 'InProgress', 'Service has not been reconciled by Knative'],
    ],
  ],
  [
    'serving.knative.dev/v1',
    'Revision',
    [
      ['is ready', { status: { actualReplicas: 2, conditions: [ready('True', '', '')] } }, 'Current', 'Revision is ready. Replicas: 2'],
      [
        'sleeps',
        {
          status: {
            conditions: [condition('Active', 'False', 'NoTraffic', 'The target is not receiving traffic.'), ready('True', '', '')],
          },
        },
        'Current',
        'Revision is ready and gets no requests',
      ],
      ['has no image', { status: { conditions: [ready('False', 'ContainerMissing', missing)] } }, 'Failed', missing],
      ['says nothing but a reason', { status: { conditions: [ready('Unknown', 'Deploying', '')] } }, 'InProgress', 'Deploying'],
    ],
  ],
  [
    'serving.knative.dev/v1',
    'Route',
    [
      [
        'splits',
        { status: { traffic: [{ revisionName: 'web-00002' }, { revisionName: 'web-00003' }], conditions: [ready('True', '', '')] } },
        'Current',
        'Route sends its requests to web-00002, web-00003',
      ],
      [
        'has nowhere to send',
        { status: { conditions: [ready('False', 'RevisionMissing', 'Revision "web-9" not found')] } },
        'Failed',
        'Revision "web-9" not found',
      ],
    ],
  ],
];

const timedOut = 'ProgressDeadlineExceeded: ReplicaSet "web-6d" has timed out progressing.';
const ARGO: readonly KindCases[] = [
  [
    'argoproj.io/v1alpha1',
    'Rollout',
    [
      [
        'is healthy',
        { generation: 4, status: { observedGeneration: '4', phase: 'Healthy', replicas: 5 } },
        'Current',
        'Rollout is healthy. Replicas: 5',
      ],
      [
        'was not looked at since it changed',
        { generation: 5, status: { observedGeneration: '4', phase: 'Healthy' } },
        'InProgress',
        'Rollout generation is 5, but latest observed generation is 4',
      ],
      ['waits at a step', { status: { phase: 'Paused', message: 'CanaryPauseStep' } }, 'InProgress', 'Rollout is paused: CanaryPauseStep'],
      [
        'moves',
        { status: { phase: 'Progressing', message: 'more replicas need to be updated' } },
        'InProgress',
        'more replicas need to be updated',
      ],
      ['is late', { status: { phase: 'Degraded', message: timedOut } }, 'Failed', timedOut],
      [
        'makes no sense',
        { status: { conditions: [condition('InvalidSpec', 'True', 'InvalidSpec', 'no selector')] } },
        'Failed',
        'no selector',
      ],
      [
        'has a hash of old for a generation',
        { generation: 2, status: { observedGeneration: '7f9c4d', phase: 'Healthy' } },
        'Current',
        'Rollout is healthy. Replicas: 0',
      ],
    ],
  ],
];

const HOUSE: readonly KindCases[] = [
  [
    'core.oam.dev/v1beta1',
    'Application',
    [
      [
        'runs',
        { status: { status: 'running', latestRevision: { name: 'web-v4' }, conditions: [ready('True', 'Ready', '')] } },
        'Current',
        'Application runs as web-v4',
      ],
      [
        'cannot be read',
        { status: { status: 'held', conditions: [condition('Parsed', 'False', 'Invalid', 'component web needs an image')] } },
        'Failed',
        'component web needs an image',
      ],
      [
        'could not be looked at',
        {
          status: {
            status: 'unhealthy',
            conditions: [condition('Reconciled', 'False', 'ReconcileFailed', 'no answer'), condition('Applied', 'True', 'Applied', '')],
          },
        },
        'Failed',
        'no answer',
      ],
      [
        'could not be collected',
        {
          status: {
            status: 'unhealthy',
            conditions: [condition('Collected', 'False', 'CollectionFailed', 'ConfigMap a cannot be deleted')],
          },
        },
        'Failed',
        'ConfigMap a cannot be deleted',
      ],
      [
        'was put back',
        {
          status: {
            status: 'aborted',
            conditions: [condition('Applied', 'False', 'Rejected', 'web-v4 was aborted'), ready('True', 'Ready', '')],
          },
        },
        'Failed',
        'web-v4 was aborted',
      ],
      [
        'waits for a person',
        {
          status: {
            status: 'held',
            conditions: [condition('Collected', 'False', 'Held', '7 objects would go'), ready('False', 'Held', '7 objects would go')],
          },
        },
        'InProgress',
        '7 objects would go',
      ],
      [
        'has a plan that moved',
        {
          status: {
            status: 'held',
            conditions: [condition('Applied', 'False', 'PlanMoved', 'the cluster changed'), ready('False', 'PlanMoved', '')],
          },
        },
        'InProgress',
        'the cluster changed',
      ],
      [
        'rolls out',
        { status: { status: 'rollingOut', conditions: [ready('False', 'RollingOut', 'stage 2 of 4')] } },
        'InProgress',
        'stage 2 of 4',
      ],
      ['has a workflow that failed', { status: { status: 'workflowFailed' } }, 'Failed', 'The workflow ended as workflowFailed'],
      ['has a workflow that runs', { status: { status: 'runningWorkflow' } }, 'InProgress', 'Application is runningWorkflow'],
      ['is new', {}, 'InProgress', 'Application has not been rendered'],
    ],
  ],
  [
    'core.oam.dev/v1beta1',
    'ResourceTracker',
    [['records', { spec: { applicationGeneration: 3 } }, 'Current', 'Keeps the record of application generation 3']],
  ],
  [
    'serving.knative.dev/v1',
    'RolloutOrchestrator',
    [
      [
        'is complete',
        { spec: { targetRevisions: [{ revisionName: 'web-v4' }] }, status: { conditions: [ready('True', '', '')] } },
        'Current',
        'Rollout is complete. Revision: web-v4',
      ],
      [
        'waits at a gate',
        {
          status: {
            conditions: [ready('Unknown', 'StageRevisionStart', '')],
            control: { phase: 'Paused', message: 'stage 1 waits for approval' },
          },
        },
        'InProgress',
        'stage 1 waits for approval',
      ],
      ['moves', { status: { conditions: [ready('Unknown', 'StageRevisionStart', '')] } }, 'InProgress', 'Rollout is in progress'],
      [
        'is late',
        { status: { control: { phase: 'Degraded', message: 'stage 2 took more than 2 min' } } },
        'Failed',
        'stage 2 took more than 2 min',
      ],
      ['has failed', { status: { conditions: [ready('False', 'RevisionRolloutFailed', 'no progress')] } }, 'Failed', 'no progress'],
      ['is new', {}, 'InProgress', 'Rollout has not been planned'],
    ],
  ],
  [
    'serving.knative.dev/v1',
    'StagePodAutoscaler',
    [
      [
        'is in bounds',
        { status: { actualScale: 4, conditions: [ready('True', '', '')] } },
        'Current',
        'Scale is within its bounds. Replicas: 4',
      ],
      [
        'scales',
        { status: { actualScale: 1, desiredScale: 4, conditions: [ready('Unknown', 'PodAutoscalerStageNotReady', '')] } },
        'InProgress',
        'Scaling is in progress. Replicas: 1/4',
      ],
      ['is new', {}, 'InProgress', 'Scale has not been read'],
    ],
  ],
  [
    'slipway.dev/v1alpha1',
    'StageDecision',
    [
      ['counted', { status: { phase: 'Accepted', message: 'stage 2 goes on' } }, 'Current', 'Accepted: stage 2 goes on'],
      ['was refused', { status: { phase: 'Rejected', message: 'stage 2 is over' } }, 'Current', 'Rejected: stage 2 is over'],
      ['waits', { status: { phase: 'Pending' } }, 'InProgress', 'Decision is pending'],
    ],
  ],
];

describe('rules of what delivers', () => {
  describe.each([...KNATIVE, ...ARGO, ...FLUX, ...HOUSE])('%s %s', (apiVersion, kind, cases) => {
    it.each(cases)('[status 11.7] one that %s', (_title, state, status, message) => {
      expect(evaluate(apiVersion, kind, state)).toMatchObject({ status, message: expect.stringContaining(message) });
    });
  });

  it('[status 11.8] without the rules, an Argo Rollout cannot be told of, since its generation is a text', () => {
    const rollout = anObject('argoproj.io/v1alpha1', 'Rollout', { generation: 4, status: { observedGeneration: '4' } });
    expect(() => compute(rollout, NOW)).toThrow('looking up status.observedGeneration from resource: ');
  });

  it('[status 3] gives a failure the reason of the condition that told of it', () => {
    const told = evaluate('serving.knative.dev/v1', 'Revision', { status: { conditions: [ready('False', 'ContainerMissing', missing)] } });
    expect(told.conditions).toEqual([{ type: 'Stalled', status: 'True', reason: 'ContainerMissing', message: missing }]);
  });
});
