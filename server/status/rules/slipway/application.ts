import type { StatusRule } from '../rule';

/** By the conditions of our engine where they are, and otherwise by the phases of the original. */
export const application: StatusRule = {
  kind: 'core.oam.dev/Application',
  rows: [
    { when: [{ condition: 'Parsed', status: 'False' }], status: 'Failed', message: '{condition.message}' },
    { when: [{ condition: 'Applied', status: 'False' }], status: 'Failed', message: '{condition.message}' },
    {
      when: [{ path: '.status.status', is: ['workflowFailed', 'workflowTerminated'] }],
      status: 'Failed',
      reason: '{.status.status}',
      message: 'The workflow ended as {.status.status}',
    },
    {
      when: [{ path: '.status.status', is: 'running' }],
      status: 'Current',
      message: 'Application runs as {.status.latestRevision.name|its first revision}',
    },
    { when: [{ condition: 'Collected', status: 'False' }], status: 'InProgress', message: '{condition.message}' },
    { when: [{ condition: 'Ready', status: ['False', 'Unknown'] }], status: 'InProgress', message: '{condition.message}' },
    { when: [{ path: '.status.status', present: true }], status: 'InProgress', reason: '{.status.status}', message: 'Application is {.status.status}' },
    { status: 'InProgress', reason: 'NotObserved', message: 'Application has not been rendered' },
  ],
};
