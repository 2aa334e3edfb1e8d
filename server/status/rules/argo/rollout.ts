import type { StatusRule } from '../rule';

/** Its controller tells a phase, a message beside it, and writes the generation it observed as a text. */
export const rollout: StatusRule = {
  kind: 'argoproj.io/Rollout',
  observedGeneration: 'text',
  rows: [
    { when: [{ condition: 'InvalidSpec', status: 'True' }], status: 'Failed', message: '{condition.message}' },
    { when: [{ path: '.status.phase', is: 'Degraded' }], status: 'Failed', reason: 'Degraded', message: '{.status.message|Rollout is degraded}' },
    { when: [{ path: '.status.phase', is: 'Paused' }], status: 'InProgress', reason: 'Paused', message: 'Rollout is paused: {.status.message|by hand}' },
    { when: [{ path: '.status.phase', is: 'Progressing' }], status: 'InProgress', reason: 'Progressing', message: '{.status.message|Rollout is progressing}' },
    { when: [{ path: '.status.phase', is: 'Healthy' }], status: 'Current', message: 'Rollout is healthy. Replicas: {.status.replicas|0}' },
    { status: 'InProgress', reason: 'NotObserved', message: 'Rollout has no phase' },
  ],
};
