import type { StatusRule } from '@/server/status';

/** By what our engine says of the rollout, and where another one drives, by Ready alone. */
const rolloutOrchestrator: StatusRule = {
  kind: 'serving.knative.dev/RolloutOrchestrator',
  rows: [
    { when: [{ condition: 'Reconciled', status: 'False' }], status: 'Failed', message: '{condition.message}' },
    {
      when: [{ path: '.status.control.phase', is: 'Degraded' }],
      status: 'Failed',
      reason: 'Degraded',
      message: '{.status.control.message|Rollout is degraded}',
    },
    { when: [{ condition: 'Ready', status: 'False' }], status: 'Failed', message: '{condition.message}' },
    {
      when: [{ path: '.status.control.phase', is: 'Paused' }],
      status: 'InProgress',
      reason: 'Paused',
      message: '{.status.control.message|Rollout is paused}',
    },
    {
      when: [{ condition: 'Ready', status: 'True' }],
      status: 'Current',
      message: 'Rollout is complete. Revision: {.spec.targetRevisions[*].revisionName|none}',
    },
    {
      when: [{ condition: 'Ready' }],
      status: 'InProgress',
      message: '{condition.message|.status.control.message|Rollout is in progress}',
    },
    { status: 'InProgress', reason: 'NotObserved', message: 'Rollout has not been planned' },
  ],
};

const stagePodAutoscaler: StatusRule = {
  kind: 'serving.knative.dev/StagePodAutoscaler',
  rows: [
    { when: [{ condition: 'Ready', status: 'False' }], status: 'Failed', message: '{condition.message}' },
    {
      when: [{ condition: 'Ready', status: 'True' }],
      status: 'Current',
      message: 'Scale is within its bounds. Replicas: {.status.actualScale|0}',
    },
    {
      when: [{ condition: 'Ready' }],
      status: 'InProgress',
      message: '{condition.message|Scaling is in progress}. Replicas: {.status.actualScale|0}/{.status.desiredScale|.spec.stageMinScale|0}',
    },
    { status: 'InProgress', reason: 'NotObserved', message: 'Scale has not been read' },
  ],
};

/** A decision that was refused is settled as well: nothing about it will change, and its message says why. */
const stageDecision: StatusRule = {
  kind: 'slipway.dev/StageDecision',
  rows: [
    {
      when: [{ path: '.status.phase', is: ['Accepted', 'Rejected', 'Expired'] }],
      status: 'Current',
      message: '{.status.phase}: {.status.message|no reason given}',
    },
    { status: 'InProgress', reason: 'Pending', message: 'Decision is pending' },
  ],
};

/** How the kinds of this room stand, for whoever asks the status engine about them. Only this room knows what their fields mean. */
export const ROLLOUT_STATUS_RULES: readonly StatusRule[] = [rolloutOrchestrator, stagePodAutoscaler, stageDecision];
