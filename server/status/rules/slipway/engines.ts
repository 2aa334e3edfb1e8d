import type { StatusRule } from '../rule';

/** By the conditions of our engine where they are, and otherwise by the phases of the original. */
const application: StatusRule = {
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

/** A record has no controller that could be behind. */
const resourceTracker: StatusRule = {
  kind: 'core.oam.dev/ResourceTracker',
  rows: [{ status: 'Current', message: 'Keeps the record of application generation {.spec.applicationGeneration|0}' }],
};

/** By what our engine says of the rollout, and where another one drives, by Ready alone. */
const rolloutOrchestrator: StatusRule = {
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

const stagePodAutoscaler: StatusRule = {
  kind: 'serving.knative.dev/StagePodAutoscaler',
  rows: [
    { when: [{ condition: 'Ready', status: 'False' }], status: 'Failed', message: '{condition.message}' },
    { when: [{ condition: 'Ready', status: 'True' }], status: 'Current', message: 'Scale is within its bounds. Replicas: {.status.actualScale|0}' },
    {
      when: [{ condition: 'Ready' }],
      status: 'InProgress',
      message: '{condition.message|Scale is on its way}. Replicas: {.status.actualScale|0}/{.status.desiredScale|.spec.stageMinScale|0}',
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
    { status: 'InProgress', reason: 'Pending', message: 'Decision waits to be judged' },
  ],
};

/** A snapshot: nobody reports on one. */
const applicationRevision: StatusRule = { kind: 'core.oam.dev/ApplicationRevision', statusless: true };

export const SLIPWAY_RULES: readonly StatusRule[] = [application, applicationRevision, resourceTracker, rolloutOrchestrator, stagePodAutoscaler, stageDecision];
