import type { RuleRow, StatusRule } from '../rule';

const failedWhereFalse = (condition: string): RuleRow => ({
  when: [{ condition, status: 'False' }],
  status: 'Failed',
  message: '{condition.message}',
});

/**
 * By the conditions of our engine where they are, and otherwise by the phases of the original. One whose revision was aborted has failed, however
 * well the stable revision runs: it is not what its spec asks for, and becomes so by no waiting. One that waits for a person is on its way.
 */
const application: StatusRule = {
  kind: 'core.oam.dev/Application',
  rows: [
    ...['Reconciled', 'Parsed'].map(failedWhereFalse),
    { when: [{ condition: 'Applied', status: 'False', reason: 'PlanMoved' }], status: 'InProgress', message: '{condition.message}' },
    ...['Applied', 'RolledOut'].map(failedWhereFalse),
    { when: [{ condition: 'Collected', status: 'False', reason: 'CollectionFailed' }], status: 'Failed', message: '{condition.message}' },
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
    {
      when: [{ path: '.status.status', present: true }],
      status: 'InProgress',
      reason: '{.status.status}',
      message: 'Application is {.status.status}',
    },
    { status: 'InProgress', reason: 'NotObserved', message: 'Application has not been rendered' },
  ],
};

/** A record has no controller that could be behind. */
const resourceTracker: StatusRule = {
  kind: 'core.oam.dev/ResourceTracker',
  rows: [{ status: 'Current', message: 'Keeps the record of application generation {.spec.applicationGeneration|0}' }],
};

/** A snapshot: nobody reports on one. */
const applicationRevision: StatusRule = { kind: 'core.oam.dev/ApplicationRevision', statusless: true };

export const SLIPWAY_RULES: readonly StatusRule[] = [application, applicationRevision, resourceTracker];
