import type { StatusRule } from '../rule';

/** By what our engine says of the rollout, and where another one drives, by Ready alone. */
export const rolloutOrchestrator: StatusRule = {
  kind: 'serving.knative.dev/RolloutOrchestrator',
  rows: [
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
